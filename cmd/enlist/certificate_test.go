package main

import (
	"strings"
	"testing"
	"time"
)

// A certificate that has expired or ends within 14 days is reported.
func TestCertificateThatEndsSoonIsReported(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 1, 1, 12, 0, 0, 0, time.UTC)
	for end, want := range map[time.Time]string{
		{}:                              "",
		now.Add(15 * 24 * time.Hour):    "",
		now.Add(13*24*time.Hour + 1e12): "expires in 13 days",
		now.Add(time.Minute):            "expires in 0 days",
		now:                             "has expired",
		now.Add(-time.Hour):             "has expired at 2027-01-01 11:00:00",
	} {
		got := certificateText(end, now)
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("the end %v: %q, want %q", end, got, want)
		}
	}
}
