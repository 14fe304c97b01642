package mail

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain reports a failure if a goroutine still runs after all tests of this package.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
