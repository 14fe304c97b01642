package web

import (
	"cmp"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"enlist/internal/address"
	"enlist/internal/enlist"
	"enlist/internal/forms"
	"enlist/internal/language"

	"golang.org/x/text/encoding/htmlindex"
)

// This file has the page of a Form, which works without script, and the page that mails the link to the settings.
// form_json.go has the same for scripts of other sites. decisions.md: 132

const (
	shortestFill = 2 * time.Second // a program fills in a form faster
	longestFill  = 24 * time.Hour
	trapInput    = "homepage" // no person sees the input, and programs fill it in
	stampInput   = "stamp"
	agreeInput   = "agree"
)

// form handles requests for a Form: /s/12, and /s/12.json for scripts.
func (h *Handler) form(w http.ResponseWriter, r *http.Request) {
	id, isScript := strings.CutSuffix(r.PathValue("form"), ".json")
	switch f := h.formRequest(w, r, id); {
	case f == nil:
	case isScript:
		f.json()
	default:
		f.only(f.show, f.send)
	}
}

// formLink handles requests for /s/12/link.
func (h *Handler) formLink(w http.ResponseWriter, r *http.Request) {
	if f := h.formRequest(w, r, r.PathValue("form")); f != nil {
		f.only(f.askLink, f.sendLink)
	}
}

func (h *Handler) formRequest(w http.ResponseWriter, r *http.Request, id string) *formRequest {
	n := number(id)
	if n == 0 {
		h.unknown(w, r)
		return nil
	}
	if IsPreview(r) {
		w.Header().Set("Content-Security-Policy", strings.Replace(h.policy, "frame-ancestors 'none'",
			"frame-ancestors 'self'", 1))
	}
	return &formRequest{Handler: h, w: w, r: r, id: enlist.FormID(n)}
}

// IsPreview reports whether a request is of a frame of the administration, which shows a Form as visitors see it.
func IsPreview(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, formPrefix) && r.URL.Query().Has("preview") &&
		(r.Method == http.MethodGet || r.Method == http.MethodHead)
}

// formRequest is a request for a Form.
type formRequest struct {
	*Handler
	w  http.ResponseWriter
	r  *http.Request
	id enlist.FormID
}

// only calls get for GET and HEAD, and post for POST.
func (f *formRequest) only(get, post func()) {
	switch f.r.Method {
	case http.MethodGet, http.MethodHead:
		get()
	case http.MethodPost:
		if f.readForm(f.w, f.r, maxBody) {
			post()
		}
	default:
		f.w.Header().Set("Allow", "GET, HEAD, POST")
		http.Error(f.w, "this page is opened with GET", http.StatusMethodNotAllowed)
	}
}

type formPage struct {
	*forms.Public
	Inputs    []input
	Topics    []tick // preferences
	Stamp     string
	Agreed    bool
	Ticked    bool   // the tick with the text Tracking
	Fault     bool   // the tick for the consent is missing
	Problem   string // key of a text about the whole form
	Next      string // key of a text about what the visitor does next; "": nothing
	Trap      string // names of inputs
	StampName string
	AgreeName string
	Tracking  string
	Link      string // of the page that mails the link to the settings; relative: the public URL can have a path
	Action    string // where the form is sent; "": to the URL of the page
	Others    []languageLink
}

// languageLink leads to a Form in another language.
type languageLink struct{ Code, Name, Link string }

const languageQuery = "lang" // has the language of a Form in several languages, in the URLs of its pages

// page returns the data of a page about a Form.
func (f *formRequest) page(p *forms.Public) page {
	form := &formPage{Public: p, Trap: trapInput, StampName: stampInput, AgreeName: agreeInput,
		Topics: topicsOf(p, nil),
		Link:   strconv.FormatInt(int64(f.id), 10) + "/link"}
	form.Tracking, _ = f.trackingOf(p, true)
	for _, code := range p.AllLanguages {
		query := "?" + languageQuery + "=" + code
		switch {
		case code == p.Language: // the URL has it, so that each page that follows has the same language
			form.Action, form.Link = query, form.Link+query
			continue
		case IsPreview(f.r):
			query += "&preview"
		}
		form.Others = append(form.Others, languageLink{code, f.texts.For(code, "").Name(), query})
	}
	return page{Schema: p.Schema, Wanted: p.Language, Form: form}
}

func (f *formRequest) browserLanguages() string { return f.r.Header.Get("Accept-Language") }

// find returns the Form in the language of the URL, or else in the one of its languages that fits best to preferred,
// which is as in Accept-Language. "" stands for the Form's own language.
func (f *formRequest) find(preferred string) (*forms.Public, error) {
	p, err := f.forms.Show(f.r.Context(), f.id)
	if err != nil {
		return nil, err
	}
	codes, wanted := p.AllLanguages, f.urlLanguage()
	switch {
	case slices.Contains(codes, wanted):
		p = p.In(wanted)
	case codes != nil:
		p = p.In(language.Best(codes, preferred))
	}
	return p, nil
}

