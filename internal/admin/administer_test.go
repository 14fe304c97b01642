package admin_test

import (
	"bytes"
	"context"
	"html"
	"image"
	"image/png"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"enlist/internal/admin"
	"enlist/internal/admin/ui"
	"enlist/internal/app"
	"enlist/internal/enlist"
	"enlist/internal/users"
)

var shownOnce = regexp.MustCompile(`readonly value="([^"]*)"`)

// once returns a text that a page shows once.
func (v *visitor) once(text string) string {
	v.Helper()
	found := shownOnce.FindStringSubmatch(text)
	if found == nil {
		v.Fatalf("the page shows nothing:\n%s", text)
	}
	return html.UnescapeString(found[1])
}

// administer shows what its parts say, on one store.
func (s *site) administer() {
	s.passkeys()
	s.managePeople()
	s.manageKeys()
	s.manageWebhooks()
	s.manageAccount()
}

// managePeople invites a person, who follows the link, changes and removes the person.
func (s *site) managePeople() {
	var mailed []string
	s.App.Users.SetSettings(users.Settings{PublicURL: s.server.URL, Mail: func(_ context.Context, m *users.LinkMail) error {
		mailed = append(mailed, m.To+" "+m.URL)
		return nil
	}})
	v := s.signedIn(users.Membership{Level: enlist.Full, MaySend: true})
	form := url.Values{"name": {"Li <b>"}, "email": {"li@example.com"}, "role": {"reader"}, "only": {"1"}}
	if status, _, text := v.post("/admin/users", form); status != http.StatusUnprocessableEntity || len(missing(text, `: "Li <b>"`)) > 0 {
		s.Errorf("an invitation without a List is answered with %d:\n%s", status, shown(text))
	}
	form.Set("list", id(s.News))
	form.Set("email", "no address")
	if status, _, text := v.post("/admin/users", form); status != http.StatusUnprocessableEntity || !strings.Contains(text, "is not an email address") {
		s.Errorf("a wrong address is answered with %d", status)
	}
	form.Set("email", "li@example.com")
	_, _, text := v.post("/admin/users", form)
	if len(mailed) != 1 || !strings.HasPrefix(mailed[0], "li@example.com ") || !strings.Contains(text, "was sent to li@example.com") ||
		strings.Contains(text, users.LinkPath) { // the server has other Accounts, so only the mail has the link
		s.Fatalf("the link was mailed as %v:\n%s", mailed, text)
	}
	link := strings.TrimPrefix(mailed[0], "li@example.com ")
	li := s.stranger()
	li.post(strings.TrimPrefix(link, s.server.URL), nil)
	li.want("/admin/lists", http.StatusOK, "Profile")
	li.want("/admin/users", http.StatusForbidden)
	all, err := s.App.Users.Members(s.Context(), s.Caller.Account.ID)
	s.Must(err)
	path := "/admin/users/" + id(all[0].ID)
	v.want(path, http.StatusOK, "Go-http-client", "Sign out")
	gone := s.AddList()
	v.post(path, url.Values{"role": {"sender"}, "only": {"1"}, "list": {id(gone)}})
	s.Must(s.App.Contacts.DeleteList(s.Context(), s.Caller, gone))
	v.send(path, url.Values{"role": {"reader"}, "only": {"1"}}, http.StatusOK, "Saved.")
	all, err = s.App.Users.Members(s.Context(), s.Caller.Account.ID)
	if s.Must(err); all[0].Role != enlist.Reader || !slices.Equal(all[0].Lists, []enlist.ListID{gone}) {
		s.Errorf("a user whose List was deleted becomes %+v", all[0].Membership)
	}
	v.post(path, url.Values{"role": {"owner-without-send"}})
	li.want("/admin/users", http.StatusForbidden)
	v.post(path, url.Values{"role": {"owner"}, "only": {"1"}, "list": {id(s.News)}})
	li.want("/admin/users", http.StatusForbidden)
	v.post(path, url.Values{"role": {"owner"}})
	li.want("/admin/users", http.StatusOK, "li@example.com", "Invite a user")
	li.want(path, http.StatusOK, "You cannot change your own role")
	if status, _, _ := li.post(path, url.Values{"role": {"reader"}}); status != http.StatusUnprocessableEntity {
		s.Errorf("a person changes the own rights: %d", status)
	}
	if v.post(path+"/link", nil); len(mailed) != 2 || mailed[0] == mailed[1] {
		s.Errorf("another link was mailed as %v", mailed)
	}
	v.want(path+"/remove", http.StatusOK, "# Remove Li <b>")
	v.post(path+"/remove", nil)
	v.want(path, http.StatusNotFound)
	li.want("/admin/sign-in", http.StatusOK)
	if _, at, _ := li.get("/admin/lists"); !strings.HasPrefix(at, "/admin/sign-in") {
		s.Errorf("a person who was removed is at %s", at)
	}
}

