package sending_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/mail"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	enlistmail "enlist/internal/mail"
	"enlist/internal/mail/mailtest"
	"enlist/internal/sending"

	"go.uber.org/goleak"
)

// This file has the fixture of the tests of the BatchSender: a List whose mails go to a mail server for tests. There is
// no queue: prepare does what the job of a Batch does.

func TestMain(m *testing.M) { dbtest.Main(m, func() error { return goleak.Find() }) }

// mailedList is a database with an Account and one List, and a mail server. Its methods fail the test after an error.
type mailedList struct {
	*testing.T
	store   *dbtest.Store
	service *app.App
	caller  *enlist.Caller
	list    enlist.ListID
	server  *mailtest.Server
	sender  *sending.BatchSender
	now     func() time.Time // of the sender; nil: time.Now
}

// newMailedList gets a database and starts the mail server. It does not start the sender.
func newMailedList(t *testing.T, e dbtest.Engine) *mailedList {
	t.Helper()
	p := &mailedList{T: t, server: mailtest.Start(t, mailtest.Options{}), store: e.Own(t)}
	p.service = app.New(p.store, time.Now)
	p.server.Read(apptest.ReadTraces(t, p.store))
	first, err := p.service.Bootstrap(t.Context(), "")
	p.must(err)
	p.list = first.List
	p.caller, err = p.service.Accounts.Operator(t.Context(), first.Account)
	p.must(err)
	return p
}

// must fails the test on an error.
func (p *mailedList) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// newMailer returns a Mailer that sends to the mail server.
func (p *mailedList) newMailer() *enlistmail.Mailer {
	p.Helper()
	key, err := p.service.Messages.LinkKey(p.Context())
	p.must(err)
	mailer, err := enlistmail.New(enlistmail.Options{From: "news@example.com", PublicURL: "https://example.com", Key: key, Links: p.service.Sending,
		Transport: enlistmail.Transport{SMTP: p.server.URL(), Key: key, Log: slog.New(slog.DiscardHandler), Connections: 4,
			Domains: p.service.Accounts}})
	p.must(err)
	p.Cleanup(func() { mailer.Close() })
	return mailer
}

// holdMails makes the mail server wait before it accepts a mail, until free is closed. arrived gets the address of each.
func (p *mailedList) holdMails() (arrived chan string, free chan struct{}) {
	arrived, free = make(chan string, 100), make(chan struct{})
	p.server.Script(func(s mailtest.Step) mailtest.Action {
		if s.Stage == mailtest.End {
			arrived <- s.To[0]
			select {
			case <-free:
			case <-p.Context().Done():
			}
		}
		return mailtest.Action{}
	})
	return arrived, free
}

// startSender starts the sender of Batches.
func (p *mailedList) startSender() {
	p.Helper()
	p.sender = p.newSender()
}

// newSender starts a sender, like that of a process of its own, and stops it at the end.
func (p *mailedList) newSender() *sending.BatchSender {
	p.Helper()
	sender := p.service.Sending.NewBatchSender(sending.SenderOptions{Mailer: p.newMailer(), Slots: sending.NewSlots(8),
		Connections: 4, Log: slog.New(slog.DiscardHandler), Now: p.now})
	sender.Start()
	p.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		sender.Stop(ctx)
	})
	return sender
}

// prepare does what the job of a Batch does: it stores the recipients, and wakes the sender.
func (p *mailedList) prepare(id enlist.BatchID) {
	p.Helper()
	for done := false; !done; {
		var err error
		done, _, err = p.service.Sending.PrepareBatch(p.Context(), batches.PrepareBatch{Batch: id})
		p.must(err)
	}
	if p.sender != nil {
		p.sender.Wake()
	}
}

// edit pauses, continues or cancels a Batch.
func (p *mailedList) edit(id enlist.BatchID, command string) {
	p.Helper()
	p.must(p.service.Batches.EditBatch(p.Context(), p.caller, id, command, 0))
	p.prepare(id)
}

func detail(key, text string) enlist.Detail {
	return enlist.Detail{Key: key, Value: enlist.Input{Kind: enlist.InputText, Text: text}}
}

// subscribe subscribes an address to the List.
func (p *mailedList) subscribe(email string) enlist.ContactID {
	p.Helper()
	id, err := p.service.Contacts.Subscribe(p.Context(), p.caller,
		contacts.SubscribeRequest{List: p.list, Details: []enlist.Detail{detail("Email", email)}})
	p.must(err)
	return id
}

// addBatch subscribes n Contacts, and adds and prepares a Batch for the List. It sets the Message and the populations
// of the request.
func (p *mailedList) addBatch(n int, r batches.BatchRequest) enlist.BatchID {
	p.Helper()
	for i := range n {
		p.subscribe(fmt.Sprintf("a%d@example.com", i))
	}
	return p.send(r)
}

// send adds and prepares a Batch for the List. It sets the Message and the populations of the request.
func (p *mailedList) send(r batches.BatchRequest) enlist.BatchID {
	p.Helper()
	message, err := p.service.Messages.AddMessage(p.Context(), p.caller, []enlist.Detail{detail("name", "May"), detail("subject", "Hello {{Email}}"),
		detail("text_content", "Dear {{Email}}"), detail("html_content", `<p>Dear {{Email}} <a href="https://example.com/">More</a></p>`)})
	p.must(err)
	r.Message, r.Populations = message, []batches.PopulationRequest{{List: p.list}}
	id, err := p.service.Batches.AddBatch(p.Context(), p.caller, r)
	p.must(err)
	p.prepare(id)
	return id
}

// untilStatus waits until a Batch has a status.
func (p *mailedList) untilStatus(id enlist.BatchID, want batches.BatchStatus) *batches.Batch {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), time.Minute)
	defer cancel()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		b, err := p.service.Batches.Batch(ctx, p.caller, id)
		p.must(err)
		if b.Status == want {
			return b
		}
		<-look.C
	}
}

// waitForMessages waits until the mail server has accepted n messages.
func (p *mailedList) waitForMessages(n int) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), time.Minute)
	defer cancel()
	if all, err := p.server.Wait(ctx, n); err != nil {
		p.Fatalf("%d messages arrived, want %d: %v", len(all), n, err)
	}
}

// header returns the value of a header field of a message.
func header(t *testing.T, m mailtest.Message, name string) string {
	t.Helper()
	read, err := mail.ReadMessage(bytes.NewReader(m.Data))
	if err != nil {
		t.Fatal(err)
	}
	return read.Header.Get(name)
}
