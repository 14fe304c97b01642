package audience

import (
	"context"
	"errors"
	"slices"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/search"
)

// This file populates Batches: a job stores the recipients in steps. Each step is one transaction
// that also stores how far the population is, so after a crash another process continues.

// populateStep is the largest number of Contacts that one step reads.
const populateStep = 5000

// PrepareBatch does the next step of a Batch's preparation: it stores recipients, waits for the
// send time or starts the sending. done is true if nothing is left to do now. A repeated call
// changes nothing. sending is true if a sender should look for slices.
func (s *Service) PrepareBatch(ctx context.Context, e PrepareBatch) (done, sending bool, err error) {
	var b *Batch
	done, err = db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (done bool, err error) {
		b, err = LockBatch(tx, e.Batch)
		if err != nil {
			return true, enlist.IgnoreKind(enlist.NoBatch, err)
		}
		if b.Status != BatchInitialising && b.Status != BatchPending {
			return true, nil
		}
		return s.prepare(tx, b, now)
	})
	if errors.Is(err, errSearchFirst) {
		return false, false, s.resolveSearch(ctx, e.Batch)
	}
	return done, b != nil && b.Status == BatchSending, err
}

// errSearchFirst ends an Update that needs the result of a search, which must not run in an Update.
var errSearchFirst = errors.New("resolve the search of the population first")

// prepare does one step. The caller has locked the Batch.
func (s *Service) prepare(tx *db.Tx, b *Batch, now int64) (done bool, err error) {
	populations, err := Populations(tx, b.ID)
	if err != nil {
		return false, err
	}
	begun := b.begins() <= now
	for i := range populations {
		p := &populations[i]
		if p.Done || p.AtSend && !begun {
			continue
		}
		if p.Type == PopulationSearch {
			return false, errSearchFirst
		}
		err := b.populate(tx, populations, p, now)
		if enlist.KindOf(err) == enlist.InvalidSearch { // before the step has written anything
			return true, b.pauseExclusion(tx, err)
		}
		return false, err
	}
	b.IsPopulated = !slices.ContainsFunc(populations, func(p Population) bool { return !p.Done })
	switch {
	case !begun:
		wasPending := b.Status == BatchPending
		b.Status = BatchPending
		if err := SetBatchState(tx, b); err != nil || wasPending {
			return true, err
		}
		return true, tx.Enqueue(PrepareBatch{Batch: b.ID, Due: b.begins()})
	case b.LocalTime != "": // each slice says whether its recipients are late
		b.Status = BatchSending
		return true, SetBatchState(tx, b)
	case s.sending.Load().Calendar.IsLate(max(b.SendTime, b.ActiveTime), s.db.Now()):
		return true, b.pauseLate(tx)
	}
	b.Status, b.ActiveTime = BatchSending, now
	return true, SetBatchState(tx, b)
}

// resolveSearch replaces the first search that is due by the Contacts that it finds. The search
// may read a whole List, so it runs outside of the Update.
func (s *Service) resolveSearch(ctx context.Context, id enlist.BatchID) error {
	var search *Population
	var found db.IDSet
	err := s.db.ViewPrimary(ctx, func(tx *db.Tx) error {
		search, found = nil, nil
		b, err := LoadBatch(tx, id)
		if err != nil || b.ended() || b.Status == BatchPaused {
			return enlist.IgnoreKind(enlist.NoBatch, err)
		}
		populations, err := Populations(tx, id)
		if err != nil {
			return err
		}
		due := func(p Population) bool {
			return p.Type == PopulationSearch && !p.Done && (!p.AtSend || b.begins() <= s.db.Now().Unix())
		}
		i := slices.IndexFunc(populations, due)
		if i < 0 {
			return nil
		}
		search = &populations[i]
		found, err = search.find(tx)
		return err
	})
	if err != nil || search == nil {
		return err
	}
	return s.db.Update(ctx, func(tx *db.Tx) error {
		if _, err := LockBatch(tx, id); err != nil {
			return enlist.IgnoreKind(enlist.NoBatch, err)
		}
		resolved := *search
		resolved.Type, resolved.Contacts = PopulationContacts, found
		return SetPopulation(tx, &resolved)
	})
}

