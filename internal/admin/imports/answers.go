package imports

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"enlist/internal/admin/ui"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/imports"
)

// This file asks what a dry run cannot know: what becomes of people who have left, of values that do not fit, and of
// people whom the List asks to confirm. It also reads how the file is written.

// ask returns the questions of a dry run whose file is kept. Answers with mistakes are shown again: wrong says which.
func ask(r *ui.Request, i *imports.Import, noMail string, wrong map[string]string) (f ui.Form) {
	if !i.HasKeptFile() {
		return nil
	}
	o, said := i.Options, &i.Report
	if r.PostForm != nil {
		readAnswers(r, &o)
	}
	question := func(name, key, about, value string, options ...ui.Option) {
		f = append(f, ui.Input{Name: name, Kind: ui.InputRadio, Label: r.Text(key), Help: about, Value: value,
			Options: options})
	}
	option := func(value, key string) ui.Option { return ui.Option{Value: value, Text: r.Text(key)} }
	if len(said.Status) > 0 {
		question("status", "imports.people_who_have_unsubscribed", "", cmp.Or(o.Status, imports.StatusLeaveOut),
			option(imports.StatusLeaveOut, "imports.leave_these_rows_out"),
			option(imports.StatusUnsubscribe, "imports.put_them_on_unsubscriber_list"),
			option(imports.StatusSubscribe, "imports.import_them_as_subscribed"))
	}
	if n := said.Fixable; n > 0 || len(said.LeftOut) > 0 {
		question("bad_values", "imports.values_do_not_fit", r.Text("imports.bad_values_count", "n", n),
			cmp.Or(o.BadValues, imports.BadValuesRefuse), option(imports.BadValuesRefuse, "imports.refuse_these_rows_mend_them"),
			option(imports.BadValuesLeaveOut, "imports.leave_out_values_import_people"))
	}
	m := said.Mail
	asksConfirm := m.Waiting > 0 || i.Options.Confirm != ""
	if asksConfirm {
		asked := option(imports.ConfirmAsk, "imports.ask_each")
		asked.Help = noMail
		question("confirm", "imports.new_contacts_who_have_not", r.Text("imports.confirm_count", "n", m.Receiving+m.Waiting,
			"receiving", m.Receiving, "waiting", m.Waiting), o.Confirm,
			option(imports.ConfirmStatement, "imports.confirm_statement"), asked,
			option(imports.ConfirmWait, "imports.they_get_no_mail_until"))
	}
	if needsConsent(i) {
		f = append(f, ui.Input{Kind: ui.InputNote, Label: r.Text("imports.list_needs_proof_consent_write")})
	}
	if needsConsent(i) || asksConfirm {
		f = append(f, ui.Input{Name: "consent_text", Kind: ui.InputArea, Label: r.Text("imports.statement"),
			Value: o.ConsentText, Rows: 2, Most: contacts.MaxConsentText})
	}
	for name, why := range wrong {
		f.Refused(name, why)
	}
	return f
}

// writtenForm returns the inputs that say how the file of a dry run is written.
func writtenForm(r *ui.Request, o imports.ImportOptions) ui.Form {
	if r.PostForm != nil {
		readAnswers(r, &o)
	}
	parts := fileInputs(r)
	parts.In("encoding").Value, parts.In("delimiter").Value = o.Encoding, o.Delimiter
	if o.NoHeader {
		parts.In("no_header").Value = "1"
	}
	return ui.Form{{Kind: ui.InputFold, Label: r.Text("imports.if_values_look_wrong"), Parts: parts}}
}

// needsConsent reports whether an Import waits for the proof of consent that its List needs.
func needsConsent(i *imports.Import) bool {
	return isUnclear(i) && strings.Contains(i.Reason, "consent")
}

// readAnswers sets the options that the form has.
func readAnswers(r *ui.Request, o *imports.ImportOptions) {
	for name, to := range map[string]*string{"status": &o.Status, "confirm": &o.Confirm, "bad_values": &o.BadValues,
		"encoding": &o.Encoding, "delimiter": &o.Delimiter} {
		if r.PostForm.Has(name) {
			*to = r.PostForm.Get(name)
		}
	}
	if r.PostForm.Has("encoding") {
		o.NoHeader = r.PostForm.Get("no_header") != ""
	}
	if text := strings.TrimSpace(r.PostForm.Get("consent_text")); text != "" {
		o.ConsentText = text
		if o.ConsentType == "" {
			o.ConsentType = string(enlist.ConsentGDPR)
		}
	}
}

