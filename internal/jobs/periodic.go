package jobs

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"enlist/internal/db"
)

// Watch is the method of db.Engine that calls a function after commits.
type Watch func(tell func(changed bool)) (stop func())

// Repeat does each work at once and then after each of its intervals, until ctx ends. It returns when the last of them
// has ended. Each has a goroutine of its own, so its error or slow run neither hides nor delays the others. Of errors in
// a row, such as in an outage of the database, the log has the first.
func Repeat(ctx context.Context, works []db.Periodic, watch Watch, log *slog.Logger) {
	var running sync.WaitGroup
	for _, w := range works {
		running.Go(func() { repeat(ctx, w, watch, log) })
	}
	running.Wait()
}

func repeat(ctx context.Context, w db.Periodic, watch Watch, log *slog.Logger) {
	changed := make(chan struct{}, 1)
	if w.IfChanged {
		defer watch(func(is bool) {
			if is {
				signal(changed)
			}
		})()
	}
	interval := time.NewTimer(0)
	defer interval.Stop()
	for failing := false; ctx.Err() == nil; {
		interval.Reset(w.Every)
		err := w.Do(ctx)
		again := errors.Is(err, db.ErrAgain)
		if err != nil && !again && !failing && ctx.Err() == nil {
			log.Error("periodic work failed", "work", w.Name, "error", err)
		}
		failing = err != nil && !again
		if err != nil || !w.IfChanged {
			signal(changed)
		}
		select {
		case <-ctx.Done():
			return
		case <-interval.C:
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
