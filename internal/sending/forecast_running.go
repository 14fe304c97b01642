package sending

import (
	"context"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/messages"
	"enlist/internal/pace"
	"enlist/internal/recipients"
)

// This file says how fast the Batches are that have begun, and when they will be done. forecast.go does this for a
// Batch that is not added yet. It reads sums, few slices and recipients, and 500 recipients of few Batches, so that a
// page can ask often.

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
		running := make([]RunningBatch, len(open))
		var moving []*RunningBatch
		for i := range open {
			running[i].Batch = open[i]
			if running[i].leavesInOrder() && len(moving) < maxForecasts {
				moving = append(moving, &running[i])
			}
		}
		if len(moving) == 0 {
			return running, nil
		}
		hold, err := LoadHold(tx)
		if err != nil || hold != nil {
			return running, err
		}
		return running, s.forecastAll(tx, moving)
	})
}

// leavesInOrder reports whether mails of a Batch leave now, one after another.
func (b *RunningBatch) leavesInOrder() bool {
	return b.Status == batches.BatchSending && b.LocalTime == "" && (b.Variants == nil || b.Variants.Chosen != 0)
}

// forecastAll sets the speeds and forecasts of Batches that are sending.
func (s *Service) forecastAll(tx *db.Tx, running []*RunningBatch) error {
	settings := s.sending.Load()
	waiting, err := waitingBatches(tx, settings, maxRunningSamples)
	if err != nil {
		return err
	}
	sent, err := daysOf(tx, settings.Relay)
	if err != nil {
		return err
	}
	for _, b := range running {
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

// correct moves the end of a forecast to the time at which a Batch is done at its speed, if this is later. A speed that
// is a little lower than the limits is theirs all the same. If it is much lower, the mail server is slower, or the
// Batch was paused.
func (b *RunningBatch) correct(left, now int64) {
	f := &b.Forecast
	if b.Speed == 0 || f.Hours != nil && f.Done == 0 {
		return
	}
	takes := left * enlist.Hour / b.Speed
	if f.Hours != nil && 2*takes > 3*(f.Done-now) {
		f.Slowest = &pace.Limit{Kind: pace.SpeedLimit}
	}
	f.Done = max(f.Done, now+takes)
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
	leastTime  = 10              // seconds since the first mail, before which nothing is known of the speed
	lastSlices = 20              // of a Batch, which are looked at
	leastSteps = 2               // from a slice to the next one: two processes can begin slices at the same time
	lately     = 10 * 60         // seconds
	longAgo    = 4 * enlist.Hour // a slice that began before says nothing, because the Batch may have been paused
)

// speedOf returns how many mails an hour of a Batch have left lately, or 0 if that is not known. It measures from the
// first mail of a slice to that of the last one: a slice is done long after most of its mails if others are deferred.
// Until enough slices have begun, it divides all mails by the time, in the first hour.
func speedOf(tx *db.Tx, b *batches.Batch, now int64) (speed int64, err error) {
	age := now - b.FirstSent
	if b.FirstSent == 0 || age < leastTime {
		return 0, nil
	}
	chosen := int64(0) // the slices that waited for the winner have leases that ended then
	if b.Variants != nil {
		chosen = b.Variants.Time
	}
	s, err := recipients.Begun(tx, b.ID, chosen, lastSlices)
	if err != nil {
		return 0, err
	}
	steps, from, err := stepsLately(tx, s.Last, chosen, now)
	switch {
	case err != nil || steps == 0 && age > enlist.Hour:
		return 0, err
	case steps == 0:
		return b.Processed() * enlist.Hour / age, nil
	}
	last, err := s.Last[0].FirstMail(tx)
	if err != nil {
		return 0, err
	}
	if last == 0 { // its first mail leaves now
		last = now
	}
	// If the last slice takes longer than those before, the Batch is slower now.
	passed := max(last-from, (now-from)*steps/(steps+1), 1)
	// A slice can begin while many mails of those before wait for the limit of a domain.
	mails := min(steps*b.ToSend()/s.All, steps*b.Processed()/s.Before)
	return mails * enlist.Hour / passed, nil
}

// stepsLately returns how many slices before the newest one, which is the first, say how fast a Batch is now, and when
// the first of these began: the fewer, the sooner a pause is forgotten. It returns 0 if none does. A slice that began
// before a time was of the test of the variants.
func stepsLately(tx *db.Tx, begun []recipients.Slice, after, now int64) (steps, from int64, err error) {
	for steps = int64(len(begun) - 1); steps >= leastSteps; steps = steps * 2 / 3 {
		from, err = begun[steps].FirstMail(tx)
		age := now - from
		switch {
		case err != nil:
			return 0, 0, err
		case from > after && (age <= lately || steps == leastSteps && age <= longAgo):
			return steps, from, nil
		}
	}
	return 0, 0, nil
}
