package sending

import (
	"context"
	"time"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/pace"
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
			if b.Others, err = waiting(tx, c.Account.ID); err != nil {
				return f, err
			}
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

// waiting returns the mails of the Batches that are sending. Their domain groups are those of one slice of each Batch.
// The last slice is the last to be leased. So it has all domains before, and afterwards only those that are slow.
func waiting(tx *db.Tx, account enlist.AccountID) (w pace.Waiting, err error) {
	all, err := batches.MostWaiting(tx)
	if err != nil {
		return w, err
	}
	w.Groups = make(map[string]int64)
	for i, one := range all {
		w.Mails += one.Mails
		if one.Account == account {
			w.Own += one.Mails
		}
		if i >= maxSamples {
			continue
		}
		groups, err := lastSlice(tx, one.Batch)
		if err != nil {
			return w, err
		}
		var sampled int64
		for _, n := range groups {
			sampled += n
		}
		for group, n := range groups {
			w.Groups[group] += int64(float64(one.Mails) * float64(n) / float64(sampled))
		}
	}
	return w, nil
}
