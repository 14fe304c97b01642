package jobs

import (
	"context"
	"strconv"
	"time"

	"enlist/internal/audience"

	"github.com/riverqueue/river"
)

// This file has the worker for notifications, one of the three mail workers (mail.go).

// sendNotification tells one address of a List about one Contact. Its result is not stored: a
// notification is no mail to a Contact.
type sendNotification struct {
	mailWorker[audience.Notify]
}

// Work implements river.Worker.
func (w *sendNotification) Work(ctx context.Context, job *river.Job[audience.Notify]) error {
	release, err := w.acquireSlot(ctx)
	if err != nil {
		return err
	}
	defer release()
	n, err := w.service.Notification(ctx, job.Args)
	if err != nil || n == nil {
		return err
	}
	// The Message-ID is made from this. A job's ID alone is not enough: SQLite may reuse it.
	id := strconv.FormatInt(job.ID, 10) + " " + job.CreatedAt.UTC().Format(time.RFC3339Nano)
	return jobResult(ctx, w.mailer.Notify(ctx, id, n))
}
