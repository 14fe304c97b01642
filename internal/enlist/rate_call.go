package enlist

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// CallRate is how many calls a key may make. The zero value stands for the default of the server.
type CallRate struct {
	Calls  int64      // number of calls in a period; -1: any number
	Period RatePeriod // PerSecond or PerMinute
	Burst  int64      // number of calls that may come at once
}

// AnyRate is the CallRate of a key without a limit.
var AnyRate = CallRate{Calls: -1}

// maxCallRate is the largest number of calls of a CallRate.
const maxCallRate = 1_000_000

// ParseCallRate reads a rate: "default", "none" (any number of calls), or a number of calls and a period such as
// "10/second" or "600/minute,burst=50". Without burst, the calls of one period may come at once.
func ParseCallRate(text string) (CallRate, error) {
	switch text {
	case "default":
		return CallRate{}, nil
	case "none":
		return AnyRate, nil
	}
	rate, burst, hasBurst := strings.Cut(text, ",burst=")
	calls, ok := parseRate(rate)
	r := CallRate{calls.Mails, calls.Period, calls.Mails}
	if hasBurst {
		n, err := strconv.ParseInt(burst, 10, 64)
		ok, r.Burst = ok && err == nil, n
	}
	if !ok || r.Period > PerMinute || r.Calls > maxCallRate || r.Burst < 1 || r.Burst > maxCallRate {
		return CallRate{}, fmt.Errorf("%q is none of none, default, and a rate such as 10/second or 600/minute,burst=50, "+
			"with at most %d calls", text, maxCallRate)
	}
	return r, nil
}

// UnmarshalText is ParseCallRate for flags.
func (r *CallRate) UnmarshalText(text []byte) (err error) {
	*r, err = ParseCallRate(string(text))
	return err
}

// String returns the text that ParseCallRate reads.
func (r CallRate) String() string {
	switch {
	case r == CallRate{}:
		return "default"
	case r == AnyRate:
		return "none"
	case r.Burst == r.Calls:
		return fmt.Sprintf("%d/%s", r.Calls, r.Period)
	}
	return fmt.Sprintf("%d/%s,burst=%d", r.Calls, r.Period, r.Burst)
}

// Interval is the time in which one more call becomes possible.
func (r CallRate) Interval() time.Duration { return time.Duration(int64(r.Period) / r.Calls) }
