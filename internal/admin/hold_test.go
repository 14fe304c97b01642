package admin_test

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"enlist/internal/address"
	"enlist/internal/admin"
	"enlist/internal/admin/sending"
	"enlist/internal/admin/ui"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/language"
	"enlist/internal/language/languagetest"
	"enlist/internal/users"

	"golang.org/x/net/html"
)

// This file walks all pages that the Handler has, over a store with markup in each text. A new page is walked by
// itself. It fails if the path of the page has a parameter that has no example here.

// Each page holds against strangers, other Accounts, other Lists, lesser roles, other sites and markup.
func TestAllPagesHold(t *testing.T) {
	s := newHold(t)
	s.Case("each parameter of a path has an example", s.examples)
	s.Case("strangers are led to the sign-in", s.toStrangers)
	s.Case("each page answers each role as the table of roles says, and others with 403", s.toRoles)
	s.Case("records of another Account are answered like unknown ones", s.toOthers)
	s.Case("a person of one List sees no text of another List", s.toRestricted)
	s.Case("each link and each form of a page is for the person who sees it", s.toLinks)
	s.Case("requests that change something are refused from another site", s.toOtherSites)
	s.Case("no page has markup of others, scripts or styles inside, and each has its policy", s.toMarkup)
	s.Case("what was typed into a form stays when it is refused", s.toTyping)
	s.Case("a form of values that others have changed since is refused, and shows both", s.toStale)
	s.Case("each text of a page is in the catalogue", s.toTranslators)
	s.Case("a page that loads again by itself can be stopped", s.stops)
	s.Case("guesses of passwords, passkeys and links are delayed", s.toGuesses)
}

func isGet(p *ui.Page) bool { return strings.HasPrefix(p.Pattern, "GET ") }

// ask sends the request of a page with an empty form, follows no redirect, and returns the status and the text.
func (v *visitor) ask(pattern, path string, change func(*http.Request)) (*http.Response, string) {
	v.Helper()
	method, _, _ := strings.Cut(pattern, " ")
	r, err := http.NewRequestWithContext(v.Context(), method, v.server.URL+path, nil)
	v.Must(err)
	if change != nil {
		change(r)
	}
	client := v.client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	reply, err := client.Do(r)
	v.Must(err)
	_, _, text := v.read(reply)
	return reply, text
}

func (h *hold) examples() {
	if len(h.pages) < 40 {
		h.Errorf("the Handler has only %d pages", len(h.pages))
	}
	for _, p := range h.pages {
		for _, found := range parameter.FindAllStringSubmatch(p.Pattern, -1) {
			if h.ids[found[1]] == "" {
				h.Errorf("%s: add an example of {%s} to hold.fill", p.Pattern, found[1])
			}
		}
	}
}

func (h *hold) toStrangers() {
	for _, p := range h.pages {
		reply, _ := h.stranger().ask(p.Pattern, h.path(p.Pattern, nil), nil)
		if to := reply.Header.Get("Location"); reply.StatusCode != http.StatusSeeOther || !strings.HasPrefix(to, "/admin/sign-in") {
			h.Errorf("%s of a stranger is answered with %d to %q", p.Pattern, reply.StatusCode, to)
		}
	}
}

// toRoles asks for each page with each role. It answers what the table of package enlist says.
func (h *hold) toRoles() {
	for role, v := range h.roles {
		for _, p := range h.pages {
			if !isGet(p) && role.May(p.Needs) {
				continue // it would change the examples
			}
			want := http.StatusOK
			if !role.May(p.Needs) {
				want = http.StatusForbidden
			}
			if reply, text := v.ask(p.Pattern, h.path(p.Pattern, nil), nil); reply.StatusCode != want {
				h.Errorf("%s of a %s is answered with %d, want %d\n%s", p.Pattern, role, reply.StatusCode, want, cut(text))
			}
		}
	}
}

// unknown are IDs that no Account has.
func (h *hold) unknown() map[string]string {
	all := make(map[string]string)
	for name := range h.ids {
		if name != "command" && name != "act" && name != "kind" {
			all[name] = "99999999"
		}
	}
	return all
}

