package limiter_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"enlist/internal/limiter"
)

func TestASpareSlotIsGivenAfterAllOtherOperations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limiter.New(2, 0)
		first, err := l.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		spare := 0
		for range 2 {
			go func() {
				release, err := l.AcquireSpare(t.Context(), 1)
				if err != nil {
					t.Error(err)
					return
				}
				spare++
				time.Sleep(time.Minute)
				release()
			}()
		}
		synctest.Wait()
		if spare != 0 {
			t.Error("a spare slot was given although as many slots as allowed are in use")
		}
		first()
		synctest.Wait()
		if spare != 1 {
			t.Errorf("%d spare slots were given, want 1", spare)
		}
		other, err := l.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Minute)
		if spare != 1 {
			t.Error("a spare slot was given while another operation runs")
		}
		other()
		synctest.Wait()
		if spare != 2 {
			t.Errorf("%d spare slots were given, want 2", spare)
		}
		time.Sleep(2 * time.Minute)
	})
}

func TestAcquireSpareEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, release := full(t, 0)
		defer release()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if _, err := l.AcquireSpare(ctx, 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("AcquireSpare returned %v, want the error of the context", err)
		}
	})
}
