package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"

	"enlist/internal/enlist"
	"enlist/internal/forms"
)

// This file has Forms for scripts of other sites. The rules are those of the page.

// formInfo is the answer to GET: what a script needs to show the Form.
type formInfo struct {
	Title        string      `json:"title"`
	Introduction string      `json:"introduction"`
	Button       string      `json:"button"`
	ConsentText  string      `json:"consent_text"`            // not empty: agree must be true
	TrackingText string      `json:"tracking_text,omitempty"` // not empty: tracking may be true
	Fields       []fieldInfo `json:"fields"`
	Preferences  []topicInfo `json:"preferences,omitempty"`
	Language     string      `json:"language"`            // of the texts; ?lang= asks for another one
	Languages    []string    `json:"languages,omitempty"` // of a Form in several languages
	Stamp        string      `json:"stamp"`               // to send back, 2 seconds later at the earliest
}

type fieldInfo struct {
	Name       string   `json:"name"` // key of values
	Label      string   `json:"label"`
	Type       string   `json:"type"`
	IsRequired bool     `json:"is_required"`
	Choices    []string `json:"choices,omitempty"`
}

type topicInfo struct {
	Name  string `json:"name"` // key of values: true is a tick
	Label string `json:"label"`
}

// formSent is the body of POST.
type formSent struct {
	Values   map[string]any `json:"values"` // a text, an array of texts for a checkbox Field, true for a preference
	Agree    any            `json:"agree"`  // true, or what forms.IsTicked accepts
	Tracking any            `json:"tracking"`
	Stamp    string         `json:"stamp"`
	Homepage string         `json:"homepage"` // the trap
}

// formAnswer is the answer to POST.
type formAnswer struct {
	OK          bool              `json:"ok"`
	Text        string            `json:"text"`             // for the visitor
	Faults      map[string]string `json:"faults,omitempty"` // by the names of inputs, and agree
	RedirectURL string            `json:"redirect_url,omitempty"`
	Stamp       string            `json:"stamp,omitempty"` // for the next try; "": first get the Form again
}

// json handles a request of a script.
func (f *formRequest) json() {
	p, err := f.find(f.browserLanguages())
	if errors.Is(err, forms.ErrNone) || err == nil && !p.Open {
		f.reply(http.StatusNotFound, formAnswer{Text: "there is no such form, or it is closed"})
		return
	}
	if err != nil {
		f.logForm(err)
		f.reply(http.StatusInternalServerError, formAnswer{Text: "the log of the server says what failed"})
		return
	}
	head := f.w.Header()
	head.Set("Vary", "Origin, Accept-Language")
	if f.isSite(p) {
		head.Set("Access-Control-Allow-Origin", f.r.Header.Get("Origin"))
	} else if f.r.Header.Get("Origin") != "" {
		f.reply(http.StatusForbidden, formAnswer{Text: "this site is not one of the form's sites"})
		return
	}
	switch f.r.Method {
	case http.MethodOptions:
		head.Set("Access-Control-Allow-Methods", "GET, POST")
		head.Set("Access-Control-Allow-Headers", "Content-Type")
		head.Set("Access-Control-Max-Age", "600")
		f.w.WriteHeader(http.StatusNoContent)
	case http.MethodGet, http.MethodHead:
		f.countView(p)
		f.reply(http.StatusOK, f.info(p))
	case http.MethodPost:
		f.sendJSON(p)
	default:
		head.Set("Allow", "GET, HEAD, OPTIONS, POST")
		f.reply(http.StatusMethodNotAllowed, formAnswer{Text: "use GET or POST"})
	}
}

// info returns the Form with the texts of its language.
func (f *formRequest) info(p *forms.Public) formInfo {
	in := page{Schema: p.Schema, Language: f.texts.For(languageOf(p), f.browserLanguages())}
	i := formInfo{Title: p.Title, Introduction: p.Introduction, Button: p.Button, ConsentText: p.Consent,
		Language: in.Language.Code, Languages: p.AllLanguages, Stamp: f.newStamp(p, f.now())}
	i.TrackingText, _ = f.trackingOf(p, true)
	if i.Title == "" {
		i.Title = in.plain("web.form.heading")
	}
	if i.Button == "" {
		i.Button = in.plain("web.form.button")
	}
	for _, one := range inputsOf(p, nil, nil) {
		field := fieldInfo{Name: one.Name, Label: in.Language.FieldName(one.Label), Type: one.Kind, IsRequired: one.Required}
		for _, c := range one.Choices {
			field.Choices = append(field.Choices, c.Text)
		}
		i.Fields = append(i.Fields, field)
	}
	for _, one := range topicsOf(p, nil) {
		i.Preferences = append(i.Preferences, topicInfo{one.Name, one.Text})
	}
	return i
}

