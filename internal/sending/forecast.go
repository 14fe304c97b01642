package sending

import (
	"context"
	"time"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/pace"
	"enlist/internal/recipients"
)

// This file gathers what a forecast needs to know about other Batches and about the mail server.

// Forecast returns when the mails of a Batch will leave that was checked and begins at a time, and what slows them.
// rate has the rates of the Batch. If the check is not complete, the other Contacts count like those that were read. Batches
// that are sending now count only for a Batch that begins now. Errors: Denied, and InvalidParameters for a wrong rate.
func (s *Service) Forecast(ctx context.Context, c *enlist.Caller, check *batches.BatchCheck, rate string,
	from time.Time) (f pace.Forecast, err error) {
	if err := enlist.RequireSending(c); err != nil {
		return f, err
	}
	rates, err := enlist.ParseRates(rate)
	if err != nil {
		return f, enlist.Invalid("options", "rate: "+err.Error())
	}
	settings := s.sending.Load()
	b := pace.Send{Mails: check.Recipients, Groups: check.Groups, From: check.From, Rates: rates}
	if !check.Complete && check.Checked > 0 {
		b.Groups = make(map[string]int64, len(check.Groups))
		grown := float64(check.Total) / float64(check.Checked)
		b.Mails = int64(float64(check.Recipients) * grown)
		for group, n := range check.Groups {
			b.Groups[group] = int64(float64(n) * grown)
		}
	}
	return db.View(ctx, s.db, c, func(tx *db.Tx) (_ pace.Forecast, err error) {
		if !from.After(s.db.Now()) {
			waiting, err := waitingBatches(tx, settings, maxSamples)
			if err != nil {
				return f, err
			}
			b.Others = othersOf(waiting, c.Account.ID, 0)
		}
		if b.Fastest, err = batches.Fastest(tx, c.Account.ID); err != nil {
			return f, err
		}
		if b.Sent, err = daysOf(tx, settings.Relay); err != nil {
			return f, err
		}
		return settings.Forecast(&b, from), nil
	})
}

// maxSamples is the largest number of other Batches of which a forecast reads addresses: those with most mails.
const maxSamples = 10

// waitingBatch is the mails that wait in a Batch that is sending.
type waitingBatch struct {
	batches.Waiting
	groups map[string]int64 // of these, by domain group; nil: not known
}

// waitingBatches returns the mails of the Batches that are sending, those with most mails first. If there are limits,
// the first ones have domain groups, which are those of one slice of each. The last slice is the last to be leased. So
// it has all domains before, and afterwards only those that are slow.
func waitingBatches(tx *db.Tx, settings *pace.Settings, samples int) (waiting []waitingBatch, err error) {
	most, err := batches.MostWaiting(tx)
	if err != nil {
		return nil, err
	}
	for i, batch := range most {
		w := waitingBatch{Waiting: batch}
		if settings.Rates != nil && i < samples {
			if w.groups, err = recipients.LastSlice(tx, batch.Batch); err != nil {
				return nil, err
			}
			w.grow()
		}
		waiting = append(waiting, w)
	}
	return waiting, nil
}

// grow makes the groups of a slice those of all mails.
func (w *waitingBatch) grow() {
	var sampled int64
	for _, n := range w.groups {
		sampled += n
	}
	for group, n := range w.groups {
		w.groups[group] = int64(float64(w.Mails) * float64(n) / float64(sampled))
	}
}

// othersOf returns the mails that wait for the Batches of an Account, except those of one Batch.
func othersOf(waiting []waitingBatch, account enlist.AccountID, except enlist.BatchID) pace.Waiting {
	w := pace.Waiting{Groups: make(map[string]int64)}
	for i := range waiting {
		batch := &waiting[i]
		if batch.Batch == except {
			continue
		}
		w.Mails += batch.Mails
		if batch.Account == account {
			w.Own += batch.Mails
		}
		for group, n := range batch.groups {
			w.Groups[group] += n
		}
	}
	return w
}
