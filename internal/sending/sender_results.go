package sending

import (
	"context"
	"errors"
	"time"

	"enlist/internal/messages"
)

// This file stores what the workers of a BatchSender report. A grouper stores the reports that came
// in since its last commit in one transaction. So on PostgreSQL the workers do not wait for each
// other's locks of the row of the Batch.

// Limits of the attempts to store results. Without a stored result a mail would be sent again, so
// the sender waits for a database that fails for a short time.
const (
	storeAttempts = 30
	storePause    = time.Second
)

// storeReports stores the reports of a group. It returns for each report the mails that are marked.
func (b *BatchSender) storeReports(ctx context.Context, reports []BatchProgress) ([][]BatchMail, error) {
	marked, err := b.service.AdvanceBatches(ctx, reports)
	for attempt := 1; err != nil && attempt < storeAttempts && b.running.Err() == nil; attempt++ {
		pause(b.running, storePause)
		marked, err = b.service.AdvanceBatches(ctx, reports)
	}
	return marked, err
}

// pause waits until d has passed or ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// result converts the outcome of a hand-over. A mail that the Mailer did not try waits again. If
// Stop has cancelled the hand-over, the outcome is unknown.
func (b *BatchSender) result(s *heldSlice, r BatchResult, err error) BatchResult {
	why, known := errors.AsType[*messages.Undelivered](err)
	r.NotTried = false
	switch {
	case err == nil:
	case errors.Is(err, ErrSendingPaused):
		r.NotTried = true
		s.waitForServer()
	case errors.Is(b.running.Err(), context.Canceled):
		r.Unknown = true
	case known:
		r.Failed = why
	default:
		r.Failed = &messages.Undelivered{Err: err}
	}
	if r.Failed != nil {
		r.Retry = b.now().Add(retryDelay(int(r.Recipient.Attempts) + 1))
	}
	return r
}
