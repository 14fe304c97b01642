package pace

import "enlist/internal/enlist"

// This file has rates of mails, and the token buckets that enforce them. A mail of a Batch needs a
// token of each bucket that applies to it (limits.go). The buckets are in the database,
// so all processes share them. A sender takes the tokens of a whole slice in one transaction
// (sending/rate.go). reference.md: batch.rate; decisions.md: 63

// Bucket is a token bucket. A token appears every interval, up to burst tokens. A mail takes a token.
type Bucket struct {
	Name string // what is limited, and the period
	Rate enlist.Rate
	Full int64 // when the bucket is full, in Unix nanoseconds, if no mail takes a token until then
	Took bool
}

// burst is the largest number of tokens in a bucket. Then a sender takes many tokens at once if
// the rate is high: about 20 transactions in a period are enough.
func (b *Bucket) burst() int64 { return 1 + min(b.Rate.Mails/20, 1000) }

// Interval is the time between two tokens in nanoseconds. It is longer than the period divided by
// the mails, so that with a full bucket at the start too, no period has more mails than allowed.
func (b *Bucket) Interval() int64 {
	steady := b.Rate.Mails - b.burst() + 1
	return (int64(b.Rate.Period) + steady - 1) / steady
}

// missing is the time until the bucket is full. It is limited, because another process may have a
// clock that is ahead.
func (b *Bucket) missing(now int64) int64 {
	return min(max(b.Full-now, 0), b.burst()*b.Interval())
}

// Tokens returns the number of tokens in the bucket.
func (b *Bucket) Tokens(now int64) int64 { return b.burst() - ceilDiv(b.missing(now), b.Interval()) }

// Next returns when the bucket has a token.
func (b *Bucket) Next(now int64) int64 {
	return now + max(0, b.missing(now)-(b.burst()-1)*b.Interval())
}

// Take takes one token, which the bucket must have.
func (b *Bucket) Take(now int64) {
	b.Full, b.Took = now+b.missing(now)+b.Interval(), true
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
