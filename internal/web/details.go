package web

import (
	"strings"
	"unicode/utf8"

	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/language"
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
	in     *language.Language
}

type row struct{ Name, Value string }

// newDetails fills the tables in the order of the page: Fields, times, preferences that the
// Contact has answered, and the newest consent.
func newDetails(v *sending.ContactPage, in *language.Language) *details {
	d := &details{schema: v.Schema, in: in, Status: status(v.Contact, in)}
	for i := range v.Schema.Fields {
		f := &v.Schema.Fields[i]
		d.Values = append(d.Values, row{f.Name, v.Contact.Values.Get(f.ID)})
	}
	d.Values = append(d.Values, row{in.Text("owner.contact_page.created"), d.at(v.Contact.Created)},
		row{in.Text("owner.contact_page.changed"), d.at(v.Contact.Modified)})
	if v.Contact.DoubleOptIn {
		d.Values = append(d.Values, row{in.Text("owner.contact_page.confirmed"), d.at(v.Contact.DoubleOptInTime)})
	}
	for _, p := range v.Schema.Preferences {
		if agree, answered := v.Contact.Prefs[p.ID]; answered {
			d.Preferences = append(d.Preferences, row{p.Name, in.Text(map[bool]string{true: "owner.yes", false: "owner.no"}[agree])})
		}
	}
	d.consent(v.Consent)
	return d
}

// status returns the state of a Contact in words for the reader of the page.
func status(c *enlist.Contact, in *language.Language) (all []string) {
	all = []string{in.Text("owner.contact_page.subscribed")}
	if c.IsUnsubscribed {
		all[0] = in.Text("owner.contact_page.unsubscribed")
	}
	switch {
	case c.IsBounceDeactivated:
		all = append(all, in.Text("owner.contact_page.bounced"))
	case !c.IsActive:
		all = append(all, in.Text("owner.contact_page.inactive"))
	}
	return all
}

// consent adds the table of the newest consent. c is nil if there is no consent.
func (d *details) consent(c *enlist.LedgerRow) {
	if c == nil {
		return
	}
	kind := "owner.contact_page.not_recorded"
	switch c.Type {
	case enlist.ConsentGDPR:
		kind = "owner.contact_page.gdpr"
	case contacts.ConsentDirect:
		kind = "owner.contact_page.direct"
	}
	d.Consent = append(d.Consent, row{d.in.Text("owner.contact_page.type"), d.in.Text(kind)}, row{d.in.Text("owner.contact_page.text"), c.Text},
		row{d.in.Text("owner.contact_page.time"), d.at(c.Time)}, row{d.in.Text("owner.contact_page.ip_address"), c.IP})
}

// at formats Unix seconds as a time in the Account's time zone, with its offset from UTC.
func (d *details) at(unix int64) string {
	return d.in.Time("exact_minute", messages.LocalTime(d.schema, unix))
}

// mask shortens an address to its first character and its domain. The owner of the address
// recognises it. A person to whom the mail was forwarded cannot see the complete address.
func mask(address string) string {
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return ""
	}
	_, first := utf8.DecodeRuneInString(address[:at])
	return address[:first] + "…" + address[at:]
}
