package backup_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"enlist/internal/backup"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/imports"
	"enlist/internal/messages"
	"enlist/internal/recipients"
)

// After a person is erased, no byte of what was stored about them is in a backup, also in unused parts of it. On SQLite
// no byte is in the database and its write-ahead log either, although the person's values were changed and other
// Contacts were stored before and after them.
//
// covers: decision 99
func TestNoBackupHasAnErasedPerson(t *testing.T) { dbtest.EachParallel(t, noBackupHasThem) }

func noBackupHasThem(t *testing.T, e dbtest.Engine) {
	if e.Name == "citus" {
		t.Skip("a cluster has no common snapshot")
	}
	db, list := newList(t, e)
	s := open(t, db.DB)
	s.storeMarked(list)
	if e.Name == "sqlite" && !contains(t, "marked", db.DB, db.DB+"-wal") {
		t.Fatal("the test stores nothing about the person")
	}
	erased, err := s.service.Privacy.ErasePerson(t.Context(), s.caller, "marked-address@example.com")
	s.must(err)
	for _, section := range erased.Rows {
		if section.Rows == 0 {
			t.Errorf("the test erased no rows of %s", section.Section)
		}
	}
	if e.Name == "sqlite" && contains(t, "marked", db.DB, db.DB+"-wal") {
		t.Error("the database still has the person")
	}
	to := filepath.Join(t.TempDir(), "backup.db")
	if _, err := backup.Write(t.Context(), backup.Job{From: db, To: to}); err != nil {
		t.Fatal(err)
	}
	if contains(t, "marked", to) {
		t.Error("the backup has the person")
	}
	if !contains(t, "someone-39@example.com", to) {
		t.Error("the backup has no other person")
	}
	s.close()
}

// contains reports whether one of the files that exist contains a text in any letter case.
func contains(t *testing.T, text string, files ...string) bool {
	t.Helper()
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		if bytes.Contains(bytes.ToLower(data), []byte(text)) {
			return true
		}
	}
	return false
}

// details returns alternating keys and values as details.
func details(pairs ...string) (all []enlist.Detail) {
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, text(pairs[i], pairs[i+1]))
	}
	return all
}

// storeMarked stores data about a person in every place. Each text contains "marked".
func (s *service) storeMarked(list enlist.ListID) {
	s.Helper()
	ctx := s.Context()
	for _, name := range []string{"Name", "Notes"} {
		_, err := s.service.Lists.AddField(ctx, s.caller, list, details("name", name, "type", "text"))
		s.must(err)
	}
	_, err := s.service.Webhooks.AddWebhook(ctx, s.caller, details("object", "contact", "event", "updated", "url", "https://hooks.example.com/"))
	s.must(err)
	subscribe := func(name string) {
		_, err := s.service.Contacts.Subscribe(ctx, s.caller, contacts.SubscribeRequest{List: list,
			Details: details("Email", "marked-address@example.com", "Name", name, "Notes", "marked-notes "+strings.Repeat("x", 500)),
			Consent: contacts.Consent{Type: enlist.ConsentGDPR, Text: "I, marked-consent, agree.", IP: "192.0.2.1"}})
		s.must(err)
	}
	for i := range 40 {
		s.subscribe(list, "someone-"+string(rune('0'+i/10))+string(rune('0'+i%10))+"@example.com")
		if i%10 == 5 {
			subscribe("marked-name " + strings.Repeat("y", 50*i))
		}
	}
	message, err := s.service.Messages.AddMessage(ctx, s.caller, details("name", "May", "type", "email", "subject", "May", "text_content", "Hello"))
	s.must(err)
	batch, err := s.service.Batches.AddBatch(ctx, s.caller, batches.BatchRequest{Message: message, Populations: []batches.PopulationRequest{{List: list}}})
	s.must(err)
	for done := false; !done; {
		done, _, err = s.service.Sending.PrepareBatch(ctx, batches.PrepareBatch{Batch: batch})
		s.must(err)
	}
	s.storeMarkedEvents(list, batch)
	other := s.subscribe(list, "other@example.com") // had the address before
	s.must(s.store.Update(ctx, func(tx *db.Tx) error {
		d := messages.Delivery{DeliveryKey: enlist.DeliveryKey{List: list, Contact: other, Time: 5, Cause: "c"}, Status: messages.DeliveryBounced,
			Address: "Marked-Address@example.com", Subject: "Hello marked-subject", Detail: "550 marked-address@example.com is unknown"}
		saved := []byte(`{"to":"marked-address@example.com"}`)
		return errors.Join(d.Put(tx), tx.Enqueue(messages.SendTest{Account: s.caller.Account.ID, Message: message, Address: "marked-address@example.com"}),
			tx.SaveRetry(s.caller.Account.ID, s.caller.Key.ID, &enlist.Retry{Header: "h"}, saved, time.Now().Unix()))
	}))
	i, err := s.service.Imports.AddImport(ctx, s.caller, imports.NewImport{ImportOptions: imports.ImportOptions{List: list, FileName: "p.csv", Existing: imports.ExistingOverwrite},
		File: strings.NewReader("Email,Name\nmarked-address@example.com,marked-import\nmarked-address@example.com@,x\n" + strings.Repeat("filler@example.org,"+strings.Repeat("y", 200)+"\n", 2000))})
	s.must(err)
	s.must(s.service.Imports.RunImport(ctx, i.ID))
	for _, address := range []string{"marked-address@example.com", ""} { // two rows of the audit log
		_, err = s.service.Lists.EditList(ctx, s.caller, list, details("on_register_address", address))
		s.must(err)
	}
	k := s.markedMail(list, batch)
	_, err = s.service.Sending.UnsubscribeByLink(ctx, k, "192.0.2.2 marked-visitor")
	s.must(err)
	_, err = s.service.Sending.ExplainDeparture(ctx, k, "other", "marked-words")
	s.must(err)
}

