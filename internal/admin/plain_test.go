package admin_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"enlist/internal/admin"
	"enlist/internal/admin/sending"
	"enlist/internal/apptest"
)

// This file tests what pages say when there is nothing to show, or when no mail leaves.

func TestPagesSayWhatIsTrue(t *testing.T) {
	apptest.Run(t, apptest.Slow, newSite, []apptest.Rule[*site]{
		{Name: "an unknown path is a page that leads back", Test: (*site).unknownPath},
		{Name: "no page says that a mail is on its way where none leaves", Test: (*site).noMailLeaves},
		{Name: "what is hidden stays hidden", Test: (*site).hiddenParts},
		{Name: "all mistakes of a form stand beside their inputs at once", Test: (*site).allMistakes},
	})
}

func (s *site) unknownPath() {
	v := s.full()
	for _, path := range []string{"/admin/x", "/admin/sends/1/unheard-of", "/admin/messages/1/x/y"} {
		v.want(path, http.StatusNotFound, "This page does not exist", "[Home](/admin/)")
	}
	if _, at, _ := s.stranger().get("/admin/x"); !strings.HasPrefix(at, "/admin/sign-in") {
		s.Errorf("a stranger at an unknown path is at %s", at)
	}
}

func (s *site) noMailLeaves() {
	v, path := s.full(), "/admin/messages/"+id(s.Message)+"/test"
	test := url.Values{"list": {id(s.News)}, "to": {"a@example.com"}}
	said := func(v *visitor) string {
		_, at, _ := v.post(path, test)
		at, err := url.QueryUnescape(at)
		s.Must(err)
		return at
	}
	if at := said(v); !strings.Contains(at, "was sent to a@example.com.") {
		s.Errorf("a test mail ends at %s", at)
	}
	_, plan := s.fresh(2)
	for _, c := range []struct {
		options admin.Options
		hold    bool
		want    string
	}{{admin.Options{Server: sending.Server{MailDir: "mails"}}, false, "No email leaves this server"},
		{admin.Options{}, true, "All emails are on hold"}} {
		if c.hold {
			s.Must(s.App.Sending.HoldMails(s.Context(), "a test"))
		}
		c.options.Log, c.options.Delay = slog.New(slog.DiscardHandler), func(*http.Request) {}
		s.server.Close()
		s.server = httptest.NewServer(admin.New(s.App, c.options))
		v := s.full()
		if at := said(v); strings.Contains(at, "was sent to") || !strings.Contains(at, c.want) {
			s.Errorf("a test mail ends at %s", at)
		}
		v.want("/admin/sends/check?"+plan.Encode(), http.StatusOK, c.want)
		v.want("/admin/account", http.StatusOK, map[bool]string{true: "[on hold](/admin/sending) since", false: "written to a folder"}[c.hold])
		_, text := v.press(v.shown(plan))
		if !strings.Contains(text, c.want) || strings.Contains(text, "in a moment. <") {
			s.Errorf("the page of the campaign does not say %q:\n%s", c.want, cut(text))
		}
	}
	s.server.Close()
}

// An element with the attribute hidden showed an error before anything was tried: a class with a display shows it. The
// sheet is small, so that pages with many Contacts are fast on a phone.
func (s *site) hiddenParts() {
	style, err := os.ReadFile("ui/style.css")
	s.Must(err)
	if !regexp.MustCompile(`\[hidden\] \{ display: none !important \}`).Match(style) {
		s.Error("a class can show what is hidden")
	}
	if len(style) > 12<<10 {
		s.Errorf("each page loads %d bytes of style.css, want at most 12 KB", len(style))
	}
}

func (s *site) allMistakes() {
	v := s.full()
	_, _, first := v.get("/admin/sends/check?" + url.Values{"rate": {"fast"}, "at": {"2020-01-01T09:00"}}.Encode())
	for _, part := range []string{"4 inputs need a correction", "Choose a Message.", "Choose at least one List or Segment.", "expected rates",
		"This time is in the past."} {
		if !strings.Contains(first, part) {
			s.Errorf("the first page has no %q:\n%s", part, cut(first))
		}
	}
	_, at, _ := v.post("/admin/messages", url.Values{"start": {"letter"}})
	status, _, text := v.post(at, url.Values{"name": {"two\nlines"}, "subject": {"a\nb"}, "reply_to": {"none at"}, "from_address": {"x"},
		"email_type": {"markdown"}})
	if n := strings.Count(text, `class="wrong"`); status != http.StatusUnprocessableEntity || n != 4 {
		s.Errorf("the editor is answered with %d and %d mistakes:\n%s", status, n, cut(text))
	}
	status, _, text = v.post("/admin/lists/"+id(s.News)+"/settings", url.Values{"name": {"a\nb"}, "from_address": {"x"}, "reply_to": {"y"}})
	if n := strings.Count(text, `class="wrong"`); status != http.StatusUnprocessableEntity || n < 2 {
		s.Errorf("the settings of a List are answered with %d and %d mistakes:\n%s", status, n, cut(text))
	}
	for path, c := range map[string]struct {
		form url.Values
		want []string
	}{
		"/admin/users": {url.Values{"only": {"1"}, "email": {"none"}}, []string{"is not an email address", "the user needs a name",
			"Choose at least one List"}},
		"/admin/keys": {url.Values{"only": {"1"}, "expires": {"soon"}, "rate": {"fast"}, "level": {"read"}}, []string{"expected a name",
			"Choose at least one List", "Enter the day as", "and a rate such as"}},
		"/admin/look":                           {themeForm("width", "wide", "logo_width", "-1", "accent_colour", "red"), []string{"", "", ""}},
		"/admin/forms/" + id(s.News) + "/texts": {url.Values{"confirmation_subject": {"a\nb"}, "consent_text": {"a\nb"}}, []string{"", ""}},
		"/admin/autoresponders/new?list=" + id(s.News): {url.Values{"event_type": {"subscribe"}, "when": {"date"}}, []string{"choose a Message",
			"choose the day and the time"}},
	} {
		status, _, text := v.post(path, c.form)
		if n := strings.Count(text, `class="wrong"`); status != http.StatusUnprocessableEntity || n != len(c.want) {
			s.Errorf("%s is answered with %d and %d mistakes, want %d:\n%s", path, status, n, len(c.want), cut(text))
		}
		for _, part := range c.want {
			if !strings.Contains(text, part) {
				s.Errorf("%s has no %q:\n%s", path, part, cut(text))
			}
		}
	}
}
