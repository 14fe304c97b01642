package privacy

import (
	"context"
	"maps"
	"slices"

	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/reports"
)

// This file finds Contacts together with the proof of what they agreed to and of what was sent to them.

// Proof is what the service recorded about one Contact.
type Proof struct {
	Consents []enlist.LedgerRow // the Contact's rows of the consent ledger, newest first
	// Unsubscribes are the entries of the Unsubscriber List with an address of the Contact, for this List or for all
	// Lists, oldest first.
	Unsubscribes []contacts.Unsubscriber
	Deliveries   []reports.ContactDelivery // the mails to the Contact, newest first
}

// ProofWriter receives Contacts with their proof.
type ProofWriter interface {
	// Begin is called before the first Contact, and again if the search starts over.
	Begin(columns []enlist.Column, streaming bool) error
	// ContactWithProof receives one Contact. c and p are valid only during the call.
	ContactWithProof(c *enlist.Contact, p *Proof) error
}

// proofStep is how many Contacts and proofs are in memory together.
const proofStep = 50

// SearchContactsWithProof is SearchContacts with the proof of each Contact. It sends the Contacts in the order of their
// IDs, and reads all of them from one snapshot. Errors: as of SearchContacts.
func (s *Service) SearchContactsWithProof(ctx context.Context, c *enlist.Caller, list enlist.ListID,
	criteria *enlist.Criteria,
	returned []string, w ProofWriter) error {
	return s.db.Stream(c.Context(ctx), s.db.Confirmed(c, func(tx *db.Tx) error {
		schema, err := lists.Load(tx, c, list)
		if err != nil {
			return err
		}
		names, err := batches.MessageNames(tx, c)
		if err != nil {
			return err
		}
		search, err := contacts.TypeSearch(tx, schema, s.db.Now().Unix(), enlist.Query{Criteria: criteria})
		if err != nil {
			return err
		}
		columns, _ := enlist.ColumnsOf(schema, returned)
		if err := w.Begin(columns, true); err != nil {
			return err
		}
		// The proof is read between two pages of IDs, because a connection of PostgreSQL runs one query at a time.
		for after, more := enlist.ContactID(0), true; more; {
			ids, err := contacts.IdsAfter(tx, schema, search.Where, after)
			if err != nil {
				return err
			}
			for some := range slices.Chunk(ids, proofStep) {
				if err := writeProofs(tx, c, list, some, names, w); err != nil {
					return err
				}
				after = some[len(some)-1]
			}
			more = len(ids) == contacts.RemoveStep
		}
		return nil
	}))
}

// writeProofs reads Contacts with their proofs and sends them to w.
func writeProofs(tx *db.Tx, c *enlist.Caller, list enlist.ListID, ids []enlist.ContactID, names map[enlist.MessageID]string,
	w ProofWriter) error {
	found, err := contacts.AllByID(tx, list, ids)
	if err != nil {
		return err
	}
	consents, err := contacts.ConsentsOf(tx, list, ids)
	if err != nil {
		return err
	}
	unsubscribes, err := unsubscribesOf(tx, c, list, found)
	if err != nil {
		return err
	}
	deliveries, err := batches.DeliveriesOf(tx, list, ids)
	if err != nil {
		return err
	}
	for i := range found {
		id := found[i].ID
		p := Proof{Consents: consents[id], Unsubscribes: unsubscribes[id]}
		for _, d := range deliveries[id] {
			p.Deliveries = append(p.Deliveries, reports.ContactDelivery{Delivery: d, Autoresponder: d.Autoresponder(),
				Name: names[d.MessageID]})
		}
		if err := w.ContactWithProof(&found[i], &p); err != nil {
			return err
		}
	}
	return nil
}

// unsubscribesOf returns the entries of the Unsubscriber List that a Proof has, for each Contact.
func unsubscribesOf(tx *db.Tx, c *enlist.Caller, list enlist.ListID, proven []enlist.Contact) (
	map[enlist.ContactID][]contacts.Unsubscriber, error) {
	owners := make(map[string][]enlist.ContactID) // Contacts with a key: several if the List allows duplicates
	for i := range proven {
		for _, key := range []string{proven[i].Key, proven[i].Mobile} {
			if key != "" {
				owners[key] = append(owners[key], proven[i].ID)
			}
		}
	}
	of := make(map[enlist.ContactID][]contacts.Unsubscriber)
	if len(owners) == 0 {
		return of, nil
	}
	search := &contacts.UnsubscriberSearch{Account: c.Account.ID, Lists: []enlist.ListID{list, 0},
		Keys: slices.Sorted(maps.Keys(owners))}
	return of, contacts.Unsubscribers(tx, search, func(u *contacts.Unsubscriber) error {
		for _, id := range owners[u.AddressKey] {
			of[id] = append(of[id], *u)
		}
		return nil
	})
}
