package mail

import (
	"regexp"
	"testing"

	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file tests which mails have a tracking pixel and tracked links.

// traces matches the paths of a tracking pixel and of tracked links.
var traces = regexp.MustCompile(`/[ok]/12-345-[\w-]+`)

// Each mail is to a person who has agreed, on a List that tracks all.
//
// covers: decision 162, spec batch.track
func TestOnlyMessagesAreTracked(t *testing.T) {
	c, _ := testComposer(t)
	message := func() *messages.OutgoingMail {
		return testMail(&messages.Message{EmailType: messages.EmailHTML, Subject: "x", HTML: newsletter})
	}
	link, untracked := testMail(nil), message()
	link.Delivery.Cause = messages.CauseLink
	untracked.Untracked = true
	refused, trial := message(), message()
	refused.Contact.TrackingConsent = enlist.TrackingDenied
	trial.Schema = messages.Untracked(trial.Schema)
	plain := testMail(&messages.Message{EmailType: messages.EmailPlain, Subject: "x", Text: "https://example.com/new"})
	for _, one := range []struct {
		name string
		mail *messages.OutgoingMail
		want bool
	}{{"a Message", message(), true}, {"a Message without tracking", untracked, false}, {"a test", trial, false},
		{"a Message to a person who has refused", refused, false}, {"a request to confirm", testMail(nil), false},
		{"a Message without HTML", plain, false},
		{"a link to the settings", link, false}} {
		s := *one.mail.Schema
		if one.mail != trial {
			s.List.TrackOpens, s.List.TrackClicks = true, true
		}
		if one.mail != refused {
			one.mail.Contact.TrackingConsent = enlist.TrackingGranted
		}
		one.mail.Schema = &s
		r := send(t, c, one.mail)
		if got := traces.FindAllString(r.text+r.html, -1); (len(got) > 0) != one.want || (one.mail.Unmeasured() == 0) != one.want {
			t.Errorf("%s has the traces %q and lacks %d, want traces: %t", one.name, got, one.mail.Unmeasured(), one.want)
		}
	}
	n := testNotification()
	s := *n.Schema
	s.List.TrackOpens, s.List.TrackClicks = true, true
	n.Schema = &s
	m, err := c.notification("77", n)
	if err != nil {
		t.Fatal(err)
	}
	if r := read(t, m); traces.MatchString(r.text + r.html) {
		t.Errorf("a notification is tracked: %s", r.html)
	}
}
