package admin_test

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"enlist/internal/admin"
	"enlist/internal/admin/sending"
	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/db/jobqueue"
	"enlist/internal/enlist"
	"enlist/internal/jobs"
	"enlist/internal/mail/dns"
	"enlist/internal/mail/dns/dnstest"
	"enlist/internal/users"
)

// This file tests the pages of autoresponders and of the Unsubscriber List. home_test.go has the first page,
// operations_sending_test.go those of Sending health, and operations_lists_test.go those of Lists.

func TestPagesOfOperations(t *testing.T) {
	apptest.Run(t, apptest.Slow, newOperations, []apptest.Rule[*operations]{
		{Name: "pages of Lists, sending, autoresponders and the Unsubscriber List", Test: (*operations).pages},
	})
}

// pages shows the rules on one store and one server.
func (s *operations) pages() {
	for _, c := range []apptest.Rule[*operations]{
		// These are the first ones, because the second one and others add Accounts.
		{Name: "the first page says what needs attention, and where to go", Test: (*operations).attention},
		{Name: "mails in the folder are shown, and all are held, only on a server with one Account", Test: (*operations).mails},
		{Name: "the records of a domain are shown, and compared with the DNS", Test: (*operations).domains},
		{Name: "a page says where a setting is declared, and has its value", Test: (*operations).declaredSettings},
		{Name: "mails that were deferred are shown and tried again, only those of the Account", Test: (*operations).queue},
		{Name: "the pages need their level, and show texts as texts", Test: (*operations).levels},
		{Name: "a List is made, changed, copied, cleared and deleted, with its name typed", Test: (*operations).lists},
		{Name: "a Field changes after the page has said how many values do not fit", Test: (*operations).fields},
		{Name: "a List that begins to ask people to confirm asks first what happens to the others", Test: (*operations).asksWhoHasNotConfirmed},
		{Name: "a List that no longer asks people to confirm says first who gets mail then", Test: (*operations).asksWhoGetsMail},
		{Name: "a form does not set back what another user has changed since its page was shown", Test: (*operations).changedByOthers},
		{Name: "preferences are added, renamed and deleted", Test: (*operations).preferences},
		{Name: "autoresponders are made, stopped and deleted by who may send", Test: (*operations).autoresponders},
		{Name: "an address leaves the Unsubscriber List only when it is typed", Test: (*operations).unsubscribers},
		{Name: "each table is sorted by its columns up and down, and an unknown one changes nothing", Test: (*operations).tables},
		{Name: "a long table is searched for a part of a name", Test: (*operations).finds},
	} {
		s.Case(c.Name, func() { c.Test(s) })
	}
}

// operations is a site whose server writes mails into a folder.
type operations struct {
	*site
	dir  string
	dns  *dnstest.Zone
	jobs jobs.Queue
}

func newOperations(t *testing.T, store db.Engine) *operations {
	s := &operations{&site{SentBatch: apptest.NewSentBatch(3)(t, store)}, t.TempDir(), dnstest.Start(t), nil}
	queue, err := store.(*dbtest.Store).Jobs(&jobqueue.Config{})
	s.Must(err)
	s.jobs = queue
	s.server = httptest.NewServer(admin.New(s.App, admin.Options{Delay: func(*http.Request) {},
		Log: slog.New(slog.DiscardHandler), Server: sending.Server{MailDir: s.dir, Queue: queue,
			Resolver: dns.Resolver(s.dns.Addr),
			SendTest: func(context.Context, string) (string, error) { return "250 ok", nil }}}))
	t.Cleanup(s.server.Close)
	return s
}

// full returns the browser of a person who may do everything.
func (s *operations) full() *visitor {
	return s.signedIn(users.Membership{Level: enlist.Full, MaySend: true})
}

// as returns the browser of another person with a membership.
func (s *site) as(name string, m users.Membership) *visitor {
	m.Account = s.Caller.Account.ID
	email := name + "@example.com"
	_, err := s.App.Users.Invite(s.Context(), users.Invitation{Email: email, Name: name, Membership: m})
	s.Must(err)
	text, err := s.App.Users.NewLink(s.Context(), email)
	s.Must(err)
	v := s.stranger()
	v.post("/admin/link/"+text, nil)
	return v
}

// send sends a form and checks the status and that the page has all parts.
func (v *visitor) send(path string, form url.Values, status int, parts ...string) (at string) {
	v.Helper()
	got, at, text := v.post(path, form)
	if got != status {
		v.Errorf("POST %s is answered with %d at %s, want %d:\n%s", path, got, at, status, cut(text))
	}
	if none := missing(text, parts...); len(none) > 0 {
		v.Errorf("POST %s does not show %q:\n%s", path, none, shown(text))
	}
	return at
}

