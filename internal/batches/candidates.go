package batches

import (
	"slices"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/recipients"
)

// populateStep is the largest number of Contacts that one step reads.
const populateStep = 5000

// candidates are the Contacts of one step.
type candidates struct {
	Found []contacts.Candidate
	Gone  int64 // IDs of the population that the List does not have
}

// Next reads the Contacts of the next step and sets Upto, Last and Done.
func (p *Population) Next(tx *db.Tx) (c candidates, err error) {
	if p.Type == PopulationContacts {
		first, _ := slices.BinarySearch(p.Contacts, p.Last+1)
		step := p.Contacts[first:min(first+populateStep, len(p.Contacts))]
		p.Done = first+len(step) == len(p.Contacts)
		if len(step) == 0 {
			return c, nil
		}
		p.Last = step[len(step)-1]
		c.Found, err = contacts.CandidatesByID(tx, p.List, step)
		c.Gone = int64(len(step) - len(c.Found))
		return c, err
	}
	if p.Upto == 0 {
		p.Upto, err = contacts.LastContactID(tx, p.List)
		if err != nil {
			return c, err
		}
	}
	c.Found, err = contacts.Candidates(tx, p.List, p.Last, p.Upto, populateStep)
	p.Done = len(c.Found) < populateStep
	if n := len(c.Found); n > 0 {
		p.Last = c.Found[n-1].ID
	}
	return c, err
}

// Wanted returns the candidates that become recipients unless they are duplicates, and counts the others by reason.
func (b *Batch) Wanted(tx *db.Tx, schema *enlist.Schema, p *Population, exclude *Exclusion, found []contacts.Candidate,
	counts *recipients.Counts) ([]contacts.Candidate, error) {
	chosen := make([]contacts.Candidate, 0, len(found))
	for i := range found {
		if reason := leftOut(&found[i], schema); reason != "" {
			counts.Leave(reason, 1)
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

// withoutSuppressed returns the candidates that are not suppressed, and counts the others.
func withoutSuppressed(tx *db.Tx, list *enlist.List, candidates []contacts.Candidate,
	counts *recipients.Counts) ([]contacts.Candidate, error) {
	ids, err := contacts.Suppressed(tx, list, candidates)
	counts.LeftSuppressed += int64(len(ids))
	return without(candidates, ids), err
}

// IDsOfCandidates returns the IDs of candidates.
func IDsOfCandidates(candidates []contacts.Candidate) []enlist.ContactID {
	ids := make([]enlist.ContactID, len(candidates))
	for i := range candidates {
		ids[i] = candidates[i].ID
	}
	return ids
}

// leftOut says why a Contact becomes no recipient. It returns "" if the Contact does.
func leftOut(c *contacts.Candidate, schema *enlist.Schema) recipients.LeftOut {
	contact := enlist.Contact{Key: c.Key, IsActive: c.IsActive, IsUnsubscribed: c.IsUnsubscribed,
		DoubleOptIn: c.IsDoubleOptIn}
	return recipients.WhyLeftOut(&contact, schema)
}

// withoutSent returns the candidates that were not sent the Message before.
func (b *Batch) withoutSent(tx *db.Tx, list enlist.ListID,
	candidates []contacts.Candidate) ([]contacts.Candidate, error) {
	batches, err := b.othersWithMessage(tx)
	if err != nil {
		return nil, err
	}
	sent, err := sentBefore(tx, list, b.MessageID, batches, IDsOfCandidates(candidates))
	if err != nil {
		return nil, err
	}
	return without(candidates, sent), nil
}

// sentBefore returns those Contacts that were sent a Message: by one of the Batches, or because of an event.
func sentBefore(tx *db.Tx, list enlist.ListID, message enlist.MessageID, batches []enlist.BatchID,
	ids []enlist.ContactID) ([]enlist.ContactID, error) {
	sent, err := messages.SentBecauseOfEvents(tx, list, message, ids)
	if err != nil {
		return nil, err
	}
	more, err := recipients.SentBy(tx, list, batches, ids)
	return append(sent, more...), err
}

// without returns the candidates that have none of the IDs. It sorts the IDs.
func without(candidates []contacts.Candidate, ids []enlist.ContactID) []contacts.Candidate {
	return split(candidates, ids, false)
}

// only returns the candidates that have one of the IDs. It sorts the IDs.
func only(candidates []contacts.Candidate, ids []enlist.ContactID) []contacts.Candidate {
	return split(candidates, ids, true)
}

func split(candidates []contacts.Candidate, ids []enlist.ContactID, wanted bool) []contacts.Candidate {
	slices.Sort(ids)
	return slices.DeleteFunc(candidates, func(c contacts.Candidate) bool {
		_, found := slices.BinarySearch(ids, c.ID)
		return found != wanted
	})
}

// othersWithMessage returns the other Batches that send the Message of b, also as a variant.
func (b *Batch) othersWithMessage(tx *db.Tx) (ids []enlist.BatchID, err error) {
	for _, f := range []BatchFilter{{Message: b.MessageID}, {HasVariants: true}} {
		senders, err := Batches(tx, b.AccountID, f)
		if err != nil {
			return nil, err
		}
		for i := range senders {
			if senders[i].sends(b.MessageID) && senders[i].ID != b.ID {
				ids = append(ids, senders[i].ID)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}
