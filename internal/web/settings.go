package web

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"enlist/internal/address"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/forms"
	"enlist/internal/language"
	"enlist/internal/sending"
)

// This file has the page on which a subscriber sees and changes the own settings. decisions.md: 133

type settingsPage struct {
	*sending.PreferencePage
	Inputs  []input
	Topics  []tick // preferences
	Others  []tick // public Lists
	Leave   string // relative path of the page to unsubscribe
	Data    string // relative URL of the data as a file
	Problem bool

	Languages []*language.Language // in which the subscriber can have mails and pages
	Spoken    string               // code of the present one

	Tracking string // the word of the decision that the page shows; "": none, because nothing can be recorded
}

// languageInput is the name of the input for the language.
const languageInput = "language"

// tick is a checkbox that stands alone.
type tick struct {
	Name, Text, Description string
	Ticked, Waits           bool
}

// showPreferences shows the page, or the data as a file.
func (h *Handler) showPreferences(w http.ResponseWriter, r *http.Request, l enlist.Link) {
	v, err := h.links.ViewPreferences(r.Context(), l.DeliveryKey)
	if err == nil && v.Contact != nil && !v.Expired && r.URL.RawQuery == "data" {
		h.ownData(w, v)
		return
	}
	h.settings(w, r, l, v, err, nil)
}

// settings answers with the page of the settings. view is the page to show, or nil if it shows what is stored.
func (h *Handler) settings(w http.ResponseWriter, r *http.Request, l enlist.Link, v *sending.PreferencePage, err error,
	view *page) {
	switch {
	case err != nil:
		h.failed(w, r, l, err)
	case v.Contact == nil:
		h.render(w, r, http.StatusGone, "unknown", page{Schema: v.Schema, Wanted: v.Language()})
	case v.Expired:
		h.render(w, r, http.StatusGone, "preferencesold", h.mailPage(r, v.Schema, v.Language()))
	case view != nil:
		h.render(w, r, http.StatusUnprocessableEntity, "preferences", *view)
	default:
		p := h.settingsOf(r, l, v)
		p.Done = r.URL.RawQuery == "saved"
		h.render(w, r, http.StatusOK, "preferences", p)
	}
}

// settingsOf returns the page with what is stored.
func (h *Handler) settingsOf(r *http.Request, l enlist.Link, v *sending.PreferencePage) page {
	s := &settingsPage{PreferencePage: v, Data: "?data", Languages: h.texts.All(),
		Spoken: h.languageFor(r, v.Schema, v.Language()).Code,
		Leave:  "../.." + h.key.Path(enlist.Link{Kind: enlist.LinkUnsubscribe, DeliveryKey: l.DeliveryKey})}
	for _, f := range v.Fields {
		s.Inputs = append(s.Inputs, newInput(f, []string{v.Contact.Values.Get(f.ID)}))
	}
	for _, p := range v.Schema.Preferences {
		s.Topics = append(s.Topics, tick{Name: forms.PreferenceInput(p.ID), Text: p.Name, Ticked: v.Contact.Prefs[p.ID]})
	}
	for _, o := range v.Others {
		s.Others = append(s.Others, tick{Name: listName(o.List.ID), Text: o.List.Name, Description: o.List.Description,
			Ticked: o.Subscribed, Waits: o.Waits})
	}
	p := subscription(&v.LinkView)
	p.Settings = s
	if v.Schema.Tracks(enlist.TrackingGranted) {
		p.Tracking = trackingOf(v.Schema, v.Contact, "")
		s.Tracking = v.Contact.TrackingConsent.String()
	}
	return p
}

// SettingsExample returns the page with the settings of a made-up subscriber, for a frame of the administration. Its
// links lead nowhere.
func (h *Handler) SettingsExample(r *http.Request, v *sending.PreferencePage) string {
	p := h.settingsOf(r, enlist.Link{}, v)
	p.Settings.Leave, p.Settings.Data = "#", "#"
	return h.fill(r, "preferences", &p)
}

func listName(id enlist.ListID) string { return "l" + strconv.FormatInt(int64(id), 10) }

