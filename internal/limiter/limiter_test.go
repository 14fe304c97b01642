package limiter_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"enlist/internal/limiter"
)

// full returns a Limiter whose only slot is taken, and the function that frees the slot.
func full(t *testing.T, wait time.Duration) (l *limiter.Limiter, release func()) {
	t.Helper()
	l = limiter.New(1, wait)
	release, err := l.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return l, release
}

func TestAnOperationWaitsForAFreeSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, release := full(t, 0)
		ran := false
		go l.Do(t.Context(), func() error { ran = true; return nil })
		time.Sleep(time.Hour)
		if ran {
			t.Error("the second operation ran while the first one had the only slot")
		}
		release()
		synctest.Wait()
		if !ran {
			t.Error("the second operation did not run when the slot was free")
		}
	})
}

func TestDoReturnsErrBusyAfterTheLongestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, release := full(t, time.Second)
		start := time.Now()
		err := l.Do(t.Context(), func() error { t.Error("the function ran without a slot"); return nil })
		if !errors.Is(err, limiter.ErrBusy) || time.Since(start) != time.Second {
			t.Errorf("Do returned %v after %s, want ErrBusy after 1s", err, time.Since(start))
		}
		release()
		if err := l.Do(t.Context(), func() error { return nil }); err != nil {
			t.Errorf("Do with a free slot returned %v, want no error", err)
		}
	})
}

func TestAcquireReturnsTheErrorOfAContextThatEndsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, release := full(t, time.Hour)
		defer release()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := l.Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Acquire returned %v, want the error of the context", err)
		}
	})
}

func TestDoFreesTheSlotAfterAnErrorAndAPanic(t *testing.T) {
	l := limiter.New(1, time.Nanosecond)
	failed := errors.New("failed")
	if err := l.Do(t.Context(), func() error { return failed }); err != failed {
		t.Errorf("Do returned %v, want the error of the function", err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = l.Do(t.Context(), func() error { panic("failed") })
	}()
	if err := l.Do(t.Context(), func() error { return nil }); err != nil {
		t.Errorf("Do returned %v, want no error: the slot must be free", err)
	}
}

func TestANilLimiterHasNoLimit(t *testing.T) {
	var l *limiter.Limiter
	for range 3 {
		if _, err := l.Acquire(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