// find returns the Contacts that the search of a population finds, in order of ID. If the List is
// gone, or if its Fields no longer fit the criteria, it finds none.
func (p *Population) find(tx *db.Tx) (found db.IDSet, err error) {
	schema, err := lists.Schema(tx, p.List)
	if err != nil {
		return nil, enlist.IgnoreKind(enlist.NoList, err)
	}
	query, err := contacts.TypeSearch(tx, schema, enlist.Query{Criteria: p.Criteria})
	if err != nil {
		return nil, enlist.IgnoreKind(enlist.InvalidSearch, err)
	}
	err = search.Contacts(tx, query, func(c *enlist.ByID) error {
		found = append(found, c.ID)
		return nil
	})
	slices.Sort(found)
	return found, err
}

// populate stores the recipients of one step of a population.
func (b *Batch) populate(tx *db.Tx, all []Population, p *Population, now int64) error {
	schema, err := lists.Schema(tx, p.List)
	if enlist.KindOf(err) == enlist.NoList {
		p.Done = true
		return SetPopulation(tx, p)
	}
	if err != nil {
		return err
	}
	candidates, err := p.next(tx)
	if err != nil {
		return err
	}
	counts := BatchCounts{LeftGone: candidates.gone}
	chosen, err := b.choose(tx, all, schema, p, candidates.found, &counts)
	if err != nil {
		return err
	}
	added := int64(0)
	for _, slices := range b.slicesOf(p, chosen) {
		n, err := AddSlices(tx, slices, !p.repeats(all), now)
		if err != nil {
			return err
		}
		added += n
	}
	counts.Recipients += added
	counts.LeftDuplicate += int64(len(chosen)) - added // an earlier population has the Contacts
	if err := SetPopulation(tx, p); err != nil {
		return err
	}
	return AddToBatch(tx, b.ID, counts, now)
}

// slicesOf divides the chosen Contacts of a population among new slices: first the test of the variants, then the others.
func (b *Batch) slicesOf(p *Population, chosen []enlist.ContactID) (all [2][]NewSlice) {
	var parts [2][]enlist.ContactID
	for _, id := range chosen {
		i := 1
		if b.inTest(id) {
			i = 0
		}
		parts[i] = append(parts[i], id)
	}
	for i := range parts {
		for part := range slices.Chunk(parts[i], sliceSize) {
			all[i] = append(all[i], NewSlice{BatchSlice{Batch: b.ID, List: p.List, First: part[0], Last: part[len(part)-1],
				Lease: b.lease(i == 0)}, part})
		}
	}
	return all
}

// repeats reports whether an earlier population has the same List, and so perhaps the same Contacts.
func (p *Population) repeats(all []Population) bool {
	return slices.ContainsFunc(all, func(other Population) bool { return other.Number < p.Number && other.List == p.List })
}

// candidates are the Contacts of one step.
type candidates struct {
	found []contacts.Candidate
	gone  int64 // IDs of the population that the List does not have
}

// next reads the Contacts of the next step and sets Upto, Last and Done.
func (p *Population) next(tx *db.Tx) (c candidates, err error) {
	if p.Type == PopulationContacts {
		first, _ := slices.BinarySearch(p.Contacts, p.Last+1)
		step := p.Contacts[first:min(first+populateStep, len(p.Contacts))]
		p.Done = first+len(step) == len(p.Contacts)
		if len(step) == 0 {
			return c, nil
		}
		p.Last = step[len(step)-1]
		c.found, err = CandidatesByID(tx, p.List, step)
		c.gone = int64(len(step) - len(c.found))
		return c, err
	}
	if p.Upto == 0 {
		p.Upto, err = contacts.LastContactID(tx, p.List)
		if err != nil {
			return c, err
		}
	}
	c.found, err = Candidates(tx, p.List, p.Last, p.Upto, populateStep)
	p.Done = len(c.found) < populateStep
	if n := len(c.found); n > 0 {
		p.Last = c.found[n-1].ID
	}
	return c, err
}

