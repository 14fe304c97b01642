package movein

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"enlist/internal/accounts"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file moves the consent ledger and the answers to preferences.

// consentStep is the number of Contacts whose consents are stored together.
const consentStep = 200

// consents moves the consents of the Contacts of each List.
func (m *Mover) consents(ctx context.Context) error {
	for _, l := range m.lists {
		if err := m.consentsOf(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

func (m *Mover) consentsOf(ctx context.Context, l movedList) error {
	for n := 0; ; {
		state := m.move.Lists[l.id]
		ids, err := db.View(ctx, m.Service.DB, m.Caller, func(tx *db.Tx) ([]enlist.ContactID, error) {
			return contacts.IDsUpTo(tx, l.id, state.Consents, m.move.LastContact, consentStep)
		})
		if err != nil {
			return err
		}
		found, err := m.From.Consents(ctx, int64(l.id), l.hasPreferences, ids)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			state.Consents = 0
			return m.setState(ctx, l.id, state)
		}
		state.Consents = ids[len(ids)-1]
		added, err := m.storeConsents(ctx, l.id, found, state)
		if err != nil {
			return err
		}
		n += len(ids)
		m.result.Consents += added
		m.Report(fmt.Sprintf("List %d: consents of %d of about %d Contacts read", l.id, n, l.contacts))
	}
}

// Consents are what the other service says of one Contact. A part that it cannot say is nil.
type Consents struct {
	Contact     enlist.ContactID
	Rows        []Record // the consent ledger, newest first
	Preferences Record   // the answers, by the name of the preference
}

// storeConsents appends the rows that the ledger of each Contact does not have yet, and stores the answers to
// preferences. Rows are evidence, so their texts are stored as they are. It returns how many rows it has appended.
// progress is stored with them. Errors: NoList.
func (m *Mover) storeConsents(ctx context.Context, list enlist.ListID, all []Consents, progress movedState) (
	added int, err error) {
	err = m.step(ctx, func(w *writing) error {
		schema, err := lists.Load(w.tx, m.Caller, list)
		if err != nil {
			return err
		}
		b := consentMove{writing: w, schema: schema, keys: make(map[string]enlist.KeyID)}
		for i := range all {
			if err := b.store(&all[i]); err != nil {
				return err
			}
		}
		added = b.added
		w.next.Lists[list] = progress
		return nil
	})
	return added, err
}

// consentMove stores consents in one transaction.
type consentMove struct {
	*writing
	schema *enlist.Schema
	keys   map[string]enlist.KeyID // of the names of keys of the other service
	added  int
}

func (b *consentMove) store(m *Consents) error {
	r := reader{about: Problem{Record: "contact", List: b.schema.List.ID, ID: int64(m.Contact)}, problems: &b.problems}
	if err := b.answer(m, r); err != nil || len(m.Rows) == 0 {
		return err
	}
	stored, err := contacts.LedgerRows(b.tx, b.schema.List.ID, m.Contact, 0, 0)
	if err != nil {
		return err
	}
	fresh := len(m.Rows) - len(stored)
	if b.next.IDFactor != 0 { // the other service knows only the last change of a subscription
		fresh = newerRows(m.Rows, stored)
	} else if fresh < 0 || len(stored) > 0 && stored[0].Time != m.Rows[fresh].Int("time") {
		r.refuse("", "its rows of the consent ledger differ: the other service has others now than when they were moved")
		return nil
	}
	for _, record := range slices.Backward(m.Rows[:fresh]) {
		r.record = record
		row, err := b.row(&r, m.Contact)
		if err != nil {
			return err
		}
		if err := contacts.AddLedgerRow(b.tx, row); err != nil {
			return err
		}
		b.added++
	}
	return nil
}

// newerRows returns how many rows, newest first, are changes after the newest stored row. A service that stores no
// ledger changes the time of the last change also for other reasons, so a row with the same method is no change.
func newerRows(rows []Record, stored []enlist.LedgerRow) int {
	if len(stored) == 0 {
		return len(rows)
	}
	last := stored[0]
	for n, row := range rows {
		at, method := row.Int("time"), row.Text("method")
		isStored := func(r enlist.LedgerRow) bool { return r.Time == at && r.Method == method }
		if at < last.Time || method == last.Method || slices.ContainsFunc(stored, isStored) {
			return n
		}
	}
	return len(rows)
}

// row reads a row of the ledger.
func (b *consentMove) row(r *reader, contact enlist.ContactID) (*enlist.LedgerRow, error) {
	row := &enlist.LedgerRow{ListID: b.schema.List.ID, ContactID: contact, Time: r.int("time"),
		Method: r.record.Text("method"),
		Type:   enlist.ConsentType(r.record.Text("consent_type")), Text: r.record.Text("consent_text"),
		IP: r.record.Text("ip_address"), TextVersion: r.record.Text("tracking_text_version")}
	row.Tracking, _ = enlist.TrackingOf(r.record.Text("tracking_consent")) // a service without decisions has no such key
	switch row.Type {
	case enlist.ConsentGDPR, contacts.ConsentDirect, contacts.ConsentNotRecorded, "": // "": a change without a consent
	default:
		r.refuse("consent_type", "it is stored as not_recorded")
		row.Type = contacts.ConsentNotRecorded
	}
	for _, choice := range r.record.value("list_preferences").Items {
		if agree, ok := choice.AsBool(); ok && choice.Name != "" {
			row.Preferences = append(row.Preferences, enlist.PreferenceChoice{Name: choice.Name, Agree: agree})
		}
	}
	var err error
	row.KeyID, err = b.key(r.record.Text("key_name"))
	return row, err
}

// movedKeyPrefix is the Prefix of a key that only has the name of a key of the other service, for the ledger. No text
// of a key begins with it.
const movedKeyPrefix = "moved"

// key returns a revoked key with a name. It adds one if there is none.
func (b *consentMove) key(name string) (enlist.KeyID, error) {
	if id, known := b.keys[name]; known || name == "" {
		return id, nil
	}
	keys, err := accounts.Keys(b.tx, b.caller.Account.ID)
	if err != nil {
		return 0, err
	}
	for i := range keys {
		if k := &keys[i]; k.Prefix == movedKeyPrefix {
			b.keys[k.Name] = k.ID
		}
	}
	if id, known := b.keys[name]; known {
		return id, nil
	}
	k := enlist.Key{AccountID: b.caller.Account.ID, Name: name, Prefix: movedKeyPrefix, Level: enlist.Read,
		CreationTime: b.now,
		RevokedTime:  b.now}
	if err := accounts.AddKey(b.tx, &k, enlist.HashKey(enlist.NewKeyText())); err != nil {
		return 0, err
	}
	b.keys[name] = k.ID
	return k.ID, nil
}

// answer stores the answers of a Contact to preferences.
func (b *consentMove) answer(m *Consents, r reader) error {
	if m.Preferences == nil {
		return nil
	}
	r.record = m.Preferences
	answers := make(map[enlist.PreferenceID]bool)
	for _, d := range m.Preferences {
		p, agree := b.schema.Preference(d.Key), r.flag(d.Key, false)
		if p == nil {
			r.refuse(d.Key, "the List has no preference of this name")
			continue
		}
		answers[p.ID] = agree
	}
	contact, err := contacts.ByID(b.tx, b.schema.List.ID, m.Contact)
	if err != nil {
		return enlist.IgnoreKind(enlist.NoContact, err)
	}
	if maps.Equal(contact.Prefs, answers) {
		return nil
	}
	contact.Prefs = answers
	return contacts.Update(b.tx, contact)
}
