package admin_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"enlist/internal/admin"
	"enlist/internal/admin/ui"
	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/users"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { dbtest.Main(m, func() error { return goleak.Find() }) }

// covers: decision 138, decision 146, decision 148, decision 169
func TestPages(t *testing.T) {
	apptest.Run(t, apptest.Own, newSite, []apptest.Rule[*site]{
		{Name: "a form that is sent after the session has ended is sent again after the sign-in", Test: (*site).sentAgain},
		{Name: "a page knows when its session ends, and a press keeps it alive", Test: (*site).staySignedIn},
		{Name: "a user chooses another password and another address by mailed links", Test: (*site).selfService},
		{Name: "a stranger is led to the sign-in, and afterwards to the page", Test: (*site).strangers},
		{Name: "each page needs its level, and says the time zone", Test: (*site).levels},
		{Name: "records of other Accounts and other Lists are answered like ones that do not exist", Test: (*site).others},
		{Name: "texts of Contacts and records stay text on every page", Test: (*site).markup},
		{Name: "a form from another site is refused", Test: (*site).otherSites},
		{Name: "an aborted request is no error in the log", Test: (*site).aborted},
		{Name: "a form is read after the level is checked, up to the limit of its page", Test: (*site).formSizes},
		{Name: "an image waits for its place in the memory before it is read", Test: (*site).imageMemory},
		{Name: "a page says what the last request has done only in words of the program", Test: (*site).doneSentences},
		{Name: "guesses of a stranger do not keep a person from signing in where they were signed in before", Test: (*site).knownBrowser},
		{Name: "a Message is written, looked at, sent once and reported", Test: (*site).firstSend},
		{Name: "a user signs in with a passkey, and administers users, keys and webhooks, as the audit log says", Test: (*site).administer},
		{Name: "only a person who may send can send", Test: (*site).maySend},
		{Name: "a form of one Account changes no other that the person has chosen meanwhile", Test: (*site).formsOfAccounts},
		{Name: "a Form is added, edited and deleted, and the texts of its List", Test: (*site).forms},
		{Name: "pages are in the language of the user, or else of the browser, if it is complete", Test: (*site).ofUser},
		{Name: "conditions are kept as a Segment, which a send can choose", Test: (*site).segments},
	})
}

// site has a server with the pages, a List with Contacts and a Batch that was sent.
type site struct {
	*apptest.SentBatch
	server *httptest.Server
}

func newSite(t *testing.T, store db.Engine) *site {
	s := &site{SentBatch: apptest.NewSentBatch(3)(t, store)}
	s.server = httptest.NewServer(admin.New(s.App, admin.Options{Delay: func(*http.Request) {}, SettingsPage: s.publicPages().SettingsExample, Log: slog.New(slog.DiscardHandler)}))
	t.Cleanup(s.server.Close)
	return s
}

// visitor is a browser.
type visitor struct {
	*site
	client http.Client
}

func (s *site) stranger() *visitor {
	jar, err := cookiejar.New(nil)
	s.Must(err)
	return &visitor{s, http.Client{Jar: jar}}
}

// signedIn returns the browser of a person with a membership.
func (s *site) signedIn(m users.Membership) *visitor {
	m.Account = s.Caller.Account.ID
	email := "p-" + m.Level.String() + "@example.com"
	_, err := s.App.Users.Invite(s.Context(), users.Invitation{Email: email, Name: "A <b>person</b>", Membership: m})
	s.Must(err)
	text, err := s.App.Users.NewLink(s.Context(), email)
	s.Must(err)
	v := s.stranger()
	v.post("/admin/link/"+text, nil)
	return v
}

// get returns the status, the path after redirects, and the text of a page.
func (v *visitor) get(path string) (status int, at, text string) {
	v.Helper()
	r, err := v.client.Get(v.server.URL + path)
	v.Must(err)
	return v.read(r)
}

func (v *visitor) post(path string, form url.Values) (status int, at, text string) {
	v.Helper()
	r, err := v.client.PostForm(v.server.URL+path, form)
	v.Must(err)
	return v.read(r)
}

func (v *visitor) read(r *http.Response) (status int, at, text string) {
	v.Helper()
	defer r.Body.Close()
	text, err := textOf(r)
	v.Must(err)
	return r.StatusCode, r.Request.URL.RequestURI(), text
}

// textOf returns a file as it is, and a page without the white space beside its elements.
func textOf(r *http.Response) (string, error) {
	b, err := io.ReadAll(r.Body)
	if strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
		return tight(string(b)), err
	}
	return string(b), err
}

