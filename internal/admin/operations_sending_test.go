package admin_test

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/jobs"
	sendings "enlist/internal/sending"
	"enlist/internal/users"
)

// This file tests the pages of Sending health: mails in a folder, the hold, domains and the queue.

func (s *operations) mails() {
	const name = "20260615-120000-1@example.com.eml"
	content := "From: News <news@example.com>\r\nTo: ann@example.com\r\nSubject: =?utf-8?q?J=C3=BCly_=3Cb=3E?=\r\n" +
		"Date: Mon, 15 Jun 2026 12:00:00 +0000\r\nMIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=\"=_a\"\r\n\r\n" +
		"--=_a\r\nContent-Type: text/plain; charset=UTF-8\r\n\r\nplain\r\n--=_a\r\nContent-Type: text/html; charset=UTF-8\r\n" +
		"Content-Transfer-Encoding: quoted-printable\r\n\r\n<p>J=C3=BCly</p>\r\n--=_a--\r\n"
	s.Must(os.WriteFile(filepath.Join(s.dir, name), []byte(content), 0o600))
	s.Must(os.WriteFile(filepath.Join(s.dir, "secret.txt"), []byte("x"), 0o600))
	v := s.full()
	v.want("/admin/sending", http.StatusOK, "No email leaves this server", "Show them")
	v.want("/admin/sending/mails", http.StatusOK, "Jüly <b>", "the newest 1 of 1")
	other := strings.NewReplacer("15 Jun", "16 Jun", "J=C3=BC", "M=C3=BC", "ann@", "Bob@", "News <", "office <").Replace(content)
	s.Must(os.WriteFile(filepath.Join(s.dir, "2.eml"), []byte(strings.Replace(other, "To: Bob@example.com", "To: <Bob@example.com>", 1)), 0o600))
	if _, _, text := v.get("/admin/sending/mails"); !strings.Contains(text, ">Bob@example.com<") {
		s.Errorf("an address without a name has brackets:\n%s", cut(text))
	}
	for _, key := range []string{"subject", "to", "from", "time"} {
		v.wantOrder("/admin/sending/mails", key, ">Jüly", ">Müly")
	}
	v.want("/admin/sending/mails/"+name, http.StatusOK, "ann@example.com", `class="mail" sandbox src="/admin/sending/mails/`)
	v.want("/admin/sending/mails/"+name+"/body", http.StatusOK, "<p>Jüly</p>")
	for _, bad := range []string{"secret.txt", "..%2Fother.eml", "none.eml"} {
		v.want("/admin/sending/mails/"+bad, http.StatusNotFound)
	}
	v.send("/admin/sending/test", url.Values{"to": {"ann@example.com\r\nRCPT TO:<bob@example.com>"}}, http.StatusUnprocessableEntity,
		"The test email was not sent")
	v.send("/admin/sending/test", url.Values{"to": {"ann@example.com"}}, http.StatusOK, "answered: 250 ok")
	v.send("/admin/sending/hold", url.Values{"reason": {"a test"}}, http.StatusOK, "All emails are on hold", "a test")
	v.send("/admin/sending/release", nil, http.StatusOK, "Emails are no longer on hold")
	if row := s.AuditLog(0)[0]; row.Object != "Hold" || row.Method != "POST /admin/sending/release" || !strings.HasPrefix(row.User, "p-full@") {
		s.Errorf("the last row of the audit log is %+v", row)
	}
	s.NewCaller()
	v.want("/admin/sending", http.StatusOK, "No email leaves this server")
	v.want("/admin/sending/mails", http.StatusNotFound)
	v.want("/admin/sending/mails/"+name+"/body", http.StatusNotFound)
	v.send("/admin/sending/hold", nil, http.StatusNotFound)
	// The plan and the backup are those of attention.
	v.wantWithout("/admin/sending", "Today 0", "Warm-up</h2>")
	v.want("/admin/backups", http.StatusOK, "The log of the server says why")
	v.wantWithout("/admin/backups", "the disk is full", "Its file")
	v.want("/admin/", http.StatusOK, "The last backup failed")
	v.wantWithout("/admin/", "the disk is full")
}

func (s *operations) domains() {
	v := s.full()
	d, err := s.App.Accounts.AddSendingDomain(s.Context(), accounts.NewSendingDomain{Account: s.Caller.Account.ID, Domain: "example.com",
		Type: accounts.DKIMEd25519})
	s.Must(err)
	_, err = s.App.Accounts.AddSendingDomain(s.Context(), accounts.NewSendingDomain{Account: s.NewCaller().Account.ID, Domain: "secret.example",
		Type: accounts.DKIMEd25519})
	s.Must(err)
	v.want("/admin/sending", http.StatusOK, "the sending domain")
	v.want("/admin/sending/domains", http.StatusOK, "._domainkey.example.com", "v=DKIM1", "v=DMARC1; p=none")
	v.send("/admin/sending/domains", nil, http.StatusOK, "Some things need attention", "there is no record, so receivers cannot check the signature")
	key, err := d.Key.Record(d.Domain)
	s.Must(err)
	s.dns.Add(s.T, key.ZoneLine(), `_dmarc.example.com. TXT "v=DMARC1; p=none"`, `example.com. TXT "v=spf1 ip4:192.0.2.1 -all"`)
	v.send("/admin/sending/domains", nil, http.StatusOK, "The records are correct", "the record has the public key")
	if _, _, text := v.get("/admin/sending/domains"); strings.Contains(text, "secret.example") {
		s.Error("the page shows the domain of another Account")
	}
}

