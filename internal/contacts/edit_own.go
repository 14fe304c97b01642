package contacts

import (
	"slices"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
)

// This file lets a subscriber change the own Contact, with the link of a mail.

// OwnFields returns the Fields that a subscriber may change: those with allow_update, without the addresses, which
// would not be confirmed after a change, and without files.
func OwnFields(schema *enlist.Schema) (fields []*enlist.Field) {
	for i := range schema.Fields {
		f := &schema.Fields[i]
		if f.AllowUpdate && f.AddressType == enlist.AddressNone && f.Type != enlist.File {
			fields = append(fields, f)
		}
	}
	return fields
}

// OwnChange is what a subscriber changes.
type OwnChange struct {
	Values   []SentValue
	Answers  []enlist.PreferenceChoice
	Language string // a code of package language; "": it stays
	IP       string // of the visitor, or ""
}

// EditOwn stores values of OwnFields, the language and answers to preferences of a subscriber. The ledger gets the answers.
// If a value changes, webhooks and the event update_profile follow. now is a Unix time. Errors: InvalidParameters for a value
// that a Field does not accept.
func EditOwn(tx *db.Tx, schema *enlist.Schema, contact *enlist.Contact, r *OwnChange, now int64) error {
	own := OwnFields(schema)
	p := &ParsedContact{Schema: schema, Today: enlist.Today(time.Unix(now, 0), schema.TimeZone), partial: true,
		Language: r.Language}
	err := p.ParseSent(slices.DeleteFunc(slices.Clone(r.Values), func(v SentValue) bool {
		return !slices.Contains(own, v.Field)
	}))
	if err != nil {
		return err
	}
	changed := p.Apply(contact)
	if answered := SetPreferences(contact, schema, r.Answers); answered {
		changed = true
		row := &enlist.LedgerRow{ListID: contact.ListID, ContactID: contact.ID, Time: now, Method: MethodPreferences,
			IP: r.IP, Preferences: r.Answers}
		if err := AddLedgerRow(tx, row); err != nil {
			return err
		}
	}
	if !changed {
		return nil
	}
	if err := storeAndPublish(tx, schema, contact, now, enlist.WebhookUpdated); err != nil {
		return err
	}
	return events.Emit(tx, schema, contact.ID, enlist.EventUpdateProfile, now)
}
