package web

import (
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/sending"
)

// This file collects the values that the page of a Contact shows.

// details has the content of a Contact's page: the status and tables of names and values.
// Recipients of notifications see it.
type details struct {
	Status                       []string
	Values, Preferences, Consent []row

	schema *enlist.Schema // has the Account's time zone
}

// row is one row of a table.
type row struct{ Name, Value string }

// newDetails fills the tables in the order of the page: Fields, times, preferences that the
// Contact has answered, and the newest consent.
func newDetails(v *sending.ContactPage) *details {
	d := &details{schema: v.Schema, Status: status(v.Contact)}
	for i := range v.Schema.Fields {
		f := &v.Schema.Fields[i]
		d.Values = append(d.Values, row{f.Name, v.Contact.Values.Get(f.ID)})
	}
	d.Values = append(d.Values, row{"Created", d.at(v.Contact.Created)},
		row{"Last changed", d.at(v.Contact.Modified)})
	if v.Contact.DoubleOptIn {
		d.Values = append(d.Values, row{"Confirmed", d.at(v.Contact.DoubleOptInTime)})
	}
	for _, p := range v.Schema.Preferences {
		if agree, answered := v.Contact.Prefs[p.ID]; answered {
			d.Preferences = append(d.Preferences, row{p.Name, map[bool]string{true: "yes", false: "no"}[agree]})
		}
	}
	d.consent(v.Consent)
	return d
}

// status returns the state of a Contact in words for the reader of the page.
func status(c *enlist.Contact) (all []string) {
	all = []string{"Subscribed"}
	if c.IsUnsubscribed {
		all[0] = "Unsubscribed"
	}
	switch {
	case c.IsBounceDeactivated:
		all = append(all, "Inactive: mail to the address came back")
	case !c.IsActive:
		all = append(all, "Inactive")
	}
	return all
}

// consent adds the table of the newest consent. c is nil if there is no consent.
func (d *details) consent(c *enlist.LedgerRow) {
	if c == nil {
		return
	}
	kind := "not recorded"
	switch c.Type {
	case enlist.ConsentGDPR:
		kind = "gdpr: accepted the text and agreed that their personal details are stored"
	case contacts.ConsentDirect:
		kind = "direct: gave their details for the purpose that the text names"
	}
	d.Consent = append(d.Consent, row{"Type", kind}, row{"Text", c.Text},
		row{"Time", d.at(c.Time)}, row{"IP address", c.IP})
}

// at formats Unix seconds as a time in the Account's time zone, with its offset from UTC.
func (d *details) at(unix int64) string {
	return messages.LocalTime(d.schema, unix).Format("2 January 2006, 15:04 UTC-07:00")
}
