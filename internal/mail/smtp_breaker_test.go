package mail

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// These tests run in the fake time of synctest, so pauses take no real time.

// Each failure doubles the pause, up to longestPause.
//
// covers: decision 50
func TestPauseDoublesUpToABound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newCircuitBreaker()
		start := time.Now()
		var at []time.Duration
		for range 7 {
			probe, err := p.allow(t.Context())
			if err != nil || probe != (len(at) > 0) {
				t.Fatal(probe, err)
			}
			at = append(at, time.Since(start))
			p.record(probe, serverDown)
		}
		for i, want := range []time.Duration{0, 1, 3, 7, 15, 31, 61} {
			if at[i] != want*time.Second {
				t.Errorf("try %d after %v, want %v", i+1, at[i], want*time.Second)
			}
		}
	})
}

// After a pause one sender tries the server. When it succeeds, all others follow.
//
// covers: decision 50
func TestOneProbeGoesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newCircuitBreaker()
		p.record(false, serverDown)
		var probes, entered atomic.Int32
		release := make(chan struct{})
		for range 10 {
			go func() {
				probe, err := p.allow(t.Context())
				if err != nil {
					t.Error(err)
				}
				entered.Add(1)
				if probe {
					probes.Add(1)
					<-release
				}
				p.record(probe, serverUp)
			}()
		}
		<-time.After(time.Minute) // in the time of synctest
		synctest.Wait()
		if entered.Load() != 1 {
			t.Errorf("%d entered, want the probe alone", entered.Load())
		}
		close(release)
		synctest.Wait()
		if entered.Load() != 10 || probes.Load() != 1 {
			t.Errorf("%d entered, %d probes", entered.Load(), probes.Load())
		}
	})
}

// A probe that ends without a result lets the next sender try.
func TestProbeWithoutResultLetsTheNextOneTry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newCircuitBreaker()
		p.record(false, serverDown)
		probe, _ := p.allow(t.Context())
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := p.allow(ctx); err == nil {
			t.Error("a second one entered")
		}
		p.record(probe, serverUnknown)
		if probe, err := p.allow(t.Context()); !probe || err != nil {
			t.Error(probe, err)
		}
	})
}
