package contacts

import (
	"context"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/lists"
)

// This file has resubscribeContact, which clears the unsubscribe flag of one Contact.

// ResubscribeRequest is a call of resubscribeContact.
type ResubscribeRequest struct {
	List    enlist.ListID
	Contact enlist.ContactID
	Consent Consent

	Tracking *TrackingDecision // what the person has decided about the recording of opens and clicks; nil: nothing
	Language string            // as in the details of SubscribeRequest; "": it stays
}

// methodAgain is the Method of the row of the ledger of a person who has left and asked again.
const methodAgain = "resubscribeContact"

// Resubscribe clears a Contact's unsubscribe flag and returns the Contact's ID. The address
// stays on the Unsubscriber List. If the flag was not set, the call still stores the
// preferences and a ledger row. Errors, checked in this order: NoList, Denied, NoContact,
// InvalidConsent, ConsentRequired, InvalidParameters.
// reference.md: state.resubscribe
func (s *Service) Resubscribe(ctx context.Context, c *enlist.Caller, r ResubscribeRequest) (enlist.ContactID, error) {
	return db.Update(ctx, s.db, c, func(tx *db.Tx, now int64) (enlist.ContactID, error) {
		schema, contact, err := Load(tx, c, r.List, r.Contact)
		if err != nil {
			return 0, err
		}
		if err := r.Consent.Check(schema); err != nil {
			return 0, err
		}
		row, err := r.Consent.Row(schema)
		if err != nil {
			return 0, err
		}
		if err := r.Tracking.Check(); err != nil {
			return 0, err
		}
		var sent ParsedContact
		if err := sent.readLanguage(r.Language); err != nil {
			return 0, err
		}
		resubscribed := contact.IsUnsubscribed
		changed := SetPreferences(contact, schema, row.Preferences)
		if sent.speak(contact) || changed || resubscribed {
			contact.IsUnsubscribed = false
			if err := storeAndPublish(tx, schema, contact, now, enlist.WebhookUpdated); err != nil {
				return 0, err
			}
		}
		if resubscribed {
			if err := events.Publish(tx, schema, contact.ID, now, enlist.WebhookSubscribed); err != nil {
				return 0, err
			}
		}
		row.ContactID, row.Time, row.KeyID, row.Method = contact.ID, now, c.Key.ID, methodAgain
		if err := AddLedgerRow(tx, &row); err != nil {
			return 0, err
		}
		return contact.ID, r.Tracking.decideAs(tx, schema, contact, Origin{Method: row.Method, Key: row.KeyID, IP: row.IP}, now)
	})
}

// Load returns a Contact and its List, if the caller may access the List.
func Load(tx *db.Tx, c *enlist.Caller, list enlist.ListID, id enlist.ContactID) (*enlist.Schema, *enlist.Contact, error) {
	schema, err := lists.Load(tx, c, list)
	if err != nil {
		return nil, nil, err
	}
	if id <= 0 {
		return nil, nil, enlist.ErrNoContact
	}
	contact, err := ByID(tx, list, id)
	return schema, contact, err
}
