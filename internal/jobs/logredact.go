package jobs

import (
	"context"
	"log/slog"

	"enlist/internal/audience"
)

// discreet is the log of the queue library, which tells why a job failed. Of a
// mail that is what the mail server said, and mail servers repeat the address.
// Whoever asks for debugging sees it; others find it in the list of jobs.
type discreet struct{ slog.Handler }

func (d discreet) Handle(ctx context.Context, r slog.Record) error {
	if d.Enabled(ctx, slog.LevelDebug) || !aboutMail(r) {
		return d.Handler.Handle(ctx, r)
	}
	told := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "error" || a.Key == "err" {
			a.Value = slog.StringValue("see enlist jobs list")
		}
		told.AddAttrs(a)
		return true
	})
	return d.Handler.Handle(ctx, told)
}

func (d discreet) WithAttrs(attrs []slog.Attr) slog.Handler {
	return discreet{d.Handler.WithAttrs(attrs)}
}

func (d discreet) WithGroup(name string) slog.Handler { return discreet{d.Handler.WithGroup(name)} }

func aboutMail(r slog.Record) (about bool) {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "job_kind" {
			switch a.Value.String() {
			case audience.Notify{}.Kind(), audience.Autorespond{}.Kind(), audience.RequestConfirmation{}.Kind():
				about = true
			}
		}
		return !about
	})
	return about
}