// run imports the file of a dry run, or shows again what would happen: with other answers, or after the List was
// changed. wrong says which answers have mistakes.
func run(r *ui.Request, i *imports.Import) (id enlist.ImportID, wrong map[string]string, err error) {
	if err := r.ParseForm(); err != nil {
		return 0, nil, enlist.Invalid("file", r.Text("imports.broken_form"))
	}
	isAgain := r.PostForm.Get("again") != ""
	list, err := r.App.Lists.List(r.Context(), r.Caller, i.ListID)
	if err != nil {
		return 0, nil, err
	}
	if list.DoubleOptIn && list.LastModifiedTime > i.EndTime { // perhaps it asks people to confirm only since then
		isAgain = true
	}
	wrong = make(map[string]string)
	if !isAgain && i.Report.Mail.Waiting > 0 && r.PostForm.Get("confirm") == "" {
		wrong["confirm"] = r.Text("imports.confirm_first", "n", i.Report.Mail.Waiting)
	}
	text := strings.TrimSpace(r.PostForm.Get("consent_text"))
	switch {
	case utf8.RuneCountInString(text) > contacts.MaxConsentText:
		wrong["consent_text"] = tooLong(r)
	case text == "" && r.PostForm.Get("confirm") == imports.ConfirmStatement && i.Options.ConsentText == "":
		wrong["consent_text"] = r.Text("imports.write_statement_people_agreed")
	}
	if len(wrong) > 0 {
		return 0, wrong, enlist.Invalid("file", r.Text("imports.change_marked"))
	}
	id, err = again(r, i, func(o *imports.ImportOptions) {
		readAnswers(r, o)
		o.DryRun, o.KeepFile = isAgain, isAgain
	})
	if known, ok := errors.AsType[*enlist.Error](err); ok && known.Kind != enlist.Internal &&
		slices.Contains([]string{"consent_type", "consent_text"}, known.Field) {
		wrong["consent_text"] = r.Said(known.Error())
	}
	return id, wrong, err
}

// refusedRows sends the refused rows as a file to mend.
func refusedRows(r *ui.Request) (*ui.View, error) {
	i, err := load(r)
	if err != nil {
		return nil, err
	}
	file := r.Download("application/octet-stream", i.RefusedName())
	return file.End(r.App.Imports.RefusedRows(r.Context(), r.Caller, i.ID, file))
}

// said says what became of what an Import did not use, in sentences.
func said(r *ui.Request, i *imports.Import) (all []string) {
	report := &i.Report
	for _, c := range report.Status {
		became := map[string]string{imports.StatusUnsubscribe: "imports.status_to_list",
			imports.StatusSubscribe: "imports.status_subscribed"}[i.Options.Status]
		if became == "" {
			became = "imports.status_left_out"
		}
		all = append(all, r.Text(became, "column", c.Column, "values", r.Language.Series(c.Samples), "rows", c.Rows,
			"n", i.Total()))
	}
	for n := range i.Columns {
		if c := &i.Columns[n]; c.Format != nil && c.Format.Choices != nil && i.HasKeptFile() {
			all = append(all, r.Text("imports.said_written", "column", c.Name))
		}
	}
	for _, c := range report.LeftOut {
		all = append(all, r.Text("imports.said_left_out", "column", c.Column, "n", c.Rows,
			"values", r.Language.Series(c.Samples)))
	}
	for _, c := range report.Unused {
		all = append(all, r.Text("imports.said_unused", "column", c.Column, "values", r.Language.Series(c.Samples)))
	}
	if m := report.Mail; m.Receiving+m.Waiting > 0 {
		key := map[bool]string{true: "imports.said_confirm", false: "imports.said_receiving"}[m.Waiting > 0]
		all = append(all, r.Text(key, "n", m.Receiving+m.Waiting, "receiving", m.Receiving, "waiting", m.Waiting))
	}
	if f := report.File; f != nil && f.Guess != nil && !f.Guess.Sure {
		all = append(all, r.Text("imports.said_guess", "encoding", f.Encoding, "values",
			r.Language.Series(f.Guess.Samples)))
	}
	return all
}
