package admin_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/messages"
	"enlist/internal/pace"
	sendings "enlist/internal/sending"
	"enlist/internal/users"
)

// This file tests Home: what needs attention, and the sends that have not ended. before_test.go has its first steps.

func (s *operations) attention() {
	v := s.full()
	s.Must(s.App.Contacts.SetTracking(s.Context(), s.Caller, contacts.TrackingSettings{Policy: enlist.TrackUnlessDenied}))
	_, _, first := v.get("/admin/")
	if strings.Count(first, "note more") != 1 || !strings.Contains(first, "Backups were never set up") ||
		!strings.Contains(first, "3 delivered (100%)") {
		s.Errorf("the first page needs other attention, or has no mails:\n%s", cut(first))
	}
	many := s.AddList("name", "Many")
	s.SubscribeMany(many, 110)
	s.Add(apptest.Whole(many))
	n := 0
	s.SendAll(func(*sendings.BatchMail) (u *messages.Undelivered) {
		if n++; n%10 == 0 {
			u = &messages.Undelivered{Permanent: true, Recipient: true, Code: 550}
		}
		return u
	})
	later := s.AddAt(s.Now.Add(time.Hour).Unix(), apptest.Whole(many))
	s.Edit(later, "pause")
	may := s.Message
	s.Message = s.AddMessage("Gone")
	gone := s.Add(apptest.Whole(s.News))
	s.Update(func(tx *db.Tx) error { return messages.DeleteMessage(tx, s.Message) })
	s.SendAll(nil)
	s.Message = may
	waits, err := s.AddImport(many, "Email\nann@example.com\n", nil)
	s.Must(err)
	s.Must(s.App.Imports.PauseImport(s.Context(), s.Caller, waits.ID))
	hook := s.AddWebhook("contact", "created", "url", "https://hook.example/?token=secret")
	s.Update(func(tx *db.Tx) error {
		return errors.Join(events.SetWebhookFailing(tx, s.Webhook(hook).Target, true),
			tx.Do("INSERT INTO backup (id, time, name, tried_time, lease_time, every, error) VALUES (1, 1, 'b', 2, 0, 3600, 'the disk is full')"))
	})
	v.want("/admin/", http.StatusOK, "9.7% of the emails of the last seven days bounced", " is paused", "by a user", "/admin/sends/"+id(later),
		"An Import is paused", "/admin/imports/"+id(waits.ID), "sent to https://hook.example/:", "the disk is full", "102 delivered", "/admin/webhooks/"+id(hook), "its Message was deleted", "/admin/sends/"+id(gone))
	_, _, reader := s.signedIn(users.Membership{Role: enlist.Reader}).get("/admin/")
	if !strings.Contains(reader, " is paused") || strings.Contains(reader, "Continue or cancel") {
		s.Errorf("the page offers a reader what only others may do:\n%s", cut(reader))
	}
	s.Must(s.App.Sending.HoldMails(s.Context(), "a move"))
	v.want("/admin/", http.StatusOK, "a move [", "[Sending health on hold](/admin/sending)")
	s.as("reader", users.Membership{Level: enlist.Read}).want("/admin/", http.StatusOK, "a manager or an owner can send them again")
	if _, _, text := v.get("/admin/"); strings.Contains(text, "secret") {
		s.Error("the first page shows the query of the URL of a webhook")
	}
	v.want("/admin/backups", http.StatusOK, "the disk is full", "every 60 minutes")
	v.want("/admin/sending", http.StatusOK, "Bounces per 1,000 emails", "events of 1 webhook are")
	s.App.SetSending(pace.Settings{Relay: "relay.example:25", Warmup: value(pace.ParseWarmup(s.Now.Format(time.DateOnly) + " 500 1.5"))})
	v.want("/admin/sending", http.StatusOK, "Today, 0 emails of campaigns were sent; the plan allows 500")
	_, err = s.App.Sending.ReleaseMails(s.Context())
	s.Must(err)
}

// runningSends shows the sends that have not ended on Home.
func (s *site) runningSends() {
	v, list := s.full(), s.AddList("name", "Herbs")
	s.AddMany(list, 30)
	one := s.Add(apptest.Whole(list))
	s.Lease("h")
	change := func(set string) {
		s.Must(s.App.DB.Update(s.Context(), func(tx *db.Tx) error { return tx.Do("UPDATE batch SET "+set+" WHERE id = ?", int64(one)) }))
	}
	change(fmt.Sprintf("sent = 10, first_sent_time = %d", s.Now.Unix()-600))
	zone := enlist.Location(s.Caller.Account.TimeZone)
	v.want("/admin/lists", http.StatusOK, "[Campaigns 1 running](/admin/sends)")
	v.wantWithout("/admin/lists", "Imports <small>", "Sending health <small>")
	done := s.Now.In(zone).Add(20*time.Minute).Format("15:04") + " (" + s.Caller.Account.TimeZone + ")."
	path := "/admin/sends/" + id(one)
	v.want("/admin/", http.StatusOK, "Herbs", "10 of 30", "60 an hour", "No limit applies. Finished at about "+done, "<Pause>("+path+"/pause)")
	change("rate = '600/hour'")
	v.want("/admin/", http.StatusOK, "It is sent more slowly than the limits allow. Finished at about "+done)
	change("rate = '1/hour'")
	v.want("/admin/", http.StatusOK, "The limit of this campaign, 1 per hour, determines its speed. Finished at about tomorrow, ")
	for _, w := range []*visitor{s.as("silent", users.Membership{Level: enlist.Full}), s.as("reader", users.Membership{Level: enlist.Read, MaySend: true})} {
		w.want("/admin/", http.StatusOK, "60 an hour")
		w.wantWithout("/admin/", path+"/pause")
	}
	back := url.Values{"back": {"/admin/"}}
	if at := v.send(path+"/pause", back, http.StatusOK, "Paused. Emails that have been sent", "<Continue>("+path+"/unpause)"); !strings.HasPrefix(at, "/admin/?done=") {
		s.Errorf("the pause ends at %s", at)
	}
	v.wantWithout("/admin/", "an hour", "Finished at about")
	v.send(path+"/unpause", back, http.StatusOK, "Sending continues.")
	if row := s.AuditLog(s.Caller.Account.ID)[0]; row.Method != "POST "+path+"/unpause" {
		s.Errorf("the last row of the audit log is %+v", row)
	}
	s.Prepare(one)
	later := s.AddAt(s.Now.Add(time.Hour).Unix(), apptest.Whole(list))
	s.Prepare(later)
	v.want("/admin/", http.StatusOK, "Starts "+s.Now.In(zone).Add(time.Hour).Format("Mon 2 Jan, 15:04"), "<Pause>(/admin/sends/"+id(later)+"/pause)")
}

func value[T any](v T, _ error) T { return v }
