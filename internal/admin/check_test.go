package admin_test

import (
	"net/http"
	"net/url"
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/users"
)

// This file tests the last page of a new send: the counts of what was chosen, and the test mail.

func (s *site) checkedSends() {
	shop := s.AddList("name", "Shop")
	s.Subscribe(shop, "Email", "a1@example.com") // is in News too
	s.Subscribe(shop, "Email", "bob@example.com")
	first, err := s.App.Contacts.SetSegment(s.Context(), s.Caller, segmentOf(s.News, "First", "a1@"))
	s.Must(err)
	v, plan := s.full(), url.Values{"message": {id(s.Message)}, "list": {id(s.News), id(shop)}, "segment": {id(s.News) + "-" + id(first)},
		"name": {"Winter"}, "rate": {"10/hour"}}
	path := "/admin/sends/check"
	row := func(name, contacts, gets string) string {
		return "| " + name + " | " + contacts + " | " + gets + " |"
	}
	v.want(path+"?"+plan.Encode(), http.StatusOK, row("News", "3", "3"), row("Shop", "2", "1"), row("the Segment “First” of News", "1", "0"),
		"is counted in the first one", "Send me a test", "To p-full@")
	only := url.Values{"message": {id(s.Message)}, "list": {id(shop)}, "again": {id(s.ID)}}
	v.want(path+"?"+only.Encode(), http.StatusOK, row("Shop", "2", "2"), row("people who did not open May", "3", "2"))

	plan.Set("whole", "1")
	at := v.send(path, plan, http.StatusOK, "The test email was sent to p-full@", "Winter", "10/hour")
	if !strings.HasPrefix(at, path+"?") || !strings.Contains(at, "done=") || !strings.Contains(at, "&whole=1") {
		s.Errorf("the test ends at %s", at)
	}
	s.Update(func(tx *db.Tx) error {
		n, err := tx.Number("SELECT count(*) FROM river_job WHERE kind = 'send_test'")
		if n != 1 {
			s.Errorf("%d test mails were sent, want 1", n)
		}
		return err
	})
	s.as("tester", users.Membership{Role: enlist.Sender}).send(path, plan, http.StatusOK, "The test email was sent to tester@")
	silent := s.signedIn(users.Membership{Level: enlist.Full})
	silent.send(path, plan, http.StatusForbidden)
	s.signedInElsewhere().send(path, plan, http.StatusNotFound)
}
