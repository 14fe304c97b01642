package enlist

import "testing"

// A rate is a number of calls in a second or a minute, with an optional burst.
func TestCallRateIsParsed(t *testing.T) {
	for _, c := range []struct {
		text string
		want CallRate
	}{
		{"default", CallRate{}}, {"none", AnyRate},
		{"10/second", CallRate{10, PerSecond, 10}}, {"600/minute", CallRate{600, PerMinute, 600}},
		{"600/minute,burst=50", CallRate{600, PerMinute, 50}}, {"1/minute,burst=1000000", CallRate{1, PerMinute, 1_000_000}},
	} {
		got, err := ParseCallRate(c.text)
		if err != nil || got != c.want || got.String() != c.text {
			t.Errorf("%s is read as %+v and written as %s, error %v", c.text, got, got, err)
		}
	}
	for _, text := range []string{"", "10", "0/second", "-1/second", "10/hour", "10/day", "1000001/second", "10/second,burst=0",
		"10/second,burst=", "10/second,burst=1000001", "10/second,5/minute"} {
		if got, err := ParseCallRate(text); err == nil {
			t.Errorf("%q is read as %+v, want an error", text, got)
		}
	}
}
