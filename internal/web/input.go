package web

import (
	"slices"
	"strings"

	"enlist/internal/enlist"
	"enlist/internal/forms"
)

// This file turns Fields into inputs of pages.

// input is a Field on a page.
type input struct {
	Name     string // of the input: f12
	Label    string
	Kind     string // a type of <input>, or textarea, select, radio or checkbox
	Value    string
	Choices  []choice
	Required bool
	Most     int64  // longest text in characters; 0: no limit
	Fault    string // key of the text about it; "": it is accepted
	Mode     string // keyboard of a phone
	Auto     string // what a browser may fill in
}

type choice struct {
	Text   string
	Chosen bool
}

// inputsOf returns the inputs of a Form. e and faults are nil before the visitor has sent it.
func inputsOf(p *forms.Public, e *forms.Entry, faults map[enlist.FieldID]forms.Fault) (all []input) {
	for _, i := range p.Inputs {
		var values []string
		if e != nil {
			values = e.Values[i.ID]
		}
		in := newInput(i.Field, values)
		in.Required, in.Label = i.Required, p.Label(in.Name, i.Name)
		switch faults[i.ID] {
		case forms.Missing:
			in.Fault = "web.form.missing"
		case forms.Wrong:
			in.Fault = faultText(i.Field)
		}
		all = append(all, in)
	}
	return all
}

// topicsOf returns the ticks for the preferences of a Form. e is nil before the visitor has sent it.
func topicsOf(p *forms.Public, e *forms.Entry) (all []tick) {
	for _, one := range p.Preferences {
		name := forms.PreferenceInput(one.ID)
		all = append(all, tick{Name: name, Text: p.Label(name, one.Name), Ticked: e != nil && e.Ticked[one.ID]})
	}
	return all
}

// faultText returns the key of the text about a value that a Field does not accept.
func faultText(f *enlist.Field) string {
	if f.AddressType == enlist.AddressEmail {
		return "web.form.wrong_email"
	}
	return "web.form.wrong"
}

func newInput(f *enlist.Field, values []string) input {
	in := input{Name: forms.FieldInput(f.ID), Label: f.Name, Kind: forms.InputType(f), Value: strings.Join(values, ","),
		Most: f.Length, Auto: forms.Autocomplete(f)}
	switch {
	case f.AddressType == enlist.AddressEmail:
		in.Kind, in.Mode = "text", "email" // the server knows more addresses than a browser
	case f.Type == enlist.Comment:
		in.Kind = "textarea"
	case f.Numeric():
		in.Mode = "decimal"
	case f.Type == enlist.Dropdown:
		in.Kind = "select"
	case f.Type == enlist.Radio:
		in.Kind = "radio"
	case f.Type == enlist.Checkbox:
		in.Kind = "checkbox"
	}
	if f.Type == enlist.Dropdown || f.Type == enlist.Radio || f.Type == enlist.Checkbox {
		chosen := enlist.SplitTrimmed(in.Value)
		for _, text := range enlist.SplitTrimmed(f.Values) {
			in.Choices = append(in.Choices, choice{text, slices.Contains(chosen, text)})
		}
	}
	return in
}
