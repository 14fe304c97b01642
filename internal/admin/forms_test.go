package admin_test

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"enlist/internal/apptest"
	"enlist/internal/enlist"
	"enlist/internal/users"
	"enlist/internal/web"
)

// This file tests the pages of Forms.

// publicPages returns the pages for subscribers.
func (s *site) publicPages() *web.Handler {
	key, err := s.App.Messages.LinkKey(s.Context())
	s.Must(err)
	return web.New(s.App.Sending, s.App.Forms, s.App.Files, s.App.Messages, key, slog.New(slog.DiscardHandler))
}

func (s *site) forms() {
	v := s.signedIn(users.Membership{Level: enlist.Full})
	reader := s.signedIn(users.Membership{Level: enlist.Read})
	v.want("/admin/forms", http.StatusOK, "There are no Forms yet")
	add := url.Values{"list_id": {id(s.News)}, "name": {hostile}, "consent_text": {"Yes <b>"}}
	status, at, text := v.post("/admin/forms", add)
	at, _, _ = strings.Cut(at, "?")
	if status != http.StatusOK || !strings.HasPrefix(at, "/admin/forms/"+id(s.News)+"/") || strings.Contains(text, "<script>") {
		s.Fatalf("the Form is answered with %d at %s:\n%s", status, at, text)
	}
	if status, _, text := v.post("/admin/forms", add); status != http.StatusUnprocessableEntity || !strings.Contains(text, "already has a Form with this name") ||
		!strings.Contains(text, `name="consent_text" value="Yes &lt;b&gt;"`) {
		s.Errorf("another Form of the name is answered with %d, or without the consent that was typed", status)
	}
	gdpr := url.Values{"list_id": {id(s.AddList("name", "GDPR", "is_gdpr_compliant", true))}, "name": {"No consent"}}
	if status, _, text := v.post("/admin/forms", gdpr); status != http.StatusUnprocessableEntity ||
		!strings.Contains(text, `id="wrong-consent_text">the List is GDPR compliant`) {
		s.Errorf("a Form without the consent that its List needs is answered with %d, and not beside the consent", status)
	}
	email := id(s.EmailField(s.News))
	form := url.Values{"name": {"Website"}, "title": {"Join <us>"}, "consent_text": {"Yes"}, "redirect_url": {"nonsense"},
		"order" + email: {"1"}, "is_open": {"1"}, "sites": {"https://a.example\nhttps://b.example"}}
	if status, _, text := v.post(at, form); status != http.StatusUnprocessableEntity || !strings.Contains(text, `value="nonsense"`) ||
		!strings.Contains(text, "Join &lt;us&gt;") || !strings.Contains(text, "expected a URL") {
		s.Errorf("a wrong URL is answered with %d, and without what was typed:\n%s", status, text)
	}
	form.Set("redirect_url", "https://a.example/thanks")
	if status, _, _ := reader.post(at, form); status != http.StatusForbidden {
		s.Errorf("a reader saves the Form: %d", status)
	}
	preference, err := s.App.Lists.AddPreference(s.Context(), s.Caller, s.News, "Events <b>")
	s.Must(err)
	form.Set("preference_ids", "99999")
	if status, _, text := v.post(at, form); status != http.StatusUnprocessableEntity || !strings.Contains(text, "has no preference 99999") {
		s.Errorf("an unknown preference is answered with %d", status)
	}
	form.Set("preference_ids", id(preference))
	v.post(at, form)
	parts := []string{"[x] Events <b>", `name="p` + id(preference) + `" value="1"> Events`,
		"Join <us>", `"https://a.example https://b.example"`, "Shown: 0, sent: 0", "(frame /s/1?preview)", `accept-charset="utf-8"`, `type="email" autocomplete="email" required`,
		`<form method="post" action="` + s.server.URL + "/s/", `name="f` + email + `" type=`, "Day |"}
	v.want(at, http.StatusOK, parts...)
	reader.want(at, http.StatusOK, "Your role does not allow changes")
	v.want("/admin/forms", http.StatusOK, "Website", "/s/")
	s.languages(v, reader, at, form)
	texts := "/admin/forms/" + id(s.News) + "/texts"
	reader.want(texts, http.StatusOK, "Your role does not allow changes")
	if status, _, text := v.post(texts, url.Values{"confirmation_subject": {"a\nb"}, "imprint": {"Club <b>"}}); status != http.StatusUnprocessableEntity ||
		!strings.Contains(text, "Club &lt;b&gt;") || !strings.Contains(text, "control characters") {
		s.Errorf("a subject of two lines is answered with %d, or without what was typed", status)
	}
	v.post(texts, url.Values{"imprint": {"Club"}, "is_public": {"1"}, "description": {"All <news>"}, "farewell_text": {"Bye <all>"}, "preferences_text": {"Choose <what>"}})
	v.want(texts, http.StatusOK, "Choose <what>", `<iframe sandbox title="The page with the settings of a subscriber" class="mail" src="`+texts+`/settings/mail"`, "All <news>", "Bye <all>", `name="is_public" value="1" checked`)
	s.settings(v, texts+"/settings/mail")
	stranger := s.signedInElsewhere()
	stranger.want(texts+"/settings/mail", http.StatusNotFound)
	for _, path := range []string{at, at + "/delete", at + "/language?language=nl", texts} {
		stranger.want(path, http.StatusNotFound)
		if status, _, _ := stranger.post(path, form); status != http.StatusNotFound {
			s.Errorf("POST %s of another Account is answered with %d", path, status)
		}
	}
	v.want(at+"/delete", http.StatusOK, "stop working")
	v.post(at+"/delete", nil)
	v.want(at, http.StatusNotFound)
}