func (s *operations) levels() {
	list := s.AddList("name", hostile, "imprint", hostile)
	field := s.AddField(list, "name", "F <i>", "type", "dropdown", "values_array", []any{hostile})
	preference, err := s.App.Lists.AddPreference(s.Context(), s.Caller, list, hostile)
	s.Must(err)
	s.Subscribe(list, "Email", "left@example.com")
	_, err = s.App.Contacts.Unsubscribe(s.Context(), s.Caller, contacts.UnsubscribeRequest{List: list, Address: "left@example.com"})
	s.Must(err)
	message := s.AddMessage(hostile)
	auto, err := s.App.Batches.AddAutoresponder(s.Context(), s.Caller, apptest.Details("list_id", int(list), "message_id", int(message),
		"event_type", "subscribe"))
	s.Must(err)
	one := "/admin/lists/" + id(list)
	levels := []struct {
		path  string
		level enlist.Level
	}{
		{"/admin/", enlist.Read}, {"/admin/lists?sort=change&order=down&find=%3C", enlist.Read}, {one, enlist.Read}, {"/admin/sending", enlist.Read},
		{"/admin/sending/domains", enlist.Read}, {"/admin/autoresponders?list=" + id(list), enlist.Read},
		{"/admin/unsubscribers?q=%3Cb&list=" + id(list), enlist.Standard}, {"/admin/lists/new", enlist.Full}, {one + "/settings", enlist.Full},
		{one + "/fields/new", enlist.Full}, {one + "/fields/" + id(field), enlist.Full}, {one + "/fields/" + id(field) + "/delete", enlist.Full},
		{one + "/preferences/new", enlist.Full}, {one + "/preferences/" + id(preference), enlist.Full},
		{one + "/preferences/" + id(preference) + "/delete", enlist.Full}, {one + "/copy", enlist.Full}, {one + "/clear", enlist.Full},
		{one + "/delete", enlist.Full}, {"/admin/autoresponders/new?list=" + id(list), enlist.Full},
		{"/admin/autoresponders/" + id(auto), enlist.Full}, {"/admin/autoresponders/" + id(auto) + "/delete", enlist.Full},
		{"/admin/unsubscribers/remove?address=left@example.com&list=" + id(list), enlist.Full}, {"/admin/backups", enlist.Full},
	}
	elsewhere := s.signedInElsewhere()
	own := s.AddList("name", "Own")
	restricted := s.as("restricted", users.Membership{Level: enlist.Full, Lists: []enlist.ListID{own}, MaySend: true})
	for _, level := range []enlist.Level{enlist.Read, enlist.Full} {
		v := s.signedIn(users.Membership{Level: level, MaySend: true})
		for _, p := range levels {
			want := http.StatusOK
			if level < p.level {
				want = http.StatusForbidden
			}
			status, _, text := v.get(p.path)
			if status != want || strings.Contains(text, "<script>") || strings.Contains(text, "<img") || strings.Contains(text, "F <i>") {
				s.Errorf("GET %s of level %s is answered with %d, want %d, and no markup of others:\n%s", p.path, level, status, want, cut(text))
			}
			about := strings.Contains(p.path, id(list)) || strings.Contains(p.path, "autoresponders/"+id(auto))
			if level == enlist.Full && about {
				for _, w := range []*visitor{elsewhere, restricted} {
					w.want(p.path, http.StatusNotFound)
				}
			}
		}
	}
	standard := s.as("standard", users.Membership{Level: enlist.Standard, MaySend: true})
	for _, path := range []string{"/admin/lists/new", one + "/settings", one + "/fields/new", one + "/fields/" + id(field), one + "/fields/" + id(field) + "/up",
		one + "/fields/" + id(field) + "/delete", one + "/preferences/new", one + "/preferences/" + id(preference),
		one + "/preferences/" + id(preference) + "/delete", one + "/copy", one + "/clear", one + "/delete", "/admin/sending/test", "/admin/sending/hold",
		"/admin/sending/release", "/admin/sending/queue/1", "/admin/autoresponders/new?list=" + id(list), "/admin/autoresponders/" + id(auto),
		"/admin/autoresponders/" + id(auto) + "/activate", "/admin/autoresponders/" + id(auto) + "/delete",
		"/admin/unsubscribers/remove?address=left@example.com&list=" + id(list)} {
		standard.send(path, url.Values{"name": {"x"}, "typed": {hostile}}, http.StatusForbidden)
	}
	restricted.want("/admin/lists/"+id(own)+"/copy", http.StatusNotFound)
	restricted.want("/admin/lists/new", http.StatusNotFound)
}

