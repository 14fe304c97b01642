package enlist

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Rate is the largest number of mails in any period of the given length.
type Rate struct {
	Mails  int64
	Period RatePeriod
}

// RatePeriod is the length of a period in nanoseconds.
type RatePeriod int64

// The periods.
const (
	PerSecond = RatePeriod(time.Second)
	PerMinute = RatePeriod(time.Minute)
	PerHour   = RatePeriod(time.Hour)
	PerDay    = RatePeriod(24 * time.Hour)
)

// String returns the name of the period.
func (p RatePeriod) String() string {
	switch p {
	case PerSecond:
		return "second"
	case PerMinute:
		return "minute"
	case PerHour:
		return "hour"
	}
	return "day"
}

// MaxRate is the largest number of mails of a Rate. The buckets calculate in nanoseconds.
const MaxRate = 1_000_000_000

// ParseRates reads rates such as "20/second,5000/day". "" means no rate. Each period may occur once.
func ParseRates(text string) (rates []Rate, err error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		r, ok := parseRate(strings.TrimSpace(part))
		if !ok || slices.ContainsFunc(rates, func(other Rate) bool { return other.Period == r.Period }) {
			return nil, Expected(fmt.Sprintf("rates such as 20/second,5000/day, with the periods second, minute, hour "+
				"and day, and 1 to %d mails", MaxRate))
		}
		rates = append(rates, r)
	}
	return rates, nil
}

func parseRate(text string) (r Rate, ok bool) {
	mails, period, _ := strings.Cut(text, "/")
	n, err := strconv.ParseInt(mails, 10, 64)
	for _, p := range []RatePeriod{PerSecond, PerMinute, PerHour, PerDay} {
		if strings.EqualFold(period, p.String()) {
			return Rate{n, p}, err == nil && n >= 1 && n <= MaxRate
		}
	}
	return r, false
}
