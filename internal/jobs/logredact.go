package jobs

import (
	"context"
	"log/slog"

	"enlist/internal/audience"
)

// This file keeps addresses of subscribers out of the log.

// redactedLog passes the log of the queue library on without addresses. The library logs why a
// job failed. For a mail that is the mail server's reply, and replies repeat the recipient's
// address. The operator finds the reply with `enlist jobs list`, or at the level debug.
type redactedLog struct{ slog.Handler }

// Handle implements slog.Handler.
func (l redactedLog) Handle(ctx context.Context, r slog.Record) error {
	if l.Enabled(ctx, slog.LevelDebug) || !isAboutMail(r) {
		return l.Handler.Handle(ctx, r)
	}
	redacted := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "error" || a.Key == "err" {
			a.Value = slog.StringValue("see enlist jobs list")
		}
		redacted.AddAttrs(a)
		return true
	})
	return l.Handler.Handle(ctx, redacted)
}

// WithAttrs implements slog.Handler.
func (l redactedLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return redactedLog{l.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (l redactedLog) WithGroup(name string) slog.Handler {
	return redactedLog{l.Handler.WithGroup(name)}
}

// isAboutMail reports whether a record names a job that sends a mail.
func isAboutMail(r slog.Record) (found bool) {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "job_kind" {
			switch a.Value.String() {
			case audience.Notify{}.Kind(), audience.Autorespond{}.Kind(), audience.RequestConfirmation{}.Kind():
				found = true
			}
		}
		return !found
	})
	return found
}
