package contacts

import (
	"context"
	"errors"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file makes a change of many Contacts: one transaction for each step.

// MakeChange changes the next Contacts of a change. done is true if none is left. A call after the last step changes
// nothing. The List or the Field can be deleted meanwhile, and the person or the key that started the change can lose the
// right to it: then the change ends.
func (s *Service) MakeChange(ctx context.Context, e MakeChange) (done bool, err error) {
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (done bool, err error) {
		change, err := changeByID(tx, e.ID)
		if errors.Is(err, errNoChange) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if change.EndTime != 0 {
			return true, nil
		}
		if err := change.lockLists(tx); err != nil {
			return false, err
		}
		schema, err := lists.Schema(tx, change.ListID)
		if err != nil {
			return true, enlist.IgnoreKind(enlist.NoList, err)
		}
		if reason, err := s.mayNot(tx, change, e, now); err != nil {
			return false, err
		} else if reason != "" {
			return true, endChange(tx, change.ID, now, reason)
		}
		ids, err := change.next(tx)
		if err != nil || len(ids) == 0 {
			return true, endChange(tx, change.ID, now, "")
		}
		step := changeStep{Change: change, service: s, tx: tx, schema: schema, now: now}
		if ids, err = step.take(ids); err != nil {
			return false, err
		}
		moved, err := change.advance(tx, len(ids))
		if err != nil || !moved {
			return false, err
		}
		if err := step.run(ids); err != nil {
			return false, err
		}
		if done = change.Done+int64(len(ids)) >= change.Total || step.reason != ""; done {
			err = endChange(tx, change.ID, now, step.reason)
		}
		return done, err
	})
}

// Why a change is given up: its person has lost the level, the List or the Account, or its key was revoked or has expired.
const (
	reasonNoRight = "the person who started it may no longer change the Contacts of this List"
	reasonNoKey   = "the API key that started it is no longer valid"
)

// mayNot returns why the person or the key that has started a change may not go on with it; "": it may.
func (s *Service) mayNot(tx *db.Tx, c *Change, e MakeChange, now int64) (reason string, err error) {
	var key *enlist.Key
	switch {
	case e.User != 0:
		reason = reasonNoRight
		key, err = s.above.KeyOf(tx, c.AccountID, e.User)
	case e.Key != 0:
		reason = reasonNoKey
		key, err = accounts.KeyByID(tx, e.Key)
		err = enlist.IgnoreKind(enlist.InvalidKey, err)
	default:
		return "", nil
	}
	if key != nil && key.Valid(now) && key.Level >= enlist.Standard && key.Allows(c.ListID) &&
		(c.Target == 0 || key.Allows(c.Target)) {
		reason = ""
	}
	return reason, err
}

// changeStep is one transaction of a change.
type changeStep struct {
	*Change
	service *Service
	tx      *db.Tx
	schema  *enlist.Schema
	now     int64
	events  []ContactEvent
	reason  string // why the change must be given up
}

// take returns those of the Contacts that the transaction may change.
func (s *changeStep) take(ids []enlist.ContactID) ([]enlist.ContactID, error) {
	size := StepSize{Most: RemoveStep}
	switch s.Action {
	case ChangeCopy, ChangeMove:
		size.Most = copyStepSize
	case ChangeAsk:
		size.Most = MaxUnsubscribe / 2 // each has a job
	case ChangeUnsubscribe:
		l := &s.schema.List
		jobs := 1 + strings.Count(l.OnUnsubscribe, ",") + len(s.schema.Autoresponders) + len(s.schema.Webhooks)
		size.Most = max(1, MaxUnsubscribe/(1+jobs))
	}
	n, err := size.take(s.tx, s.schema, ids)
	return ids[:n], err
}

func (s *changeStep) run(ids []enlist.ContactID) (err error) {
	var n int
	switch s.Action {
	case ChangeDelete:
		n, err = s.remove(ids)
	case ChangeUnsubscribe:
		n, err = s.unsubscribe(ids)
	case ChangeSet:
		n, err = s.set(ids)
	case ChangeConfirm:
		n, err = s.confirm(ids)
	case ChangeAsk:
		n, err = s.ask(ids)
	case ChangeCopy, ChangeMove:
		n, err = s.copyTo(ids)
	default:
		n, err = s.activate(ids, s.Action == ChangeReactivate)
	}
	if err != nil || n == 0 {
		return err
	}
	err = s.tx.Do("UPDATE contact_change SET changed = changed + ? WHERE id = ?", int64(n), s.ID)
	if err != nil || s.Action == ChangeUnsubscribe { // it publishes its events
		return err
	}
	before := Notifier{Changed: int(s.Changed), Many: s.Changed > maxSingleEvents}
	return before.Publish(s.tx, s.schema, s.now, s.events)
}