// manageAccount changes the name and the time zone of the Account, which another process shows at once.
func (s *site) manageAccount() {
	other := httptest.NewServer(admin.New(app.New(s.Store, func() time.Time { return s.Now }),
		admin.Options{Delay: func(*http.Request) {}, Log: slog.New(slog.DiscardHandler)}))
	defer other.Close()
	other.URL = strings.Replace(other.URL, "127.0.0.1", "localhost", 1) // as of s.server, so that the cookies are the same
	v := s.signedIn(users.Membership{Level: enlist.Full, MaySend: true})
	elsewhere := *v
	elsewhere.site = &site{SentBatch: s.SentBatch, server: other}
	elsewhere.want("/admin/sends/new", http.StatusOK, "UTC")
	s.Must(s.App.Accounts.SetContactLimit(s.Context(), s.Caller.Account.ID, 5000))
	s.Must(s.App.Accounts.ChangeSettings(s.Context(), s.Caller.Account.ID, map[string]string{"country-code": "61"}))
	s.Must(s.App.ReadSettings(s.Context()))
	v.want("/admin/account", http.StatusOK, `: "UTC" of`, "3 of 5,000", "are sent", "](/admin/look)")
	form := url.Values{"name": {"Club <b>"}, "timezone": {"Nowhere"}, "country_code": {"61"}}
	v.send("/admin/account/edit", form, http.StatusUnprocessableEntity, "Nothing was changed", `: "Club <b>"`, "!expected an IANA time zone")
	form.Set("timezone", "Australia/Sydney ")
	v.send("/admin/account/edit", url.Values{"name": {""}, "timezone": {"no"}, "country_code": {"999"}}, http.StatusUnprocessableEntity, "expected a name",
		"expected an IANA time zone", "expected a telephone country code")
	v.send("/admin/account/edit", form, http.StatusOK, "Saved.", `: "Club <b>"`, `: "Australia/Sydney" of`)
	elsewhere.want("/admin/sends/new", http.StatusOK, "Australia/Sydney")
	v.want("/admin/audit", http.StatusOK, "Australia/Sydney")

	v.want("/admin/", http.StatusOK, "except of people who refused", "CNIL", "[Choose](/admin/account)")
	v.send("/admin/account/tracking", url.Values{"tracking_policy": {"sometimes"}}, http.StatusUnprocessableEntity, "Nothing was changed")
	v.send("/admin/account/tracking", url.Values{"tracking_policy": {"ask"}, "shares_tracking": {"1"}}, http.StatusOK, "Saved.",
		"(x) Only people who agreed", `[x] One decision for all Lists`)
	v.wantWithout("/admin/", "CNIL")
	v.want("/admin/lists/"+id(s.News), http.StatusOK, "are tracked for people who have agreed")

	v.send("/admin/account/utm", url.Values{"utm": {"1"}, "utm_source": {"{{Email}}"}, "utm_domains": {"shop"}}, http.StatusUnprocessableEntity,
		"Nothing was changed", "!expected a text of at most 200 bytes without merge fields", "!expected domains such as example.com", `: "{{Email}}"`)
	v.send("/admin/account/utm", url.Values{"utm": {"1"}, "utm_source": {"shop"}}, http.StatusOK, "Saved.", "[x] Add UTM parameters to links", `Source: "shop"`)
	v.want("/admin/messages/"+id(s.Message), http.StatusOK, "as in the Account: yes")
	v.send("/admin/account/utm", url.Values{"utm_source": {"shop"}}, http.StatusOK, "[ ] Add UTM parameters to links", `Source: "shop"`)
	v.want("/admin/messages/"+id(s.Message), http.StatusOK, "as in the Account: no")

	s.signedIn(users.Membership{Level: enlist.Standard}).want("/admin/account", http.StatusForbidden)
	restricted := s.signedIn(users.Membership{Level: enlist.Full, Lists: []enlist.ListID{s.News}})
	restricted.want("/admin/account", http.StatusForbidden)
	restricted.wantWithout("/admin/", "/admin/account\"")
}