func (h *hold) toOthers() {
	v := h.signedInElsewhere()
	for _, p := range h.pages {
		path := h.path(p.Pattern, nil)
		if path == h.path(p.Pattern, h.unknown()) {
			continue // the page is about no record
		}
		got, text := v.ask(p.Pattern, path, nil)
		want, unknown := v.ask(p.Pattern, h.path(p.Pattern, h.unknown()), nil)
		if got.StatusCode != want.StatusCode || cut(text) != cut(unknown) || got.Header.Get("Location") != want.Header.Get("Location") {
			h.Errorf("%s of another Account is answered with %d:\n%s\nand of none with %d:\n%s", p.Pattern, got.StatusCode, cut(text), want.StatusCode, cut(unknown))
		}
		if got.StatusCode != http.StatusNotFound && parameter.MatchString(p.Pattern) {
			h.Errorf("%s of another Account is answered with %d, want 404\n%s", p.Pattern, got.StatusCode, cut(text))
		}
	}
}

func (h *hold) toRestricted() {
	v := h.as("one", users.Membership{Role: enlist.Manager, Lists: []enlist.ListID{h.own}})
	for _, p := range h.pages {
		reply, text := v.ask(p.Pattern, h.path(p.Pattern, nil), nil)
		if strings.Contains(text, secret) {
			h.Errorf("%s shows a person of one List texts of others, with %d:\n%s", p.Pattern, reply.StatusCode, cut(text))
		}
		want := map[bool]int{true: http.StatusNotFound, false: http.StatusForbidden}[enlist.Manager.May(p.Needs)]
		if parameter.MatchString(p.Pattern) && reply.StatusCode != want {
			h.Errorf("%s of another List is answered with %d, not like an unknown one\n%s", p.Pattern, reply.StatusCode, cut(text))
		}
	}
}

// toLinks follows the links of all pages, and looks up who may send their forms.
func (h *hold) toLinks() {
	for role, v := range h.roles {
		h.follow(string(role), role, v)
		if role.HasAllLists() || !slices.Contains(enlist.Roles[:], role) {
			continue
		}
		name := string(role) + "-of-one"
		h.follow(name, role, h.as(name, users.Membership{Role: role, Lists: []enlist.ListID{h.News}}))
	}
}

func (h *hold) follow(name string, role enlist.Role, v *visitor) {
	var mux http.ServeMux
	needs := make(map[string]enlist.Right)
	for _, p := range h.pages {
		mux.Handle(p.Pattern, http.NotFoundHandler())
		needs[p.Pattern] = p.Needs
	}
	followed := make(map[string]bool)
	for _, p := range h.pages {
		if !isGet(p) {
			continue
		}
		path := h.path(p.Pattern, nil)
		reply, text := v.ask("GET", path, nil)
		if reply.StatusCode != http.StatusOK || !strings.HasPrefix(reply.Header.Get("Content-Type"), "text/html") {
			continue
		}
		form := ""
		for z := html.NewTokenizer(strings.NewReader(text)); z.Next() != html.ErrorToken; {
			token := z.Token()
			attributes := make(map[string]string)
			for _, a := range token.Attr {
				attributes[a.Key] = a.Val
			}
			method, to := http.MethodGet, attributes["href"]
			switch {
			case token.Data == "form" && token.Type == html.StartTagToken:
				form = cmp.Or(attributes["action"], path)
				if attributes["method"] != "post" {
					form = ""
				}
			case token.Data == "form":
				form = ""
			case token.Data == "button": // a form without one only shows values
				method, to = http.MethodPost, form
			}
			if token.Type != html.StartTagToken || !strings.HasPrefix(to, "/admin/") {
				continue
			}
			r, err := http.NewRequestWithContext(v.Context(), method, to, nil)
			h.Must(err)
			_, pattern := mux.Handler(r)
			if !role.May(needs[pattern]) {
				h.Errorf("%s shows %s %s %s, which its role does not allow", p.Pattern, name, method, to)
			}
			if method == http.MethodGet && !followed[to] {
				followed[to] = true
				if reply, _ := v.ask(method, to, nil); reply.StatusCode != http.StatusOK {
					h.Errorf("%s shows %s a link to %s, which is answered with %d", p.Pattern, name, to, reply.StatusCode)
				}
			}
		}
	}
}

