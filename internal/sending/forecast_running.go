package sending

import (
	"context"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/lists"
	"enlist/internal/messages"
	"enlist/internal/pace"
)

// This file says how fast the Batches are that have begun, and when they will be done. forecast.go does this for a
// Batch that is not added yet. It reads sums, few slices, and 500 recipients of few Batches, so that a page can ask
// often.

// RunningBatch is a Batch that has not ended.
type RunningBatch struct {
	batches.Batch
	Speed    int64         // mails an hour that leave now; 0: not known, or none leaves
	Forecast pace.Forecast // of the mails that wait; empty if nothing is known
}

// The largest numbers of Batches of which RunningBatches makes forecasts, and reads addresses: those with most mails.
const (
	maxForecasts      = 10
	maxRunningSamples = 3
)

// RunningBatches returns the Batches that have not ended and that the caller may access, in order of ID. The first ten
// that are sending, and whose mails leave one after another, have speeds and forecasts unless all mails are held.
func (s *Service) RunningBatches(ctx context.Context, c *enlist.Caller) ([]RunningBatch, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]RunningBatch, error) {
		open, err := batches.Batches(tx, c.Account.ID, batches.BatchFilter{Lists: c.Key.Lists, Open: true})
		if err != nil {
			return nil, err
		}
		all := make([]RunningBatch, len(open))
		var moving []*RunningBatch
		for i := range open {
			all[i].Batch = open[i]
			if all[i].leavesInOrder() && len(moving) < maxForecasts {
				moving = append(moving, &all[i])
			}
		}
		if len(moving) == 0 {
			return all, nil
		}
		hold, err := events.LoadHold(tx)
		if err != nil || hold != nil {
			return all, err
		}
		return all, s.forecastAll(tx, moving)
	})
}

// leavesInOrder reports whether mails of a Batch leave now, one after another.
func (b *RunningBatch) leavesInOrder() bool {
	return b.Status == batches.BatchSending && b.LocalTime == "" && (b.Variants == nil || b.Variants.Chosen != 0)
}

// forecastAll sets the speeds and forecasts of Batches that are sending.
func (s *Service) forecastAll(tx *db.Tx, all []*RunningBatch) error {
	settings := s.sending.Load()
	waiting, err := waitingBatches(tx, settings, maxRunningSamples)
	if err != nil {
		return err
	}
	sent, err := daysOf(tx, settings.Relay)
	if err != nil {
		return err
	}
	for _, b := range all {
		send := pace.Send{Mails: b.ToSend() - b.Processed(), Sent: sent,
			Others: othersOf(waiting, b.AccountID, b.ID)}
		for i := range waiting {
			if waiting[i].Batch == b.ID {
				send.Groups = waiting[i].groups
			}
		}
		if send.Rates, err = enlist.ParseRates(b.Rate); err != nil {
			return err
		}
		if settings.Rates != nil {
			if send.From, err = s.senderOfBatch(tx, &b.Batch); err != nil {
				return err
			}
		}
		if b.Speed, err = speedOf(tx, &b.Batch, s.db.Now().Unix()); err != nil {
			return err
		}
		b.Forecast = settings.Forecast(&send, s.db.Now())
		b.correct(send.Mails, s.db.Now().Unix())
	}
	return nil
}

// correct moves the end of a forecast to the time at which a Batch is done at its speed, if this is later: the mail
// server can be slower than the limits.
func (b *RunningBatch) correct(left, now int64) {
	f := &b.Forecast
	if b.Speed == 0 || f.Hours != nil && f.Done == 0 {
		return
	}
	if done := now + left*enlist.Hour/b.Speed; done > f.Done {
		f.Done, f.Slowest = done, nil
	}
}

// senderOfBatch returns the sender of the mails of a Batch to its first List, or "" if its Message or the List is gone.
func (s *Service) senderOfBatch(tx *db.Tx, b *batches.Batch) (string, error) {
	m, err := messages.LoadMessage(tx, b.AccountID, b.MessageID)
	if err != nil {
		return "", enlist.IgnoreKind(enlist.NoMessage, err)
	}
	schema, err := lists.Schema(tx, b.ListID)
	if err != nil {
		return "", enlist.IgnoreKind(enlist.NoList, err)
	}
	return s.messages.Sender(m, &schema.List), nil
}

const (
	leastTime  = 10 // seconds since the first mail, before which nothing is known of the speed
	lastSlices = 20 // of a Batch, in which its mails are counted
)

// speedOf returns how many mails an hour of a Batch have left lately, or 0 if that is not known. In the first hour it
// divides all its mails by the time. Later it counts the last slices that were sent, at most those of an hour, because
// the Batch may have been paused before.
func speedOf(tx *db.Tx, b *batches.Batch, now int64) (speed int64, err error) {
	age := now - b.FirstSent
	switch {
	case b.FirstSent == 0 || age < leastTime:
		return 0, nil
	case age <= enlist.Hour:
		return b.Processed() * enlist.Hour / age, nil
	}
	s, err := lastDone(tx, b.ID, lastSlices, now-enlist.Hour)
	if err != nil || s.done == 0 {
		return 0, err
	}
	mails := s.done * b.ToSend() / s.all
	if s.done < lastSlices { // these are all of the hour
		return mails, nil
	}
	return mails * enlist.Hour / max(1, now-s.first), nil
}
