package contacts

import (
	"context"
	"math"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
)

// This file activates, deactivates and confirms one Contact, and shows its answers to
// preferences and its rows of the consent ledger.

// Deactivate sets is_active to false: the Contact receives no mail, but stays subscribed.
// Errors: NoList, Denied, NoContact.
func (s *Service) Deactivate(ctx context.Context, c *enlist.Caller, list enlist.ListID,
	id enlist.ContactID) (enlist.ContactID, error) {
	return s.setStatus(ctx, c, list, id, Deactivate)
}

// Reactivate sets is_active to true and clears is_bounce_deactivated. Errors:
// NoList, Denied, NoContact.
func (s *Service) Reactivate(ctx context.Context, c *enlist.Caller, list enlist.ListID,
	id enlist.ContactID) (enlist.ContactID, error) {
	return s.setStatus(ctx, c, list, id, func(tx *db.Tx, schema *enlist.Schema, contact *enlist.Contact, now int64) error {
		if contact.IsActive && !contact.IsBounceDeactivated {
			return nil
		}
		contact.IsActive, contact.IsBounceDeactivated = true, false
		return storeAndPublish(tx, schema, contact, now, enlist.WebhookReactivated)
	})
}

// ContactRequest is a call about one Contact in which a person may have taken part.
type ContactRequest struct {
	List    enlist.ListID
	Contact enlist.ContactID
	IP      string // as in Consent

	Tracking *TrackingDecision // as in ResubscribeRequest; only for Confirm
}

// Confirm sets double_opt_in and double_opt_in_time. A second confirmation changes nothing.
// Errors: NoList, Denied, NoContact, InvalidParameters.
func (s *Service) Confirm(ctx context.Context, c *enlist.Caller, r ContactRequest) (enlist.ContactID, error) {
	return s.setStatus(ctx, c, r.List, r.Contact, func(tx *db.Tx, schema *enlist.Schema, contact *enlist.Contact,
		now int64) error {
		by := Origin{Method: "confirmContact", Key: c.Key.ID, IP: r.IP}
		if err := by.checkIP(); err != nil {
			return err
		}
		if err := r.Tracking.Check(); err != nil {
			return err
		}
		if err := s.ConfirmSubscription(tx, schema, contact, by, now); err != nil {
			return err
		}
		return r.Tracking.decideAs(tx, schema, contact, by, now)
	})
}

// setStatus calls set for a Contact in an Update.
func (s *Service) setStatus(ctx context.Context, c *enlist.Caller, list enlist.ListID, id enlist.ContactID,
	set func(*db.Tx, *enlist.Schema, *enlist.Contact, int64) error) (enlist.ContactID, error) {
	return db.Update(ctx, s.db, c, func(tx *db.Tx, now int64) (enlist.ContactID, error) {
		schema, contact, err := Load(tx, c, list, id)
		if err != nil {
			return 0, err
		}
		return id, set(tx, schema, contact, now)
	})
}

// Deactivate sets is_active to false. Package sending calls it too, after it has set
// is_bounce_deactivated.
func Deactivate(tx *db.Tx, schema *enlist.Schema, contact *enlist.Contact, now int64) error {
	if !contact.IsActive {
		return nil
	}
	contact.IsActive = false
	return storeAndPublish(tx, schema, contact, now, enlist.WebhookDeactivated)
}

// ConfirmSubscription sets double_opt_in and stores the jobs that the confirmation causes. They
// include the jobs of autoresponders that waited for the confirmation. reference.md: event.confirm
func (s *Service) ConfirmSubscription(tx *db.Tx, schema *enlist.Schema, contact *enlist.Contact, by Origin,
	now int64) error {
	if contact.DoubleOptIn {
		return nil
	}
	contact.DoubleOptIn, contact.DoubleOptInTime = true, now
	if err := storeAndPublish(tx, schema, contact, now, enlist.WebhookUpdated); err != nil {
		return err
	}
	if err := by.Record(tx, contact, now); err != nil {
		return err
	}
	if contact.WebformID != 0 {
		err := s.above.FormConfirmed(tx, schema, enlist.FormID(contact.WebformID), now)
		if err != nil {
			return err
		}
	}
	pending, err := IsSubscriptionPending(tx, contact.ListID, contact.ID)
	if err == nil && pending {
		err = events.EnqueueAutoresponders(tx, schema, contact.ID, enlist.EventSubscribe, now)
	}
	if err != nil {
		return err
	}
	return events.Emit(tx, schema, contact.ID, enlist.EventConfirm, now)
}

// storeAndPublish stores a changed Contact and publishes one event about it.
func storeAndPublish(tx *db.Tx, schema *enlist.Schema, contact *enlist.Contact, now int64,
	event enlist.WebhookEventType) error {
	contact.Modified = now
	if err := Update(tx, contact); err != nil {
		return err
	}
	return events.Publish(tx, schema, contact.ID, now, event)
}

// ContactPreferences returns a Contact's answers to the List's preferences, in the order in
// which the preferences were defined. It leaves out preferences that the Contact never
// answered. Errors: NoList, Denied, NoContact.
func (s *Service) ContactPreferences(ctx context.Context, c *enlist.Caller, list enlist.ListID,
	id enlist.ContactID) ([]enlist.PreferenceChoice, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (answers []enlist.PreferenceChoice, err error) {
		schema, contact, err := Load(tx, c, list, id)
		if err != nil {
			return nil, err
		}
		for _, p := range schema.Preferences {
			if agree, answered := contact.Prefs[p.ID]; answered {
				answers = append(answers, enlist.PreferenceChoice{Name: p.Name, Agree: agree})
			}
		}
		return answers, nil
	})
}

// LedgerQuery is a call of getContactConsents.
type LedgerQuery struct {
	List          enlist.ListID
	Contact       enlist.ContactID
	Limit, Offset int64 // Limit 0: all rows
	Changes       bool  // return also the changes without a consent: confirmations and unsubscriptions
}

// ContactConsents sends a Contact's rows of the consent ledger to w, newest first. Errors: NoList, Denied,
// NoContact, and Busy if too many streams run. decisions.md: 89
func (s *Service) ContactConsents(ctx context.Context, c *enlist.Caller, q LedgerQuery,
	w enlist.RowWriter[enlist.LedgerRow]) error {
	limit := q.Limit
	if limit == 0 {
		limit = math.MaxInt64
	}
	return s.db.InPhases(ctx, c, db.LookingUp, func(tx *db.Tx, p db.Phase) error {
		if _, _, err := Load(tx, c, q.List, q.Contact); err != nil {
			return err
		}
		if err := w.Begin(p == db.Streaming); err != nil {
			return err
		}
		read := Consents
		if q.Changes {
			read = LedgerRows
		}
		for left, skip := limit, q.Offset; left > 0; left, skip = left-enlist.RowPage, skip+enlist.RowPage {
			rows, err := read(tx, q.List, q.Contact, min(left, enlist.RowPage), skip)
			if err != nil {
				return err
			}
			if p != db.Streaming && len(rows) == enlist.RowPage && left > enlist.RowPage {
				return enlist.ErrReplyTooLong
			}
			for i := range rows {
				if err := w.Row(&rows[i]); err != nil {
					return err
				}
			}
			if len(rows) < enlist.RowPage {
				return nil
			}
		}
		return nil
	})
}
