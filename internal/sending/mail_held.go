package sending

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// This file asks the database whether the operator holds all mails. The sender of Batches asks in
// the transactions that it needs anyway. The jobs of other mails share one answer a second.

// holdWatch remembers whether mails are held.
type holdWatch struct {
	service *Service
	log     *slog.Logger

	mu    sync.Mutex
	asked time.Time
	held  bool
}

// holdAge is the age at which an answer is asked for again.
const holdAge = time.Second

// isHeld reports whether mails are held. Without an answer of the database it returns true.
func (h *holdWatch) isHeld(ctx context.Context) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.asked) < holdAge {
		return h.held
	}
	hold, err := h.service.Held(ctx)
	if err != nil {
		return true
	}
	if hold != nil && !h.held {
		h.log.Warn("all mails are held; send or discard them with: enlist release", "reason", hold.Reason)
	}
	h.asked, h.held = time.Now(), hold != nil
	return h.held
}