func (h *hold) toOtherSites() {
	v := h.roles[enlist.Owner]
	paths := []string{"POST /admin/sign-in", "POST /admin/sign-in/passkey", "POST /admin/sign-out", "POST /admin/account", "POST /admin/link/x", "POST /admin/forgot",
		"POST /admin/password/x", "POST /admin/address/x"}
	for _, p := range h.pages {
		if !isGet(p) {
			paths = append(paths, p.Pattern)
		}
	}
	for _, pattern := range paths {
		for name, value := range map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"} {
			reply, _ := v.ask(pattern, h.path(pattern, nil), func(r *http.Request) { r.Header.Set(name, value) })
			if reply.StatusCode != http.StatusForbidden {
				h.Errorf("%s from another site (%s) is answered with %d", pattern, name, reply.StatusCode)
			}
		}
	}
}

func (h *hold) toMarkup() {
	v := h.roles[enlist.Owner]
	shown := 0
	for _, p := range h.pages {
		if !isGet(p) {
			continue
		}
		path := h.path(p.Pattern, nil)
		bare, _, _ := strings.Cut(path, "?")
		for _, query := range []string{"", "?page=-1", "?page=9223372036854775807"} {
			if reply, _ := v.ask(p.Pattern, bare+query, nil); reply.StatusCode >= http.StatusInternalServerError {
				h.Errorf("%s with the query %q is answered with %d", p.Pattern, query, reply.StatusCode)
			}
		}
		for _, more := range []string{"", "sort=name&done=" + url.QueryEscape(evil) + "&find=" + url.QueryEscape(evil)} {
			if more != "" {
				path += map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")] + more
			}
			reply, text := v.ask(p.Pattern, path, nil)
			policy := reply.Header.Get("Content-Security-Policy")
			switch kind, _, _ := strings.Cut(reply.Header.Get("Content-Type"), ";"); {
			case kind == "text/html" && reply.StatusCode == http.StatusOK &&
				(strings.HasSuffix(p.Pattern, "/mail") || strings.HasSuffix(p.Pattern, "/body")): // it is shown in a frame, and is all markup of others
				if !strings.HasPrefix(policy, "sandbox; default-src 'none';") {
					h.Errorf("%s: a mail has the policy %q", p.Pattern, policy)
				}
			case kind == "text/html":
				if !strings.HasPrefix(policy, "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self';") || strings.Contains(policy, "unsafe") {
					h.Errorf("%s has the policy %q", p.Pattern, policy)
				}
				h.noMarkup(p.Pattern, text)
				shown += strings.Count(text, "&lt;script&gt;")
			case (kind == "image/png" || kind == "text/css") && reply.Header.Get("X-Content-Type-Options") == "nosniff":
			case reply.Header.Get("Content-Disposition") == "" || reply.Header.Get("X-Content-Type-Options") != "nosniff":
				h.Errorf("%s answers %s that a browser may show", p.Pattern, kind)
			}
		}
	}
	if shown < 60 {
		h.Errorf("the pages show the markup only %d times, so this test tests little", shown)
	}
}

// noMarkup checks that a page has only elements and attributes of its template.
func (h *hold) noMarkup(pattern, page string) {
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		token := z.Token()
		attributes := make(map[string]string)
		for _, a := range token.Attr {
			attributes[a.Key] = a.Val
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "javascript:") {
				h.Errorf("%s has the attribute %s=%q of <%s>", pattern, a.Key, a.Val, token.Data)
			}
		}
		switch {
		case token.Data == "style", token.Data == "script" && !strings.HasPrefix(attributes["src"], "/admin/assets/"), attributes["src"] == "x":
			h.Errorf("%s has the element %s", pattern, token)
		}
	}
}

// stops shows that a person can stop a page that loads again by itself.
func (h *hold) stops() {
	v := h.roles[enlist.Owner]
	h.Add(batches.PopulationRequest{List: h.News}) // a Batch that is being sent
	for path, want := range map[string]bool{"/admin/sends": true, "/admin/sends?still=1": false} {
		_, text := v.ask("GET", path, nil)
		reloads := strings.Contains(text, `hx-trigger="every 15s"`) && strings.Contains(text, `<noscript><meta http-equiv="refresh" content="15">`)
		if reloads != want || strings.Contains(text, `href="/admin/sends?still=1"`) != want {
			h.Errorf("GET %s loads again: %v, want %v\n%s", path, reloads, want, cut(text))
		}
	}
}

