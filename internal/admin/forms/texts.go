package forms

import (
	"cmp"
	"net/http"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/sending"
)

// This file has the texts with which a List greets new subscribers, and what others see of a public List.

// textsData is the data of the page.
type textsData struct {
	*enlist.List
	Languages []language
	MayEdit   bool
	Wrong     map[string]string
	Archive   string // URL
}

func (p *pages) listTexts(r *ui.Request) (*ui.View, error) {
	list, err := r.App.Lists.List(r.Context(), r.Caller, enlist.ListID(r.ID("list")))
	if err != nil {
		return nil, err
	}
	return p.textsView(r, list, nil), nil
}

func (p *pages) textsView(r *ui.Request, list *enlist.List, wrong map[string]string) *ui.View {
	view := &ui.View{Title: "Texts of " + list.Name, Place: "Forms", Content: p.texts_, Data: &textsData{List: list,
		Languages: languages(list.Language), MayEdit: r.Caller.Key.Level >= enlist.Full, Wrong: wrong,
		Archive: r.PublicURL + "/a/" + ui.Plain(int64(list.ID))}}
	if len(wrong) > 0 {
		view.Problem = "The texts were not saved: look at the marked inputs."
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
	_, err = r.App.Lists.EditList(r.Context(), r.Caller, list.ID, details)
	wrong, err := wrongInputs(err)
	if wrong != nil {
		typed := *list
		typed.ConfirmSubject, typed.ConfirmText = posted.Get("confirmation_subject"), posted.Get("confirmation_text")
		typed.ConsentText, typed.Imprint = posted.Get("consent_text"), posted.Get("imprint")
		typed.Language, typed.Description = posted.Get("language"), posted.Get("description")
		typed.FarewellText, typed.PreferencesText = posted.Get("farewell_text"), posted.Get("preferences_text")
		typed.Public = posted.Get("is_public") == "1"
		return p.textsView(r, &typed, wrong), nil
	}
	if err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/forms/"+ui.Plain(int64(list.ID))+"/texts", "Saved."), nil
}
