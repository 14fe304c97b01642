package imports

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"enlist/internal/admin/ui"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/imports"
)

// This file has the form of a new Import.

// choice is an option of a select, in words.
type choice struct{ Value, Text string }

// choices returns the selects of the form but the one of Lists. The first option of each is the default.
func choices(r *ui.Request) map[string][]choice {
	return map[string][]choice{
		"as": {{imports.AsContacts, r.Text("imports.as_contacts")}, {imports.AsUnsubscribers,
			r.Text("imports.as_unsubscribers")},
			{imports.AsComplained, r.Text("imports.as_complained")},
			{imports.AsBounced, r.Text("imports.as_bounced")}},
		"existing": {{imports.ExistingLeave, r.Text("imports.existing_leave")},
			{imports.ExistingOverwrite, r.Text("imports.existing_overwrite")}},
		"status": {{"", r.Text("imports.status_ask")}, {imports.StatusLeaveOut, r.Text("imports.status_out")},
			{imports.StatusUnsubscribe, r.Text("imports.status_list")},
			{imports.StatusSubscribe, r.Text("imports.status_in")}},
		"consent": {{"", r.Text("imports.consent_columns")}, {"gdpr", r.Text("imports.consent_statement")},
			{"direct", r.Text("imports.consent_direct")}},
		"encoding": {{"", r.Text("imports.found_out")}, {"utf-8", "UTF-8"}, {"utf-16le", "UTF-16"},
			{"windows-1252", r.Text("imports.western")}, {"windows-1250", r.Text("imports.central")},
			{"windows-1251", r.Text("imports.cyrillic")}, {"ibm850", r.Text("imports.dos")}, {"macintosh",
				r.Text("imports.macintosh")},
			{"shift_jis", r.Text("imports.japanese")}, {"gbk", r.Text("imports.chinese")}, {"euc-kr",
				r.Text("imports.korean")}},
		"delimiter": {{"", r.Text("imports.found_out")}, {",", r.Text("imports.comma")}, {";",
			r.Text("imports.semicolon")}, {"\t", r.Text("imports.tab")}, {"|", r.Text("imports.bar_character")}},
	}
}

// form is the data of the form.
type form struct {
	Choices  map[string][]choice
	Texts    map[string]string // by names of inputs
	Wrong    map[string]string // what is wrong, by names of inputs
	Most     string            // largest size of a file
	Full     bool              // the person may add Fields
	Kept     *imports.Import   // has the file of a form with mistakes; nil: there is none
	KeptName string            // its file with its size
	To       string            // path of the page that shows several Imports; "": there is one
}

func (p *pages) newForm(r *ui.Request) (*form, error) {
	all, err := r.Lists()
	f := &form{Choices: choices(r), Texts: make(map[string]string), Wrong: make(map[string]string), Most: ui.Size(most(r)),
		Full: r.Caller.Key.Level >= enlist.Full}
	for i := range all {
		f.Choices["list"] = append(f.Choices["list"], choice{ui.Plain(int64(all[i].ID)), all[i].Name})
	}
	return f, err
}

// most is the largest size of a file in bytes.
func most(r *ui.Request) int64 {
	return r.App.Accounts.Settings().Of(r.Caller.Account.ID).MaxImport
}

// input is a select of the form.
type input struct {
	Name, Label, Value, Wrong string
	Choices                   []choice
}

// Select returns a select for the template.
func (f *form) Select(name, label string) input {
	return input{name, label, f.Texts[name], f.Wrong[name], f.Choices[name]}
}

// Is reports whether an input has a value, for the template.
func (f *form) Is(name, value string) bool { return f.Texts[name] == value }

// IsUnusual reports whether the person has changed one of the options that are folded away.
func (f *form) IsUnusual() bool {
	for _, name := range []string{"encoding", "delimiter", "no_header", "decimal_comma", "autoresponders", "webhooks"} {
		if f.Texts[name] != "" {
			return true
		}
	}
	return false
}

func (p *pages) view(r *ui.Request, f *form) *ui.View {
	if f.Kept != nil {
		f.KeptName = r.Text("imports.kept", "file", nameOf(r, f.Kept), "size", ui.Size(f.Kept.Size))
	}
	v := &ui.View{Title: r.Text("imports.new_import"), Place: "/admin/imports", Content: p.blank, Data: f,
		Sub: r.Text("imports.about")}
	if len(f.Wrong) > 0 {
		v.Problem = r.Text("imports.not_imported")
		if f.Kept != nil {
			v.Problem = r.Text("imports.not_yet")
		}
	}
	return v
}

func (p *pages) form(r *ui.Request) (*ui.View, error) {
	f, err := p.newForm(r)
	if err != nil {
		return nil, err
	}
	f.Texts["list"] = r.FormValue("list")
	return p.view(r, f), nil
}

