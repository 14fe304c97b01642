package sending

// Idle reports whether the sender has looked for slices, and waits until it may send further mails.
func (b *BatchSender) Idle() bool {
	if !b.asleep.Load() || len(b.wake) > 0 {
		return false
	}
	for _, s := range b.held.copy() {
		s.mu.Lock()
		busy := len(s.left) > 0 || s.running > 0
		s.mu.Unlock()
		if busy {
			return false
		}
	}
	return true
}

// HasLooked reports whether the sender has leased a slice, or found none.
func (b *BatchSender) HasLooked() bool { return b.asleep.Load() || !b.held.empty() }
