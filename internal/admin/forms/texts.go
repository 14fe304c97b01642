package forms

import (
	"cmp"
	"net/http"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/sending"
)

// This file has the texts with which a List greets new subscribers, and what others see of a public List.

// textsData is the data of the page.
type textsData struct {
	*enlist.List
	Languages []choice
	MayEdit   bool
	Wrong     map[string]string
	Archive   string // URL
	Seen      string // hash of the stored List
}

func (p *pages) listTexts(r *ui.Request) (*ui.View, error) {
	list, err := r.App.Lists.List(r.Context(), r.Caller, enlist.ListID(r.ID("list")))
	if err != nil {
		return nil, err
	}
	return p.textsView(r, list, list, nil), nil
}

// textsView shows the texts of a List, or those that were typed for the stored one.
func (p *pages) textsView(r *ui.Request, stored, list *enlist.List, wrong map[string]string) *ui.View {
	view := &ui.View{Title: r.Text("forms.texts_of", "list", list.Name), Place: "/admin/forms", Content: p.listPage,
		Data: &textsData{List: list,
			Languages: languages(r, list.Language), MayEdit: r.Caller.Key.Level >= enlist.Full, Wrong: wrong,
			Seen: ui.SeenOf(lists.ListAttributes, stored), Archive: r.PublicURL + "/a/" + ui.Plain(int64(list.ID))}}
	if len(wrong) > 0 {
		view.Problem = r.Text("forms.texts_not_saved")
	}
	return view
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

// saveTexts stores the texts.
func (p *pages) saveTexts(r *ui.Request) (*ui.View, error) {
	list, err := r.App.Lists.List(r.Context(), r.Caller, enlist.ListID(r.ID("list")))
	if err != nil {
		return nil, err
	}
	posted := r.PostForm
	details := []enlist.Detail{ui.Text("is_public", cmp.Or(posted.Get("is_public"), "0"))}
	for _, key := range []string{"confirmation_subject", "confirmation_text", "consent_text", "imprint", "language",
		"description", "farewell_text", "preferences_text"} {
		details = append(details, ui.Text(key, posted.Get(key)))
	}
	overwrites := ui.Overwrites(r, lists.ListAttributes, list, details)
	if !overwrites {
		_, err = r.App.Lists.EditList(r.Context(), r.Caller, list.ID, details)
	}
	wrong, err := wrongInputs(err)
	if wrong != nil || overwrites {
		typed := *list
		typed.ConfirmSubject, typed.ConfirmText = posted.Get("confirmation_subject"), posted.Get("confirmation_text")
		typed.ConsentText, typed.Imprint = posted.Get("consent_text"), posted.Get("imprint")
		typed.Language, typed.Description = posted.Get("language"), posted.Get("description")
		typed.FarewellText, typed.PreferencesText = posted.Get("farewell_text"), posted.Get("preferences_text")
		typed.Public = posted.Get("is_public") == "1"
		view := p.textsView(r, list, &typed, wrong)
		if overwrites {
			view.Problem = ui.Changed
		}
		return view, nil
	}
	if err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/forms/"+ui.Plain(int64(list.ID))+"/texts", r.Text("forms.saved")), nil
}
