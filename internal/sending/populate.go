package sending

import (
	"context"
	"errors"
	"slices"

	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/recipients"
	"enlist/internal/search"
)

// This file populates Batches: a job stores the recipients in steps. Each step is one transaction
// that also stores how far the population is, so after a crash another process continues.

// PrepareBatch does the next step of a Batch's preparation: it stores recipients, waits for the
// send time or starts the sending. done is true if nothing is left to do now. A repeated call
// changes nothing. sending is true if a sender should look for slices.
func (s *Service) PrepareBatch(ctx context.Context, e batches.PrepareBatch) (done, sending bool, err error) {
	var b *batches.Batch
	done, err = db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (done bool, err error) {
		b, err = batches.LockBatch(tx, e.Batch)
		if err != nil {
			return true, enlist.IgnoreKind(enlist.NoBatch, err)
		}
		if b.Status != batches.BatchInitialising && b.Status != batches.BatchPending {
			return true, nil
		}
		return s.prepare(tx, b, now)
	})
	if errors.Is(err, errSearchFirst) {
		return false, false, s.resolveSearch(ctx, e.Batch)
	}
	return done, b != nil && b.Status == batches.BatchSending, err
}

// errSearchFirst ends an Update that needs the result of a search, which must not run in an Update.
var errSearchFirst = errors.New("resolve the search of the population first")

// prepare does one step. The caller has locked the Batch.
func (s *Service) prepare(tx *db.Tx, b *batches.Batch, now int64) (done bool, err error) {
	populations, err := batches.Populations(tx, b.ID)
	if err != nil {
		return false, err
	}
	begun := b.Begins() <= now
	for i := range populations {
		p := &populations[i]
		if p.Done || p.AtSend && !begun {
			continue
		}
		if p.Type == batches.PopulationSearch {
			return false, errSearchFirst
		}
		err := populate(b, tx, populations, p, now)
		if enlist.KindOf(err) == enlist.InvalidSearch { // before the step has written anything
			return true, b.PauseExclusion(tx, err)
		}
		return false, err
	}
	b.IsPopulated = !slices.ContainsFunc(populations, func(p batches.Population) bool { return !p.Done })
	switch {
	case !begun:
		wasPending := b.Status == batches.BatchPending
		b.Status = batches.BatchPending
		if err := batches.SetBatchState(tx, b); err != nil || wasPending {
			return true, err
		}
		return true, tx.Enqueue(batches.PrepareBatch{Batch: b.ID, Account: b.AccountID, Due: b.Begins()})
	case b.LocalTime != "": // each slice says whether its recipients are late
		b.Status = batches.BatchSending
		return true, batches.SetBatchState(tx, b)
	case s.sending.Load().Calendar.IsLate(max(b.SendTime, b.ActiveTime), s.db.Now()):
		return true, pauseLate(b, tx)
	}
	b.Status, b.ActiveTime = batches.BatchSending, now
	return true, batches.SetBatchState(tx, b)
}

// resolveSearch replaces the first search that is due by the Contacts that it finds. The search
// may read a whole List, so it runs outside of the Update.
func (s *Service) resolveSearch(ctx context.Context, id enlist.BatchID) error {
	var search *batches.Population
	var found db.IDSet
	err := s.db.ViewPrimary(ctx, func(tx *db.Tx) error {
		search, found = nil, nil
		b, err := batches.ByID(tx, id)
		if err != nil || b.Ended() || b.Status == batches.BatchPaused {
			return enlist.IgnoreKind(enlist.NoBatch, err)
		}
		populations, err := batches.Populations(tx, id)
		if err != nil {
			return err
		}
		due := func(p batches.Population) bool {
			return p.Type == batches.PopulationSearch && !p.Done && (!p.AtSend || b.Begins() <= s.db.Now().Unix())
		}
		i := slices.IndexFunc(populations, due)
		if i < 0 {
			return nil
		}
		search = &populations[i]
		found, err = find(search, tx)
		return err
	})
	if err != nil || search == nil {
		return err
	}
	return s.db.Update(ctx, func(tx *db.Tx) error {
		if _, err := batches.LockBatch(tx, id); err != nil {
			return enlist.IgnoreKind(enlist.NoBatch, err)
		}
		populations, err := batches.Populations(tx, id)
		isOpen := func(p batches.Population) bool {
			return p.Number == search.Number && p.Type == batches.PopulationSearch
		}
		if err != nil || !slices.ContainsFunc(populations, isOpen) {
			return err // another job was faster
		}
		resolved := *search
		resolved.Type, resolved.Contacts = batches.PopulationContacts, found
		return batches.SetPopulation(tx, &resolved)
	})
}

// find returns the Contacts that the search of a population finds, in order of ID. If the List is
// gone, or if its Fields no longer fit the criteria, it finds none.
func find(p *batches.Population, tx *db.Tx) (found db.IDSet, err error) {
	schema, err := lists.Schema(tx, p.List)
	if err != nil {
		return nil, enlist.IgnoreKind(enlist.NoList, err)
	}
	query, err := contacts.TypeSearch(tx, schema, enlist.Query{Criteria: p.Criteria})
	if err != nil {
		return nil, enlist.IgnoreKind(enlist.InvalidSearch, err)
	}
	err = search.Contacts(tx, query, func(c *enlist.Contact) error {
		found = append(found, c.ID)
		return nil
	})
	slices.Sort(found)
	if p.Upto != 0 { // the Batch goes to those that a person has seen
		found = slices.DeleteFunc(found, func(id enlist.ContactID) bool { return id > p.Upto })
	}
	return found, err
}

