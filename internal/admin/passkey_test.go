package admin_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"enlist/internal/enlist"
	"enlist/internal/users"
	"enlist/internal/users/userstest"

	"github.com/descope/virtualwebauthn"
)

var passkeyOptions = regexp.MustCompile(`data-options="([^"]*)"`)

// options returns what a page gives a browser for a passkey.
func (v *visitor) options(path string) string {
	v.Helper()
	_, _, text := v.get(path)
	found := passkeyOptions.FindStringSubmatch(text)
	if found == nil {
		v.Fatalf("GET %s has no options:\n%s", path, text)
	}
	return html.UnescapeString(found[1])
}

// passkeys adds a passkey, signs in with it and removes it, as a browser does.
func (s *site) passkeys() {
	s.server.URL = strings.Replace(s.server.URL, "127.0.0.1", "localhost", 1)
	s.App.Users.SetSettings(users.Settings{PublicURL: s.server.URL, Key: enlist.LinkKey{1}})
	v := s.signedIn(users.Membership{Level: enlist.Read})
	rp := virtualwebauthn.RelyingParty{ID: "localhost", Name: "enlist", Origin: s.server.URL}
	device, key := virtualwebauthn.NewAuthenticator(), userstest.NewKey()
	creation, err := virtualwebauthn.ParseAttestationOptions(v.options("/admin/you"))
	s.Must(err)
	device.Options.UserHandle = []byte(creation.UserID)
	answer := virtualwebauthn.CreateAttestationResponse(rp, device, key, *creation)
	if status, _, text := v.post("/admin/you/passkeys", url.Values{"name": {"My\nphone"}, "answer": {answer}}); status != http.StatusUnprocessableEntity ||
		!strings.Contains(text, "The name must") && !strings.Contains(text, "the name must") {
		s.Errorf("a name of two lines is answered with %d:\n%s", status, text)
	}
	if status, at, _ := v.post("/admin/you/passkeys", url.Values{"name": {"My phone"}, "answer": {answer}}); status != http.StatusOK ||
		!strings.Contains(at, "added") {
		s.Errorf("a passkey is answered with %d at %s", status, at)
	}
	other := s.stranger()
	signIn := func(next string) (int, string) {
		use, err := virtualwebauthn.ParseAssertionOptions(other.options("/admin/sign-in"))
		s.Must(err)
		key.Counter++
		status, at, _ := other.post("/admin/sign-in/passkey", url.Values{"sign_in_next": {next},
			"sign_in_answer": {virtualwebauthn.CreateAssertionResponse(rp, device, key, *use)}})
		return status, at
	}
	for next, want := range map[string]string{"/admin/lists": "/admin/lists", "//evil.example/": "/admin/",
		"/admin/%2e%2e/c/x": "/admin/", "https://evil.example/admin/": "/admin/", "/admin/../api/": "/admin/",
		`/admin/../\evil.example/`: "/admin/"} { // a browser reads \ as /
		if status, at := signIn(next); status != http.StatusOK || at != want {
			s.Errorf("the sign-in for %s ends with %d at %s", next, status, at)
		}
	}
	all, err := s.App.Users.Members(s.Context(), s.Caller.Account.ID)
	s.Must(err)
	passkeys, err := s.App.Users.Passkeys(s.Context(), all[0].ID)
	s.Must(err)
	path := "/admin/you/passkeys/" + id(passkeys[0].ID) + "/remove"
	if status, _, _ := s.signedInElsewhere().post(path, nil); status != http.StatusNotFound {
		s.Errorf("another person removes the passkey: %d", status)
	}
	v.post(path, nil)
	if status, _ := signIn("/admin/lists"); status != http.StatusUnprocessableEntity {
		s.Errorf("a removed passkey is answered with %d", status)
	}
}
