package limiter

import (
	"testing"
	"time"
)

// Ten tokens a second, and three at once.
var tenASecond = Rate{Interval: 100 * time.Millisecond, Burst: 3}

func TestABucketRefusesWithoutATokenAndFillsAtItsRate(t *testing.T) {
	var r Rates
	start := time.Now()
	for _, c := range []struct {
		after time.Duration
		left  int64
		next  time.Duration
		ok    bool
	}{
		{0, 2, 100 * time.Millisecond, true},
		{0, 1, 100 * time.Millisecond, true},
		{40 * time.Millisecond, 0, 60 * time.Millisecond, true},
		{40 * time.Millisecond, 0, 60 * time.Millisecond, false},
		{99 * time.Millisecond, 0, time.Millisecond, false},
		{100 * time.Millisecond, 0, 100 * time.Millisecond, true},
		{350 * time.Millisecond, 1, 50 * time.Millisecond, true},
		{time.Hour, 2, 100 * time.Millisecond, true},
	} {
		left, next, ok := r.Take(1, tenASecond, start.Add(c.after))
		if left != c.left || next != c.next || ok != c.ok {
			t.Errorf("after %s: %d left, %s until the next, taken: %v; want %d, %s, %v", c.after, left, next, ok, c.left, c.next, c.ok)
		}
	}
	if n := r.Refused(); n != 2 {
		t.Errorf("%d operations are counted as refused, want 2", n)
	}
	if left, _, ok := r.Take(2, tenASecond, start); left != 2 || !ok {
		t.Errorf("another owner has %d left, taken: %v; want 2 and true", left, ok)
	}
}

// A bucket that was filled slowly does not hold back its owner after the rate was raised.
func TestAHigherRateCountsAtOnce(t *testing.T) {
	var r Rates
	now := time.Now()
	slow := Rate{Interval: time.Hour, Burst: 1}
	r.Take(1, slow, now)
	if _, next, ok := r.Take(1, slow, now); ok || next != time.Hour {
		t.Errorf("the second token: taken %v, %s until the next; want false and 1h", ok, next)
	}
	if _, next, ok := r.Take(1, tenASecond, now); ok || next != 100*time.Millisecond {
		t.Errorf("after the change: taken %v, %s until the next; want false and 100ms", ok, next)
	}
	if _, _, ok := r.Take(1, tenASecond, now.Add(100*time.Millisecond)); !ok {
		t.Error("the token that appeared after the change was refused")
	}
}

func TestFullBucketsAreForgotten(t *testing.T) {
	var r Rates
	now := time.Now()
	for owner := range int64(100_000) {
		r.Take(owner, tenASecond, now)
		now = now.Add(time.Millisecond) // 100 owners have a bucket that is not full
		if len(r.full) > fewBuckets+1 {
			t.Fatalf("%d buckets are stored, want at most %d", len(r.full), fewBuckets+1)
		}
	}
}

func BenchmarkRates(b *testing.B) {
	var r Rates
	rate := Rate{Interval: time.Nanosecond, Burst: 1_000_000}
	for b.Loop() {
		r.Take(1, rate, time.Now())
	}
}
