package admin_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"enlist/internal/admin"
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

func (s *site) knownBrowser() {
	v := s.signedIn(users.Membership{Level: enlist.Read})
	v.post("/admin/you/password", url.Values{"password": {"correct horse"}})
	v.post("/admin/sign-out", nil)
	guess := url.Values{"email": {"p-read@example.com"}, "password": {"wrong horse"}}
	stranger := s.stranger()
	for range 10 {
		stranger.post("/admin/sign-in", guess)
	}
	if status, _, _ := stranger.post("/admin/sign-in", guess); status != http.StatusTooManyRequests {
		s.Errorf("the eleventh guess is answered with %d", status)
	}
	guess.Set("password", "correct horse")
	if status, at, _ := v.post("/admin/sign-in", guess); status != http.StatusOK || at != "/admin/" {
		s.Errorf("the person signs in with %d at %s", status, at)
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
