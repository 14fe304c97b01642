package privacy

import (
	"context"

	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/messages"
)

// This file finds Contacts together with the proof of what they agreed to and of what was sent to them.

// Proof is what the service recorded about one Contact.
type Proof struct {
	Consents []enlist.LedgerRow // the Contact's rows of the consent ledger, newest first
	// Unsubscribes are the entries of the Unsubscriber List with an address of the Contact, for this List or for all
	// Lists, oldest first.
	Unsubscribes []contacts.Unsubscriber
	Deliveries   []batches.ContactDelivery // the mails to the Contact, newest first
}

// ProofWriter receives Contacts with their proof.
type ProofWriter interface {
	// Begin is called before the first Contact, and again if the search starts over.
	Begin(columns []enlist.Column, streaming bool) error
	// ContactWithProof receives one Contact. c and p are valid only during the call.
	ContactWithProof(c *enlist.ByID, p *Proof) error
}

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
		search, err := contacts.TypeSearch(tx, schema, enlist.Query{Criteria: criteria})
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
			for _, id := range ids {
				if err := writeProof(tx, c, list, id, names, w); err != nil {
					return err
				}
				after = id
			}
			more = len(ids) == contacts.RemoveStep
		}
		return nil
	}))
}

// writeProof reads a Contact with its proof and sends both to w.
func writeProof(tx *db.Tx, c *enlist.Caller, list enlist.ListID, id enlist.ContactID, names map[enlist.MessageID]string,
	w ProofWriter) error {
	contact, err := contacts.ByID(tx, list, id)
	if err != nil {
		return err
	}
	var p Proof
	if p.Consents, err = contacts.Consents(tx, list, id, 0, 0); err != nil {
		return err
	}
	search := &contacts.UnsubscriberSearch{Account: c.Account.ID, Lists: []enlist.ListID{list, 0},
		Keys: contacts.FewKeys([]string{contact.Key, contact.Mobile})}
	err = contacts.Unsubscribers(tx, search, func(u *contacts.Unsubscriber) error {
		if u.AddressKey != "" {
			p.Unsubscribes = append(p.Unsubscribes, *u)
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = batches.EachDelivery(tx, list, id, enlist.RowPage, func(d *messages.Delivery) (more bool, err error) {
		p.Deliveries = append(p.Deliveries, batches.ContactDelivery{Delivery: *d, Autoresponder: d.Autoresponder(),
			Name: names[d.MessageID]})
		return true, nil
	})
	if err != nil {
		return err
	}
	return w.ContactWithProof(contact, &p)
}
