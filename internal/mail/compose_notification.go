package mail

import (
	"strconv"
	"strings"

	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/language"
	"enlist/internal/messages"
)

// This file composes notifications. A notification is sent to an address in the settings
// of a List. It says that a Contact subscribed, unsubscribed or changed, and shows the
// Contact's values.

// notification composes a notification.
// reference.md: event.notification
func (c *composer) notification(id string, n *messages.Notification) (*composed, error) {
	h := c.listHeader(&n.Schema.List, nil)
	h.to, h.key = n.Address, "n/"+id
	return c.builtIn(h, c.notificationBody(n))
}

// notificationBody returns the content of a notification. It has no details if the
// Contact was removed after the event.
func (c *composer) notificationBody(n *messages.Notification) *builtIn {
	in := c.texts.OfUsers().For(n.Schema.List.Language, "")
	event := map[enlist.Event]string{enlist.EventSubscribe: "owner.subscribed", enlist.EventUnsubscribe: "owner.unsubscribed",
		enlist.EventUpdateProfile: "owner.changed"}[n.Event]
	name, list := contactName(in, n), n.Schema.List.Name
	b := &builtIn{Language: in.Code, Title: in.Text(event+".title", "contact", name, "list", list),
		Heading: in.Text(event + ".heading"), List: list,
		Rows: []row{{in.Text(event + ".time"), localTime(in, n.Schema, n.Time)}}}
	if n.Details == nil {
		b.Before = in.Text("owner.notification.removed", "contact", name)
		return b
	}
	b.Rows = append(b.Rows, contactRows(in, n.Schema, n.Details)...)
	b.Rows = append(b.Rows, consentRows(in, n.Schema, n.Consent)...)
	b.Button = in.Text("owner.notification.button")
	key := enlist.DeliveryKey{List: n.List, Contact: n.Contact, Time: n.Time, Cause: causeNotification}
	b.Link = c.link(enlist.LinkContact, key)
	b.After = in.Text("owner.notification.after")
	return b
}

// causeNotification is the cause in the links of a notification. These links belong to no
// delivery.
const causeNotification = "n"

// contactName returns a name for a Contact: its Email, or else its mobile number, or else
// its ID.
func contactName(in *language.Language, n *messages.Notification) string {
	if n.Details != nil {
		if email := n.Details.Values.Get(n.Schema.Email().ID); email != "" {
			return email
		}
		if mobile := n.Schema.Mobile(); mobile != nil && n.Details.Values.Get(mobile.ID) != "" {
			return n.Details.Values.Get(mobile.ID)
		}
	}
	return in.Text("owner.contact", "number", strconv.FormatInt(int64(n.Contact), 10))
}

// contactRows returns a row for each Field with a value, then the answers to the
// List's preferences, the status and the ID.
func contactRows(in *language.Language, schema *enlist.Schema, contact *enlist.Contact) []row {
	var rows []row
	for i := range schema.Fields {
		f := &schema.Fields[i]
		if value := contact.Values.Get(f.ID); value != "" {
			rows = append(rows, row{f.Name, value})
		}
	}
	var answers []string
	for i := range schema.Preferences {
		p := &schema.Preferences[i]
		if agrees, answered := contact.Prefs[p.ID]; answered {
			answer := in.Text(map[bool]string{true: "owner.yes", false: "owner.no"}[agrees])
			answers = append(answers, in.Text("owner.notification.answer", "preference", p.Name, "answer", answer))
		}
	}
	if answers != nil {
		rows = append(rows, row{in.Text("owner.notification.preferences"), strings.Join(answers, "\n")})
	}
	return append(rows,
		row{in.Text("owner.notification.status"), status(in, schema, contact)},
		row{in.Text("owner.notification.number"), strconv.FormatInt(int64(contact.ID), 10)})
}

// status returns the state of a Contact in words: whether it is subscribed, active and
// confirmed.
func status(in *language.Language, schema *enlist.Schema, contact *enlist.Contact) string {
	parts := []string{in.Text("owner.notification.subscribed")}
	if contact.IsUnsubscribed {
		parts[0] = in.Text("owner.notification.unsubscribed")
	}
	switch {
	case contact.IsBounceDeactivated && !contact.IsActive:
		parts = append(parts, in.Text("owner.notification.bounced"))
	case !contact.IsActive:
		parts = append(parts, in.Text("owner.notification.deactivated"))
	}
	switch {
	case contact.DoubleOptIn:
		parts = append(parts, in.Text("owner.notification.confirmed", "time", localTime(in, schema, contact.DoubleOptInTime)))
	case schema.List.DoubleOptIn:
		parts = append(parts, in.Text("owner.notification.not_confirmed"))
	}
	return in.Series(parts)
}

// consentRows returns the rows about a consent. It returns no rows if consent is nil.
func consentRows(in *language.Language, schema *enlist.Schema, consent *enlist.LedgerRow) []row {
	if consent == nil {
		return nil
	}
	kind := map[enlist.ConsentType]string{
		enlist.ConsentGDPR:          "owner.notification.gdpr",
		contacts.ConsentDirect:      "owner.notification.direct",
		contacts.ConsentNotRecorded: "owner.notification.not_recorded",
	}[consent.Type]
	rows := []row{{in.Text("owner.notification.consent"), in.Text(kind, "time", localTime(in, schema, consent.Time))}}
	if consent.Text != "" {
		rows = append(rows, row{in.Text("owner.notification.consent_text"), consent.Text})
	}
	if consent.IP != "" {
		rows = append(rows, row{in.Text("owner.notification.ip_address"), consent.IP})
	}
	return rows
}

func localTime(in *language.Language, schema *enlist.Schema, unix int64) string {
	return in.Time("exact", messages.LocalTime(schema, unix))
}
