package db

import (
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestEstimatesAreCachedForAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c estimates
		want := func(key string, count int64, known bool) {
			t.Helper()
			if n, k := c.Recall(key); n != count || k != known {
				t.Errorf("recall of %.20s returns %d, %v, want %d, %v", key, n, k, count, known)
			}
		}
		want("a", 0, false)
		c.Remember(strings.Repeat("x", maxEstimateKey+1), 5000, true)
		want(strings.Repeat("x", maxEstimateKey+1), 0, false)
		c.Remember("a", 1001, false)
		want("a", 1001, false)
		c.Remember("a", 5000, true)
		want("a", 5000, true)
		time.Sleep(time.Minute + time.Second) // the fake clock of synctest
		want("a", 0, false)
		for i := range 10 * maxEstimates {
			c.Remember(strconv.Itoa(i), 5000, true)
		}
		if len(c.all) > maxEstimates {
			t.Errorf("the cache has %d estimates, want at most %d", len(c.all), maxEstimates)
		}
	})
}
