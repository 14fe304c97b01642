package reports_test

import (
	"testing"

	"enlist/internal/reports"
)

// The values are those of the formula of Wilson (1927), with z = 1.96.
func TestIntervalOfARate(t *testing.T) {
	for _, c := range []struct{ n, of, low, high int64 }{
		{0, 0, 0, 100_000}, {0, 10, 0, 27_754}, {10, 10, 72_246, 100_000}, {5, 10, 23_659, 76_341}, {141, 1000, 12_080, 16_395},
		{11, 10, 72_246, 100_000},
	} {
		if low, high := reports.Interval(c.n, c.of); low != c.low || high != c.high {
			t.Errorf("%d of %d: %d to %d, want %d to %d", c.n, c.of, low, high, c.low, c.high)
		}
	}
}