// choose returns the candidates that become recipients, and counts the others by reason.
func (b *Batch) choose(tx *db.Tx, all []Population, schema *enlist.Schema, p *Population, found []contacts.Candidate,
	counts *BatchCounts) ([]enlist.ContactID, error) {
	exclude, err := LoadExclusion(tx, b.ID)
	if err != nil {
		return nil, err
	}
	chosen, err := b.wanted(tx, schema, p, exclude, found, counts)
	if err != nil {
		return nil, err
	}
	before := len(chosen)
	chosen, err = b.withoutDuplicates(tx, all, schema, p, chosen)
	counts.LeftDuplicate += int64(before - len(chosen))
	return idsOfCandidates(chosen), err
}

// wanted returns the candidates that become recipients unless they are duplicates, and counts the others by reason.
func (b *Batch) wanted(tx *db.Tx, schema *enlist.Schema, p *Population, exclude *Exclusion, found []contacts.Candidate,
	counts *BatchCounts) ([]contacts.Candidate, error) {
	chosen := make([]contacts.Candidate, 0, len(found))
	for i := range found {
		if reason := leftOut(&found[i], schema); reason != "" {
			counts.leave(reason, 1)
		} else {
			chosen = append(chosen, found[i])
		}
	}
	chosen, err := withoutSuppressed(tx, &schema.List, chosen, counts)
	if err != nil {
		return nil, err
	}
	if p.Type == PopulationUnsent {
		before := len(chosen)
		chosen, err = b.withoutSent(tx, p.List, chosen)
		if err != nil {
			return nil, err
		}
		counts.LeftSentBefore += int64(before - len(chosen))
	}
	before := len(chosen)
	chosen, err = exclude.keep(tx, schema, chosen)
	counts.LeftExcluded += int64(before - len(chosen))
	return chosen, err
}

func idsOfCandidates(all []contacts.Candidate) []enlist.ContactID {
	ids := make([]enlist.ContactID, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	return ids
}

// leftOut says why a Contact becomes no recipient. It returns "" if the Contact does.
func leftOut(c *contacts.Candidate, schema *enlist.Schema) LeftOut {
	contact := enlist.ByID{Key: c.Key, IsActive: c.IsActive, IsUnsubscribed: c.IsUnsubscribed, DoubleOptIn: c.IsDoubleOptIn}
	return reasonLeftOut(&contact, schema)
}

// withoutSent returns the candidates that were not sent the Message before.
func (b *Batch) withoutSent(tx *db.Tx, list enlist.ListID, all []contacts.Candidate) ([]contacts.Candidate, error) {
	batches, err := batchesWithMessage(tx, b)
	if err != nil {
		return nil, err
	}
	sent, err := SentBefore(tx, list, b.MessageID, batches, idsOfCandidates(all))
	if err != nil {
		return nil, err
	}
	return without(all, sent), nil
}

// without returns the candidates that have none of the IDs. It sorts the IDs.
func without(all []contacts.Candidate, ids []enlist.ContactID) []contacts.Candidate {
	return split(all, ids, false)
}

// only returns the candidates that have one of the IDs. It sorts the IDs.
func only(all []contacts.Candidate, ids []enlist.ContactID) []contacts.Candidate {
	return split(all, ids, true)
}

func split(all []contacts.Candidate, ids []enlist.ContactID, wanted bool) []contacts.Candidate {
	slices.Sort(ids)
	return slices.DeleteFunc(all, func(c contacts.Candidate) bool {
		_, found := slices.BinarySearch(ids, c.ID)
		return found != wanted
	})
}

// batchesWithMessage returns the other Batches that send the Message of b, also as a variant.
func batchesWithMessage(tx *db.Tx, b *Batch) (ids []enlist.BatchID, err error) {
	for _, f := range []BatchFilter{{Message: b.MessageID}, {HasVariants: true}} {
		all, err := Batches(tx, b.AccountID, f)
		if err != nil {
			return nil, err
		}
		for i := range all {
			if all[i].sends(b.MessageID) && all[i].ID != b.ID {
				ids = append(ids, all[i].ID)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// withoutDuplicates returns the candidates whose address no recipient of the Batch has yet. A List
// that sends to duplicates keeps all.
func (b *Batch) withoutDuplicates(tx *db.Tx, all []Population, schema *enlist.Schema, p *Population,
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
		known, err := RecipientKeys(tx, list, b.ID, keys)
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
func listsToCompare(tx *db.Tx, all []Population, schema *enlist.Schema, p *Population) (found []enlist.ListID, err error) {
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