func (s *operations) autoresponders() {
	v, list := s.full(), s.AddList("name", "Automatic")
	base, add := "/admin/autoresponders?list="+id(list), "/admin/autoresponders/new?list="+id(list)
	v.want(base, http.StatusOK, "no autoresponders yet")
	form := url.Values{"message_id": {id(s.Message)}, "event_type": {"subscribe"}, "segment_id": {"0"}, "is_active": {"1"},
		"when": {"delay"}, "offset": {"7"}, "period": {"day"}}
	v.send(add, form, http.StatusOK, "day 7", "May", "No email was sent yet")
	form.Set("when", "immediate")
	form.Set("offset", "1") // as the page shows it
	v.send(add, form, http.StatusOK, "day 0, immediately")
	form.Set("when", "clock")
	form.Set("offset", "7")
	form.Set("clock", "x")
	v.send(add, form, http.StatusUnprocessableEntity, "choose the time of day")
	form.Set("clock", "09:30")
	v.send(add, form, http.StatusOK, "day 7, then at 9:30")
	late := url.Values{"message_id": {id(s.Message)}, "event_type": {"subscribe"}, "segment_id": {"0"}, "when": {"immediate"}}
	for name, typed := range map[string]string{"offset": "3", "clock": "18:00", "at": "2031-01-02T09:00"} {
		form := maps.Clone(late) // a mail would leave at once
		form.Set(name, typed)
		v.send(add, form, http.StatusUnprocessableEntity, "the choice above does not use this", `: "`+typed+`"`)
	}
	form.Set("when", "delay")
	form.Del("clock")
	form.Set("offset", "many")
	v.send(add, form, http.StatusUnprocessableEntity, `: "many"`, "an integer from")
	form.Set("message_id", "99999")
	v.send(add, form, http.StatusUnprocessableEntity)
	all, err := s.App.Batches.SearchAutoresponders(s.Context(), s.Caller, enlist.Query{Criteria: apptest.Criterion("list_id", "exactly", int(list))})
	s.Must(err)
	if len(all) != 3 {
		s.Fatalf("there are %d autoresponders, want 3", len(all))
	}
	figures, err := s.App.Batches.AutoresponderBatch(s.Context(), s.Caller, all[0].ID)
	s.Must(err)
	v.want("/admin/sends/"+id(figures), http.StatusOK, "Delivered")
	one := "/admin/autoresponders/" + id(all[0].ID)
	form = url.Values{"message_id": {id(s.Message)}, "event_type": {"subscribe"}, "segment_id": {"0"}, "when": {"date"}, "at": {"2026-12-24T18:00"}}
	v.send(one, form, http.StatusOK, "24 Dec, 18:00", "Not active")
	v.send(one+"/activate", nil, http.StatusOK, "The autoresponder is active")
	v.send(one+"/deactivate", nil, http.StatusOK, "Not active")
	v.send(one+"/other", nil, http.StatusNotFound)
	v.send(one+"/delete", url.Values{"typed": {"x"}}, http.StatusUnprocessableEntity, "Type it exactly as shown")
	for w, status := range map[*visitor]int{s.as("silent", users.Membership{Level: enlist.Full}): http.StatusForbidden, s.signedInElsewhere(): http.StatusNotFound} {
		w.send(one+"/activate", nil, status)
		w.send(one+"/delete", url.Values{"typed": {"May"}}, status)
		w.send(add, form, status)
	}
	v.send(one+"/delete", url.Values{"typed": {"May"}}, http.StatusOK, "was deleted")
	v.want(one, http.StatusNotFound)
}

func (s *operations) unsubscribers() {
	v, list := s.full(), s.AddList("name", "Leavers")
	s.Subscribe(list, "Email", "Gone@example.com")
	for _, l := range []enlist.ListID{list, 0} {
		_, err := s.App.Contacts.Unsubscribe(s.Context(), s.Caller, contacts.UnsubscribeRequest{List: l, Address: "gone@example.com"})
		s.Must(err)
	}
	v.want("/admin/unsubscribers?q=gone@example.com", http.StatusOK, "Leavers", "all Lists", "1 to 2 of 2")
	v.want("/admin/unsubscribers?q=gon&list="+id(list), http.StatusOK, "1 to 1 of 1")
	v.want("/admin/unsubscribers?q=nothing", http.StatusOK, "No entries match")
	path := "/admin/unsubscribers/remove?address=gone@example.com&list="
	v.want(path+"0", http.StatusOK, "asked not to receive any more email.", "Contacts with the address stay unsubscribed")
	v.send(path+"0", url.Values{"typed": {"other@example.com"}}, http.StatusUnprocessableEntity, "Type it exactly as shown.")
	s.signedInElsewhere().send(path+"0", url.Values{"typed": {"gone@example.com"}}, http.StatusUnprocessableEntity, "no such entry")
	v.send(path+"0", url.Values{"typed": {"Gone@example.com"}}, http.StatusOK, "The entry was removed")
	v.want(path+"0", http.StatusNotFound)
	v.want(path+id(list), http.StatusOK, "any more email from Leavers")
	if rows := s.AuditLog(s.Caller.Account.ID); rows[0].Object != "Unsubscriber" || !strings.HasPrefix(rows[0].User, "p-full@") {
		s.Errorf("the last row of the audit log is %+v", rows[0])
	}
}
