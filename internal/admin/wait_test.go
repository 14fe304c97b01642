package admin_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"enlist/internal/admin/ui"
)

// A search of a page is late only if its own time is over: not if it fails, and not if the browser has gone.
func TestWithinTellsLateSearchesFromOthers(t *testing.T) {
	broken := errors.New("broken")
	gone, leave := context.WithCancel(t.Context())
	leave()
	wait := func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}
	for _, c := range []struct {
		name string
		ctx  context.Context
		rows int64
		wait time.Duration
		find func(context.Context) error
		late bool
		err  error
	}{
		{"it ends in time", t.Context(), ui.Large, time.Minute, func(context.Context) error { return nil }, false, nil},
		{"it fails", t.Context(), ui.Large, time.Minute, func(context.Context) error { return broken }, false, broken},
		{"its time is over", t.Context(), ui.Large, time.Nanosecond, wait, true, nil},
		{"the browser has gone", gone, ui.Large, time.Minute, wait, false, context.Canceled},
		{"few rows have no limit", t.Context(), ui.Large - 1, time.Nanosecond, func(ctx context.Context) error { return ctx.Err() }, false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if late, err := ui.Within(c.ctx, c.rows, c.wait, c.find); late != c.late || !errors.Is(err, c.err) {
				t.Errorf("late %t, error %v; want %t, %v", late, err, c.late, c.err)
			}
		})
	}
}