// markedMail returns the key of the mail that the Batch has sent to the person.
func (s *service) markedMail(list enlist.ListID, batch enlist.BatchID) (k enlist.DeliveryKey) {
	s.Helper()
	s.must(s.store.View(s.Context(), func(tx *db.Tx) error {
		contacts, err := contacts.ByAddress(tx, list, "marked-address@example.com", "", 0, 1)
		if err != nil || len(contacts) == 0 {
			return errors.Join(err, errors.New("the person has no Contact"))
		}
		b, err := batches.ByID(tx, batch)
		if err == nil {
			k = enlist.DeliveryKey{List: list, Contact: contacts[0].ID, Time: b.CreationTime, Cause: batches.CauseBatch(batch)}
		}
		return err
	}))
	return k
}

// storeMarkedEvents sends the person the mail of a Batch, which they open, and stores a click whose mail program is marked.
func (s *service) storeMarkedEvents(list enlist.ListID, batch enlist.BatchID) {
	s.Helper()
	_, err := s.service.Lists.EditList(s.Context(), s.caller, list, details("track_opens", "1", "track_clicks", "1"))
	s.must(err)
	k := s.markedMail(list, batch)
	s.must(s.store.Update(s.Context(), func(tx *db.Tx) error {
		r, err := recipients.Load(tx, list, batch, k.Contact)
		if err != nil {
			return err
		}
		r.Status, r.Sent, r.Detail = recipients.StatusSent, time.Now().Unix()-60, "250 marked-reply"
		e := r.NewEvent(recipients.EventClicked, 0, 1)
		e.Client = "marked-program"
		return errors.Join(r.Save(tx), e.Put(tx))
	}))
	s.must(s.service.Sending.Opened(s.Context(), enlist.Link{Kind: enlist.LinkOpen, DeliveryKey: k}, "Thunderbird marked-agent 192.0.2.3"))
	opened := false
	s.must(s.store.View(s.Context(), func(tx *db.Tx) error {
		events, err := recipients.Events(tx, list, batch, k.Contact)
		for _, e := range events {
			opened = opened || e.Kind == recipients.EventOpened && e.Client == "thunderbird"
		}
		return err
	}))
	if !opened {
		s.Fatal("the open was not stored")
	}
}