// urlLanguage returns the language in the URL, which the Form may not have, or "".
func (f *formRequest) urlLanguage() string { return f.r.URL.Query().Get(languageQuery) }

// load is find for the page. It returns nil after it has answered that there is no Form, or that it is closed.
func (f *formRequest) load(preferred string) *forms.Public {
	p, err := f.find(preferred)
	switch {
	case err != nil:
		f.fail(err)
		return nil
	case !p.Open:
		f.render(f.w, f.r, http.StatusOK, "formclosed", page{Schema: p.Schema, Wanted: p.Language})
		return nil
	}
	return p
}

// fail answers a request whose form cannot be shown or stored.
func (f *formRequest) fail(err error) {
	if errors.Is(err, forms.ErrNone) {
		f.unknown(f.w, f.r)
		return
	}
	f.logForm(err)
	f.render(f.w, f.r, http.StatusInternalServerError, "failed", page{})
}

func (f *formRequest) logForm(err error) {
	if f.r.Context().Err() == nil {
		f.log.Error("form", "form", int64(f.id), "error", err)
	}
}

// stampOf returns the subject of the stamp of the Form. The ledger gets the consent, or else the title, and what a tick
// allows to record. The stamp is for these texts, because a visitor has not agreed to one that was not shown.
func (f *formRequest) stampOf(p *forms.Public) string {
	tracking, _ := f.trackingOf(p, true)
	return "form " + strconv.FormatInt(int64(f.id), 10) + " " + p.Language + "\x00" + cmp.Or(p.Consent, p.Title) +
		strings.Repeat("\x00", min(1, len(tracking))) + tracking
}

// newStamp returns the stamp of a Form that is shown at a time.
func (f *formRequest) newStamp(p *forms.Public, at time.Time) string {
	return f.key.Stamp(f.stampOf(p), at.Unix())
}

func (f *formRequest) show() {
	if p := f.load(f.browserLanguages()); p != nil {
		f.countView(p)
		view := f.page(p)
		view.Form.Inputs = inputsOf(p, nil, nil)
		f.write(http.StatusOK, view, f.newStamp(p, f.now()))
	}
}

// countView counts that the visitor sees the Form. The page is shown even if this fails.
func (f *formRequest) countView(p *forms.Public) {
	if f.r.Method != http.MethodGet || IsPreview(f.r) || !f.limits.admitView(f.r, f.now()) {
		return
	}
	if err := f.forms.CountView(f.r.Context(), p); err != nil {
		f.logForm(err)
	}
}

// write writes the page with the form. A browser follows the redirect after a form only if the policy names its site.
func (f *formRequest) write(status int, view page, stamp string) {
	view.Form.Stamp = stamp
	if u, err := url.Parse(view.Form.RedirectURL); err == nil && forms.Origin(u) != "" {
		head := f.w.Header()
		head.Set("Content-Security-Policy", strings.Replace(head.Get("Content-Security-Policy"), "form-action 'self'",
			"form-action 'self' "+forms.Origin(u), 1))
	}
	f.render(f.w, f.r, status, "form", view)
}

// send handles a form that was sent. The answer is the same whether the address is known or not, also in time.
func (f *formRequest) send() {
	posted, preferred := f.r.PostForm, f.browserLanguages()
	if posted.Get(stampInput) == "" {
		preferred = "" // the texts of a page of another site do not depend on the browser
	}
	p := f.load(preferred)
	if p == nil {
		return
	}
	if !f.limits.admit(f.r, f.now()) {
		f.render(f.w, f.r, http.StatusTooManyRequests, "toomany", page{Schema: p.Schema, Wanted: p.Language})
		return
	}
	e := f.entry(p, posted)
	view := f.page(p)
	view.Form.Agreed, view.Form.Ticked, view.Form.Topics = e.Agreed, e.Tracking != "", topicsOf(p, e)
	if stamp, ok := f.readStamp(p, posted.Get(stampInput)); !ok {
		view.Form.Problem, view.Form.Inputs = "web.form.again", inputsOf(p, e, nil)
		if stamp == "" { // the texts are new to the visitor, who has not ticked this consent
			stamp, view.Form.Agreed, view.Form.Ticked = f.newStamp(p, f.now()), false, false
		}
		f.write(http.StatusUnprocessableEntity, view, stamp)
		return
	}
	faults, err := f.subscribe(p, e, posted.Get(trapInput) != "")
	switch {
	case err != nil:
		f.fail(err)
	case len(faults) > 0:
		view.Form.Problem, view.Form.Inputs = "web.form.problem", inputsOf(p, e, faults)
		view.Form.Fault = faults[forms.ConsentInput] != ""
		f.write(http.StatusUnprocessableEntity, view, f.newStamp(p, f.now().Add(-shortestFill)))
	case p.RedirectURL != "":
		http.Redirect(f.w, f.r, address.ASCIILink(p.RedirectURL), http.StatusSeeOther)
	default:
		view.Form.Next = f.next(p)
		f.render(f.w, f.r, http.StatusOK, "formsent", view)
	}
}

