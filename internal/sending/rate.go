package sending

import (
	"cmp"
	"context"
	"slices"
	"time"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/pace"
	"enlist/internal/recipients"
)

// This file takes tokens for the recipients of a leased slice.

// IsLimited reports whether the mails of the slice need tokens.
func (s *Service) IsLimited(slice *LeasedSlice) bool {
	day := s.sending.Load().Warmup.Limit(s.db.Now(), s.sending.Load().Zone())
	return !s.sending.Load().Rates.Empty() || slice.Of.Rate != "" || len(slice.Paces) > 0 || day != nil
}

// TakeTokens takes tokens for recipients of a slice. It returns the recipients that may be sent now,
// and the others with the time at which the first of these may get a token.
func (s *Service) TakeTokens(ctx context.Context, slice *LeasedSlice,
	waiting []recipients.Recipient) (granted, others []recipients.Recipient,
	next time.Time, err error) {
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		c, err := s.claim(tx, slice, waiting, s.db.Now())
		if err != nil {
			return err
		}
		granted, others = nil, nil
		for i := range waiting {
			if c.grant(i) {
				granted = append(granted, waiting[i])
			} else {
				others = append(others, waiting[i])
			}
		}
		next = time.Unix(0, c.next)
		return c.store(tx)
	})
	return granted, others, next, err
}

// returnTokens gives the tokens back that a sender has taken for recipients, but whose mails it has not begun to hand
// over. Without this, an interrupted slice could use up the mails of a day. at is when it took the first of the tokens.
func (s *Service) returnTokens(ctx context.Context, slice *LeasedSlice, unused []recipients.Recipient,
	at time.Time) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		c, err := s.claim(tx, slice, unused, at)
		if err != nil {
			return err
		}
		for i := range unused {
			c.giveBack(i)
		}
		return c.store(tx)
	})
}

// claim locks the buckets of mails to recipients.
func (s *Service) claim(tx *db.Tx, slice *LeasedSlice, mails []recipients.Recipient, now time.Time) (*claims, error) {
	paces, err := Paces(tx)
	if err != nil {
		return nil, err
	}
	c := &claims{now: now.UnixNano(), buckets: make(map[string]*pace.Bucket), relay: s.sending.Load().Relay,
		day: s.sending.Load().Warmup.Limit(now, s.sending.Load().Zone())}
	for i := range mails {
		c.add(s.bucketsOf(slice, paces, mails[i].Address, now))
	}
	return c, c.lock(tx)
}

func (s *Service) bucketsOf(slice *LeasedSlice, paces []pace.Pace, to string, now time.Time) []pace.Bucket {
	buckets := s.sending.Load().Buckets(slice.From, to)
	rates, _ := enlist.ParseRates(slice.Of.Rate) // addBatch has checked it
	buckets = pace.AppendBuckets(buckets, batches.CauseBatch(slice.Batch), rates)
	group, relay := pace.DomainGroup(to), pace.RelayGroup(s.sending.Load().Relay)
	for i := range paces {
		if p := &paces[i]; (p.Group == group || p.Group == relay) && p.Active(now.Unix()) {
			buckets = append(buckets, pace.Bucket{Name: "pace " + p.Group,
				Rate: enlist.Rate{Mails: p.At(now.Unix()), Period: enlist.PerMinute}})
		}
	}
	return buckets
}

// claims are the buckets of some mails.
type claims struct {
	now     int64
	buckets map[string]*pace.Bucket
	mails   [][]*pace.Bucket
	relay   string
	day     *pace.DayLimit // nil: no limit
	next    int64          // when the first mail without tokens may get them
}

func (c *claims) add(buckets []pace.Bucket) {
	mail := make([]*pace.Bucket, len(buckets))
	for i := range buckets {
		b := c.buckets[buckets[i].Name]
		if b == nil {
			b = &buckets[i]
			c.buckets[b.Name] = b
		}
		mail[i] = b
	}
	c.mails = append(c.mails, mail)
}

// sorted returns the buckets in the order of their names, in which all transactions lock them.
func (c *claims) sorted() []*pace.Bucket {
	buckets := make([]*pace.Bucket, 0, len(c.buckets))
	for _, b := range c.buckets {
		buckets = append(buckets, b)
	}
	slices.SortFunc(buckets, func(a, b *pace.Bucket) int { return cmp.Compare(a.Name, b.Name) })
	return buckets
}

func (c *claims) lock(tx *db.Tx) error {
	buckets := c.sorted()
	names := make([]string, len(buckets))
	for i, b := range buckets {
		names[i] = b.Name
	}
	full, err := LockBuckets(tx, names)
	for _, b := range buckets {
		b.Full = full[b.Name]
	}
	if err == nil && c.day != nil {
		c.day.Taken, err = LockDay(tx, c.relay, c.day.Day)
	}
	return err
}

// grant takes a token of each bucket of a mail, or of none.
func (c *claims) grant(i int) bool {
	var at int64
	if c.day != nil && c.day.Taken >= c.day.Most {
		at = c.day.Ends
	}
	for _, b := range c.mails[i] {
		if b.Tokens(c.now) < 1 {
			at = max(at, b.Next(c.now))
		}
	}
	if at != 0 {
		if c.next == 0 || at < c.next {
			c.next = at
		}
		return false
	}
	for _, b := range c.mails[i] {
		b.Take(c.now)
	}
	if c.day != nil {
		c.day.Taken, c.day.Took = c.day.Taken+1, true
	}
	return true
}

// giveBack undoes grant.
func (c *claims) giveBack(i int) {
	for _, b := range c.mails[i] {
		b.Full, b.Took = max(0, b.Full-b.Interval()), true
	}
	if c.day != nil {
		c.day.Taken, c.day.Took = max(0, c.day.Taken-1), true
	}
}

func (c *claims) store(tx *db.Tx) error {
	for _, b := range c.sorted() {
		if !b.Took {
			continue
		}
		if err := tx.Do("UPDATE mail_rate SET full_time = ? WHERE name = ?", b.Full, b.Name); err != nil {
			return err
		}
	}
	if c.day != nil && c.day.Took {
		return tx.Do("UPDATE mail_day SET mails = ? WHERE relay = ? AND day = ?", c.day.Taken, c.relay, c.day.Day)
	}
	return nil
}

// DeleteFullBuckets removes old days of warm-up plans, and the buckets that have been full for an hour. A missing
// bucket is full.
func (s *Service) DeleteFullBuckets(ctx context.Context) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		now := s.db.Now()
		weekAgo := now.AddDate(0, 0, -7).UTC().Format(time.DateOnly)
		if err := tx.Do("DELETE FROM mail_day WHERE day < ?", weekAgo); err != nil {
			return err
		}
		return tx.Do("DELETE FROM mail_rate WHERE full_time < ?", now.Add(-time.Hour).UnixNano())
	})
}
