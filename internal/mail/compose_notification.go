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
	// For each event: the middle of the title, the name of the row with the time, and the heading.
	words := map[enlist.Event][3]string{
		enlist.EventSubscribe:     {" subscribed to ", "Subscribed", "New subscription"},
		enlist.EventUnsubscribe:   {" unsubscribed from ", "Unsubscribed", "Unsubscription"},
		enlist.EventUpdateProfile: {" changed their details on ", "Changed", "Changed details"},
	}[n.Event]
	list := n.Schema.List.Name
	b := &builtIn{Language: language.English, Title: contactName(n) + words[0] + list, Heading: words[2], List: list,
		Rows: []row{{words[1], localTime(n.Schema, n.Time)}}}
	if n.Details == nil {
		b.Before = contactName(n) + " has been removed since, so there is nothing left to show."
		return b
	}
	b.Rows = append(b.Rows, contactRows(n.Schema, n.Details)...)
	b.Rows = append(b.Rows, consentRows(n.Schema, n.Consent)...)
	b.Button = "Show the Contact"
	event := enlist.DeliveryKey{List: n.List, Contact: n.Contact, Time: n.Time, Cause: causeNotification}
	b.Link = c.link(enlist.LinkContact, event)
	b.After = "You receive this because your address is in the settings of the List."
	return b
}

// causeNotification is the cause in the links of a notification. These links belong to no
// delivery.
const causeNotification = "n"

// contactName returns a name for a Contact: its Email, or else its mobile number, or else
// its ID.
func contactName(n *messages.Notification) string {
	if n.Details != nil {
		if email := n.Details.Values.Get(n.Schema.Email().ID); email != "" {
			return email
		}
		if mobile := n.Schema.Mobile(); mobile != nil && n.Details.Values.Get(mobile.ID) != "" {
			return n.Details.Values.Get(mobile.ID)
		}
	}
	return "Contact " + strconv.FormatInt(int64(n.Contact), 10)
}

// contactRows returns a row for each Field with a value, then the answers to the
// List's preferences, the status and the ID.
func contactRows(schema *enlist.Schema, contact *enlist.Contact) []row {
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
			answers = append(answers, p.Name+": "+map[bool]string{true: "yes", false: "no"}[agrees])
		}
	}
	if answers != nil {
		rows = append(rows, row{"List preferences", strings.Join(answers, "\n")})
	}
	return append(rows,
		row{"Status", status(schema, contact)},
		row{"Contact ID", strconv.FormatInt(int64(contact.ID), 10)})
}

// status returns the state of a Contact in words: whether it is subscribed, active and
// confirmed.
func status(schema *enlist.Schema, contact *enlist.Contact) string {
	parts := []string{"subscribed"}
	if contact.IsUnsubscribed {
		parts[0] = "unsubscribed"
	}
	switch {
	case contact.IsBounceDeactivated && !contact.IsActive:
		parts = append(parts, "deactivated after bounces")
	case !contact.IsActive:
		parts = append(parts, "deactivated")
	}
	switch {
	case contact.DoubleOptIn:
		parts = append(parts, "confirmed "+localTime(schema, contact.DoubleOptInTime))
	case schema.List.DoubleOptIn:
		parts = append(parts, "not confirmed yet")
	}
	return strings.Join(parts, ", ")
}

// consentRows returns the rows about a consent. It returns no rows if consent is nil.
func consentRows(schema *enlist.Schema, consent *enlist.LedgerRow) []row {
	if consent == nil {
		return nil
	}
	kind := map[enlist.ConsentType]string{
		enlist.ConsentGDPR:          "GDPR",
		contacts.ConsentDirect:      "direct",
		contacts.ConsentNotRecorded: "not recorded",
	}[consent.Type]
	rows := []row{{"Consent", kind + ", " + localTime(schema, consent.Time)}}
	if consent.Text != "" {
		rows = append(rows, row{"Consent text", consent.Text})
	}
	if consent.IP != "" {
		rows = append(rows, row{"IP address", consent.IP})
	}
	return rows
}

// localTime formats Unix seconds as a time in the Account's time zone.
func localTime(schema *enlist.Schema, unix int64) string {
	return messages.LocalTime(schema, unix).Format("2 January 2006, 15:04:05 (UTC-07:00)")
}
