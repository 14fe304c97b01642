package mail

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails the tests of this package if a goroutine still runs at the end.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
