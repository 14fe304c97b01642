package httpapi

import (
	"testing"

	"enlist/internal/db/dbtest"

	"go.uber.org/goleak"
)

// TestMain starts one PostgreSQL server for all tests of this package. It fails if a goroutine still runs after the
// tests.
func TestMain(m *testing.M) { dbtest.Main(m, func() error { return goleak.Find() }) }
