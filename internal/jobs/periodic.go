package jobs

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"enlist/internal/db"
)

// Repeat does each work at once and then after each of its intervals, until ctx ends. It returns when the last of them
// has ended. Each has a goroutine of its own, so its error or slow run neither hides nor delays the others. Of errors in
// a row, such as in an outage of the database, the log has the first.
func Repeat(ctx context.Context, works []db.Periodic, log *slog.Logger) {
	var running sync.WaitGroup
	for _, w := range works {
		running.Go(func() { repeat(ctx, w, log) })
	}
	running.Wait()
}

func repeat(ctx context.Context, w db.Periodic, log *slog.Logger) {
	tick := time.NewTicker(w.Every)
	defer tick.Stop()
	for failing := false; ctx.Err() == nil; {
		err := w.Do(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			log.Error("periodic work failed", "work", w.Name, "error", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}
