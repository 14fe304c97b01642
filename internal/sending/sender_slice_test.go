package sending

import (
	"testing"
	"time"

	"enlist/internal/recipients"
)

// A slice that is abandoned while tokens are taken for it is finished only after that, so that they are returned.
//
// covers: decision 63
func TestSliceIsFinishedAfterItsTokensAreTaken(t *testing.T) {
	s := &heldSlice{leased: &LeasedSlice{}, left: make([]recipients.Recipient, 1)}
	s.wait()
	all := s.withoutTokens()
	s.abandon()
	if s.finished() {
		t.Error("the slice is finished while tokens are taken")
	}
	s.granted(all, nil, time.Time{}, time.Now())
	if !s.finished() || len(s.unused) != 1 {
		t.Errorf("the slice is finished: %t, with %d unused tokens, want 1", s.released, len(s.unused))
	}
}

// A sender hands nothing over when its lease may have ended, whichever clock says so: the steady clock
// does not count the time in which the machine sleeps, and the other one can be put back while the process is stopped.
//
// covers: decision 59
func TestSenderDoesNotTrustOneClock(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		name          string
		shown, steady time.Duration // since the lease was renewed
		may           bool
	}{
		{"a part of the lease has passed", safeLease - time.Second, safeLease - time.Second, true},
		{"the process was stopped", SliceLease * time.Second, SliceLease * time.Second, false},
		{"the machine has slept", SliceLease * time.Second, 0, false},
		{"the clock was put back while the process was stopped", 0, SliceLease * time.Second, false},
		{"the clock was put back", -safeLease, 0, false},
	} {
		s := &heldSlice{renewed: instant{now, now}}
		if may := s.maySend(instant{now.Add(c.shown), now.Add(c.steady)}); may != c.may {
			t.Errorf("%s: the sender may hand over a mail: %t, want %t", c.name, may, c.may)
		}
	}
}
