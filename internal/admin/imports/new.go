package imports

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"enlist/internal/admin/ui"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/imports"
)

// This file has the form of a new Import.

// form is the form of a new Import.
type form struct {
	Rows, Consent, File ui.Form
	HasLists            bool
	Kept                *imports.Import // has the file of a form with mistakes; nil: there is none
	ui.Form                             // all inputs
	posted              url.Values
	mayAddFields        bool
	to                  string // path of the page that shows several Imports; "": there is one
}

// fileInputs returns the inputs about how a file is written.
func fileInputs(r *ui.Request) ui.Form {
	found := r.Text("imports.found_out")
	return ui.Form{{Kind: ui.InputRow, Parts: ui.Form{
		{Name: "encoding", Label: r.Text("imports.select_encoding"), Kind: ui.InputChoice, Options: ui.Choices("", found,
			"utf-8", "UTF-8", "utf-16le", "UTF-16", "windows-1252", r.Text("imports.western"),
			"windows-1250", r.Text("imports.central"), "windows-1251", r.Text("imports.cyrillic"),
			"ibm850", r.Text("imports.dos"), "macintosh", r.Text("imports.macintosh"),
			"shift_jis", r.Text("imports.japanese"), "gbk", r.Text("imports.chinese"), "euc-kr", r.Text("imports.korean"))},
		{Name: "delimiter", Label: r.Text("imports.select_delimiter"), Kind: ui.InputChoice, Options: ui.Choices("", found,
			",", r.Text("imports.comma"), ";", r.Text("imports.semicolon"), "\t", r.Text("imports.tab"),
			"|", r.Text("imports.bar_character"))}}},
		ui.Check("no_header", r.Text("imports.first_row_person_does_not"), false)}
}

func (p *pages) newForm(r *ui.Request) (*form, error) {
	lists, err := r.ListOptions()
	choice := func(name, key string, options []ui.Option) ui.Input {
		return ui.Input{Name: name, Label: r.Text(key), Kind: ui.InputChoice, Options: options}
	}
	f := &form{posted: make(url.Values), HasLists: len(lists) > 0, mayAddFields: r.Caller.May(enlist.Manage)}
	list := choice("list", "imports.select_list", lists)
	list.Picker, list.PickerAt = true, "/admin/imports/new"
	f.Rows = ui.Form{list,
		choice("as", "imports.select_as", ui.Choices(imports.AsContacts, r.Text("imports.as_contacts"),
			imports.AsUnsubscribers, r.Text("imports.as_unsubscribers"), imports.AsComplained, r.Text("imports.as_complained"),
			imports.AsBounced, r.Text("imports.as_bounced"))),
		choice("existing", "imports.select_existing", ui.Choices(imports.ExistingLeave, r.Text("imports.existing_leave"),
			imports.ExistingOverwrite, r.Text("imports.existing_overwrite"))),
		choice("status", "imports.select_status", ui.Choices("", r.Text("imports.status_ask"),
			imports.StatusLeaveOut, r.Text("imports.status_out"), imports.StatusUnsubscribe, r.Text("imports.status_list"),
			imports.StatusSubscribe, r.Text("imports.status_in"))),
		ui.Check("add_fields", r.Text("imports.add_field_for_each_column"), false),
		{Kind: ui.InputNote, Label: r.Text("imports.new_note")}}
	f.Consent = ui.Form{choice("consent", "imports.select_consent", ui.Choices("", r.Text("imports.consent_columns"),
		"gdpr", r.Text("imports.consent_statement"), "direct", r.Text("imports.consent_direct"))),
		{Name: "consent_text", Label: r.Text("imports.statement_they_agreed"), Kind: ui.InputArea, Rows: 3,
			Most: contacts.MaxConsentText},
		{Kind: ui.InputNote, Label: r.Text("imports.consent_note")},
		ui.Check("overrule_refusals", r.Text("imports.overrule_refusals"), false)}
	unusual := append(fileInputs(r), ui.Check("decimal_comma", r.Text("imports.numbers_with_comma"), false),
		ui.Check("autoresponders", r.Text("imports.start_autoresponders"), false), ui.Check("webhooks", r.Text("imports.tell_webhooks"), false))
	f.File = ui.Form{{Name: "at_once", Kind: ui.InputRadio, Options: ui.Choices("",
		r.Text("imports.first_show_what_would_happen"), "1", r.Text("imports.import_at_once_unless_file"))},
		{Kind: ui.InputFold, Label: r.Text("imports.if_file_unusual"), Parts: unusual},
		{Name: "file", Kind: ui.InputFile, Label: r.Text("imports.spreadsheet_xlsx_or_text_file", "most", r.Language.Size(most(r))),
			Accept: ".csv,.tsv,.txt,.xlsx,.ndjson,.jsonl,.json,.zip,.gz", Required: true}}
	f.Form = ui.Form{{Parts: f.Rows}, {Parts: f.Consent}, {Parts: f.File}}
	return f, err
}

// most is the largest size of a file in bytes.
func most(r *ui.Request) int64 {
	return r.App.Accounts.Settings().Of(r.Caller.Account.ID).MaxImport
}

