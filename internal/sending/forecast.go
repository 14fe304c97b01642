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

// Forecast returns when the mails of a Batch will leave that was checked and begins at a time, and what slows them. rate
// has the rates of the Batch. If the check is not complete, the other Contacts count like those that were read. Batches
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
			if b.Others, err = batches.Waiting(tx); err != nil {
				return f, err
			}
		}
		if b.Fastest, err = batches.Fastest(tx, c.Account.ID); err != nil {
			return f, err
		}
		if b.Sent, err = DaysOf(tx, settings.Relay); err != nil {
			return f, err
		}
		return settings.Forecast(&b, from), nil
	})
}
