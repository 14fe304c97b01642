package admin_test

import (
	"net/http"
	"net/url"
	"strings"

	"enlist/internal/enlist"
	"enlist/internal/people"
)

func (s *site) doneSentences() {
	v := s.signedIn(people.Membership{Level: enlist.Full, MaySend: true})
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
	v := s.signedIn(people.Membership{Level: enlist.Read})
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
	full := s.signedIn(people.Membership{Level: enlist.Full, MaySend: true})
	if status, _, _ := s.signedIn(people.Membership{Level: enlist.Read}).post("/admin/lists", large); status != http.StatusForbidden {
		s.Errorf("a large form of level read is answered with %d", status)
	}
	for path, want := range map[string]int{"/admin/lists": http.StatusRequestEntityTooLarge, "/admin/messages": http.StatusNotFound} {
		if status, _, _ := full.post(path, large); status != want {
			s.Errorf("a form of 100 KiB to %s is answered with %d, want %d", path, status, want)
		}
	}
}
