package sending

import (
	"context"

	"enlist/internal/db"
	"enlist/internal/pace"
)

// This file says what slows down the mails of Batches at this moment, for a person.

// Limits are what slows down the mails of Batches of all Accounts.
type Limits struct {
	Relay string      // name of the mail server, or the folder into which mails are written; "": no mail is sent
	Paces []pace.Pace // of the mail server and the domain groups that asked for fewer mails
	// Days are those of the warm-up plan: the last seven, today, and the next seven, without those that have no limit.
	Days []pace.DayLimit
}

// Limits returns what slows down the mails of Batches now.
func (s *Service) Limits(ctx context.Context) (*Limits, error) {
	settings, now := s.sending.Load(), s.db.Now()
	return db.OwnView(ctx, s.db, func(tx *db.Tx) (*Limits, error) {
		paces, err := activePaces(tx, now.Unix())
		if err != nil {
			return nil, err
		}
		sent, err := daysOf(tx, settings.Relay)
		if err != nil {
			return nil, err
		}
		l := &Limits{Relay: settings.Relay, Paces: paces}
		for i := -7; i <= 7; i++ {
			if day := settings.Warmup.Limit(now.AddDate(0, 0, i), settings.Zone()); day != nil {
				day.Taken = sent[day.Day]
				l.Days = append(l.Days, *day)
			}
		}
		return l, nil
	})
}
