package imports

import (
	"errors"
	"fmt"
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

// answers are the questions of the page. An empty one is not asked.
type answers struct {
	Status    bool   // what becomes of people who have left
	BadValues string // how many rows could be imported without them
	Confirm   string // how many new Contacts would get no mail
	NoMail    string // why no mail leaves now, or ""
	Consent   bool   // the List needs a proof of consent

	O      imports.ImportOptions // what was answered
	Wrong  map[string]string     // what is wrong with the answers, by names of inputs
	Choice map[string][]choice
}

// Any reports whether something is asked, for the template.
func (a *answers) Any() bool {
	return a.Status || a.BadValues != "" || a.Confirm != "" || a.Consent
}

// ask fills the questions of a dry run whose file is kept. Answers with mistakes are shown again.
func (d *data) ask(r *ui.Request, i *imports.Import, wrong map[string]string) {
	d.Answers = answers{O: i.Options, Choice: choices(), Wrong: wrong}
	if !i.HasKeptFile() {
		return
	}
	if r.PostForm != nil {
		readAnswers(r, &d.Answers.O)
	}
	a, said := &d.Answers, &i.Report
	a.Status = len(said.Status) > 0
	if n := said.Fixable; n > 0 || len(said.LeftOut) > 0 {
		a.BadValues = ui.Count(n, "row") + " would be refused only for a value that does not fit."
	}
	if m := said.Mail; m.Waiting > 0 || i.Options.Confirm != "" {
		a.Confirm = r.Text("imports.can_get_mail_list_asks", "value", ui.Count(m.Receiving+m.Waiting, "new Contact"), "receiving", ui.Number(m.Receiving), "waiting", ui.Number(m.Waiting))
	}
	a.Consent = needsConsent(i)
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
		return 0, nil, enlist.Invalid("file", "the browser sent a form that cannot be read: try again")
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
		wrong["confirm"] = "Say first what happens to " + ui.Count(i.Report.Mail.Waiting, "new Contact") +
			" without a confirmation."
	}
	text := strings.TrimSpace(r.PostForm.Get("consent_text"))
	switch {
	case utf8.RuneCountInString(text) > contacts.MaxConsentText:
		wrong["consent_text"] = tooLong()
	case text == "" && r.PostForm.Get("confirm") == imports.ConfirmStatement && i.Options.ConsentText == "":
		wrong["consent_text"] = r.Text("imports.write_statement_people_agreed")
	}
	if len(wrong) > 0 {
		return 0, wrong, enlist.Invalid("file", "nothing is imported yet: change what is marked")
	}
	id, err = again(r, i, func(o *imports.ImportOptions) {
		readAnswers(r, o)
		o.DryRun, o.KeepFile = isAgain, isAgain
	})
	if known, ok := errors.AsType[*enlist.Error](err); ok && known.Kind != enlist.Internal &&
		slices.Contains([]string{"consent_type", "consent_text"}, known.Field) {
		wrong["consent_text"] = ui.Sentence(known.Error())
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
func said(i *imports.Import) (all []string) {
	r := &i.Report
	for _, c := range r.Status {
		became := map[string]string{imports.StatusUnsubscribe: "They go to the Unsubscriber List.",
			imports.StatusSubscribe: "They are imported as subscribed."}[i.Options.Status]
		if became == "" {
			became = "They are left out, so they get no mail."
		}
		all = append(all, fmt.Sprintf("The column %s says %s in %s of %s. %s", c.Column, strings.Join(c.Samples, ", "),
			ui.Number(c.Rows), ui.Count(i.Total(), "row"), became))
	}
	for n := range i.Columns {
		if c := &i.Columns[n]; c.Format != nil && c.Format.Choices != nil && i.HasKeptFile() {
			all = append(all, "The values of the column "+c.Name+" do not show how they are written: choose it below.")
		}
	}
	for _, c := range r.LeftOut {
		all = append(all, fmt.Sprintf("Left out of the column %s: %s that did not fit, such as %s.", c.Column,
			ui.Count(c.Rows, "value"), strings.Join(c.Samples, ", ")))
	}
	for _, c := range r.Unused {
		all = append(all, fmt.Sprintf("The column %s is not stored, such as %s.", c.Column, strings.Join(c.Samples, ", ")))
	}
	if m := r.Mail; m.Receiving+m.Waiting > 0 {
		all = append(all, fmt.Sprintf("Of %s, %s can get mail%s.", ui.Count(m.Receiving+m.Waiting, "new Contact"),
			ui.Number(m.Receiving), map[bool]string{true: ", and " + ui.Number(m.Waiting) + " must confirm first"}[m.Waiting > 0]))
	}
	if f := r.File; f != nil && f.Guess != nil && !f.Guess.Sure {
		all = append(all, "The encoding "+f.Encoding+" is a guess: look at "+strings.Join(f.Guess.Samples, ", ")+".")
	}
	return all
}