// tight returns HTML without the white space beside elements, so that a test depends on no line of a template.
func tight(html string) string {
	var b strings.Builder
	last, skipped := byte('>'), false // the last character, and whether white space followed it
	for i := range len(html) {
		c := html[i]
		if c == ' ' || c == '\n' || c == '\t' || c == '\r' {
			skipped = true
			continue
		}
		if skipped && last != '>' && last != '<' && c != '<' && c != '>' {
			b.WriteByte(' ')
		}
		b.WriteByte(c)
		last, skipped = c, false
	}
	return b.String()
}

// missing returns the parts that a page does not show, as shown says, or that a file does not have. A part that is HTML
// must be in the page as it is.
func missing(text string, parts ...string) (none []string) {
	words := text
	if strings.HasPrefix(text, "<") {
		words = shown(text)
	}
	for _, part := range parts {
		if !strings.Contains(words, part) && !(isHTML.MatchString(part) && strings.Contains(text, tight(part))) {
			none = append(none, part)
		}
	}
	return none
}

// isHTML finds tags, attributes and entities.
var isHTML = regexp.MustCompile(`</?[a-z]|>[^ ]|="|&[a-z]+;|&#`)

// want checks the status of a page, and that it shows all parts.
func (v *visitor) want(path string, status int, parts ...string) {
	v.Helper()
	got, at, text := v.get(path)
	if got != status {
		v.Errorf("GET %s is answered with %d at %s, want %d", path, got, at, status)
	}
	if none := missing(text, parts...); len(none) > 0 {
		v.Errorf("GET %s does not show %q:\n%s", path, none, shown(text))
	}
}

// paths are the paths of all pages that show something.
func (s *site) paths() map[string]enlist.Level {
	batch, list, message := id(s.ID), id(s.News), id(s.Message)
	return map[string]enlist.Level{"/admin/": enlist.Read, "/admin/sends": enlist.Read, "/admin/sends/" + batch: enlist.Read,
		"/admin/lists": enlist.Read, "/admin/lists/" + list: enlist.Read, "/admin/contacts": enlist.Standard,
		"/admin/contacts?list=" + list: enlist.Standard, "/admin/messages": enlist.Read,
		"/admin/messages/" + message: enlist.Read, "/admin/messages/" + message + "/delete": enlist.Full,
		"/admin/sends/new": enlist.Standard, "/admin/segments": enlist.Read, "/admin/sends/check?when=now&message=" + message + "&list=" + list: enlist.Standard,
		"/admin/forms": enlist.Read, "/admin/forms/" + list + "/texts": enlist.Read, "/admin/you": enlist.Read}
}

func id[T ~int64](n T) string { return ui.Plain(int64(n)) }

func (s *site) strangers() {
	for path := range s.paths() {
		v := s.stranger()
		if status, at, _ := v.get(path); status != http.StatusOK || !strings.HasPrefix(at, "/admin/sign-in") {
			s.Errorf("GET %s of a stranger ends with %d at %s", path, status, at)
		}
	}
	first, err := s.App.Users.FirstLink(s.Context())
	s.Must(err)
	v := s.stranger()
	if status, at, _ := v.post("/admin/link/"+first, url.Values{"name": {"M"}, "email": {"m@example.com"},
		"password": {"correct horse"}}); status != http.StatusOK || at != "/admin/account" {
		s.Errorf("the first link ends with %d at %s", status, at)
	}
	other := s.stranger()
	wrong := url.Values{"sign_in_email": {"m@example.com"}, "sign_in_password": {"wrong horse"}, "sign_in_next": {"/admin/sends?page=1"}}
	if status, _, text := other.post("/admin/sign-in", wrong); status != http.StatusUnprocessableEntity ||
		!strings.Contains(text, "wrong") {
		s.Errorf("a wrong password is answered with %d", status)
	}
	wrong.Set("sign_in_password", "correct horse")
	if status, at, _ := other.post("/admin/sign-in", wrong); status != http.StatusOK || at != "/admin/sends?page=1" {
		s.Errorf("the sign-in ends with %d at %s", status, at)
	}
	other.post("/admin/sign-out", nil)
	if _, at, _ := other.get("/admin/sends"); !strings.HasPrefix(at, "/admin/sign-in") {
		s.Errorf("after the sign-out, the page is at %s", at)
	}
}

func (s *site) levels() {
	s.Must(s.App.Accounts.EditAccount(s.Context(), s.Caller.Account.ID, func(a *enlist.Account) { a.TimeZone = "Australia/Sydney" }))
	for _, level := range []enlist.Level{enlist.Read, enlist.Standard, enlist.Full} {
		v := s.signedIn(users.Membership{Level: level, MaySend: true})
		for path, needed := range s.paths() {
			want := http.StatusOK
			if level < needed {
				want = http.StatusForbidden
			}
			status, _, text := v.get(path)
			if status != want {
				s.Errorf("GET %s of level %s is answered with %d, want %d\n%s", path, level, status, want, text)
			}
			if !strings.Contains(text, "Times are in Australia/Sydney.") {
				s.Errorf("GET %s does not say the time zone:\n%s", path, text)
			}
		}
		if status, _, _ := v.post("/admin/messages", url.Values{"start": {"letter"}}); (status == http.StatusOK) != (level == enlist.Full) {
			s.Errorf("level %s adds a Message: %d", level, status)
		}
	}
}

