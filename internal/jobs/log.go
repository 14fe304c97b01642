package jobs

import (
	"context"
	"log/slog"
	"sync/atomic"

	"enlist/internal/contacts"
	"enlist/internal/events"
)

// This file filters the log of the queue library. It removes the addresses of subscribers, and
// limits the number of logged errors while the database is unavailable.

// filteredLog is the log handler of the queue library. At the level debug it changes nothing.
//
// The library logs why a job failed. For a mail, the error is the reply of the mail server, which
// often repeats the recipient's address. So filteredLog removes the error. The operator can read
// it with `enlist jobs list`.
//
// While the database is unavailable, each loop of the library logs an error at each attempt. All
// loops together log about ten errors a second. The loops recover by themselves. filteredLog
// logs only one of these errors a minute, as a warning.
type filteredLog struct {
	slog.Handler
	lastWarning *atomic.Int64 // time of the last warning in Unix seconds
}

// warningInterval is the shortest time between two warnings about the database, in seconds.
const warningInterval = 60

// Handle implements slog.Handler.
func (l filteredLog) Handle(ctx context.Context, r slog.Record) error {
	aboutJob, aboutMail := subject(r)
	switch {
	case l.Enabled(ctx, slog.LevelDebug):
	case aboutMail:
		r = withoutError(r)
	case r.Level >= slog.LevelError && !aboutJob:
		last, now := l.lastWarning.Load(), r.Time.Unix()
		if now-last < warningInterval || !l.lastWarning.CompareAndSwap(last, now) {
			return nil
		}
		r = r.Clone()
		r.AddAttrs(slog.String("doing", r.Message))
		r.Level = slog.LevelWarn
		r.Message = "the job queue cannot reach the database; it tries again, and logs this at most once a minute"
	}
	return l.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (l filteredLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return filteredLog{l.Handler.WithAttrs(attrs), l.lastWarning}
}

// WithGroup implements slog.Handler.
func (l filteredLog) WithGroup(name string) slog.Handler {
	return filteredLog{l.Handler.WithGroup(name), l.lastWarning}
}

// subject reports whether a record is about a job, and whether this job sends a mail.
func subject(r slog.Record) (job, mail bool) {
	r.Attrs(func(a slog.Attr) bool {
		job = job || a.Key == "job_id" || a.Key == "job_kind"
		if a.Key == "job_kind" {
			switch a.Value.String() {
			case events.Notify{}.Kind(), events.Autorespond{}.Kind(), contacts.RequestConfirmation{}.Kind(),
				contacts.SendLink{}.Kind():
				mail = true
			}
		}
		return true
	})
	return job, mail
}

// withoutError returns a record in which the error is replaced by the command that shows it.
func withoutError(r slog.Record) slog.Record {
	redacted := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "error" || a.Key == "err" {
			a.Value = slog.StringValue("see enlist jobs list")
		}
		redacted.AddAttrs(a)
		return true
	})
	return redacted
}