func (h *hold) toGuesses() {
	v := h.stranger()
	for path, form := range map[string]url.Values{"/admin/sign-in": {"sign_in_email": {"li@example.com"}, "sign_in_password": {"a guess"}},
		"/admin/sign-in/passkey": {"sign_in_answer": {"{}"}}, "/admin/link/AAAABBBBCCCCDDDDEEEEFFFFGG": nil,
		"/admin/password/AAAABBBBCCCCDDDDEEEEFFFFGG": nil, "/admin/address/AAAABBBBCCCCDDDDEEEEFFFFGG": nil} {
		before := h.delayed
		if v.post(path, form); h.delayed != before+1 {
			h.Errorf("POST %s was delayed %d times, want once", path, h.delayed-before)
		}
	}
}

// dataOfPages are words of the records that pages show, of the API, and of other languages.
var dataOfPages = []string{evil, secret, "test key Of the person translator one", "Email Mobile Phone email mobile text UTC pm TXT Dear Hello",
	"English Chinese Dutch French German Italian Portuguese Spanish Vietnamese Anmelden Ihre Anmeldung E-Mails von ist angekommen.",
	"Lists subscribeContact enlist Verdana Times Courier Georgia Ada bad {{Email}} cancel",
	"the receiver wants no more events"} // an error with the text of a receiver

// ofMails matches what mails have in their own language.
var ofMails = regexp.MustCompile(`Unsubscribe from`)

// apiWords matches the names and values in the JSON of the audit log.
var apiWords = regexp.MustCompile(`[A-Za-z]+`)

// toTranslators looks at all pages in a made-up language. Words that are not of it are in no catalogue.
func (h *hold) toTranslators() {
	marked := httptest.NewServer(admin.New(h.App, admin.Options{Delay: func(*http.Request) {}, Log: slog.New(slog.DiscardHandler),
		SettingsPage: h.publicPages().SettingsExample, Server: sending.Server{MailDir: h.mails},
		Texts: languagetest.Beside("de")}))
	defer marked.Close()
	before := h.server
	h.server = marked
	defer func() { h.server = before }()
	v := h.as("translator", users.Membership{Level: enlist.Full, MaySend: true})
	h.Must(h.App.Users.SetLanguage(h.Context(), "translator@example.com", "de"))
	data := append(enlist.TimeZones(), dataOfPages...)
	for role := range h.roles { // names of users
		data = append(data, string(role), string(role)+"-of-one")
	}
	for _, c := range address.Countries() {
		data = append(data, language.New().For("de", "").Country(c.Region))
	}
	for _, l := range language.New().All() {
		data = append(data, l.Name())
	}
	for _, code := range []string{language.English, "de"} { // what subscribers read, in their languages
		data = append(data, language.New().For(code, "").Text("web.tracking.agree"))
	}
	keys, err := h.App.Accounts.AccountKeys(h.Context(), h.Caller)
	h.Must(err)
	for i := range keys { // a random number, perhaps without digits
		data = append(data, keys[i].Prefix)
	}
	ofAudit := append(slices.Clone(data), `"Ada" "Courier" "Verdana"`) // of staleSegment
	for _, row := range h.AuditLog(h.Caller.Account.ID) {
		ofAudit = append(ofAudit, apiWords.FindAllString(fmt.Sprint(row), -1)...)
	}
	for _, p := range h.pages {
		if !isGet(p) || p.File || strings.HasSuffix(p.Pattern, "/texts/settings/mail") { // package web looks at its pages
			continue
		}
		reply, text := v.ask(p.Pattern, h.path(p.Pattern, nil), nil)
		if reply.StatusCode != http.StatusOK || !strings.Contains(text, "<html") {
			continue
		}
		known := data
		if p.Pattern == "GET /admin/audit" {
			known = ofAudit
		}
		if found := languagetest.Untranslated(ofMails.ReplaceAllString(text, ""), known...); len(found) > 0 {
			h.Errorf("%s has the words %q in no catalogue", p.Pattern, found)
		}
	}
}
