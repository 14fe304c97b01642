package mail

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// The tests in this file run in the fake time of synctest, so a pause takes no real time.

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
				t.Fatalf("try %d: allow returned %v, %v, want true only after the first try", len(at)+1, probe, err)
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

// After a pause, one sender connects to the mail server as the probe. When the probe succeeds,
// all other senders may connect.
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
		<-time.After(time.Minute) // a minute of fake time
		synctest.Wait()
		if entered.Load() != 1 {
			t.Errorf("%d senders may connect, want only the probe", entered.Load())
		}
		close(release)
		synctest.Wait()
		if entered.Load() != 10 || probes.Load() != 1 {
			t.Errorf("%d senders may connect, and %d of them are probes; want 10 and 1", entered.Load(), probes.Load())
		}
	})
}

// If a probe ends without a result, the next sender becomes the probe.
func TestSenderAfterAProbeWithoutResultIsAProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newCircuitBreaker()
		p.record(false, serverDown)
		probe, _ := p.allow(t.Context())
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := p.allow(ctx); err == nil {
			t.Error("a second sender may connect while the probe runs, want an error of the context")
		}
		p.record(probe, serverUnknown)
		if probe, err := p.allow(t.Context()); !probe || err != nil {
			t.Errorf("allow for the next sender returned %v, %v, want true: it is the probe", probe, err)
		}
	})
}
