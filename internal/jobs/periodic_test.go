package jobs

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"enlist/internal/db"
)

// Of three works, one fails, one does not return for an hour, and one counts.
func TestPeriodicWorkIsIndependent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var log strings.Builder
		pass := func(d time.Duration) {
			<-time.After(d)
			synctest.Wait()
		}
		counted, failed := 0, 0
		var ended, slowEnded atomic.Bool
		works := []db.Periodic{
			{Name: "failing", Every: time.Second, Do: func(context.Context) error {
				failed++
				if failed == 5 {
					return nil
				}
				return errors.New("no answer")
			}},
			{Name: "slow", Every: time.Second, Do: func(context.Context) error {
				<-time.After(time.Hour)
				slowEnded.Store(true)
				return nil
			}},
			{Name: "counting", Every: time.Minute, Do: func(context.Context) error {
				counted++
				return nil
			}},
		}
		go func() {
			Repeat(ctx, works, nil, slog.New(slog.NewTextHandler(&log, nil)))
			ended.Store(true)
		}()
		pass(10*time.Minute + time.Second/2)
		if counted != 11 || failed != 601 {
			t.Errorf("in ten minutes one work was done %d times and one failed %d times, want 11 and 601", counted, failed)
		}
		if n := strings.Count(log.String(), "work=failing"); n != 2 {
			t.Errorf("the log has %d errors, want the first and the one after a run without error:\n%s", n, &log)
		}
		stop()
		synctest.Wait()
		if ended.Load() || slowEnded.Load() {
			t.Error("Repeat returns before the last work has ended")
		}
		pass(time.Hour)
		if !ended.Load() || !slowEnded.Load() {
			t.Error("Repeat does not return after the last work has ended")
		}
	})
}

// Work that follows the database is done at the start and after a commit, and again after an error. It is not done more
// often than its interval says.
func TestPeriodicWorkFollowsCommits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var commit func(changed bool)
		watch := func(tell func(changed bool)) func() {
			commit = tell
			return func() {}
		}
		var runs atomic.Int64
		var result atomic.Pointer[error] // nil: no error
		var log strings.Builder
		ended := make(chan struct{})
		go func() {
			Repeat(ctx, []db.Periodic{{Name: "settings", Every: 7 * time.Second, IfChanged: true, Do: func(context.Context) error {
				runs.Add(1)
				if err := result.Load(); err != nil {
					return *err
				}
				return nil
			}}}, watch, slog.New(slog.NewTextHandler(&log, nil)))
			close(ended)
		}()
		want := func(n int64, after string) {
			t.Helper()
			<-time.After(time.Minute)
			synctest.Wait()
			if runs.Load() != n {
				t.Fatalf("%d runs after %s, want %d", runs.Load(), after, n)
			}
		}
		want(1, "the start")
		commit(false)
		want(1, "a look without a commit")
		commit(true)
		want(2, "a commit")
		result.Store(&db.ErrAgain)
		commit(true)
		want(11, "a commit whose work is not finished")
		result.Store(new(errors.New("no answer")))
		want(20, "errors")
		result.Store(nil)
		want(21, "the last error")
		for range 60 {
			<-time.After(time.Second)
			commit(true)
		}
		want(31, "a minute of commits")
		if n := strings.Count(log.String(), "\n"); n != 1 {
			t.Errorf("the log has %d lines, want the first error:\n%s", n, &log)
		}
		stop()
		<-ended
	})
}