func (p *pages) view(r *ui.Request, f *form) *ui.View {
	v := &ui.View{Title: r.Text("imports.new_import"), Place: "/admin/imports", Content: p.blank, Data: f,
		Sub: r.Text("imports.about")}
	if f.IsWrong() {
		v.Problem = r.Text("imports.not_imported")
		if f.Kept != nil {
			v.Problem = r.Text("imports.not_yet")
		}
	}
	if f.Kept != nil {
		f.In("file").Required = false
		f.File = slices.Insert(f.File, len(f.File)-1,
			ui.Input{Name: "kept", Kind: ui.InputHidden, Value: ui.Plain(int64(f.Kept.ID))},
			ui.Input{Kind: ui.InputNote, Label: r.Text("imports.file_kept", "kept_name",
				r.Text("imports.kept", "file", nameOf(r, f.Kept), "size", r.Language.Size(f.Kept.Size)))})
	}
	for i := range f.File {
		f.File[i].IsOpen = !f.File[i].Parts.IsEmpty()
	}
	f.Rows = slices.DeleteFunc(f.Rows, func(in ui.Input) bool {
		return in.Name == "add_fields" && !f.mayAddFields && in.Wrong == ""
	})
	return v
}

func (p *pages) form(r *ui.Request) (*ui.View, error) {
	f, err := p.newForm(r)
	if err != nil {
		return nil, err
	}
	f.Read(r)
	return p.view(r, f), nil
}

// check finds all mistakes of the form, and returns its options for a file with a name. The error is that of a List that
// the person may not use.
func (f *form) check(r *ui.Request, name string) (o imports.ImportOptions, err error) {
	if err := r.CheckAccount(f.posted.Get(ui.AccountInput)); err != nil {
		return o, err
	}
	list := enlist.ListID(ui.Int(f.Value("list")))
	if f.Value("list") == "" {
		f.Refused("list", r.Text("imports.choose_list"))
		if lists := f.In("list").Options; len(lists) > 0 {
			list = enlist.ListID(ui.Int(lists[0].Value)) // of the file until then
		}
	}
	into, err := r.App.Lists.List(r.Context(), r.Caller, list)
	if enlist.KindOf(err) == enlist.Denied {
		return o, ui.ErrNotFound
	} else if err != nil {
		return o, err
	}
	f.CheckChoices(r.Text("imports.choose_one"))
	if utf8.RuneCountInString(strings.TrimSpace(f.Value("consent_text"))) > contacts.MaxConsentText {
		f.Refused("consent_text", tooLong(r))
	}
	if f.Value("add_fields") != "" && !f.mayAddFields {
		f.Refused("add_fields", r.Text("imports.import_adds_fields_needs_level"))
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

// maxFileName is the longest name of a file that is stored, in letters.
const maxFileName = 200

// options returns the options that the form says.
func (f *form) options(list enlist.ListID, name string) imports.ImportOptions {
	if letters := []rune(name); len(letters) > maxFileName {
		name = string(letters[len(letters)-maxFileName:]) // the ending tells the format
	}
	is := func(name string) bool { return f.Value(name) != "" }
	o := imports.ImportOptions{List: list, FileName: name, Encoding: f.Value("encoding"), Delimiter: f.Value("delimiter"),
		NoHeader: is("no_header"), DecimalComma: is("decimal_comma"), As: cmp.Or(f.Value("as"), imports.AsContacts),
		Existing: f.Value("existing"), ConsentType: f.Value("consent"), AddFields: is("add_fields"),
		DryRun: !is("at_once"), KeepFile: true, Status: f.Value("status"), Autoresponders: is("autoresponders"),
		Webhooks: is("webhooks"), OverruleRefusals: is("overrule_refusals")}
	if o.As != imports.AsContacts { // such a file has only addresses
		o.Existing, o.ConsentType, o.Status, o.AddFields, o.Autoresponders = "", "", "", false, false
	}
	if o.ConsentType == string(enlist.ConsentGDPR) {
		o.ConsentText = strings.TrimSpace(f.Value("consent_text"))
	}
	return o
}

// explain says beside an input what an error means, and returns false for an error that no input caused.
func (f *form) explain(r *ui.Request, err error) bool {
	if large, ok := errors.AsType[imports.ImportTooLarge](err); ok {
		f.Refused("file", tooLarge(r, int64(large)))
		return true
	}
	if isTemporary(err) {
		f.Refused("file", r.Said(err.Error()))
		return true
	}
	known, ok := errors.AsType[*enlist.Error](err)
	if !ok || known.Kind == enlist.Internal || known.Kind == enlist.NoList {
		return false
	}
	input, why := "file", r.Said(known.Error())
	switch {
	case known.Kind == enlist.Denied && f.Value("add_fields") == "":
		return false
	case known.Kind == enlist.Denied:
		input = "add_fields"
	case known.Field == "consent_type":
		input, why = "consent", r.Text("imports.needs_proof")
	case known.Field == "consent_text" && strings.TrimSpace(f.Value("consent_text")) == "":
		input, why = known.Field, r.Text("imports.write_statement")
	case known.Field == "consent_text":
		input, why = known.Field, tooLong(r)
	case known.Field == "as":
		input, why = known.Field, r.Text("imports.only_addresses")
	case f.In(known.Field) != nil && f.In(known.Field).Kind == ui.InputChoice:
		input = known.Field
	}
	f.Refused(input, why)
	return true
}

func tooLarge(r *ui.Request, most int64) string {
	return r.Text("imports.too_large", "size", r.Language.Size(most))
}
