package admin_test

import (
	"context"
	"html"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"enlist/internal/admin"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/limiter"
	"enlist/internal/users"
)

func (s *site) doneSentences() {
	v := s.signedIn(users.Membership{Level: enlist.Full, MaySend: true})
	_, at, text := v.post("/admin/you/password", url.Values{"password": {"correct horse"}})
	const sentence = "Your password was changed."
	if !strings.Contains(text, sentence) {
		s.Fatalf("the page at %s does not say it", at)
	}
	v.want(at, http.StatusOK, sentence)
	other := s.signedInElsewhere()
	for who, path := range map[*visitor]string{
		v:     strings.Replace(at, "changed", "stolen", 1),
		other: at,
	} {
		if _, _, text := who.get(path); strings.Contains(text, `role="status"`) {
			s.Errorf("GET %s says what the program has not said", path)
		}
	}
	for _, query := range []string{"done=Call+0900+1", "done=x+Call+0900+1", "done=+Call+0900+1"} {
		if _, _, text := v.get("/admin/you?" + query); strings.Contains(text, "0900") {
			s.Errorf("the page shows %s", query)
		}
	}
}

func (s *site) selfService() {
	s.App.Users.SetSettings(users.Settings{PublicURL: s.server.URL})
	s.stranger().want("/admin/forgot", http.StatusOK, "This server sends no emails", "enlist user link ADDRESS")
	s.stranger().send("/admin/forgot", url.Values{"email": {"own@example.com"}}, http.StatusOK, "This server sends no emails", "enlist user link ADDRESS")
	var mails []users.LinkMail
	s.App.Users.SetSettings(users.Settings{PublicURL: s.server.URL, Mail: func(_ context.Context, m *users.LinkMail) error {
		mails = append(mails, *m)
		return nil
	}})
	v := s.as("own", users.Membership{Role: enlist.Reader})
	stranger := s.stranger()
	stranger.want("/admin/sign-in", http.StatusOK, "[Forgot your password?](/admin/forgot)")
	for _, email := range []string{"own@example.com", "unknown@example.com"} {
		stranger.send("/admin/forgot", url.Values{"email": {email}}, http.StatusOK, "If a user has this address")
	}
	s.Must(s.App.Users.MailPasswordLink(s.Context(), db.Job{}, users.SendPasswordLink{EmailKey: "own@example.com"}))
	link := strings.TrimPrefix(mails[0].URL, s.server.URL)
	stranger.want(link, http.StatusOK, "Hello own.", "least 12 characters")
	stranger.send(link, url.Values{"password": {"password1234"}}, http.StatusUnprocessableEntity, "!many people use this password")
	if at := stranger.send(link, url.Values{"password": {"three small cats"}}, http.StatusOK); at != "/admin/" {
		s.Errorf("another password leads to %s", at)
	}
	stranger.want(link, http.StatusNotFound, "This link does not work", "an invitation works for seven days", "[Forgot your password?](/admin/forgot)")
	if _, at, _ := v.get("/admin/you"); !strings.HasPrefix(at, "/admin/sign-in") {
		s.Errorf("the earlier session is at %s", at)
	}
	stranger.want("/admin/you", http.StatusOK, "Another program: Go-http-client/1.1")
	stranger.send("/admin/you/name", url.Values{"name": {"New <b>"}}, http.StatusOK, "Your name was saved.", "# New <b>")
	change := url.Values{"email": {"new@example.com"}, "present": {"wrong"}}
	stranger.send("/admin/you/address", change, http.StatusUnprocessableEntity, "!This is not your current password", `: "new@example.com"`)
	change.Set("present", "three small cats")
	stranger.send("/admin/you/address", change, http.StatusOK, "A link was sent to new@example.com", "You sign in with own@example.com.")
	link = strings.TrimPrefix(mails[1].URL, s.server.URL)
	other := s.stranger()
	other.want(link, http.StatusOK, "From now on you sign in with new@example.com")
	other.send(link, nil, http.StatusOK, "You now sign in with new@example.com.")
	stranger.want("/admin/you", http.StatusOK, "You sign in with new@example.com.")
}

