package web

import (
	"testing"

	"go.uber.org/goleak"
)

// This file fails the tests of the package if a goroutine still runs at the end.

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