func (s *operations) queue() {
	v, other := s.full(), s.NewCaller()
	list := s.AddList("name", "Notified", "on_register_address", "boss@example.com")
	v.want("/admin/sending", http.StatusOK, "No emails are waiting.", "no email waited")
	s.Subscribe(list, "Email", "ann@example.com")
	foreign, err := s.App.Lists.AddList(s.Context(), other, apptest.Details("name", "Foreign", "on_register_address", "boss@example.com"))
	s.Must(err)
	_, err = s.App.Contacts.Subscribe(s.Context(), other, contacts.SubscribeRequest{List: foreign, Details: apptest.Details("Email", "bob@example.com")})
	s.Must(err)
	v.want("/admin/sending", http.StatusOK, "Waiting for their turn: 1")
	v.wantWithout("/admin/sending", "24 hours</h2>")
	// An autoresponder that is not due does not wait.
	s.Update(func(tx *db.Tx) error { return tx.Enqueue(events.Autorespond{List: list, Due: s.Now.Unix() + 60}) })
	s.Update(func(tx *db.Tx) error { // as while all mails are held
		return tx.Do("UPDATE river_job SET state = 'scheduled', created_at = '2026-01-01 00:00:00'")
	})
	v.want("/admin/sending", http.StatusOK, "Waiting for their turn: 1", "165 days")
	v.wantWithout("/admin/sending", "no mail was seen")
	s.ages(v, other.Account.ID, list)
	s.Update(func(tx *db.Tx) error { return tx.Do("UPDATE river_job SET state = 'retryable' WHERE kind = 'notify'") })
	all, err := jobs.List(s.Context(), s.jobs, jobs.Filter{Kind: "notify"})
	s.Must(err)
	if len(all) != 2 {
		s.Fatalf("there are %d jobs, want 2", len(all))
	}
	v.want("/admin/sending", http.StatusOK, "Deferred, to be tried again: 1", "Notification", "Try now", "/admin/sending/queue/"+id(all[0].ID))
	v.send("/admin/sending/queue/"+id(all[1].ID), nil, http.StatusNotFound)
	v.send("/admin/sending/queue/"+id(all[0].ID), nil, http.StatusOK, "The email is being tried again")
	s.as("silent", users.Membership{Level: enlist.Full}).send("/admin/sending/queue/"+id(all[0].ID), nil, http.StatusForbidden)
}

// ages keeps ages of two Accounts, and looks at the plot as a person of one, also of one of its Lists.
func (s *operations) ages(v *visitor, other enlist.AccountID, list enlist.ListID) {
	hour := s.Now.Truncate(time.Hour).Add(-time.Hour)
	s.Update(func(tx *db.Tx) error {
		return errors.Join(
			sendings.PutQueueAge(tx, s.Caller.Account.ID, sendings.QueueAge{Time: hour.Unix(), Age: 1500}),
			sendings.PutQueueAge(tx, other, sendings.QueueAge{Time: hour.Unix(), Age: 60_000}))
	})
	row := func(at time.Time, minutes string) string {
		at = at.In(enlist.Location(s.Caller.Account.TimeZone))
		return " " + at.Format("Mon 15:04") + " | " + minutes + " |"
	}
	v.want("/admin/sending", http.StatusOK, "Waiting time of the oldest email in minutes, 24 hours", row(hour.Add(15*time.Minute), "0"), row(hour, "25"),
		row(hour.Add(-15*time.Minute), "20"), row(hour.Add(-30*time.Minute), "5"), row(hour.Add(-45*time.Minute), "0"))
	v.wantWithout("/admin/sending", ">1,000<", "no mail waited for a minute")
	w := s.as("onelist", users.Membership{Level: enlist.Full, Lists: []enlist.ListID{list}})
	w.want("/admin/sending", http.StatusOK, "is shown to users who may use all Lists")
	w.wantWithout("/admin/sending", "24 hours</h2>", "no mail waited for a minute")
}

// declaredSettings shows where the settings of the page are declared, and their values in place of the stored ones.
func (s *operations) declaredSettings() {
	s.Must(s.App.Accounts.ChangeSettings(s.Context(), 0, map[string]string{"mail-rate": "5", "mail-from": "stored@example.com"}))
	values := map[string]string{"mail-rate": "20", "mail-from": "News <declared@example.com>", "batch-rate": "relay=7/second",
		"batch-calendar": "mon-fri 8:00-18:00 UTC", "batch-warmup": "2020-01-31 500 1.5"}
	var declared []accounts.Declared
	for name, value := range values {
		declared = append(declared, accounts.Declared{Name: name, Value: value, Where: "/etc/enlist.toml, " + name})
	}
	declare := func(all []accounts.Declared) {
		s.App.Accounts.Declare(all)
		s.Must(s.App.Accounts.ChangeSettings(s.Context(), 0, map[string]string{"search-indexes": strconv.Itoa(len(all))})) // so that it is read again
		s.Must(s.App.ReadSettings(s.Context()))
	}
	declare(declared)
	v := s.as("declared", users.Membership{Level: enlist.Full})
	if alone, err := s.App.Accounts.AllAccounts(s.Context()); err != nil || len(alone) < 2 {
		s.Fatalf("the server has %d Accounts (%v), want several", len(alone), err)
	}
	v.want("/admin/sending", http.StatusOK, "| 20 declared by the operator |", "declared@example.com> declared by",
		"mon-fri 8:00-18:00 UTC declared", "2020-01-31 500 1.5 declared")
	v.wantWithout("/admin/sending", "/etc/enlist.toml")
	declare(nil)
	v.want("/admin/sending", http.StatusOK, "| 5 |", "stored@example.com> |")
	v.wantWithout("/admin/sending", "declared by")
	s.Must(s.App.Accounts.ChangeSettings(s.Context(), 0, map[string]string{"mail-rate": "", "mail-from": "", "search-indexes": ""}))
	s.Must(s.App.ReadSettings(s.Context()))
}
