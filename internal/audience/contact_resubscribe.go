package audience

import "context"

// This file clears the unsubscribe flag of one Contact, resubscribeContact.

// ResubscribeRequest is a call of resubscribeContact.
type ResubscribeRequest struct {
	List    ListID
	Contact ContactID
	Consent Consent
}

// Resubscribe clears a Contact's unsubscribe flag and returns its ID. The address
// stays on the Unsubscriber List. A Contact that is not unsubscribed also gets a
// ledger row, and its preferences. Errors: NoList, Denied,
// NoContact, InvalidConsent, ConsentRequired, InvalidParameters, in that order.
// specification: resubscribeContact; decisions.md: 31
func (s *Service) Resubscribe(ctx context.Context, c *Caller, r ResubscribeRequest) (ContactID, error) {
	return update(ctx, s, c, func(tx Tx, now int64) (ContactID, error) {
		schema, contact, err := loadContact(tx, c, r.List, r.Contact)
		if err != nil {
			return 0, err
		}
		if err := r.Consent.check(schema); err != nil {
			return 0, err
		}
		row, err := r.Consent.row(schema)
		if err != nil {
			return 0, err
		}
		resubscribed := contact.IsUnsubscribed
		if contact.setPreferences(schema, row.Preferences) || resubscribed {
			contact.IsUnsubscribed = false
			if err := storeAndPublish(tx, schema, contact, now, WebhookUpdated); err != nil {
				return 0, err
			}
		}
		if resubscribed {
			if err := publishWebhook(tx, schema, contact.ID, now, WebhookSubscribed); err != nil {
				return 0, err
			}
		}
		row.ContactID, row.Time, row.KeyID, row.Method = contact.ID, now, c.Key.ID, "resubscribeContact"
		return contact.ID, tx.AddLedgerRow(&row)
	})
}

// loadContact returns a Contact of a List that the caller may name.
func loadContact(tx Tx, c *Caller, list ListID, id ContactID) (*Schema, *Contact, error) {
	schema, err := loadList(tx, c, list)
	if err != nil {
		return nil, nil, err
	}
	if id <= 0 {
		return nil, nil, ErrNoContact
	}
	contact, err := tx.Contact(list, id)
	return schema, contact, err
}