func (f *formRequest) sendJSON(p *forms.Public) {
	in := page{Schema: p.Schema, Language: f.texts.For(languageOf(p), f.browserLanguages())}
	if kind, _, _ := mime.ParseMediaType(f.r.Header.Get("Content-Type")); kind != "application/json" {
		f.reply(http.StatusUnsupportedMediaType, formAnswer{Text: "send application/json"})
		return
	}
	body, ok := f.readBody(f.w, f.r, maxBody)
	if !ok {
		return
	}
	var sent formSent
	if err := json.Unmarshal(body, &sent); err != nil {
		f.reply(http.StatusBadRequest, formAnswer{Text: "the body is no JSON of this form: " + err.Error()})
		return
	}
	if !f.limits.admit(f.r, f.now()) {
		text := in.plain("web.toomany.title") + ". " + in.plain("web.toomany.body")
		f.reply(http.StatusTooManyRequests, formAnswer{Text: text})
		return
	}
	e := f.entry(p, sent.posted(p))
	if stamp, ok := f.readStamp(p, sent.Stamp); !ok || stamp == "" {
		f.reply(http.StatusUnprocessableEntity, formAnswer{Text: in.plain("web.form.again"), Stamp: stamp})
		return
	}
	faults, err := f.subscribe(p, e, sent.Homepage != "")
	if err != nil {
		f.logForm(err)
		f.reply(http.StatusInternalServerError, formAnswer{Text: in.plain("web.failed.body")})
		return
	}
	f.replyFaults(p, in, faults)
}

// replyFaults answers that the visitor is subscribed, or what is wrong.
func (f *formRequest) replyFaults(p *forms.Public, in page, faults map[enlist.FieldID]forms.Fault) {
	if len(faults) == 0 {
		text := p.Thanks
		if text == "" {
			text = in.plain("web.formsent.body")
			if next := f.next(p); next != "" {
				text += " " + in.plain(next)
			}
		}
		f.reply(http.StatusOK, formAnswer{OK: true, Text: text, RedirectURL: p.RedirectURL})
		return
	}
	a := formAnswer{Text: in.plain("web.form.problem"), Faults: make(map[string]string),
		Stamp: f.newStamp(p, f.now().Add(-shortestFill))}
	for _, one := range inputsOf(p, nil, faults) {
		if one.Fault != "" {
			a.Faults[one.Name] = in.plain(one.Fault)
		}
	}
	if faults[forms.ConsentInput] != "" {
		a.Faults[agreeInput] = in.plain("web.form.agree")
	}
	f.reply(http.StatusUnprocessableEntity, a)
}

// posted returns the values as a form has them. A value that is no text and no array of texts is left out, except true
// or a number for a preference.
func (s *formSent) posted(p *forms.Public) url.Values {
	all := make(url.Values)
	for name, value := range s.Values {
		is := func(p enlist.Preference) bool { return forms.PreferenceInput(p.ID) == name }
		if slices.ContainsFunc(p.Preferences, is) {
			all[name] = tickOf(value)
			continue
		}
		switch v := value.(type) {
		case string:
			all.Add(name, v)
		case []any:
			for _, item := range v {
				if text, ok := item.(string); ok {
					all.Add(name, text)
				}
			}
		}
	}
	all[agreeInput], all[trackingInput], all[stampInput] = tickOf(s.Agree), tickOf(s.Tracking), []string{s.Stamp}
	return all
}

// tickOf returns the values of a tick in JSON: true, a number, a text, or several of them. Other values are none.
func tickOf(value any) (all []string) {
	switch v := value.(type) {
	case bool, float64, string:
		return []string{fmt.Sprint(v)}
	case []any:
		for _, item := range v {
			all = append(all, tickOf(item)...)
		}
	}
	return all
}

func (f *formRequest) reply(status int, answer any) {
	f.w.Header().Set("Content-Type", "application/json")
	b, err := json.Marshal(answer)
	if err != nil {
		panic(err) // it has only texts
	}
	send(f.w, status, string(b)+"\n")
}
