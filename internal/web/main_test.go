package web

import (
	"testing"

	"enlist/internal/db/dbtest"

	"go.uber.org/goleak"
)

// TestMain in this file reports a failure if a goroutine still runs after all tests of the package.

func TestMain(m *testing.M) { dbtest.Main(m, func() error { return goleak.Find() }) }
