package web

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain in this file reports a failure if a goroutine still runs after all tests of the package.

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