// savePreferences stores the form of the page, or mails a new link.
func (h *Handler) savePreferences(w http.ResponseWriter, r *http.Request, l enlist.Link) {
	if !h.limits.admit(r, h.now()) {
		h.render(w, r, http.StatusTooManyRequests, "toomany", page{})
		return
	}
	v, err := h.links.ViewPreferences(r.Context(), l.DeliveryKey)
	if err == nil && v.Contact != nil && r.PostForm.Get("button") == "link" {
		h.newLink(w, r, l, &v.LinkView)
		return
	}
	if err != nil || v.Contact == nil || v.Expired {
		h.settings(w, r, l, v, err, nil)
		return
	}
	v, err = h.links.ChangePreferences(r.Context(), l.DeliveryKey, h.changeOf(r, v))
	var wrong *enlist.Error
	if errors.As(err, &wrong) && wrong.Kind == enlist.InvalidParameters {
		v, err := h.links.ViewPreferences(r.Context(), l.DeliveryKey)
		if err != nil || v.Contact == nil || v.Expired {
			h.settings(w, r, l, v, err, nil)
			return
		}
		view := h.refused(r, l, v, wrong.Field)
		h.settings(w, r, l, v, nil, &view)
		return
	}
	if err != nil || v.Contact == nil || v.Expired {
		h.settings(w, r, l, v, err, nil)
		return
	}
	w.Header().Set("Location", "?saved") // relative, because the public URL can have a path
	w.WriteHeader(http.StatusSeeOther)
}

// changeOf returns what the visitor has sent, of what the page has shown: a tick that it did not show stays.
func (h *Handler) changeOf(r *http.Request, v *sending.PreferencePage) *sending.PreferenceChange {
	shown := r.PostForm["shown"]
	c := &sending.PreferenceChange{Lists: make(map[enlist.ListID]bool)}
	c.IP = visitorIP(r)
	if code := r.PostForm.Get(languageInput); code != h.languageFor(r, v.Schema, v.Language()).Code &&
		slices.Contains(language.Codes(), code) {
		c.Language = code
	}
	for _, f := range v.Fields {
		if name := forms.FieldInput(f.ID); slices.Contains(shown, name) {
			value := &enlist.Input{Kind: enlist.InputText, Text: strings.Join(forms.Chosen(f, r.PostForm[name]), ",")}
			c.Values = append(c.Values, contacts.SentValue{Field: f, Value: value})
		}
	}
	for _, p := range v.Schema.Preferences {
		agree := forms.IsTicked(r.PostForm[forms.PreferenceInput(p.ID)])
		if _, answered := v.Contact.Prefs[p.ID]; slices.Contains(shown, forms.PreferenceInput(p.ID)) && (agree || answered) {
			c.Answers = append(c.Answers, enlist.PreferenceChoice{Name: p.Name, Agree: agree})
		}
	}
	for _, o := range v.Others {
		if name := listName(o.List.ID); slices.Contains(shown, name) {
			c.Lists[o.List.ID] = forms.IsTicked(r.PostForm[name])
		}
	}
	if slices.Contains(shown, trackingInput) {
		c.Tracking = h.decision(r, v.Schema, v.Language(), contacts.MethodPreferences)
	}
	return c
}

// refused returns the page with what the visitor has sent. field is the name of the Field that refuses its value.
func (h *Handler) refused(r *http.Request, l enlist.Link, v *sending.PreferencePage, field string) page {
	p := h.settingsOf(r, l, v)
	s := p.Settings
	s.Problem = true
	for i, f := range v.Fields {
		s.Inputs[i] = newInput(f, forms.Chosen(f, r.PostForm[forms.FieldInput(f.ID)]))
		if f.Name == field {
			s.Inputs[i].Fault = "web.form.wrong"
		}
	}
	s.Spoken = cmp.Or(r.PostForm.Get(languageInput), s.Spoken)
	if sent := r.PostForm.Get(trackingInput); s.Tracking != "" && sent != "" {
		s.Tracking = sent
	}
	for _, all := range [][]tick{s.Topics, s.Others} {
		for i := range all {
			all[i].Ticked = forms.IsTicked(r.PostForm[all[i].Name])
		}
	}
	return p
}

// newLink mails a new link to the Contact's address.
func (h *Handler) newLink(w http.ResponseWriter, r *http.Request, l enlist.Link, v *sending.LinkView) {
	if h.limits.admitMailbox("link-of "+l.DeliveryKey.String(), h.now()) {
		if err := h.links.SendNewLink(r.Context(), l.DeliveryKey); err != nil {
			h.failed(w, r, l, err)
			return
		}
	}
	h.linkSent(w, r, v.Schema, v.Language())
}

