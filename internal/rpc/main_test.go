package rpc

import (
	"testing"

	"enlist/internal/store/pgtest"

	"go.uber.org/goleak"
)

// The tests of this package share one PostgreSQL server, and must end all goroutines.

func TestMain(m *testing.M) { pgtest.Main(m, func() error { return goleak.Find() }) }
