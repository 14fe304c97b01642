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
		err := populate(tx, b, populations, p, now)
		if enlist.KindOf(err) == enlist.InvalidSearch { // before the step has written anything
			return true, b.PauseExclusion(tx, err)
		}
		return false, err
	}
	b.IsPopulated = !slices.ContainsFunc(populations, func(p batches.Population) bool { return !p.Done })
	if paused, err := b.RequireApproval(tx, populations, now); paused || err != nil {
		return true, err
	}
	switch {
	case !begun:
		wasPending := b.Status == batches.BatchPending
		b.Status = batches.BatchPending
		if err := b.Save(tx); err != nil || wasPending {
			return true, err
		}
		return true, tx.Enqueue(batches.PrepareBatch{Batch: b.ID, Account: b.AccountID, Due: b.Begins()})
	case b.LocalTime != "": // each slice says whether its recipients are late
		b.Status = batches.BatchSending
		return true, b.Save(tx)
	case s.sending.Load().Calendar.IsLate(max(b.SendTime, b.ActiveTime), s.db.Now()):
		return true, b.PauseLate(tx)
	}
	b.Status, b.ActiveTime = batches.BatchSending, now
	return true, b.Save(tx)
}

// resolveSearch replaces the first search that is due by the Contacts that it finds. The search
// may read a whole List, so it runs outside of the Update.
func (s *Service) resolveSearch(ctx context.Context, id enlist.BatchID) error {
	var search *batches.Population
	var matching db.IDSet
	err := s.db.ViewPrimary(ctx, func(tx *db.Tx) error {
		search, matching = nil, nil
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
		matching, err = find(tx, search, s.db.Now().Unix())
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
		resolved.Type, resolved.Contacts = batches.PopulationContacts, matching
		return resolved.Save(tx)
	})
}

// find returns the Contacts that the search of a population finds, in order of ID. If the List is
// gone, or if its Fields no longer fit the criteria, it finds none.
func find(tx *db.Tx, p *batches.Population, now int64) (matching db.IDSet, err error) {
	schema, err := lists.Schema(tx, p.List)
	if err != nil {
		return nil, enlist.IgnoreKind(enlist.NoList, err)
	}
	query, err := contacts.TypeSearch(tx, schema, now, enlist.Query{Criteria: p.Criteria})
	if err != nil {
		return nil, enlist.IgnoreKind(enlist.InvalidSearch, err)
	}
	matching, err = search.IDs(tx, query)
	slices.Sort(matching)
	if p.Upto != 0 { // the Batch goes to those that a person has seen
		matching = slices.DeleteFunc(matching, func(id enlist.ContactID) bool { return id > p.Upto })
	}
	return matching, err
}

// populating is one step of a population.
type populating struct {
	*batches.Batch
	population *batches.Population
	all        []batches.Population // of the Batch
	schema     *enlist.Schema
	counts     recipients.Counts
}

// populate stores the recipients of one step of a population.
func populate(tx *db.Tx, b *batches.Batch, ofBatch []batches.Population, p *batches.Population, now int64) error {
	schema, err := lists.Schema(tx, p.List)
	if enlist.KindOf(err) == enlist.NoList {
		p.Done = true
		return p.Save(tx)
	}
	if err != nil {
		return err
	}
	candidates, err := p.Next(tx)
	if err != nil {
		return err
	}
	step := &populating{Batch: b, population: p, all: ofBatch, schema: schema}
	step.counts.LeftGone = candidates.Gone
	chosen, err := step.choose(tx, now, candidates.Found)
	if err != nil {
		return err
	}
	added := int64(0)
	for _, slices := range step.slicesOf(chosen) {
		n, err := recipients.AddSlices(tx, slices, !step.repeats(), now)
		if err != nil {
			return err
		}
		added += n
	}
	step.counts.Recipients += added
	step.counts.LeftDuplicate += int64(len(chosen)) - added // an earlier population has the Contacts
	if err := p.Save(tx); err != nil {
		return err
	}
	return batches.AddToBatch(tx, b.ID, step.counts, now)
}

// slicesOf divides the chosen Contacts of a population among new slices: first the test of the variants, then the
// others.
func (s *populating) slicesOf(chosen []enlist.ContactID) (filled [2][]recipients.FilledSlice) {
	var parts [2][]enlist.ContactID
	for _, id := range chosen {
		i := 1
		if s.InTest(id) {
			i = 0
		}
		parts[i] = append(parts[i], id)
	}
	for i := range parts {
		for part := range slices.Chunk(parts[i], sliceSize) {
			filled[i] = append(filled[i], recipients.FilledSlice{Slice: recipients.Slice{Batch: s.ID, List: s.population.List,
				First: part[0], Last: part[len(part)-1], Lease: lease(s.Batch, i == 0)}, Contacts: part})
		}
	}
	return filled
}

// repeats reports whether an earlier population has the same List, and so perhaps the same Contacts.
func (s *populating) repeats() bool {
	return slices.ContainsFunc(s.all, func(other batches.Population) bool {
		return other.Number < s.population.Number && other.List == s.population.List
	})
}

// choose returns the candidates that become recipients, and counts the others by reason.
func (s *populating) choose(tx *db.Tx, now int64, candidates []contacts.Candidate) ([]enlist.ContactID, error) {
	exclude, err := batches.LoadExclusion(tx, s.ID)
	if err != nil {
		return nil, err
	}
	exclude.Now = now
	chosen, err := s.Wanted(tx, s.schema, s.population, exclude, candidates, &s.counts)
	if err != nil {
		return nil, err
	}
	before := len(chosen)
	chosen, err = s.withoutDuplicates(tx, chosen)
	s.counts.LeftDuplicate += int64(before - len(chosen))
	return batches.IDsOfCandidates(chosen), err
}

// withoutDuplicates returns the candidates whose address no recipient of the Batch has yet. A List
// that sends to duplicates keeps all.
func (s *populating) withoutDuplicates(tx *db.Tx, candidates []contacts.Candidate) ([]contacts.Candidate, error) {
	if s.schema.List.SendToDuplicates {
		return candidates, nil
	}
	lists, err := s.listsToCompare(tx)
	if err != nil {
		return nil, err
	}
	if s.schema.Unique && len(lists) == 0 {
		return candidates, nil
	}
	addresses := make([]string, len(candidates))
	for i := range candidates {
		addresses[i] = candidates[i].Key
	}
	used := make(map[string]bool)
	for _, list := range lists {
		known, err := recipients.Keys(tx, list, s.ID, addresses)
		if err != nil {
			return nil, err
		}
		for _, address := range known {
			used[address] = true
		}
	}
	return slices.DeleteFunc(candidates, func(c contacts.Candidate) bool {
		duplicate := used[c.Key]
		used[c.Key] = true
		return duplicate
	}), nil
}

// listsToCompare returns the Lists whose recipients can have the address of a Contact of the population: the
// Lists of earlier populations, and its own List if this has duplicates.
func (s *populating) listsToCompare(tx *db.Tx) (compared []enlist.ListID, err error) {
	for i := range s.all {
		if p := &s.all[i]; p.Number < s.population.Number && p.List != s.population.List && !slices.Contains(compared, p.List) {
			compared = append(compared, p.List)
		}
	}
	if s.schema.Unique {
		return compared, nil
	}
	duplicates, err := lists.Duplicates(tx, s.population.List)
	if duplicates > 0 {
		compared = append(compared, s.population.List)
	}
	return compared, err
}