func (s *site) others() {
	own := s.AddList("name", "Of the person")
	v := s.signedIn(users.Membership{Level: enlist.Full, Lists: []enlist.ListID{own}, MaySend: true})
	stranger := s.signedInElsewhere()
	for _, path := range []string{"/admin/lists/", "/admin/contacts?list="} {
		_, _, missing := v.get(path + "99999")
		v.want(path+id(own), http.StatusOK)
		for _, w := range []*visitor{v, stranger} {
			if status, _, text := w.get(path + id(s.News)); status != http.StatusNotFound || cut(text) != cut(missing) {
				s.Errorf("GET %s of another List is answered with %d, and other words than an unknown one:\n%s\n%s", path, status,
					cut(text), cut(missing))
			}
		}
	}
	stranger.want("/admin/messages/"+id(s.Message), http.StatusNotFound)
	for _, w := range []*visitor{v, stranger} {
		w.want("/admin/sends/"+id(s.ID), http.StatusNotFound)
		if status, _, _ := w.post("/admin/sends/"+id(s.ID)+"/cancel", nil); status != http.StatusNotFound {
			s.Errorf("another person cancels the Batch: %d", status)
		}
	}
}

// cut returns the content of a page without the menu.
func cut(text string) string {
	_, after, _ := strings.Cut(text, "<main")
	return after
}

// signedInElsewhere returns a person of another Account.
func (s *site) signedInElsewhere() *visitor {
	_, err := s.App.Users.Invite(s.Context(), users.Invitation{Email: "else@example.com", Name: "E",
		Membership: users.Membership{Account: s.NewCaller().Account.ID, Level: enlist.Full, MaySend: true}})
	s.Must(err)
	text, err := s.App.Users.NewLink(s.Context(), "else@example.com")
	s.Must(err)
	v := s.stranger()
	v.post("/admin/link/"+text, nil)
	return v
}

const hostile = `<script>alert(1)</script>"'><img src=x>`

func (s *site) markup() {
	list := s.AddList("name", hostile)
	s.AddField(list, "name", "F <i>", "type", "text")
	s.Subscribe(list, "Email", "a@example.com", "F <i>", hostile)
	message := s.AddMessage(hostile)
	v := s.signedIn(users.Membership{Level: enlist.Full, MaySend: true})
	for _, path := range []string{"/admin/", "/admin/lists", "/admin/lists/" + id(list), "/admin/contacts?list=" + id(list) +
		"&key=" + url.QueryEscape(hostile) + "&op=contains&value=" + url.QueryEscape(hostile), "/admin/contacts?list=" + id(list),
		"/admin/messages", "/admin/messages/" + id(message), "/admin/messages/" + id(message) + "/delete", "/admin/sends/new",
		"/admin/sends/check?when=at&at=%3Cscript%3E&list=" + id(list) + "&message=" + id(message),
		"/admin/sends/check?when=now&rate=%3Cscript%3E&list=" + id(list) + "&message=" + id(message),
		"/admin/you?done=" + url.QueryEscape(hostile)} {
		_, _, text := v.get(path)
		if strings.Contains(text, "<script>") || strings.Contains(text, "<img") || strings.Contains(text, "<b>person") {
			s.Errorf("GET %s has markup of others:\n%s", path, text)
		}
		if !strings.Contains(text, "&lt;") {
			s.Errorf("GET %s does not show the text, so this test tests nothing:\n%s", path, text)
		}
	}
	for _, bytes := range []string{"%FF", "%00"} { // no engine stores them as they are
		v.want("/admin/contacts?q="+bytes, http.StatusUnprocessableEntity, "not valid text")
	}
}

func (s *site) otherSites() {
	v := s.signedIn(users.Membership{Level: enlist.Full, MaySend: true})
	r, err := http.NewRequestWithContext(s.Context(), http.MethodPost, s.server.URL+"/admin/sign-out", nil)
	s.Must(err)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	answer, err := v.client.Do(r)
	s.Must(err)
	answer.Body.Close()
	if answer.StatusCode != http.StatusForbidden {
		s.Errorf("a form of another site is answered with %d", answer.StatusCode)
	}
	v.want("/admin/you", http.StatusOK)
}

