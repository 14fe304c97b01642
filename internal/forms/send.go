package forms

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file subscribes the visitor who sends a Form.

// Entry is what a visitor sends.
type Entry struct {
	Values   map[enlist.FieldID][]string // several texts for the ticks of a checkbox Field
	Ticked   map[enlist.PreferenceID]bool
	Agreed   bool   // the tick for the consent
	Tracking string // the text of the tick for the recording of opens and clicks, if it is ticked, and its version
	Version  string
	Title    string // that the visitor has read, for the ledger
	Language string // in which the visitor has read the texts
	Page     string // language of the page, for the mails that follow
	IP       string // "" if it is not known
}

// Fault says what is wrong with an input.
type Fault string

// The faults.
const (
	Missing Fault = "missing" // an input that needs a value has none
	Wrong   Fault = "wrong"   // the Field does not accept the value
)

// ConsentInput is the key of the consent among faults: no Field has this ID.
const ConsentInput enlist.FieldID = 0

// Check returns what is wrong with the inputs. An Entry without faults can be sent.
func (p *Public) Check(e *Entry, today string) map[enlist.FieldID]Fault {
	faults := make(map[enlist.FieldID]Fault)
	for _, in := range p.Inputs {
		value := e.text(in.ID)
		if value == "" {
			if in.Required {
				faults[in.ID] = Missing
			}
			continue
		}
		if _, err := in.Read(enlist.TextInput(value), today); err != nil {
			faults[in.ID] = Wrong
		}
	}
	if p.Consent != "" && !e.Agreed {
		faults[ConsentInput] = Missing
	}
	return faults
}

func (e *Entry) text(id enlist.FieldID) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.Join(e.Values[id], ","), "\r\n", "\n"))
}

// Send subscribes the visitor, by the rules of subscribeContact. It returns faults in place of a subscription if the
// Entry has some. The result does not say whether the address was known. Errors: ErrNone, also for a closed Form, and
// those of contacts.Subscribe, which a visitor cannot correct. decisions.md: 132
func (s *Service) Send(ctx context.Context, id enlist.FormID, e *Entry) (map[enlist.FieldID]Fault, error) {
	var by *enlist.Caller
	p, err := db.OwnView(ctx, s.db, func(tx *db.Tx) (p *Public, err error) {
		if p, err = load(tx, id); err == nil {
			by, err = caller(tx, p.AccountID)
		}
		return p, err
	})
	if err != nil {
		return nil, err
	}
	if !p.Open {
		return nil, ErrNone
	}
	p = p.In(e.Language)
	if faults := p.Check(e, enlist.Today(s.db.Now(), by.Account.TimeZone)); len(faults) > 0 {
		return faults, nil
	}
	r := contacts.SubscribeRequest{List: p.ListID, Form: id, Language: e.Page,
		Consent: contacts.Consent{Type: contacts.ConsentDirect, Text: e.Title, IP: e.IP}}
	if p.Consent != "" {
		r.Consent.Type, r.Consent.Text = enlist.ConsentGDPR, p.Consent
	}
	for _, in := range p.Inputs {
		if value := e.text(in.ID); value != "" {
			r.Details = append(r.Details, enlist.Detail{Key: "field_" + strconv.FormatInt(int64(in.ID), 10),
				Value: enlist.TextInput(value)})
		}
	}
	for _, pref := range p.Preferences { // as on the page with the settings, no tick is no answer
		if e.Ticked[pref.ID] {
			r.Consent.Preferences = append(r.Consent.Preferences, enlist.PreferenceChoice{Name: pref.Name, Agree: true})
		}
	}
	if p.AsksTracking && e.Tracking != "" {
		r.Ticked = &contacts.TrackingDecision{Consent: enlist.TrackingGranted, Version: e.Version,
			By: contacts.Origin{Method: contacts.MethodForm, IP: e.IP, Text: e.Tracking}}
		if err := r.Ticked.Check(); err != nil {
			return nil, err
		}
	}
	_, err = s.contacts.Subscribe(ctx, by, r)
	return nil, err
}

// InputType returns the type of the input for a Field of one line. A browser refuses some addresses in an input of the
// type email that the server accepts.
func InputType(f *enlist.Field) string {
	switch {
	case f.AddressType == enlist.AddressEmail:
		return "email"
	case f.AddressType == enlist.AddressMobile:
		return "tel"
	case f.Type == enlist.Date && f.TimeFormat != enlist.Time12 && f.TimeFormat != enlist.Time24:
		return "date"
	}
	return "text"
}

// autocomplete has what a browser may fill in, by the name of a Field in lower case. HTML standard, 4.10.18.7
var autocomplete = map[string]string{"name": "name", "full name": "name", "first name": "given-name",
	"last name": "family-name", "company": "organization", "street": "street-address", "address": "street-address",
	"postcode": "postal-code", "zip": "postal-code", "zip code": "postal-code", "city": "address-level2",
	"country": "country-name", "birthday": "bday"}

// Autocomplete returns what a browser may fill into the input for a Field, or "".
func Autocomplete(f *enlist.Field) string {
	if kind := InputType(f); kind == "email" || kind == "tel" {
		return kind
	}
	return autocomplete[strings.ToLower(f.Name)]
}

// noTick has the values that mean no, in the spellings of web frameworks and in the languages of the pages.
var noTick = strings.Fields("0 0.0 -1 false f no n off none null nil undefined unchecked unset disabled" +
	" nein non nee não nao không khong 否 不")

// IsTicked reports whether a visitor has ticked a checkbox. A framework such as Rails or ASP.NET sends the value 0 or
// false of a hidden input too, before or after that of the checkbox, so one value that is not no is a tick.
// reference.md: form.tick
func IsTicked(values []string) bool {
	return slices.ContainsFunc(values, func(v string) bool { return !isNo(v) })
}

func isNo(value string) bool {
	value = strings.ToLower(strings.TrimSpace(value))
	return value == "" || slices.Contains(noTick, value)
}

// Chosen returns the values for a Field without what a framework sends beside the ticks of a checkbox Field.
func Chosen(f *enlist.Field, values []string) []string {
	if f.Type != enlist.Checkbox {
		return values
	}
	choices := enlist.SplitTrimmed(f.Values)
	return slices.DeleteFunc(slices.Clone(values), func(v string) bool { return isNo(v) && !slices.Contains(choices, v) })
}