// populate stores the recipients of one step of a population.
func populate(b *batches.Batch, tx *db.Tx, all []batches.Population, p *batches.Population, now int64) error {
	schema, err := lists.Schema(tx, p.List)
	if enlist.KindOf(err) == enlist.NoList {
		p.Done = true
		return batches.SetPopulation(tx, p)
	}
	if err != nil {
		return err
	}
	candidates, err := p.Next(tx)
	if err != nil {
		return err
	}
	counts := recipients.Counts{LeftGone: candidates.Gone}
	chosen, err := choose(b, tx, all, schema, p, candidates.Found, &counts)
	if err != nil {
		return err
	}
	added := int64(0)
	for _, slices := range slicesOf(b, p, chosen) {
		n, err := recipients.AddSlices(tx, slices, !repeats(p, all), now)
		if err != nil {
			return err
		}
		added += n
	}
	counts.Recipients += added
	counts.LeftDuplicate += int64(len(chosen)) - added // an earlier population has the Contacts
	if err := batches.SetPopulation(tx, p); err != nil {
		return err
	}
	return batches.AddToBatch(tx, b.ID, counts, now)
}

// slicesOf divides the chosen Contacts of a population among new slices: first the test of the variants, then the
// others.
func slicesOf(b *batches.Batch, p *batches.Population, chosen []enlist.ContactID) (all [2][]recipients.FilledSlice) {
	var parts [2][]enlist.ContactID
	for _, id := range chosen {
		i := 1
		if b.InTest(id) {
			i = 0
		}
		parts[i] = append(parts[i], id)
	}
	for i := range parts {
		for part := range slices.Chunk(parts[i], sliceSize) {
			all[i] = append(all[i], recipients.FilledSlice{Slice: recipients.Slice{Batch: b.ID, List: p.List,
				First: part[0], Last: part[len(part)-1],
				Lease: lease(b, i == 0)}, Contacts: part})
		}
	}
	return all
}

// repeats reports whether an earlier population has the same List, and so perhaps the same Contacts.
func repeats(p *batches.Population, all []batches.Population) bool {
	return slices.ContainsFunc(all, func(other batches.Population) bool {
		return other.Number < p.Number && other.List == p.List
	})
}

// choose returns the candidates that become recipients, and counts the others by reason.
func choose(b *batches.Batch, tx *db.Tx, all []batches.Population, schema *enlist.Schema, p *batches.Population,
	found []contacts.Candidate,
	counts *recipients.Counts) ([]enlist.ContactID, error) {
	exclude, err := batches.LoadExclusion(tx, b.ID)
	if err != nil {
		return nil, err
	}
	chosen, err := b.Wanted(tx, schema, p, exclude, found, counts)
	if err != nil {
		return nil, err
	}
	before := len(chosen)
	chosen, err = withoutDuplicates(b, tx, all, schema, p, chosen)
	counts.LeftDuplicate += int64(before - len(chosen))
	return batches.IDsOfCandidates(chosen), err
}

// withoutDuplicates returns the candidates whose address no recipient of the Batch has yet. A List
// that sends to duplicates keeps all.
func withoutDuplicates(b *batches.Batch, tx *db.Tx, all []batches.Population, schema *enlist.Schema,
	p *batches.Population,
	found []contacts.Candidate) ([]contacts.Candidate, error) {
	if schema.List.SendToDuplicates {
		return found, nil
	}
	lists, err := listsToCompare(tx, all, schema, p)
	if err != nil {
		return nil, err
	}
	taken := make(map[string]bool)
	for _, list := range lists {
		keys := make([]string, len(found))
		for i := range found {
			keys[i] = found[i].Key
		}
		known, err := recipients.Keys(tx, list, b.ID, keys)
		if err != nil {
			return nil, err
		}
		for _, key := range known {
			taken[key] = true
		}
	}
	unique := schema.Unique && len(lists) == 0
	return slices.DeleteFunc(found, func(c contacts.Candidate) bool {
		if unique {
			return false
		}
		duplicate := taken[c.Key]
		taken[c.Key] = true
		return duplicate
	}), nil
}

// listsToCompare returns the Lists whose recipients can have the address of a Contact of p: the
// Lists of earlier populations, and the List of p itself if it has duplicates.
func listsToCompare(tx *db.Tx, all []batches.Population, schema *enlist.Schema,
	p *batches.Population) (found []enlist.ListID, err error) {
	for i := range all {
		if all[i].Number < p.Number && all[i].List != p.List && !slices.Contains(found, all[i].List) {
			found = append(found, all[i].List)
		}
	}
	if schema.Unique {
		return found, nil
	}
	duplicates, err := lists.Duplicates(tx, p.List)
	if duplicates > 0 {
		found = append(found, p.List)
	}
	return found, err
}
