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
