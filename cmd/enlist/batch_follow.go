package main

import (
	"context"
	"fmt"
	"time"

	"enlist/internal/app"
	"enlist/internal/batches"
	"enlist/internal/enlist"
)

// This file shows the progress of a Batch until it has ended. Elsewhere than on a terminal, it is a line each time the
// status changes, and every lineEvery.

// followBatch shows the progress of a Batch until it has ended, or was paused. It returns an error unless the Batch
// is completed.
func followBatch(ctx context.Context, s *app.App, caller *enlist.Caller, id enlist.BatchID,
	out *console) error {
	p := batchProgress{progress: newStatus(out.stderr)}
	for {
		b, err := s.Batches.Batch(ctx, caller, id)
		if err != nil {
			return err
		}
		p.print(b, time.Now())
		switch b.Status {
		case batches.BatchCompleted:
			p.end()
			return nil
		case batches.BatchCancelled, batches.BatchFailed, batches.BatchPaused:
			p.end()
			return stoppedError(b)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(followEvery):
		}
	}
}

// stoppedError returns the error for a Batch that was not sent to the end.
func stoppedError(b *batches.Batch) error {
	err := fmt.Errorf("the Batch %d is %s", b.ID, b.Status)
	if b.Reason != "" {
		err = fmt.Errorf("%w: %s", err, b.Reason)
	}
	if b.Status == batches.BatchPaused {
		return next(err, fmt.Sprintf("continue it with: enlist batch resume %d", b.ID))
	}
	return err
}

// batchProgress prints the progress of a Batch.
type batchProgress struct {
	*progress
	meter  meter               // of the mails, since the first look while the Batch is sending
	status batches.BatchStatus // of the last line
}

// print prints one line about the Batch, if it is due.
func (p *batchProgress) print(b *batches.Batch, now time.Time) {
	sent, rate := b.Sent+b.Refused+b.Failed+b.Doubtful, 0.0
	if b.Status == batches.BatchSending {
		rate = p.meter.rate(sent, now)
	}
	p.show(b.Status != p.status, now, progressLine(b, sent, rate))
	p.status = b.Status
}

// progressLine describes the state of a Batch in one line.
func progressLine(b *batches.Batch, sent int64, rate float64) string {
	total := b.Recipients - b.Skipped
	line := fmt.Sprintf("%s: %d of %d", b.Status, sent, total)
	if !b.IsPopulated {
		line = fmt.Sprintf("%s: %d recipients so far", b.Status, b.Recipients)
	}
	if b.Status == batches.BatchPending {
		line += ", begins at " + formatTime(time.DateTime, b.SendTime, "") + " UTC"
	}
	if n := b.Refused + b.Failed; n > 0 {
		line += fmt.Sprintf(", %d not accepted", n)
	}
	if rate > 0 {
		line += fmt.Sprintf(", %.0f/s", rate) + timeLeft(total-sent, rate)
	}
	return line
}
