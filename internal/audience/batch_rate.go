package audience

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// This file has rates of mails, and the token buckets that enforce them. A mail of a Batch needs a
// token of each bucket that applies to it (batch_rate_limits.go). The buckets are in the database,
// so all processes share them. A sender takes the tokens of a whole slice in one transaction
// (batch_rate_take.go). specification: batch.rate; decisions.md: 63

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

// maxRate is the largest number of mails of a Rate. The buckets calculate in nanoseconds.
const maxRate = 1_000_000_000

// ParseRates reads rates such as "20/second,5000/day". "" means no rate. Each period may occur once.
func ParseRates(text string) (all []Rate, err error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		r, ok := parseRate(strings.TrimSpace(part))
		if !ok || slices.ContainsFunc(all, func(other Rate) bool { return other.Period == r.Period }) {
			return nil, expected(fmt.Sprintf("rates such as 20/second,5000/day, with the periods second, minute, hour "+
				"and day, and 1 to %d mails", maxRate))
		}
		all = append(all, r)
	}
	return all, nil
}

func parseRate(text string) (r Rate, ok bool) {
	mails, period, _ := strings.Cut(text, "/")
	n, err := strconv.ParseInt(mails, 10, 64)
	for _, p := range []RatePeriod{PerSecond, PerMinute, PerHour, PerDay} {
		if strings.EqualFold(period, p.String()) {
			return Rate{n, p}, err == nil && n >= 1 && n <= maxRate
		}
	}
	return r, false
}

// bucket is a token bucket. A token appears every interval, up to burst tokens. A mail takes a token.
type bucket struct {
	name string // what is limited, and the period
	rate Rate
	full int64 // when the bucket is full, in Unix nanoseconds, if no mail takes a token until then
	took bool
}

// burst is the largest number of tokens in a bucket. Then a sender takes many tokens at once if
// the rate is high: about 20 transactions in a period are enough.
func (b *bucket) burst() int64 { return 1 + min(b.rate.Mails/20, 1000) }

// interval is the time between two tokens in nanoseconds. It is longer than the period divided by
// the mails, so that with a full bucket at the start too, no period has more mails than allowed.
func (b *bucket) interval() int64 {
	steady := b.rate.Mails - b.burst() + 1
	return (int64(b.rate.Period) + steady - 1) / steady
}

// missing is the time until the bucket is full. It is limited, because another process may have a
// clock that is ahead.
func (b *bucket) missing(now int64) int64 {
	return min(max(b.full-now, 0), b.burst()*b.interval())
}

// tokens returns the number of tokens in the bucket.
func (b *bucket) tokens(now int64) int64 { return b.burst() - ceilDiv(b.missing(now), b.interval()) }

// next returns when the bucket has a token.
func (b *bucket) next(now int64) int64 {
	return now + max(0, b.missing(now)-(b.burst()-1)*b.interval())
}

// take takes one token, which the bucket must have.
func (b *bucket) take(now int64) {
	b.full, b.took = now+b.missing(now)+b.interval(), true
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
