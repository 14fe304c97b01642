package jobs

import (
	"context"
	"log/slog"
	"sync/atomic"
)

// calm is the log of the queue library while the database is away: each of its
// loops tells an error then at each of its tries, some ten a second, and goes on by itself
// when the database is back. It is told once a minute. What is about a job, and
// what somebody sees who asks for debugging, is told always.
type calm struct {
	slog.Handler
	told *atomic.Int64 // when, in Unix seconds
}

const calmFor = 60 // seconds

// Handle implements slog.Handler.
func (c calm) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelError || aboutJob(r) || c.Enabled(ctx, slog.LevelDebug) {
		return c.Handler.Handle(ctx, r)
	}
	last, now := c.told.Load(), r.Time.Unix()
	if now-last < calmFor || !c.told.CompareAndSwap(last, now) {
		return nil
	}
	told := slog.NewRecord(r.Time, slog.LevelWarn, "the queue cannot reach the database as it should; it tries again, and says so again in a minute", r.PC)
	told.AddAttrs(slog.String("doing", r.Message))
	r.Attrs(func(a slog.Attr) bool {
		told.AddAttrs(a)
		return true
	})
	return c.Handler.Handle(ctx, told)
}

// WithAttrs implements slog.Handler.
func (c calm) WithAttrs(attrs []slog.Attr) slog.Handler {
	return calm{c.Handler.WithAttrs(attrs), c.told}
}

// WithGroup implements slog.Handler.
func (c calm) WithGroup(name string) slog.Handler { return calm{c.Handler.WithGroup(name), c.told} }

func aboutJob(r slog.Record) (about bool) {
	r.Attrs(func(a slog.Attr) bool {
		about = a.Key == "job_id" || a.Key == "job_kind"
		return !about
	})
	return about
}
