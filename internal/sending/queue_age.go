package sending

import (
	"context"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file keeps how long the oldest mail of each Account has waited in the queue, for a plot. The mails of Batches are
// not in the queue. decisions.md: 137

// QueueAge is how long the oldest mail of an Account waited.
type QueueAge struct {
	Time int64 // start of agePeriod
	Age  int64 // seconds, the most in this period; 0: less than a minute
}

const (
	// agePeriod is the time in seconds for which one age is kept.
	agePeriod = 5 * 60
	// smallestAge is the smallest age that is kept, in seconds.
	smallestAge = 60
	// ageDays is the number of days after which an age is removed.
	ageDays = 7
)

// KeepQueueAges stores the age of the oldest mail of each Account that has one that waits for a minute or longer. Each
// process may call it at any time: of each agePeriod the largest age is kept. Without a mail that waits, it writes
// nothing.
func (s *Service) KeepQueueAges(ctx context.Context) error {
	now := s.db.Now().Unix()
	oldest, err := db.OwnView(ctx, s.db, func(tx *db.Tx) ([]oldestMail, error) {
		return oldestMails(tx, mailKinds, now-smallestAge)
	})
	if err != nil || len(oldest) == 0 {
		return err
	}
	return s.db.Update(ctx, func(tx *db.Tx) error {
		for _, o := range oldest {
			if err := PutQueueAge(tx, o.account, QueueAge{Time: now, Age: now - o.due}); err != nil {
				return err
			}
		}
		return nil
	})
}

// DeleteQueueAges removes the ages that are older than a week, and those that a process stored while its clock was ahead.
func (s *Service) DeleteQueueAges(ctx context.Context) error {
	now := s.db.Now()
	return s.db.Update(ctx, func(tx *db.Tx) error {
		return tx.Do("DELETE FROM queue_age WHERE time < ? OR time > ?", now.AddDate(0, 0, -ageDays).Unix(),
			now.Unix()+agePeriod)
	})
}

// QueueAges returns the age of the Account's oldest mail for each agePeriod from the one at a time until now. An age says
// since when a mail has waited. So the periods before it have one too, also if no process ran then. Errors: Denied for a
// key that is restricted to some Lists, because the ages are of all.
func (s *Service) QueueAges(ctx context.Context, c *enlist.Caller, from int64) ([]QueueAge, error) {
	if err := enlist.RequireWholeAccount(c); err != nil {
		return nil, err
	}
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]QueueAge, error) {
		stored, err := queueAges(tx, c.Account.ID, periodOf(from))
		if err != nil {
			return nil, err
		}
		var ages []QueueAge
		for at := periodOf(from); at <= s.db.Now().Unix(); at += agePeriod {
			ages = append(ages, QueueAge{at, stored[at]})
		}
		var later int64
		for i := len(ages) - 1; i >= 0; i-- {
			later = max(later-agePeriod, ages[i].Age)
			if later >= smallestAge {
				ages[i].Age = later
			}
		}
		return ages, nil
	})
}

// periodOf returns the start of the agePeriod of a time.
func periodOf(at int64) int64 { return at - at%agePeriod }
