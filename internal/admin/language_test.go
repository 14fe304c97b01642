package admin_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"

	"enlist/internal/admin"
	"enlist/internal/enlist"
	"enlist/internal/language/languagetest"
	"enlist/internal/users"
)

// wrongs are the mistakes beside the inputs of a page.
var wrongs = regexp.MustCompile(`<span class="wrong"[^>]*>[^<]*</span>`)

// ofUser looks at pages in a second complete language, which is German for browsers.
func (s *site) ofUser() {
	second := httptest.NewServer(admin.New(s.App, admin.Options{Delay: func(*http.Request) {}, Log: slog.New(slog.DiscardHandler),
		Texts: languagetest.Beside("de")}))
	defer second.Close()
	of := *s
	of.server = second
	v := of.signedIn(users.Membership{Level: enlist.Read})
	owner := of.signedIn(users.Membership{Level: enlist.Full})
	s.Must(s.App.Users.SetLanguage(s.Context(), "p-full@example.com", "de"))
	wanted := func(v *visitor, path, accept, code, title string) {
		s.Helper()
		request, err := http.NewRequest("GET", second.URL+path, nil)
		s.Must(err)
		request.Header.Set("Accept-Language", accept)
		r, err := v.client.Do(request)
		s.Must(err)
		if _, _, text := v.read(r); !strings.Contains(text, `<html lang="`+code+`">`) || !strings.Contains(text, title) {
			s.Errorf("GET %s for a browser of %q is not in %s:\n%s", path, accept, code, cut(text))
		}
	}
	wanted(v, "/admin/lists", "", "en", ">Lists<")
	wanted(v, "/admin/lists", "de-AT,en;q=0.5", "de", ">Łīšţš<")
	wanted(v, "/admin/lists", "fr", "en", ">Lists<") // which is not complete
	wanted(v, "/admin/unknown", "de", "de", "Ţĥ")
	wanted(of.stranger(), "/admin/sign-in", "de", "de", "Šīğñ")
	wanted(of.stranger(), "/admin/link/unknown", "de", "de", "Ţĥ")

	v.send("/admin/you/language", url.Values{"language": {"xx"}}, http.StatusUnprocessableEntity, "!expected one of")
	v.send("/admin/you/language", url.Values{"language": {"de"}}, http.StatusOK, "Ŷōūř łăñğūăğē ŵăš šăṽēđ.")
	wanted(v, "/admin/lists", "en", "de", ">Łīšţš<")
	s.Must(s.App.Users.SetLanguage(s.Context(), "p-read@example.com", "fr"))
	wanted(v, "/admin/lists", "de", "de", ">Łīšţš<")
	for path, form := range map[string]url.Values{"/admin/users": {"only": {"1"}, "email": {"none"}},
		"/admin/account/edit": {"name": {""}, "timezone": {"no"}, "country_code": {"999"}},
		"/admin/look":         themeForm("width", "wide", "accent_colour", "red", "imprint", strings.Repeat("x", 2000)),
		"/admin/lists/" + id(s.News) + "/settings": {"name": {"a\nb"}, "from_address": {"x"}, "reply_to": {"y"}, "on_update_address": {"z"}}} {
		_, _, text := owner.post(path, form)
		if found := languagetest.Untranslated(strings.Join(wrongs.FindAllString(text, -1), " "), `"none" "no" "x" "y" "z" x y`); len(found) > 0 {
			s.Errorf("the mistakes of %s have the words %q in no catalogue:\n%s", path, found, wrongs.FindAllString(text, -1))
		}
	}
	v.send("/admin/you/language", url.Values{"language": {""}}, http.StatusOK, "Your language was saved.")
	v.want("/admin/you", http.StatusOK, "Language")
}