// next returns the key of a text that says how a visitor confirms the subscription, or "" on a List that does not ask.
func (f *formRequest) next(p *forms.Public) string {
	switch {
	case !p.Schema.List.DoubleOptIn:
		return ""
	case f.mailsLeave(f.r.Context(), &p.Schema.List):
		return "web.formsent.confirm"
	}
	return "web.formsent.waits"
}

// subscribe sends the Form, unless a program has filled in the trap or an address is sent too often. Then it answers as
// if it had.
func (f *formRequest) subscribe(p *forms.Public, e *forms.Entry, trapped bool) (map[enlist.FieldID]forms.Fault, error) {
	wait := f.pad(f.r)
	defer wait()
	mailbox := strings.Join(e.Values[p.Schema.Email().ID], ",")
	if trapped || mailbox != "" && !f.limits.admitMailbox(address.Mailbox(mailbox), f.now()) {
		return nil, nil
	}
	return f.forms.Send(f.r.Context(), f.id, e)
}

func (f *formRequest) entry(p *forms.Public, posted url.Values) *forms.Entry {
	e := &forms.Entry{Values: make(map[enlist.FieldID][]string), Ticked: make(map[enlist.PreferenceID]bool),
		Agreed: forms.IsTicked(posted[agreeInput]), IP: visitorIP(f.r), Title: p.Title, Language: p.Language}
	in := f.texts.For(languageOf(p), f.browserLanguages())
	e.Page = in.Code
	if e.Title == "" {
		e.Title = in.Text("web.form.heading", "list", p.Schema.List.Name)
	}
	for _, i := range p.Inputs {
		e.Values[i.ID] = forms.Chosen(i.Field, posted[forms.FieldInput(i.ID)])
	}
	for _, one := range p.Preferences {
		e.Ticked[one.ID] = forms.IsTicked(posted[forms.PreferenceInput(one.ID)])
	}
	if forms.IsTicked(posted[trackingInput]) {
		e.Tracking, e.Version = f.trackingOf(p, posted.Get(stampInput) != "")
	}
	return e
}

// languageOf returns the language that the Form or its List demands, or "".
func languageOf(p *forms.Public) string {
	if p.Language != "" {
		return p.Language
	}
	return p.Schema.List.Language
}

// readStamp checks when the form was shown, and that it had the texts of p. It returns the stamp for the next try, or
// "" if the visitor has to see these texts first. A form on a site of the Account has no stamp, and its browser says
// from where it comes. If the Form no longer has the language of its URL, it shows other texts.
func (f *formRequest) readStamp(p *forms.Public, stamp string) (next string, ok bool) {
	now := f.now()
	at, valid := f.key.ReadStamp(f.stampOf(p), stamp)
	age := now.Sub(time.Unix(at, 0))
	switch code := f.urlLanguage(); {
	case stamp == "" && f.isSite(p):
		return "", code == "" || code == p.Language
	case !valid:
		return "", false
	case age > longestFill || age < 0:
		return f.newStamp(p, now), false
	}
	return stamp, age >= shortestFill
}

// isSite reports whether a page of one of the Form's sites has sent the request.
func (f *formRequest) isSite(p *forms.Public) bool {
	origin := f.r.Header.Get("Origin")
	return origin != "" && slices.Contains(strings.Split(p.Sites, ","), origin)
}

// askLink shows the page on which a subscriber asks for the link to the settings.
func (f *formRequest) askLink() {
	p, err := f.find(f.browserLanguages())
	if err != nil {
		f.fail(err)
		return
	}
	f.Handler.askLink(f.w, f.r, p.Schema, p.Language)
}

func (f *formRequest) sendLink() {
	p, err := f.find(f.browserLanguages())
	if err != nil {
		f.fail(err)
		return
	}
	f.Handler.sendLink(f.w, f.r, p.Schema, p.Language)
}

// charsetInput is a hidden input into which a browser writes the encoding of the form. HTML standard, 4.10.22.5
const charsetInput = "_charset_"

// decodeForm converts the values of a form to UTF-8 from the encoding that the form or its header Content-Type names.
// It leaves a form with an unknown encoding as it is, whose values are then refused if they are not UTF-8.
func decodeForm(r *http.Request) {
	name := r.PostForm.Get(charsetInput)
	if name == "" {
		_, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if err != nil {
			return
		}
		name = parameters["charset"]
	}
	encoding, err := htmlindex.Get(name)
	if err != nil {
		return
	}
	decoded := make(url.Values, len(r.PostForm))
	for key, values := range r.PostForm {
		for _, value := range values {
			if text, err := encoding.NewDecoder().String(value); err == nil {
				value = text
			}
			decoded.Add(key, value)
		}
	}
	r.PostForm = decoded
}
