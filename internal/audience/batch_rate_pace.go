package audience

import (
	"context"
	"math"
	"slices"

	"enlist/internal/enlist"
)

// This file slows down the mails to a mailbox provider that asks for it: the mail server replied
// with 421 or 4.7.x. decisions.md: 63

// Pace is the rate of the mails to a domain group after such a reply. It grows by a tenth each
// minute until it reaches the Top. Then it has no effect any more.
type Pace struct {
	Group string
	Mails int64 // a minute, at Time
	Top   int64 // mails a minute: the limit of the group, or its rate before the first such reply
	Time  int64
}

// paceHold is the time in seconds in which further replies do not halve the Pace again. The mails
// that were under way together get the same reply.
const paceHold = 10

// at returns the mails a minute at a time.
func (p *Pace) at(now int64) int64 {
	minutes := max(0, now-p.Time) / 60
	grown := float64(p.Mails) * math.Pow(1.1, float64(min(minutes, 1000)))
	return max(1, int64(math.Min(grown, enlist.MaxRate)))
}

// active reports whether the Pace is below its Top.
func (p *Pace) active(now int64) bool { return p.at(now) < p.Top }

// SlowDown halves the rate of the mails to the domain group of an address. perMinute is the rate at
// which this process has sent to the group, for a group without a limit. SlowDown returns false if
// another such reply has just halved the rate.
func (s *Service) SlowDown(ctx context.Context, address string, perMinute int64) (slowed bool, err error) {
	group := DomainGroup(address)
	return ownUpdate(ctx, s.db, func(tx *Tx, now int64) (bool, error) {
		// The lock of the bucket makes transactions of two processes wait for each other.
		if _, err := tx.LockBuckets([]string{"pace " + group}); err != nil {
			return false, err
		}
		all, err := tx.Paces()
		if err != nil {
			return false, err
		}
		p := Pace{Group: group, Mails: perMinute, Top: perMinute}
		if limit := s.sending.Rates.limit(group); limit != 0 {
			p.Mails, p.Top = limit, limit
		}
		i := slices.IndexFunc(all, func(p Pace) bool { return p.Group == group })
		if i >= 0 && all[i].active(now) {
			if now-all[i].Time < paceHold {
				return false, nil
			}
			p = all[i]
			p.Mails = p.at(now)
		}
		p.Mails, p.Top, p.Time = max(1, p.Mails/2), max(2, p.Top), now
		return true, tx.SetPace(&p)
	})
}

// activePaces returns the Paces that slow mails down now.
func activePaces(tx *Tx, now int64) ([]Pace, error) {
	all, err := tx.Paces()
	return slices.DeleteFunc(all, func(p Pace) bool { return !p.active(now) }), err
}
