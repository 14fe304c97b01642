package contacts

import (
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has the decisions about the recording of opens and clicks that calls send with Contacts, and those that new
// Contacts inherit. tracking.go stores them. reference.md: contact.tracking

// parseTracking reads the keys of details that are about a decision and no Field. Errors: InvalidParameters.
func (p *ParsedContact) parseTracking(details []enlist.Detail) error {
	var d TrackingDecision
	for i := range details {
		key, value := details[i].Key, &details[i].Value
		if !enlist.IsTrackingKey(key) || key == enlist.KeyTrackingTime {
			continue
		}
		if field, _ := FieldOfKey(p.Schema, key); field != nil {
			continue
		}
		text, ok := value.ScalarText()
		if !ok {
			return enlist.Invalid(key, "expected a text")
		}
		switch key {
		case enlist.KeyTrackingText:
			d.By.Text = text
		case enlist.KeyTrackingTextVersion:
			d.Version = text
		case enlist.KeyTrackingConsent:
			if d.Consent, ok = enlist.TrackingOf(text); !ok && text != "" {
				return enlist.Invalid(key, "expected granted, denied or unknown")
			}
		}
	}
	if d.Consent == enlist.TrackingUnknown {
		return nil
	}
	p.tracking = &d
	return d.Check()
}

// decideAs stores the decision, if there is one, that a Contact has made with another change.
func (d *TrackingDecision) decideAs(tx *db.Tx, schema *enlist.Schema, contact *enlist.Contact, by Origin,
	now int64) error {
	if d == nil {
		return nil
	}
	by.Text = d.By.Text
	decision := *d
	decision.By = by
	return DecideTracking(tx, schema, contact, &decision, now)
}

// adds reports whether the decision says more than a Contact has: a client that sends a record back as it was changes
// nothing. If the person has refused since, the record has an agreement, but no text to which the person agreed.
func (d *TrackingDecision) adds(contact *enlist.Contact) bool {
	if d != nil && contact.TrackingConsent == enlist.TrackingDenied && d.By.Text == "" {
		return false
	}
	return d != nil && (d.Consent != contact.TrackingConsent || d.By.Text != "" || d.Version != "")
}

// decideTracking stores the decision of a subscription, or what the address has decided before. The webhook event of a
// new Contact stands for its decision too.
func (sub *subscription) decideTracking(contact *enlist.Contact) error {
	published := enlist.ListID(0)
	if sub.isNew {
		published = contact.ListID
		if sub.tracking == nil {
			if err := InheritTracking(sub.tx, sub.Schema, contact, sub.now); err != nil {
				return err
			}
		}
	}
	if sub.form != 0 {
		return sub.tick(contact, published)
	}
	if sub.tracking == nil {
		return nil
	}
	d, row := *sub.tracking, &sub.consent
	d.Published = published
	return d.decideAs(sub.tx, sub.Schema, contact, Origin{Method: row.Method, Key: row.KeyID, IP: row.IP}, sub.now)
}

// decideTracking stores the decisions of rows, and those that the addresses of new Contacts have.
func (b *addStep) decideTracking(rows []*addRow, by Origin) error {
	var added []*enlist.Contact
	for _, r := range rows {
		switch {
		case r.contact == nil:
		case r.parsed.tracking.adds(r.contact):
			d := *r.parsed.tracking
			d.Published = b.List
			if r.event == "" && d.Consent != r.contact.TrackingConsent {
				b.events = append(b.events, ContactEvent{r.contact.ID, enlist.WebhookUpdated})
			}
			if err := d.decideAs(b.tx, b.schema, r.contact, by, b.now); err != nil {
				return err
			}
		case r.event == enlist.WebhookCreated:
			added = append(added, r.contact)
		}
	}
	return InheritTrackings(b.tx, b.schema, added, b.now)
}

// decideTracking stores the decision of a row. It returns whether the Contact has another decision now. A Contact whose
// address changes takes the decision of the new one, if there is one.
func (s *editStep) decideTracking(r *editRow) (changed bool, err error) {
	before := r.contact.TrackingConsent
	if r.key != "" && !IsSameAddress(r.old.Key, r.key) {
		if err := InheritTracking(s.tx, s.schema, r.contact, s.now); err != nil {
			return false, err
		}
	}
	if d := r.parsed.tracking; d.adds(r.contact) {
		decision := *d
		decision.Published = s.List
		err = decision.decideAs(s.tx, s.schema, r.contact, Origin{Method: "editContacts", Key: s.caller.Key.ID}, s.now)
	}
	return r.contact.TrackingConsent != before, err
}

// InheritTrackings is InheritTracking for several new Contacts of a List. It reads nothing if a new Contact cannot have
// the address of another one.
func InheritTrackings(tx *db.Tx, schema *enlist.Schema, added []*enlist.Contact, now int64) error {
	var keys []string
	for _, c := range added {
		if schema.SharesTracking || !c.IsFirst {
			keys = append(keys, c.Key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	among := []enlist.ListID{schema.List.ID}
	if schema.SharesTracking {
		var err error
		if among, err = definedIDs(tx, schema.List.AccountID); err != nil {
			return err
		}
	}
	decided := make(map[string]bool)
	for _, list := range among {
		if err := keysDecided(tx, list, keys, decided); err != nil {
			return err
		}
	}
	for _, c := range added {
		if decided[c.Key] {
			if err := InheritTracking(tx, schema, c, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// keysDecided marks those of the normalised addresses that a Contact of a List with a decision has.
func keysDecided(tx *db.Tx, list enlist.ListID, keys []string, decided map[string]bool) error {
	wanted, err := db.ManyValues(tx, slices.Compact(slices.Sorted(slices.Values(keys))))
	if err != nil {
		return err
	}
	for _, column := range []string{"dedupe_key", "duplicate_key"} {
		err := tx.Each(func(row *db.Cursor) error {
			if key := row.Text(); row.Int() != 0 {
				decided[key] = true
			}
			return nil
		}, statementForContacts(tx.SQL, column+", tracking_consent", column, ""), int64(list), wanted)
		if err != nil {
			return err
		}
	}
	return nil
}
