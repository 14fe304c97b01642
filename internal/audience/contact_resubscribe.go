package audience

import "context"

// ResubscribeRequest is a call of resubscribeContact.
type ResubscribeRequest struct {
	List    ListID
	Contact ContactID
	Consent Consent
}

// Resubscribe clears a Contact's unsubscribe flag and returns its ID. The
// address stays on the Unsubscriber List. On one who is not unsubscribed it
// records consent and preferences all the same. Errors: NoList, Denied,
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
		again := contact.IsUnsubscribed
		if contact.setPreferences(schema, row.Preferences) || again {
			contact.IsUnsubscribed = false
			if err := storeAndPublish(tx, schema, contact, now, WebhookUpdated); err != nil {
				return 0, err
			}
		}
		if again {
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