// check finds all mistakes of the form, and returns its options for a file with a name. The error is that of a List that
// the person may not use.
func (f *form) check(r *ui.Request, name string) (o imports.ImportOptions, err error) {
	if err := r.CheckAccount(f.Texts[ui.AccountInput]); err != nil {
		return o, err
	}
	f.checkChoices(r)
	if utf8.RuneCountInString(strings.TrimSpace(f.Texts["consent_text"])) > contacts.MaxConsentText {
		f.Wrong["consent_text"] = tooLong(r)
	}
	if f.Texts["add_fields"] != "" && !f.Full {
		f.Wrong["add_fields"] = r.Text("imports.import_adds_fields_needs_level")
	}
	list := f.Texts["list"]
	if list == "" {
		f.Wrong["list"] = r.Text("imports.choose_list")
		if lists := f.Choices["list"]; len(lists) > 0 {
			list = lists[0].Value // of the file until then
		}
	}
	into, err := r.App.Lists.List(r.Context(), r.Caller, enlist.ListID(ui.Int(list)))
	if enlist.KindOf(err) == enlist.Denied {
		return o, ui.ErrNotFound
	} else if err != nil {
		return o, err
	}
	o = f.options(into.ID, name)
	if o.As == imports.AsContacts && (into.DoubleOptIn || into.GDPR || o.ConsentType == string(enlist.ConsentGDPR) &&
		o.ConsentText == "") {
		o.DryRun = true // the page of the Import asks what the List needs, with numbers
	}
	return o, nil
}

func tooLong(r *ui.Request) string {
	return r.Text("imports.too_long", "n", contacts.MaxConsentText)
}

// checkChoices finds values that no select of the form has.
func (f *form) checkChoices(r *ui.Request) {
	for name, all := range f.Choices {
		value := f.Texts[name]
		if name != "list" && value != "" && !slices.ContainsFunc(all, func(c choice) bool { return c.Value == value }) {
			f.Wrong[name] = r.Text("imports.choose_one")
		}
	}
}

// maxFileName is the longest name of a file that is stored, in letters.
const maxFileName = 200

// options returns the options that the form says.
func (f *form) options(list enlist.ListID, name string) imports.ImportOptions {
	if letters := []rune(name); len(letters) > maxFileName {
		name = string(letters[len(letters)-maxFileName:]) // the ending tells the format
	}
	o := imports.ImportOptions{List: list, FileName: name, Encoding: f.Texts["encoding"],
		Delimiter: f.Texts["delimiter"],
		NoHeader:  f.Texts["no_header"] != "", DecimalComma: f.Texts["decimal_comma"] != "", As: f.Texts["as"],
		Existing: f.Texts["existing"], ConsentType: f.Texts["consent"], AddFields: f.Texts["add_fields"] != "",
		DryRun: f.Texts["at_once"] == "", KeepFile: true, Status: f.Texts["status"],
		Autoresponders: f.Texts["autoresponders"] != "", Webhooks: f.Texts["webhooks"] != ""}
	if o.As == "" {
		o.As = imports.AsContacts
	}
	if o.As != imports.AsContacts { // such a file has only addresses
		o.Existing, o.ConsentType, o.Status, o.AddFields, o.Autoresponders = "", "", "", false, false
	}
	if o.ConsentType == string(enlist.ConsentGDPR) {
		o.ConsentText = strings.TrimSpace(f.Texts["consent_text"])
	}
	return o
}

// explain says beside an input what an error means, and returns false for an error that no input caused.
func (f *form) explain(r *ui.Request, err error) bool {
	if large, ok := errors.AsType[imports.ImportTooLarge](err); ok {
		f.Wrong["file"] = tooLarge(r, int64(large))
		return true
	}
	if full, ok := errors.AsType[imports.NoRoom](err); ok {
		f.Wrong["file"] = ui.Sentence(full.Error())
		return true
	}
	if errors.Is(err, imports.ErrNoMemory) {
		f.Wrong["file"] = ui.Sentence(err.Error())
		return true
	}
	known, ok := errors.AsType[*enlist.Error](err)
	if !ok || known.Kind == enlist.Internal || known.Kind == enlist.NoList {
		return false
	}
	switch {
	case known.Kind == enlist.Denied && f.Texts["add_fields"] != "":
		f.Wrong["add_fields"] = ui.Sentence(known.Error())
	case known.Kind == enlist.Denied:
		return false
	case known.Field == "consent_type":
		f.Wrong["consent"] = r.Text("imports.needs_proof")
	case known.Field == "consent_text" && strings.TrimSpace(f.Texts["consent_text"]) == "":
		f.Wrong["consent_text"] = r.Text("imports.write_statement")
	case known.Field == "consent_text":
		f.Wrong["consent_text"] = tooLong(r)
	case known.Field == "as":
		f.Wrong["as"] = r.Text("imports.only_addresses")
	case f.Choices[known.Field] != nil:
		f.Wrong[known.Field] = ui.Sentence(known.Error())
	default:
		f.Wrong["file"] = ui.Sentence(known.Error())
	}
	return true
}

func tooLarge(r *ui.Request, most int64) string {
	return r.Text("imports.too_large", "size", ui.Size(most))
}
