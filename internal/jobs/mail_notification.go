package jobs

import (
	"context"
	"strconv"
	"time"

	"enlist/internal/audience"

	"github.com/riverqueue/river"
)

// notify tells one address about one Contact.
type notify struct{ mailing[audience.Notify] }

// Work implements river.Worker.
func (w *notify) Work(ctx context.Context, job *river.Job[audience.Notify]) error {
	leave, err := w.turn(ctx)
	if err != nil {
		return err
	}
	defer leave()
	n, err := w.service.Notification(ctx, job.Args)
	if err != nil || n == nil {
		return err
	}
	// The time goes in because an engine may use a job's ID again.
	id := strconv.FormatInt(job.ID, 10) + " " + job.CreatedAt.UTC().Format(time.RFC3339Nano)
	return outcome(ctx, w.mailer.Notify(ctx, id, n))
}
