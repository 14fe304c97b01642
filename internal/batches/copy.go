package batches

import (
	"context"
	"slices"
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/recipients"
)

// This file has what a page needs to make another Batch of an earlier one, and to find Batches by name.

// Copy returns the request that would add a Batch again, without its send time. A population that has searched has its
// criteria again. Errors: NoBatch, Denied.
func (s *Service) Copy(ctx context.Context, c *enlist.Caller, id enlist.BatchID) (*BatchRequest, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (*BatchRequest, error) {
		b, err := Load(tx, c, id, false)
		if err != nil {
			return nil, err
		}
		if b.Status == BatchRunning { // an autoresponder chooses its recipients
			return nil, errNoBatch
		}
		populations, err := Populations(tx, id)
		if err != nil {
			return nil, err
		}
		exclude, err := LoadExclusion(tx, id)
		if err != nil {
			return nil, err
		}
		r := &BatchRequest{Message: b.MessageID, IsTest: b.IsTest, Options: BatchOptions{Name: b.Name, Rate: b.Rate,
			Exclude: Exclusion{Criteria: exclude.Criteria, Batches: exclude.Batches}, LocalTime: b.LocalTime,
			Untracked: b.Untracked}}
		if b.SkipsDoubtful {
			r.Options.Doubt = "skip"
		}
		if v := b.Variants; v != nil {
			r.Options.VariantOptions = VariantOptions{slices.Clone(v.All), v.Share, string(v.By), v.Hours}
		}
		for i := range populations {
			r.Populations = append(r.Populations, populations[i].request())
		}
		return r, nil
	})
}

// request returns the population as a caller sends it.
func (p *Population) request() PopulationRequest {
	r := PopulationRequest{List: p.List, Criteria: p.Criteria}
	if p.AtSend {
		r.Time = "send"
	}
	if p.Criteria == nil {
		r.Type, r.Contacts = string(p.Type), slices.Clone(p.Contacts)
	}
	return r
}

// CountLists returns the number of Lists of each of those Batches that the caller may access, by one statement.
func (s *Service) CountLists(ctx context.Context, c *enlist.Caller, ids []enlist.BatchID) (
	map[enlist.BatchID]int64, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (map[enlist.BatchID]int64, error) { return countLists(tx, c, ids) })
}

// NotOpened returns the populations of those Contacts to whom the mail of a Batch was sent, and who did not open it. If
// unmeasured, they have also the Contacts of whom it is not known, because their mails had no tracking pixel or they have
// refused since. Errors: NoBatch, Denied, InvalidSearch if the opens were removed.
func (s *Service) NotOpened(ctx context.Context, c *enlist.Caller, id enlist.BatchID,
	unmeasured bool) ([]PopulationRequest, error) {
	sent := enlist.KeyBatchOpensMeasured
	if unmeasured {
		sent = enlist.KeyBatchSent
	}
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]PopulationRequest, error) {
		b, err := Load(tx, c, id, false)
		if err != nil {
			return nil, err
		}
		if err := b.CheckHasRows(recipients.RowsNotOpened); err != nil {
			return nil, err
		}
		lists, err := BatchLists(tx, id)
		if err != nil {
			return nil, err
		}
		value := enlist.InBatch(id)
		populations := make([]PopulationRequest, len(lists))
		for i, list := range lists {
			all := []enlist.Criteria{
				{Key: sent, Operator: "exactly", Value: value, NotField: true},
				{Key: enlist.KeyBatchOpened, Operator: "not", Value: value, NotField: true}}
			if !unmeasured {
				all = append(all, enlist.Criteria{Key: enlist.KeyTrackingConsent, Operator: "not",
					Value: enlist.TextInput(enlist.TrackingDenied.String()), NotField: true})
			}
			populations[i] = PopulationRequest{List: list, Criteria: &enlist.Criteria{All: all}}
		}
		return populations, nil
	})
}

// NameSearch says which Batches a page shows, newest first.
type NameSearch struct {
	Text          string        // part of the name of the Batch, or else of its Message; "": all
	Statuses      []BatchStatus // nil: all
	Limit, Offset int64
}

// SearchByName returns Batches that the caller may access, and the number of all that match.
func (s *Service) SearchByName(ctx context.Context, c *enlist.Caller, q NameSearch) (page []Batch, total int64,
	err error) {
	page, err = db.View(ctx, s.db, c, func(tx *db.Tx) ([]Batch, error) {
		matching, err := Batches(tx, c.Account.ID, BatchFilter{Lists: c.Key.Lists})
		if err != nil {
			return nil, err
		}
		names := map[enlist.MessageID]string{}
		if q.Text != "" {
			if names, err = MessageNames(tx, c); err != nil {
				return nil, err
			}
		}
		matching = slices.DeleteFunc(matching, func(b Batch) bool { return !q.matches(&b, names) })
		slices.Reverse(matching)
		total = int64(len(matching))
		first := min(q.Offset, total)
		return matching[first:min(first+q.Limit, total)], nil
	})
	return page, total, err
}

func (q *NameSearch) matches(b *Batch, names map[enlist.MessageID]string) bool {
	name := b.Name
	if name == "" {
		name = names[b.MessageID]
	}
	return (q.Statuses == nil || slices.Contains(q.Statuses, b.Status)) &&
		strings.Contains(strings.ToLower(name), strings.ToLower(q.Text))
}