// manageKeys makes a key, whose text is shown once and works, edits and revokes it.
func (s *site) manageKeys() {
	v := s.signedIn(users.Membership{Level: enlist.Full, MaySend: true})
	form := url.Values{"name": {"Shop <b>"}, "level": {"standard"}, "rate": {"10/day"}, "expires": {"2001-01-01"}}
	for _, part := range []string{"none of none, default", "expire in the past"} {
		if status, _, text := v.post("/admin/keys", form); status != http.StatusUnprocessableEntity || len(missing(text, part, `: "Shop <b>"`)) > 0 {
			s.Errorf("the form is answered with %d, want the reason %q:\n%s", status, part, shown(text))
		}
		form.Set("rate", "600/minute,burst=50")
	}
	form.Set("expires", "")
	form.Set("strict", "1")
	_, _, text := v.post("/admin/keys", form)
	key := v.once(text)
	known, err := s.App.Accounts.Authenticate(s.Context(), key)
	s.Must(err)
	if known.Key.Level != enlist.Standard || !known.Key.IsStrict || known.Key.Lists != nil || known.Key.ExpiryTime != 0 {
		s.Errorf("the key is %+v", known.Key)
	}
	path := "/admin/keys/" + id(known.Key.ID)
	v.want("/admin/keys", http.StatusOK, "[Shop <b>](", key[:8], "600/minute,burst=50")
	v.want(path, http.StatusOK, "[x] Refuse calls with an unknown name")
	v.post(path, url.Values{"name": {"Shop"}, "rate": {"none"}})
	s.Must(s.App.Accounts.Recheck(s.Context(), known))
	if known.Key.IsStrict || known.Key.Name != "Shop" || known.Key.Rate != enlist.AnyRate {
		s.Errorf("after the edit the key is %+v", known.Key)
	}
	if status, _, _ := v.post(path+"/revoke", url.Values{"typed": {"shops"}}); status != http.StatusUnprocessableEntity {
		s.Errorf("a revocation with another name is answered with %d", status)
	}
	v.post(path+"/revoke", url.Values{"typed": {"Shop"}})
	if err := s.App.Accounts.Recheck(s.Context(), known); enlist.KindOf(err) != enlist.InvalidKey {
		s.Errorf("the revoked key: %v", err)
	}
	v.want("/admin/keys", http.StatusOK, "Revoked and expired: 1")
}

