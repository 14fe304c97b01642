package jobs

import (
	"context"
	"log/slog"
	"sync/atomic"
)

// This file limits how many errors the queue library logs during an outage of the database.

// throttledLog passes the log of the queue library on, with fewer errors. While the database
// is away, each loop of the library logs an error at each attempt, some ten a second in all,
// and recovers by itself later. Of these errors one a minute is logged, as a warning. Records
// about a job are always logged, and so is everything at the level debug.
type throttledLog struct {
	slog.Handler
	last *atomic.Int64 // when such a warning was logged last, in Unix seconds
}

// throttleInterval is the least time between two such warnings, in seconds.
const throttleInterval = 60

// Handle implements slog.Handler.
func (l throttledLog) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelError || isAboutJob(r) || l.Enabled(ctx, slog.LevelDebug) {
		return l.Handler.Handle(ctx, r)
	}
	last, now := l.last.Load(), r.Time.Unix()
	if now-last < throttleInterval || !l.last.CompareAndSwap(last, now) {
		return nil
	}
	const text = "the job queue has trouble reaching the database; it keeps trying, and logs this at most once a minute"
	warning := slog.NewRecord(r.Time, slog.LevelWarn, text, r.PC)
	warning.AddAttrs(slog.String("doing", r.Message))
	r.Attrs(func(a slog.Attr) bool {
		warning.AddAttrs(a)
		return true
	})
	return l.Handler.Handle(ctx, warning)
}

// WithAttrs implements slog.Handler.
func (l throttledLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return throttledLog{l.Handler.WithAttrs(attrs), l.last}
}

// WithGroup implements slog.Handler.
func (l throttledLog) WithGroup(name string) slog.Handler {
	return throttledLog{l.Handler.WithGroup(name), l.last}
}

// isAboutJob reports whether a record of the queue library names a job.
func isAboutJob(r slog.Record) (found bool) {
	r.Attrs(func(a slog.Attr) bool {
		found = a.Key == "job_id" || a.Key == "job_kind"
		return !found
	})
	return found
}
