package contacts

import (
	"net/netip"
	"strings"
	"unicode/utf8"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file checks consents and builds the rows of the consent ledger, in which they are stored.

// The consent types.
const (
	ConsentDirect      enlist.ConsentType = "direct"
	ConsentNotRecorded enlist.ConsentType = "not_recorded"
)

// MaxConsentText is the longest consent text, in characters. reference.md: Limits
const MaxConsentText = 255

// Consent says what a person agreed to, in the form in which a call sends it.
type Consent struct {
	Type        enlist.ConsentType // "" means ConsentNotRecorded
	Text        string
	Preferences []enlist.PreferenceChoice
	IP          string // last known IP address of the person, as it was sent; "" if none was sent
}

// The Methods of ledger rows that are not the name of a call of the API.
const (
	MethodUnsubscribeLink = "unsubscribeLink" // the link or the button of a mail
	MethodConfirmLink     = "confirmLink"     // the link in the request to confirm
	MethodStatement       = "statement"       // a user stated that the person agreed; the text says when and how
	MethodForm            = "webForm"         // a Form of the List
	MethodPreferences     = "preferencePage"  // the page with the settings of a subscriber
	MethodComplaint       = "complaint"       // the recipient reported a mail as spam
	MethodUnsubscribeAll  = "unsubscribeAll"  // unsubscribeContact with List 0: no mail of the Account; no flag changed
	MethodTracking        = "trackingPage"    // the page about the recording of opens and clicks, which each recorded mail links
	MethodTick            = "webFormTick"     // a tick of a Form that waits for a confirmation, and decides nothing
	MethodUser            = "user"            // a user changed it on the pages of the administration
	MethodSameAddress     = "sameAddress"     // as another Contact with the address has decided
	MethodErasure         = "erasePerson"     // everything about the person was erased, also by the command line
)

// Origin says who changed a subscription, for the consent ledger.
type Origin struct {
	Method string       // as in LedgerRow
	Key    enlist.KeyID // 0: not by a call of the API
	IP     string       // of the person who changed it; "" if it is not known
	Text   string       // what the person read and agreed to by the change; "" if there was no text
}

// checkIP replaces the IP address of a call by the form that is stored. Errors: InvalidParameters. reference.md:
// ip_address; decisions.md: 89
func (o *Origin) checkIP() (err error) {
	o.IP, err = storedIP(o.IP)
	return err
}

// Record adds a change without a consent to the ledger. decisions.md: 89
func (o Origin) Record(tx *db.Tx, contact *enlist.Contact, now int64) error {
	return AddLedgerRow(tx, &enlist.LedgerRow{ListID: contact.ListID, ContactID: contact.ID, Time: now,
		Method: o.Method, Text: o.Text, IP: o.IP, KeyID: o.Key})
}

// Check refuses a Consent that the general rules or the List do not allow. It replaces a Type of
// "" by ConsentNotRecorded. Errors: InvalidConsent, ConsentRequired. reference.md: subscribeContact.rule.1;
// decisions.md: 27
func (c *Consent) Check(schema *enlist.Schema) error {
	switch c.Type {
	case "":
		c.Type = ConsentNotRecorded
	case enlist.ConsentGDPR, ConsentDirect, ConsentNotRecorded:
	default:
		return &enlist.Error{Kind: enlist.InvalidConsent, Field: "consent_type",
			Detail: "consent_type must be gdpr, direct or not_recorded"}
	}
	switch {
	case c.Type == enlist.ConsentGDPR && strings.TrimSpace(c.Text) == "":
		return &enlist.Error{Kind: enlist.ConsentRequired, Field: "consent_text", Detail: "consent_text is missing"}
	case c.Type != enlist.ConsentGDPR && schema.List.GDPR:
		return &enlist.Error{Kind: enlist.ConsentRequired, Field: "consent_type", Detail: "the List is GDPR compliant"}
	}
	return nil
}

// Row returns the ledger row of a Consent that check has accepted. It leaves out
// preferences that the List does not define. Errors: InvalidParameters.
// reference.md: Consent, ip_address; decisions.md: 27
func (c *Consent) Row(schema *enlist.Schema) (enlist.LedgerRow, error) {
	r := enlist.LedgerRow{ListID: schema.List.ID, Type: c.Type, Text: c.Text}
	if len(c.Text) > MaxConsentText && utf8.RuneCountInString(c.Text) > MaxConsentText {
		return r, enlist.Invalid("consent_text", "consent_text is over 255 characters long")
	}
	ip, err := storedIP(c.IP)
	if err != nil {
		return r, err
	}
	r.IP = ip
	for _, choice := range c.Preferences {
		if schema.Preference(choice.Name) != nil {
			r.Preferences = append(r.Preferences, choice)
		}
	}
	return r, nil
}

// storedIP returns the IP address in a parameter as the ledger stores it, or "" if the caller does not know it.
// Errors: InvalidParameters. reference.md: ip_address
func storedIP(sent string) (string, error) {
	if sent == "" || isUnknownIP(sent) {
		return "", nil
	}
	addr, ok := parseIP(sent)
	if !ok {
		return "", enlist.Invalid("ip_address", "ip_address is no IPv4 or IPv6 address")
	}
	return addr.String(), nil
}

// isUnknownIP reports whether the first address of a list is "unknown". A proxy that does not know
// the address of its client writes this word (RFC 7239). reference.md: ip_address
func isUnknownIP(list string) bool {
	first, _, _ := strings.Cut(list, ",")
	return strings.EqualFold(strings.TrimSpace(first), "unknown")
}

// parseIP reads the first address of a comma-separated list. Proxies send such a list in a
// header. The address can be in brackets and can have a port.
func parseIP(text string) (netip.Addr, bool) {
	text, _, _ = strings.Cut(text, ",")
	text = strings.TrimSpace(text)
	if ap, err := netip.ParseAddrPort(text); err == nil {
		return ap.Addr().Unmap().WithZone(""), true
	}
	if inner, ok := strings.CutPrefix(text, "["); ok {
		text, _ = strings.CutSuffix(inner, "]")
	}
	addr, err := netip.ParseAddr(text)
	return addr.Unmap().WithZone(""), err == nil
}

// SetPreferences stores answers in a Contact and reports whether an answer changes. The
// List must define all the preferences.
func SetPreferences(c *enlist.Contact, schema *enlist.Schema, choices []enlist.PreferenceChoice) (changed bool) {
	for _, choice := range choices {
		p := schema.Preference(choice.Name)
		if old, answered := c.Prefs[p.ID]; answered && old == choice.Agree {
			continue
		}
		if c.Prefs == nil {
			c.Prefs = make(map[enlist.PreferenceID]bool)
		}
		c.Prefs[p.ID] = choice.Agree
		changed = true
	}
	return changed
}