// manageWebhooks makes a webhook, edits and deletes it, and looks at the audit log of these acts.
func (s *site) manageWebhooks() {
	v := s.signedIn(users.Membership{Level: enlist.Full, MaySend: true})
	form := url.Values{"event": {"contact:subscribed"}, "list_id": {id(s.News)}, "url": {"ftp://x"}}
	if status, _, text := v.post("/admin/webhooks", form); status != http.StatusUnprocessableEntity || !strings.Contains(text, "begins with https://") {
		s.Errorf("a wrong URL is answered with %d:\n%s", status, text)
	}
	form.Set("url", "https://shop.example.com/events?<b>")
	_, at, text := v.post("/admin/webhooks", form)
	path, _, _ := strings.Cut(at, "?")
	if !strings.Contains(text, "whsec_") {
		s.Errorf("the page has no secret:\n%s", text)
	}
	v.want("/admin/webhooks", http.StatusOK, "a Contact subscribes", "a Contact clicks a link", "shop.example.com")
	form.Set("event", "contact:nothing")
	if status, _, _ := v.post(path, form); status != http.StatusUnprocessableEntity {
		s.Errorf("an unknown event is answered with %d", status)
	}
	form.Set("event", "batch:completed")
	form.Set("list_id", "0")
	v.post(path, form)
	v.post(path+"/again", nil)
	v.want("/admin/webhooks", http.StatusOK, "a campaign is completed", "all Lists")
	number := path[strings.LastIndex(path, "/")+1:]
	if status, _, _ := v.post(path+"/delete", nil); status != http.StatusUnprocessableEntity {
		s.Errorf("a deletion without the number is answered with %d", status)
	}
	v.post(path+"/delete", url.Values{"typed": {number}})
	v.want(path, http.StatusNotFound)

	v.want("/admin/audit?who=P-FULL&object=Webhook", http.StatusOK, "p-full@example.com", "POST /admin/webhooks", "Webhook "+number)
	v.want("/admin/audit?object=Key", http.StatusOK, "May: standard", "Name: Shop <b> → Shop",
		"Refuse calls with an unknown name or parameter: yes → no")
	v.want("/admin/audit?who=somebody-else", http.StatusOK, "No entries match")
	v.want("/admin/audit?method=sign&until=2001-01-01", http.StatusOK, "No entries match")
	v.want("/admin/audit?from=yesterday", http.StatusUnprocessableEntity, "Enter a day as")
	v.want("/admin/audit?page=2", http.StatusOK, "[Back](")
}

// formsOfAccounts sends forms of a tab with one Account after another tab has chosen another.
func (s *site) formsOfAccounts() {
	v, other := s.full(), s.NewCaller().Account
	v.wantWithout("/admin/account", ui.AccountInput) // with one Account, no form needs it
	_, err := s.App.Users.Invite(s.Context(), users.Invitation{Email: "p-full@example.com",
		Name: "P", Membership: users.Membership{Account: other.ID, Level: enlist.Full, MaySend: true}})
	s.Must(err)
	own := id(s.Caller.Account.ID)
	input := `<input type="hidden" name="of_account" value="` + own + `">`
	for path, forms := range map[string]int{"/admin/account": 4, "/admin/users": 2, "/admin/keys": 2, "/admin/images": 2, "/admin/look": 2} {
		if _, _, text := v.get(path); strings.Count(text, input) != forms || strings.Count(text, `<form method="post"`) != forms {
			s.Errorf("not all %d forms of %s have the Account:\n%s", forms, path, cut(text))
		}
	}
	v.send("/admin/account", url.Values{"account": {id(other.ID)}}, http.StatusOK)
	for path, form := range map[string]url.Values{"/admin/account/edit": {"name": {"Mine"}, "timezone": {"UTC"}},
		"/admin/users": {"name": {"Li"}, "email": {"li@example.com"}, "role": {"owner"}}, "/admin/keys": {"name": {"K"}, "level": {"full"}, "rate": {"default"}},
		"/admin/look": themeForm("imprint", "Mine"), "/admin/lists/new": {"name": {"L"}, "country_code": {"49"}}} {
		form.Set(ui.AccountInput, own)
		v.send(path, form, http.StatusUnprocessableEntity, "Nothing was changed: the form belongs to the Account", "but you are using")
		form.Set(ui.AccountInput, id(other.ID))
		v.send(path, form, http.StatusOK)
	}
	v.storedImage(ui.AccountInput, own, http.StatusUnprocessableEntity, "the form belongs to the Account")
	v.storedImage(ui.AccountInput, id(other.ID), http.StatusOK, "dot.png was uploaded")
}

// storedImage uploads an image with another input before it.
func (v *visitor) storedImage(name, value string, want int, part string) {
	v.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	v.Must(w.WriteField(name, value))
	file, err := w.CreateFormFile("file", "dot.png")
	v.Must(err)
	v.Must(png.Encode(file, image.NewGray(image.Rect(0, 0, 2, 2))))
	v.Must(w.Close())
	r, err := v.client.Post(v.server.URL+"/admin/images", w.FormDataContentType(), &b)
	v.Must(err)
	if status, _, text := v.read(r); status != want || !strings.Contains(text, part) {
		v.Errorf("an image with %s %s is answered with %d:\n%s", name, value, status, cut(text))
	}
}
