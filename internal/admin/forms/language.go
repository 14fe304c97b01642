package forms

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/forms"
	"enlist/internal/language"
)

// This file has the page with the texts of a Form in one further language.

// languageData is the data of the page.
type languageData struct {
	*forms.Form
	Text     forms.Translation
	Usual    forms.Translation // what visitors see in place of an empty text
	Code     string
	Language string // its name
	Labels   []label
	IsNew    bool
	MayEdit  bool
	Wrong    map[string]string // what is wrong, by the key of the input
	Shown    shown
}

// label is the text beside an input of the Form.
type label struct{ Input, Name, Text, Wrong string }

// languagePath returns the path of the page.
func languagePath(f *forms.Form, code string) string {
	return path(f.ListID, f.ID) + "/language?language=" + url.QueryEscape(code)
}

// findLanguage returns the Form and the language of the request. Errors: ui.ErrNotFound, also for the language of the
// Form's own texts.
func findLanguage(r *ui.Request) (f *forms.Form, code string, err error) {
	code = r.URL.Query().Get("language")
	if f, err = find(r); err == nil && (!slices.Contains(language.Codes(), code) || code == f.Language) {
		err = ui.ErrNotFound
	}
	return f, code, err
}

func (p *pages) language(r *ui.Request) (*ui.View, error) {
	f, code, err := findLanguage(r)
	if err != nil {
		return nil, err
	}
	if f.Language == "" {
		return ui.GoTo(path(f.ListID, f.ID), r.Text("forms.first_language")), nil
	}
	return p.languageView(r, f, code, forms.DecodeTranslations(f.Translations)[code], nil, "")
}

// languageView shows the page. text is what was typed, or what is stored. problem is what is wrong apart from inputs.
func (p *pages) languageView(r *ui.Request, f *forms.Form, code string, text forms.Translation,
	wrong map[string]string, problem string) (*ui.View, error) {
	list, schema, err := schemaOf(r, f.ListID)
	if err != nil {
		return nil, err
	}
	in := p.texts.For(code, "")
	d := &languageData{Form: f, Text: text, Code: code, Language: nameOf(code), Wrong: wrong,
		IsNew: !slices.Contains(f.Languages(), code), MayEdit: r.Caller.Key.Level >= enlist.Full,
		Usual: forms.Translation{
			Title:        cmp.Or(f.Title, in.Text("web.form.heading", "list", list.Name)),
			Introduction: f.Introduction, Button: cmp.Or(f.Button, in.Text("web.form.button")), Consent: f.Consent,
			Thanks: cmp.Or(f.Thanks, in.Text("web.formsent.body", "list", list.Name))}}
	add := func(input, name string) {
		d.Labels = append(d.Labels, label{input, name, text.Labels[input], wrong["labels."+input]})
	}
	for _, one := range forms.Inputs(f, schema) {
		add(forms.FieldInput(one.ID), one.Name)
	}
	for _, one := range forms.Preferences(f, schema) {
		add(forms.PreferenceInput(one.ID), one.Name)
	}
	if d.Shown, err = p.shownOf(r, f, code, schema); err != nil {
		return nil, err
	}
	view := &ui.View{Title: r.Text("forms.of_language", "form", f.Name, "language", d.Language),
		Place: "/admin/forms", Content: p.translation, Data: d, Sub: list.Name,
		Problem: problem}
	if len(wrong) > 0 {
		view.Problem = r.Text("forms.texts_not_saved")
	}
	return view, nil
}

// saveLanguage stores the texts of a language, or removes the language.
func (p *pages) saveLanguage(r *ui.Request) (*ui.View, error) {
	f, code, err := findLanguage(r)
	if err != nil {
		return nil, err
	}
	all := forms.DecodeTranslations(f.Translations)
	if r.PostForm.Get("do") == "remove" {
		stored := all[code]
		delete(all, code)
		if err := setTranslations(r, f, all); err != nil {
			return p.refused(r, f, code, stored, err)
		}
		return ui.GoTo(path(f.ListID, f.ID), r.Text("forms.language_removed")), nil
	}
	posted := r.PostForm
	typed := forms.Translation{Title: posted.Get("title"), Introduction: posted.Get("introduction"),
		Button: posted.Get("button"), Consent: posted.Get("consent_text"), Thanks: posted.Get("thanks"),
		Labels: make(map[string]string)}
	for input, text := range all[code].Labels { // also of what the Form does not ask for now
		typed.Labels[input] = text
	}
	for _, input := range posted["input"] {
		typed.Labels[input] = posted.Get("label_" + input)
	}
	all[code] = typed
	if err := setTranslations(r, f, all); err != nil {
		return p.refused(r, f, code, typed, err)
	}
	return ui.GoTo(languagePath(f, code), r.Text("forms.saved")), nil
}

// refused shows the page after an error of setTranslations: beside the input, if a text of the language is wrong. The
// service also checks the Form itself, which another page changes.
func (p *pages) refused(r *ui.Request, f *forms.Form, code string, text forms.Translation,
	err error) (*ui.View, error) {
	known, ok := errors.AsType[*enlist.Error](err)
	if !ok || known.Kind != enlist.InvalidParameters {
		return nil, err
	}
	key, why := known.Field, known.Detail
	at, reason, _ := strings.Cut(why, ": ")
	if input, isOurs := strings.CutPrefix(at, code+"."); isOurs && key == "translations" {
		return p.languageView(r, f, code, text, map[string]string{input: reason}, "")
	}
	return p.languageView(r, f, code, text, nil, r.Text("forms.other_wrong", "reason", why))
}

func setTranslations(r *ui.Request, f *forms.Form, all forms.Translations) error {
	_, err := r.App.Forms.SetForm(r.Context(), r.Caller, f.ListID, f.ID,
		[]enlist.Detail{ui.Text("translations", all.Encode())})
	return err
}
