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

// acquired starts an operation that waits for n units and returns whether it has got them.
func acquired(t *testing.T, l *limiter.Limiter, owner, n int64) func() bool {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := l.AcquireFor(t.Context(), owner, n)
		done <- err
	}()
	synctest.Wait()
	return func() bool { synctest.Wait(); return len(done) == 1 }
}

func TestAnOwnerWithItsShareDelaysNoOtherOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limiter.NewShared(4, limiter.Half(4), time.Hour)
		for range 2 {
			if _, err := l.AcquireFor(t.Context(), 1, 1); err != nil {
				t.Fatal(err)
			}
		}
		more, other := acquired(t, l, 1, 1), acquired(t, l, 2, 2)
		if more() || !other() {
			t.Errorf("the third slot of an owner was granted: %v; two slots of another owner: %v; want only the latter", more(), other())
		}
		if fifth := acquired(t, l, 3, 1); fifth() {
			t.Error("a fifth slot was granted, want four")
		}
		l.Release(2, 2)
		if more() {
			t.Error("an owner with its share got a slot of another owner")
		}
		l.Release(1, 1)
		if !more() {
			t.Error("the owner did not get the slot that it had freed")
		}
		l.Release(1, 2) // so that no goroutine waits
	})
}

func TestALargeRequestIsNotOvertaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limiter.NewShared(10, 10, time.Hour)
		if _, err := l.AcquireFor(t.Context(), 1, 6); err != nil {
			t.Fatal(err)
		}
		large, small := acquired(t, l, 2, 8), acquired(t, l, 3, 1)
		if large() || small() {
			t.Error("a later small request was granted before a large request that waits")
		}
		l.Release(1, 6)
		if !large() || !small() {
			t.Errorf("after all units became free: the large request got its units: %v, the small one: %v", large(), small())
		}
	})
}

// An owner's own small requests do not overtake its large request.
func TestTheRequestsOfAnOwnerKeepTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limiter.NewShared(10, 5, time.Hour)
		if _, err := l.AcquireFor(t.Context(), 1, 3); err != nil {
			t.Fatal(err)
		}
		large, small, other := acquired(t, l, 1, 4), acquired(t, l, 1, 1), acquired(t, l, 2, 5)
		if large() || small() || !other() {
			t.Errorf("large %v, small %v, of another owner %v; want only the last to be granted", large(), small(), other())
		}
		l.Release(1, 3)
		if !large() || !small() {
			t.Errorf("after the owner freed its units: large %v, small %v; want both to be granted", large(), small())
		}
	})
}

// A request that gives up lets the requests behind it proceed.
func TestARequestThatEndsLetsLaterRequestsProceed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limiter.NewShared(10, 10, time.Second)
		if _, err := l.AcquireFor(t.Context(), 1, 6); err != nil {
			t.Fatal(err)
		}
		acquired(t, l, 2, 8)
		time.Sleep(time.Second / 2)
		small := acquired(t, l, 3, 4)
		if small() {
			t.Error("the small request was granted before the large one gave up")
		}
		time.Sleep(time.Second / 2)
		if !small() {
			t.Error("the small request was not granted after the large one gave up")
		}
	})
}