func (s *site) firstSend() {
	v := s.signedIn(users.Membership{Level: enlist.Full, MaySend: true})
	_, at, _ := v.post("/admin/messages", url.Values{"start": {"club"}})
	message := strings.TrimPrefix(at, "/admin/messages/")
	form := url.Values{"name": {"May"}, "subject": {"News\nof May"}, "email_type": {"markdown"}, "content": {"# Hello\r\n\r\nyou"}}
	if status, _, text := v.post(at, form); status != http.StatusUnprocessableEntity || !strings.Contains(text, "# Hello") {
		s.Errorf("a subject of two lines is answered with %d and without what was typed", status)
	}
	whole := form.Get("content")
	form.Set("content", strings.Repeat("<", 3<<20))
	form.Set("subject", "News of May")
	if status, _, _ := v.post(at, form); status != http.StatusRequestEntityTooLarge {
		s.Errorf("a form of 9 MiB is answered with %d", status)
	}
	form.Set("content", whole)
	if status, saved, _ := v.post(at, form); status != http.StatusOK || !strings.Contains(saved, "Saved") {
		s.Errorf("the Message is answered with %d at %s", status, saved)
	}
	plan := url.Values{"message": {message}, "when": {"now"}}
	v.want("/admin/sends/check?"+plan.Encode(), http.StatusUnprocessableEntity, "Choose at least one List or Segment.")
	plan.Set("list", id(s.News))
	v.want("/admin/sends/check?"+plan.Encode(), http.StatusOK, "Send now", "To 3 of 3")
	sent := "/admin/sends/" + id(v.sendPlan(plan))
	v.want(sent, http.StatusOK, "May", "Pause")
	v.post(sent+"/pause", nil)
	v.want(sent, http.StatusOK, "paused", "Continue")
	v.want("/admin/sends", http.StatusOK, "May")
}

func (s *site) maySend() {
	v := s.signedIn(users.Membership{Level: enlist.Full})
	message := id(s.Message)
	v.want("/admin/sends/new", http.StatusForbidden)
	for path, form := range map[string]url.Values{
		"/admin/sends":                         {"message": {message}, "list": {id(s.News)}, "when": {"now"}, "token": {"t"}},
		"/admin/sends/" + id(s.ID) + "/pause":  nil,
		"/admin/messages/" + message + "/test": {"to": {"a@example.com"}},
	} {
		if status, _, _ := v.post(path, form); status != http.StatusForbidden {
			s.Errorf("POST %s of a person who may not send is answered with %d", path, status)
		}
	}
	if all, err := s.App.Batches.SearchBatches(s.Context(), s.Caller, enlist.Query{}); err != nil || len(all) != 1 {
		s.Errorf("there are %d Batches, %v; want 1", len(all), err)
	}
}

func (s *site) segments() {
	v := s.signedIn(users.Membership{Level: enlist.Full, MaySend: true})
	form := url.Values{"list": {id(s.News)}, "key": {"Email", "Email"}, "op": {"ends_with", "contains"},
		"value": {"@example.com", "1"}, "name": {"One <b>"}}
	if status, at, text := v.post("/admin/contacts/segments", form); status != http.StatusOK || !strings.Contains(at, "/admin/contacts?open=1") ||
		!strings.Contains(text, "One &lt;b&gt;") {
		s.Errorf("the Segment is answered with %d at %s:\n%s", status, at, text)
	}
	all, err := s.App.Contacts.SearchSegments(s.Context(), s.Caller, s.News, enlist.Query{})
	s.Must(err)
	if len(all) != 1 {
		s.Fatalf("there are %d Segments", len(all))
	}
	form.Set("name", " ")
	if status, _, text := v.post("/admin/contacts/segments", form); status != http.StatusUnprocessableEntity || !strings.Contains(text, "@example.com") {
		s.Errorf("a Segment without a name is answered with %d, or without the conditions", status)
	}
	part := id(s.News) + "-" + id(all[0].ID)
	v.want("/admin/contacts?list="+id(s.News)+"&key=segment_id&op=exactly&value="+id(all[0].ID), http.StatusOK, "1 match")
	v.want("/admin/sends/new?segment="+part, http.StatusOK, `value="`+part+`" checked`)
	v.want("/admin/sends/check?when=now&message="+id(s.Message)+"&segment="+part, http.StatusOK, "To 1 of 3")
	path := "/admin/segments/" + id(s.News) + "/" + id(all[0].ID) + "/delete"
	v.want(path, http.StatusOK, "One <b>")
	if status, _, _ := s.signedInElsewhere().post(path, nil); status != http.StatusNotFound {
		s.Errorf("a person of another Account deletes the Segment: %d", status)
	}
	v.post(path, nil)
	v.want(path, http.StatusNotFound)
}