func (s *site) knownBrowser() {
	v := s.signedIn(users.Membership{Level: enlist.Read})
	v.post("/admin/you/password", url.Values{"password": {"correct horse"}})
	v.post("/admin/sign-out", nil)
	guess := url.Values{"sign_in_email": {"p-read@example.com"}, "sign_in_password": {"wrong horse"}}
	stranger := s.stranger()
	for range 10 {
		stranger.post("/admin/sign-in", guess)
	}
	if status, _, _ := stranger.post("/admin/sign-in", guess); status != http.StatusTooManyRequests {
		s.Errorf("the eleventh guess is answered with %d", status)
	}
	guess.Set("sign_in_password", "correct horse")
	if status, at, _ := v.post("/admin/sign-in", guess); status != http.StatusOK || at != "/admin/" {
		s.Errorf("the person signs in with %d at %s", status, at)
	}
}

// sentAgain saves what a user has typed before the session ended, if the same user signs in again. The sign-in of a
// browser in which no user was signed in keeps no form, and no sign-in keeps a password.
func (s *site) sentAgain() {
	v := s.signedIn(users.Membership{Level: enlist.Full})
	v.post("/admin/you/password", url.Values{"password": {"correct horse"}})
	v.post("/admin/sign-out", nil)
	typed := url.Values{"name": {"a <b> \"c\""}, "email": {"typed@example.com"}, "boxes": {"1", "2"}}
	status, _, text := v.post("/admin/lists/new", typed)
	page := shown(text)
	if status != http.StatusUnauthorized || !strings.Contains(page, "What you typed is kept") {
		s.Fatalf("a form without a session is answered with %d:\n%s", status, page)
	}
	hidden := url.Values{}
	for _, in := range regexp.MustCompile(`type="hidden" name="([^"]*)" value="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		hidden.Add(in[1], html.UnescapeString(in[2]))
	}
	for name, values := range typed {
		if !slices.Equal(hidden[name], values) {
			s.Errorf("the sign-in has %q as %s, want %q", hidden[name], name, values)
		}
	}
	form := url.Values{"sign_in_next": hidden["sign_in_next"][:1], "sign_in_again": {"1"}, "sign_in_email": {"p-full@example.com"},
		"sign_in_password": {"wrong"}}
	maps.Copy(form, typed)
	if status, _, text = v.post("/admin/sign-in", form); status != http.StatusUnprocessableEntity || !strings.Contains(text, `name="boxes" value="2"`) ||
		!strings.Contains(text, "What you typed is kept") {
		s.Errorf("a wrong password is answered with %d, and what was typed is lost:\n%s", status, text)
	}
	form.Set("sign_in_password", "correct horse")
	if status, at, _ := v.post("/admin/sign-in", form); status != http.StatusOK || !strings.HasPrefix(at, "/admin/lists/") {
		s.Errorf("the sign-in ends with %d at %s, want the page of the new List", status, at)
	}
	v.post("/admin/sign-out", nil)
	other := s.signedIn(users.Membership{Level: enlist.Standard, MaySend: true})
	other.post("/admin/you/password", url.Values{"password": {"correct horse"}})
	form.Set("sign_in_email", "p-standard@example.com")
	client := v.client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	reply, err := client.PostForm(s.server.URL+"/admin/sign-in", form)
	s.Must(err)
	if reply.Body.Close(); reply.StatusCode != http.StatusSeeOther {
		s.Errorf("after the form of one user, another one signs in with status %d, want 303, which sends no form", reply.StatusCode)
	}
	v.post("/admin/sign-out", nil)
	for path, form := range map[string]url.Values{"password": {"present": {"hidden horse"}, "password": {"new horse 1234"}},
		"address": {"present": {"hidden horse"}, "email": {"own@example.com"}}, "passkeys": {"present": {"hidden horse"}, "name": {"own"}}} {
		if _, _, text := v.post("/admin/you/"+path, form); strings.Contains(text, "horse") {
			s.Errorf("the sign-in has a password:\n%s", text)
		}
	}
	large := url.Values{"name": {strings.Repeat("x", 2<<20)}}
	if status, _, text := v.post("/admin/messages", large); status != http.StatusUnauthorized || !strings.Contains(text, "too large to keep") {
		s.Errorf("a form of 2 MiB without a session is answered with %d", status)
	}
	if _, _, text := v.post("/admin/imports/new", url.Values{"list": {"1"}}); !strings.Contains(text, "the file was not stored") {
		s.Errorf("a file without a session is answered with\n%s", text)
	}
	if _, _, text := s.stranger().post("/admin/lists/new", typed); strings.Contains(text, "typed@") {
		s.Error("the sign-in of a stranger has a form")
	}
}

// formSizes sends forms of 100 KiB. The one for a Message is read, and names no kind of Message that exists.
func (s *site) formSizes() {
	large := url.Values{"name": {strings.Repeat("x", 100<<10)}}
	full := s.signedIn(users.Membership{Level: enlist.Full, MaySend: true})
	if status, _, _ := s.signedIn(users.Membership{Level: enlist.Read}).post("/admin/lists/new", large); status != http.StatusForbidden {
		s.Errorf("a large form of level read is answered with %d", status)
	}
	for path, want := range map[string]int{"/admin/lists/new": http.StatusRequestEntityTooLarge, "/admin/messages": http.StatusNotFound} {
		if status, _, _ := full.post(path, large); status != want {
			s.Errorf("a form of 100 KiB to %s is answered with %d, want %d", path, status, want)
		}
	}
}

func (s *site) imageMemory() {
	v := s.signedIn(users.Membership{Level: enlist.Full})
	u, err := url.Parse(s.server.URL + "/admin/images")
	s.Must(err)
	memory := limiter.NewShared(100, 50, 1)
	handler := admin.New(s.App, admin.Options{Delay: func(*http.Request) {}, Bodies: memory, Log: slog.New(slog.DiscardHandler)})
	upload := func() int {
		r := httptest.NewRequestWithContext(s.Context(), http.MethodPost, u.String(), strings.NewReader("--x--"))
		r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		for _, c := range v.client.Jar.Cookies(u) {
			r.AddCookie(c)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Code
	}
	release, err := memory.AcquireFor(s.Context(), int64(s.Caller.Account.ID), 50)
	s.Must(err)
	if got := upload(); got != http.StatusServiceUnavailable {
		s.Errorf("an image without a place is answered with %d, want 503", got)
	}
	release()
	for range 3 {
		if got := upload(); got != http.StatusUnprocessableEntity {
			s.Errorf("a form without an image is answered with %d, want 422", got)
		}
	}
}

// staySignedIn lets almost the whole time without a request pass, twice.
func (s *site) staySignedIn() {
	v := s.signedIn(users.Membership{Level: enlist.Read})
	s.Pass(time.Hour)
	if _, _, text := v.get("/admin/you"); !strings.Contains(text, `data-idle="43200" data-longest="2588400"`) {
		s.Errorf("the page does not know when its session ends:\n%s", cut(text))
	}
	for range 2 {
		s.Pass(12*time.Hour - time.Minute)
		if status, _, _ := v.post("/admin/stay", nil); status != http.StatusNoContent {
			s.Fatalf("the press is answered with %d", status)
		}
	}
	s.Pass(12 * time.Hour)
	r, err := http.NewRequestWithContext(s.Context(), http.MethodPost, s.server.URL+"/admin/stay", nil)
	s.Must(err)
	r.Header.Set("HX-Request", "true")
	answer, err := v.client.Do(r)
	s.Must(err)
	if answer.Body.Close(); answer.StatusCode != http.StatusUnauthorized {
		s.Errorf("after the end, the press is answered with %d", answer.StatusCode)
	}
}
