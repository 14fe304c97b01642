package sending

import (
	"context"
	"slices"

	"enlist/internal/db"
	"enlist/internal/messages"
	"enlist/internal/pace"
)

// This file slows down the mails to a mailbox provider, or all mails, if the mail server asks for it with 421 or 4.7.x.
// decisions.md: 63

// slowedGroup returns the group of mails that a reply slows down.
func (s *Service) slowedGroup(by messages.Slower, address string) string {
	if by == messages.SlowerRelay {
		return pace.RelayGroup(s.sending.Load().Relay)
	}
	return pace.DomainGroup(address)
}

// SlowDown halves the rate of the mails of a domain group or a pace.RelayGroup. perMinute is the rate at
// which this process has sent them, for a group without a limit. SlowDown returns false if
// another such reply has just halved the rate.
func (s *Service) SlowDown(ctx context.Context, group string, perMinute int64) (slowed bool, err error) {
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (bool, error) {
		// The lock of the bucket makes transactions of two processes wait for each other.
		if _, err := LockBuckets(tx, []string{"pace " + group}); err != nil {
			return false, err
		}
		paces, err := Paces(tx)
		if err != nil {
			return false, err
		}
		p := pace.Pace{Group: group, Mails: perMinute, Top: perMinute}
		if limit := s.sending.Load().Rates.Limit(group); limit != 0 {
			p.Mails, p.Top = limit, limit
		}
		i := slices.IndexFunc(paces, func(p pace.Pace) bool { return p.Group == group })
		if i >= 0 && paces[i].Active(now) {
			if now-paces[i].Time < pace.PaceHold {
				return false, nil
			}
			p = paces[i]
			p.Mails = p.At(now)
		}
		p.Mails, p.Top, p.Time = max(1, p.Mails/2), max(2, p.Top), now
		return true, SetPace(tx, &p)
	})
}

func activePaces(tx *db.Tx, now int64) ([]pace.Pace, error) {
	paces, err := Paces(tx)
	return slices.DeleteFunc(paces, func(p pace.Pace) bool { return !p.Active(now) }), err
}
