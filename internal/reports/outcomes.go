package reports

import (
	"context"
	"time"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/recipients"
)

// This file sums up what became of the mails of all Batches of the last days.

// DayOutcomes are the mails of those Batches of an Account that sent their first mail on a day. A Batch that sends for
// several days counts on its first one, because only its total is stored.
type DayOutcomes struct {
	Day        time.Time // the date, as midnight in UTC
	Sent       int64     // accepted by the mail server
	Refused    int64     // by the mail server, because of the address
	Bounced    int64     // refused, or reported as undeliverable later
	Failed     int64     // not sent for another reason
	Complained int64
	Left       int64 // unsubscribed by a link of the mail, or complained
}

// Delivered is the number of mails that arrived, as far as is known.
func (d *DayOutcomes) Delivered() int64 { return max(0, d.Sent-(d.Bounced-d.Refused)) }

// Add adds the mails of another day.
func (d *DayOutcomes) Add(o *DayOutcomes) {
	d.Sent += o.Sent
	d.Refused += o.Refused
	d.Bounced += o.Bounced
	d.Failed += o.Failed
	d.Complained += o.Complained
	d.Left += o.Left
}

// OutcomesByDay returns the outcomes of the mails of the last days, of which the last one is today in the Account's
// time zone. It reads one row for each Batch that the caller may see, and counts no tests and no autoresponders.
func (s *Service) OutcomesByDay(ctx context.Context, c *enlist.Caller, days int) ([]DayOutcomes, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]DayOutcomes, error) {
		zone := enlist.Location(c.Account.TimeZone)
		year, month, today := s.db.Now().In(zone).Date()
		outcomes := make([]DayOutcomes, days)
		for i := range outcomes {
			outcomes[i].Day = time.Date(year, month, today-days+1+i, 0, 0, 0, 0, time.UTC)
		}
		since := enlist.StartOfDay(s.db.Now(), 1-days, zone).Unix()
		return outcomes, eachOutcome(tx, c, since, func(first int64, o *DayOutcomes) {
			year, month, day := time.Unix(first, 0).In(zone).Date()
			at := int(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Sub(outcomes[0].Day).Hours() / 24)
			outcomes[min(max(0, at), days-1)].Add(o)
		})
	})
}

// eachOutcome calls each with the time of the first mail and the outcomes of the Batches whose first mail was sent at a
// time or later.
func eachOutcome(tx *db.Tx, c *enlist.Caller, since int64, each func(first int64, o *DayOutcomes)) error {
	return batches.EachOutcome(tx, c.Account.ID, batches.BatchFilter{Lists: c.Key.Lists,
		Where: &enlist.Condition{Key: &enlist.SearchKey{Name: "first_sent_time", Type: enlist.KeyInt},
			Operator: enlist.GreaterThan, Operands: []enlist.Operand{{Int: since - 1}}}},
		func(isTest bool, first int64, n *recipients.Counts) {
			if !isTest {
				each(first, &DayOutcomes{Sent: n.Sent, Refused: n.Refused, Bounced: n.Bounced, Failed: n.Failed,
					Complained: n.Complained, Left: n.Unsubscribed})
			}
		})
}