// ownData sends what is stored about the Contact as a file.
func (h *Handler) ownData(w http.ResponseWriter, v *sending.PreferencePage) {
	type row struct {
		Time        int64           `json:"time"`
		Method      string          `json:"method"`
		ConsentType string          `json:"consent_type"`
		ConsentText string          `json:"consent_text"`
		IP          string          `json:"ip_address"`
		Preferences map[string]bool `json:"preferences"`
	}
	c := v.Contact
	data := struct {
		List            string            `json:"list"`
		Values          map[string]string `json:"values"`
		Preferences     map[string]bool   `json:"preferences"`
		CreationTime    int64             `json:"creation_time"`
		ModifiedTime    int64             `json:"last_modified_time"`
		ConfirmedTime   int64             `json:"double_opt_in_time"`
		LastMessageTime int64             `json:"last_message_time"`
		LastOpenTime    int64             `json:"last_open_time"`
		LastClickTime   int64             `json:"last_click_time"`
		SubscribedVia   string            `json:"subscribed_via"`
		Language        string            `json:"contact_language"`
		IsUnsubscribed  bool              `json:"is_unsubscribed"`
		Ledger          []row             `json:"consent_ledger"`
	}{v.Schema.List.Name, map[string]string{}, map[string]bool{}, c.Created, c.Modified, c.DoubleOptInTime,
		c.LastMessageTime, c.LastOpenTime, c.LastClickTime, c.SubscribedVia, c.Language, c.IsUnsubscribed, []row{}}
	for i := range v.Schema.Fields {
		f := &v.Schema.Fields[i]
		data.Values[f.Name] = c.Values.Get(f.ID)
	}
	for _, p := range v.Schema.Preferences {
		if agree, answered := c.Prefs[p.ID]; answered {
			data.Preferences[p.Name] = agree
		}
	}
	for _, l := range v.Ledger {
		out := row{l.Time, l.Method, string(l.Type), l.Text, l.IP, map[string]bool{}}
		for _, p := range l.Preferences {
			out.Preferences[p.Name] = p.Agree
		}
		data.Ledger = append(data.Ledger, out)
	}
	b, err := json.MarshalIndent(data, "", "  ")
	if err != nil {
		panic(err) // it has only texts and numbers
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Disposition", `attachment; filename="data.json"`)
	send(w, http.StatusOK, string(b)+"\n")
}

// askLink shows the page. wanted is its language, or "".
func (h *Handler) askLink(w http.ResponseWriter, r *http.Request, list *enlist.Schema, wanted string) {
	h.render(w, r, http.StatusOK, "link", h.mailPage(r, list, wanted))
}

// mailPage returns a page about a mail of a List.
func (h *Handler) mailPage(r *http.Request, list *enlist.Schema, wanted string) page {
	return page{Schema: list, Wanted: wanted, NoMail: list != nil && !h.mailsLeave(r.Context(), &list.List)}
}

// linkSent says that a mail with a link to the settings comes, or why none does.
func (h *Handler) linkSent(w http.ResponseWriter, r *http.Request, list *enlist.Schema, wanted string) {
	p := h.mailPage(r, list, wanted)
	name := "linksent"
	if p.NoMail {
		name = "linkwaits"
	}
	h.render(w, r, http.StatusOK, name, p)
}

// sendLink mails the link. The answer does not show whether a Contact has the address.
func (h *Handler) sendLink(w http.ResponseWriter, r *http.Request, list *enlist.Schema, wanted string) {
	if !h.limits.admit(r, h.now()) {
		h.render(w, r, http.StatusTooManyRequests, "toomany", page{Schema: list, Wanted: wanted})
		return
	}
	wait := h.pad(r)
	var err error
	mailbox := r.PostForm.Get("address")
	if h.limits.admitMailbox("link "+address.Mailbox(mailbox), h.now()) {
		err = h.links.SendLink(r.Context(), list.List.ID, mailbox)
	}
	wait()
	if err != nil {
		h.failed(w, r, enlist.Link{DeliveryKey: enlist.DeliveryKey{List: list.List.ID}}, err)
		return
	}
	h.linkSent(w, r, list, wanted)
}

// asksForLink reports whether a request for a mail as a page asks for the own link.
func asksForLink(r *http.Request) bool { return r.URL.Query().Has(enlist.AskForLink) }
