package httpapi_test

import (
	"testing"

	"enlist/internal/db/dbtest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { dbtest.Main(m, func() error { return goleak.Find() }) }
