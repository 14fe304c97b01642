package forms

import (
	"net/http"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/language"
	"enlist/internal/lists"
	"enlist/internal/sending"
)

// This file has the texts with which a List greets new subscribers, and what others see of a public List.

// textsData is the data of the page.
type textsData struct {
	List enlist.ListID
	Card ui.FormCard
}

// textsForm returns the form of the texts of a List.
func textsForm(r *ui.Request, l *enlist.List) ui.Form {
	heading := func(key string) ui.Input { return ui.Input{Kind: ui.InputHeading, Label: r.Text(key)} }
	text := func(name, key, kind string, rows int) ui.Input {
		return ui.Input{Name: name, Label: r.Text(key), Kind: kind, Rows: rows}
	}
	f := ui.Form{heading("forms.mail")}
	if !l.DoubleOptIn {
		f = append(f, ui.Input{Kind: ui.InputNote, Label: r.Text("forms.no_confirm_now")})
	}
	return ui.Fill(append(f, text("confirmation_subject", "forms.subject", ui.InputText, 0),
		text("confirmation_text", "forms.mail_text", ui.InputArea, 4), text("consent_text", "forms.agree", ui.InputText, 0),
		heading("forms.all_pages"),
		ui.Input{Name: "language", Label: r.Text("forms.list_language"), Kind: ui.InputChoice,
			Options: languages(r.Text("forms.of_browser"))},
		text("imprint", "forms.imprint", ui.InputArea, 3),
		heading("forms.after_unsubscribing"), text("farewell_text", "forms.farewell", ui.InputArea, 3),
		heading("forms.settings"), text("preferences_text", "forms.settings_text", ui.InputArea, 3),
		ui.Input{Name: "tracking_text", Label: r.Text("forms.list_tracking"), Most: 255,
			Example: language.New().For(l.Language, "").Text("web.tracking.agree")},
		heading("forms.public"), ui.Input{Name: "is_public", Kind: ui.InputCheck,
			Label: r.Text("forms.public_box", "url", r.PublicURL+"/a/"+ui.Plain(int64(l.ID)))},
		text("description", "forms.description_text", ui.InputArea, 3)), lists.ListAttributes, l)
}

// listTexts shows the texts of a List, or stores them.
func (p *pages) listTexts(r *ui.Request) (*ui.View, error) {
	list, err := r.App.Lists.List(r.Context(), r.Caller, enlist.ListID(r.ID("list")))
	if err != nil {
		return nil, err
	}
	f := textsForm(r, list)
	page := func(problem string) (*ui.View, error) { return p.showTexts(r, list, f, problem), nil }
	return r.Submit(f, page, func() (*ui.View, error) {
		_, err := r.App.Lists.EditList(r.Context(), r.Caller, list.ID, f.Details())
		return ui.GoTo("/admin/forms/"+ui.Plain(int64(list.ID))+"/texts", r.Text("forms.saved")), err
	})
}

// showTexts shows the stored texts of a List, or a form that was refused.
func (p *pages) showTexts(r *ui.Request, l *enlist.List, f ui.Form, problem string) *ui.View {
	return &ui.View{Title: r.Text("forms.texts_of", "list", l.Name), Place: "/admin/forms", Content: p.listPage,
		Problem: problem, Data: textsData{l.ID, save(r, ui.FormCard{Form: f})}}
}

// save returns a form with the button that saves it, if the user may.
func save(r *ui.Request, c ui.FormCard) ui.FormCard {
	c.Button = r.Text("forms.save")
	if !r.Caller.May(enlist.Manage) {
		c.Button, c.After = "", r.Text("forms.no_changes")
	}
	return c
}

// SettingsPage returns the HTML of the page with the settings of a subscriber; web.Handler has it.
type SettingsPage func(*http.Request, *sending.PreferencePage) string

// settings shows that page of a made-up subscriber alone, for the frame of the page.
func (p *pages) settings(r *ui.Request) (*ui.View, error) {
	v, err := r.App.Sending.ExamplePreferences(r.Context(), r.Caller, enlist.ListID(r.ID("list")))
	if err != nil {
		return nil, err
	}
	return &ui.View{Mail: p.settingsPage(r.Request, v)}, nil
}
