package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// This file reads the time at which an API key expires.

// Expiry is a duration from now, such as 12h or 90d, or a date, such as 2027-01-31. With a
// date, the key expires at 00:00 UTC on that day. The zero value means that a key never
// expires.
type Expiry struct {
	after time.Duration
	on    time.Time
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (e *Expiry) UnmarshalText(text []byte) error {
	s := string(text)
	if on, err := time.Parse(time.DateOnly, s); err == nil {
		*e = Expiry{on: on}
		return nil
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil && n > 0 {
			*e = Expiry{after: time.Duration(n) * 24 * time.Hour}
			return nil
		}
	}
	if after, err := time.ParseDuration(s); err == nil && after >= time.Second {
		*e = Expiry{after: after}
		return nil
	}
	return fmt.Errorf("%q is neither a time such as 12h or 90d nor a day such as 2027-01-31", text)
}

// Unix returns the time at which a key expires in Unix seconds. It returns 0 if the key
// never expires. A duration begins at now.
func (e Expiry) Unix(now time.Time) int64 {
	switch {
	case e.after > 0:
		return now.Add(e.after).Unix()
	case !e.on.IsZero():
		return e.on.Unix()
	}
	return 0
}