func (s *changeStep) changed(id enlist.ContactID, e enlist.WebhookEventType) {
	s.events = append(s.events, ContactEvent{id, e})
}

func (s *changeStep) remove(ids []enlist.ContactID) (int, error) {
	removed, err := s.service.RemoveContactsByID(s.tx, s.now, s.ListID, ids)
	for _, id := range removed {
		s.changed(id, enlist.WebhookRemoved)
	}
	return len(removed), err
}

// each calls change for the Contacts that still exist, in the order of their IDs, and counts those that it changes.
func (s *changeStep) each(ids []enlist.ContactID, change func(*enlist.Contact) (bool, error)) (n int, err error) {
	byID, err := ContactsToChange(s.tx, s.ListID, ids)
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		if byID[id] == nil {
			continue
		}
		changed, err := change(byID[id])
		if err != nil {
			return n, err
		}
		if changed {
			n++
		}
	}
	return n, nil
}

func (s *changeStep) activate(ids []enlist.ContactID, active bool) (int, error) {
	event := enlist.WebhookDeactivated
	if active {
		event = enlist.WebhookReactivated
	}
	return s.each(ids, func(c *enlist.Contact) (bool, error) {
		if c.IsActive == active && !(active && c.IsBounceDeactivated) {
			return false, nil
		}
		c.IsActive, c.Modified = active, s.now
		if active {
			c.IsBounceDeactivated = false
		}
		s.changed(c.ID, event)
		return true, Update(s.tx, c)
	})
}

func (s *changeStep) unsubscribe(ids []enlist.ContactID) (int, error) {
	return s.each(ids, func(c *enlist.Contact) (bool, error) {
		if c.IsUnsubscribed {
			return false, nil
		}
		by := Origin{Method: "unsubscribeContactById"}
		return true, Unsubscribe(s.tx, s.schema, c, s.schema.AddressType(c), by, s.now)
	})
}

// confirm stores that the people have confirmed, by a statement of a user. It starts no autoresponder: a user says what
// was long ago, and none of these people does anything now.
func (s *changeStep) confirm(ids []enlist.ContactID) (int, error) {
	by := Origin{Method: MethodStatement, Text: s.Value}
	return s.each(ids, func(c *enlist.Contact) (bool, error) {
		if c.DoubleOptIn || c.IsUnsubscribed {
			return false, nil
		}
		c.DoubleOptIn, c.DoubleOptInTime, c.Modified = true, s.now, s.now
		s.changed(c.ID, enlist.WebhookUpdated)
		return true, errors.Join(Update(s.tx, c), by.Record(s.tx, c, s.now))
	})
}

// ask sends the request to confirm to those that get mail only after it.
func (s *changeStep) ask(ids []enlist.ContactID) (int, error) {
	if !s.schema.List.DoubleOptIn {
		s.reason = reasonNoDoubleOptIn
		return 0, nil
	}
	return s.each(ids, func(c *enlist.Contact) (bool, error) {
		if c.DoubleOptIn || c.IsUnsubscribed || !c.IsActive {
			return false, nil
		}
		return true, AskToConfirm(s.tx, c, s.now)
	})
}

// set sets the value. If the Field does not accept it any more, or is deleted, the change ends with a reason.
func (s *changeStep) set(ids []enlist.ContactID) (int, error) {
	if s.schema.Field(s.Field) == nil {
		s.reason = "the Field was deleted"
		return 0, nil
	}
	account, err := accounts.ByID(s.tx, s.AccountID)
	if err != nil {
		return 0, err
	}
	parsed, err := s.parsed(s.schema, s.now, account.TimeZone)
	if err != nil {
		s.reason = err.Error()
		return 0, nil
	}
	var changed []*enlist.Contact
	n, err := s.each(ids, func(c *enlist.Contact) (bool, error) {
		if !parsed.Apply(c) {
			return false, nil
		}
		c.Modified = s.now
		changed = append(changed, c)
		s.changed(c.ID, enlist.WebhookUpdated)
		return true, nil
	})
	if err != nil {
		return n, err
	}
	return n, UpdateContacts(s.tx, changed)
}