// settings looks at the page with the settings of a made-up subscriber.
func (s *site) settings(v *visitor, path string) {
	s.Helper()
	s.AddField(s.News, "name", "Colour", "type", "dropdown", "values_array", "Red,Blue", "allow_update", true)
	other := s.AddList("name", "Offers <b>", "is_public", true)
	before := s.All(s.News)
	v.want(path, http.StatusOK, "Settings of r…@example.com for News", "Choose <what>", `Colour: "Red" of`, "Events <b>", "Offers <b>",
		"](#)")
	one := s.signedIn(users.Membership{Level: enlist.Read, Lists: []enlist.ListID{s.News}})
	if _, _, text := one.get(path); strings.Contains(text, "Offers") || !strings.Contains(text, "Colour") {
		s.Errorf("a person of one List sees the page:\n%s", cut(text))
	}
	if after := s.All(s.News); len(after) != len(before) {
		s.Errorf("the List has %d Contacts after the example, want %d", len(after), len(before))
	}
	s.Must(s.App.Contacts.DeleteList(s.Context(), s.Caller, other))
}

// faultsOfTheForm saves the texts of a language after the List has changed: a deleted preference does not refuse them, and
// what is wrong with the Form is not shown beside an input of the page.
func (s *site) faultsOfTheForm(v *visitor, at, french string, form, texts url.Values) {
	s.Helper()
	gone, err := s.App.Lists.AddPreference(s.Context(), s.Caller, s.News, "Gone")
	s.Must(err)
	texts["labels.p"+id(gone)] = []string{"Autre"}
	v.post(french, texts)
	s.Must(s.App.Lists.DeletePreference(s.Context(), s.Caller, s.News, gone))
	if status, _, text := v.post(french, texts); status != http.StatusOK || !strings.Contains(text, "Saved.") {
		s.Errorf("the texts after a preference was deleted are answered with %d:\n%s", status, cut(text))
	}
	set := func(consent string, isGDPR bool) {
		_, err := s.App.Lists.EditList(s.Context(), s.Caller, s.News, apptest.Details("is_gdpr_compliant", false))
		s.Must(err)
		form.Set("language", "en")
		form.Set("consent_text", consent)
		v.post(at, form)
		_, err = s.App.Lists.EditList(s.Context(), s.Caller, s.News, apptest.Details("is_gdpr_compliant", isGDPR))
		s.Must(err)
	}
	set("", true)
	for _, sent := range []url.Values{texts, {"do": {"remove"}}} {
		if status, _, text := v.post(french, sent); status != http.StatusUnprocessableEntity || strings.Contains(text, "aria-invalid") ||
			!strings.Contains(text, "Open the Form with the link below, and correct it first: the List is GDPR compliant") ||
			!strings.Contains(text, `value="Rejoignez &lt;nous&gt;"`) {
			s.Errorf("a fault of the Form is answered with %d, or beside an input:\n%s", status, cut(text))
		}
	}
	set("Yes", false)
}

// languages adds a language to a Form, changes its texts, and removes it. form is what the editor sends.
func (s *site) languages(v, reader *visitor, at string, form url.Values) {
	s.Helper()
	french := at + "/language?language=fr"
	v.want(at, http.StatusOK, "first choose the language of these texts")
	if _, to, text := v.post(french, nil); !strings.Contains(text, "needs the language of its own texts") {
		s.Errorf("a translation of a Form without a language leads to %s", to)
	}
	form.Set("language", "en")
	v.post(at, form)
	v.want(at, http.StatusOK, `"French"`, "(frame /s/1?preview)")
	v.want(french, http.StatusOK, "which is added when you save", `placeholder="Join &lt;us&gt;"`, `Label of “Email”: ""`)
	for _, none := range []string{"", "en", "xx"} {
		v.want(at+"/language?language="+none, http.StatusNotFound)
	}
	email := "f" + id(s.EmailField(s.News))
	texts := url.Values{"title": {strings.Repeat("x", 256)}, "consent_text": {"Oui <b>"}, "labels." + email: {"Courriel <b>"}}
	if status, _, text := v.post(french, texts); status != http.StatusUnprocessableEntity || !strings.Contains(text, "Courriel &lt;b&gt;") ||
		!strings.Contains(text, `id="wrong-title">expected a text of at most 255`) {
		s.Errorf("a title that is too long is answered with %d, or not beside it:\n%s", status, cut(text))
	}
	texts.Set("title", "Rejoignez <nous>")
	if status, _, _ := reader.post(french, texts); status != http.StatusForbidden {
		s.Errorf("a reader saves a translation: %d", status)
	}
	v.post(french, texts)
	v.want(french, http.StatusOK, `: "Rejoignez <nous>"`, `: "Courriel <b>"`, "(frame /s/1?preview&lang=fr)",
		"Courriel &lt;b&gt;", `/s/1?lang=fr"`, "<button>S’abonner", "# Remove the language…")
	v.want(at, http.StatusOK, "(frame /s/1?preview&lang=en)", `/s/1?lang=en"`, "[French]("+at+"/language?language=fr)")
	form.Set("language", "fr")
	if status, _, text := v.post(at, form); status != http.StatusUnprocessableEntity || !strings.Contains(text, `name="language" aria-invalid="true"`) {
		s.Errorf("the language of a translation is answered with %d, or not beside the language", status)
	}
	reader.want(french, http.StatusOK, "Your role does not allow changes")
	s.faultsOfTheForm(v, at, french, form, texts)
	v.post(french, url.Values{"do": {"remove"}})
	v.want(french, http.StatusOK, "which is added when you save", `Title: ""`)
	form.Set("language", "")
	v.post(at, form)
}
