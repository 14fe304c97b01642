package forms

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
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
	Card     ui.FormCard
	Code     string
	Language string // its name
	IsNew    bool
	MayEdit  bool
	Shown    shown
}

// labelInput begins the names of the inputs for what stands beside the inputs of the Form.
const labelInput = "labels."

// textsIn returns the form of the texts in a language. An input without a value shows what visitors see in its place.
func (p *pages) textsIn(r *ui.Request, f *forms.Form, schema *enlist.Schema, code string) ui.Form {
	in, t := p.texts.For(code, ""), forms.DecodeTranslations(f.Translations)[code]
	list := schema.List.Name
	var form ui.Form
	add := func(name, label, value, usual string, rows, most int) {
		one := ui.Input{Name: name, Label: label, Value: value, Example: usual, Lang: code, Rows: rows, Most: most}
		if rows > 0 {
			one.Kind = ui.InputArea
		}
		form = append(form, one)
	}
	add("title", r.Text("forms.title_label"), t.Title, cmp.Or(f.Title, in.Text("web.form.heading", "list", list)), 0, 255)
	add("introduction", r.Text("forms.introduction"), t.Introduction, f.Introduction, 3, 0)
	label := func(input, name string) {
		add(labelInput+input, r.Text("forms.beside", "input", name), t.Labels[input], name, 0, 255)
	}
	for _, one := range forms.Inputs(f, schema) {
		label(forms.FieldInput(one.ID), one.Name)
	}
	for _, one := range forms.Preferences(f, schema) {
		label(forms.PreferenceInput(one.ID), one.Name)
	}
	consent := "forms.consent_of"
	if f.Consent == "" {
		consent = "forms.consent_no_effect"
	}
	add("consent_text", r.Text(consent), t.Consent, f.Consent, 2, 255)
	usual, _ := forms.TrackingText(&schema.List, in, code)
	add("tracking_text", r.Text("forms.tracking_text"), t.Tracking, cmp.Or(f.TrackingText, usual), 4, 255)
	add("button", r.Text("forms.button"), t.Button, cmp.Or(f.Button, in.Text("web.form.button")), 0, 255)
	add("thanks", r.Text("forms.thanks"), t.Thanks, cmp.Or(f.Thanks, in.Text("web.formsent.body", "list", list)), 2, 0)
	return form
}

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

// language shows the texts in a language, stores them, or removes the language.
func (p *pages) language(r *ui.Request) (*ui.View, error) {
	f, code, err := findLanguage(r)
	if err != nil {
		return nil, err
	}
	if f.Language == "" && r.Method == http.MethodGet {
		return ui.GoTo(path(f.ListID, f.ID), r.Text("forms.first_language")), nil
	}
	schema, err := schemaOf(r, f.ListID)
	if err != nil {
		return nil, err
	}
	form, all := p.textsIn(r, f, schema, code), forms.DecodeTranslations(f.Translations)
	page := func(problem string) (*ui.View, error) { return p.showLanguage(r, f, schema, code, form, problem) }
	sent, isRemoval := form, r.PostForm.Get("do") == "remove"
	if isRemoval {
		sent = nil // the button has no inputs
	}
	return r.Submit(sent, page, func() (*ui.View, error) {
		if isRemoval {
			delete(all, code)
		} else {
			all[code] = typed(form, all[code])
		}
		_, err := r.App.Forms.SetForm(r.Context(), r.Caller, f.ListID, f.ID,
			[]enlist.Detail{ui.Text("translations", all.Encode())})
		known, ok := errors.AsType[*enlist.Error](err)
		switch {
		case err == nil && isRemoval:
			return ui.GoTo(path(f.ListID, f.ID), r.Text("forms.language_removed")), nil
		case err == nil:
			return ui.GoTo(languagePath(f, code), r.Text("forms.saved")), nil
		case !ok || known.Kind != enlist.InvalidParameters:
			return nil, err
		}
		at, reason, _ := strings.Cut(known.Detail, ": ")
		if input, isOurs := strings.CutPrefix(at, code+"."); isOurs && known.Field == "translations" {
			return nil, enlist.Invalid(input, reason)
		}
		return page(r.Text("forms.other_wrong", "reason", known.Detail)) // about the Form, which another page changes
	})
}

// typed returns the texts of a form. stored may have labels of what the Form does not ask for now.
func typed(form ui.Form, stored forms.Translation) forms.Translation {
	t := forms.Translation{Title: form.Value("title"), Introduction: form.Value("introduction"),
		Button: form.Value("button"), Consent: form.Value("consent_text"), Thanks: form.Value("thanks"),
		Tracking: form.Value("tracking_text"),
		Labels:   make(map[string]string)}
	maps.Copy(t.Labels, stored.Labels)
	for _, in := range form {
		if input, ok := strings.CutPrefix(in.Name, labelInput); ok {
			t.Labels[input] = in.Value
		}
	}
	return t
}

// showLanguage shows the page with the stored texts, or with a form that was refused.
func (p *pages) showLanguage(r *ui.Request, f *forms.Form, schema *enlist.Schema, code string, form ui.Form,
	problem string) (*ui.View, error) {
	d := languageData{Form: f, Code: code, Language: nameOf(code), MayEdit: r.Caller.May(enlist.Manage),
		IsNew: !slices.Contains(f.Languages(), code), Card: save(r, ui.FormCard{Heading: r.Text("forms.texts"), Form: form,
			Action: languagePath(f, code)})}
	var err error
	d.Shown, err = p.shownOf(r, f, code, schema)
	return &ui.View{Title: r.Text("forms.of_language", "form", f.Name, "language", d.Language), Place: "/admin/forms",
		Content: p.translation, Data: d, Sub: schema.List.Name, Problem: problem}, err
}
