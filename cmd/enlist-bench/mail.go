package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"enlist/internal/app"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
)

// This file has the part "mail". It measures how fast the server sends the mails of autoresponders. sink.go is the mail
// server.

// mailConnections is the number of connections to the mail server.
const mailConnections = "16"

// mailing measures autoresponders.
func (b *bench) mailing() error {
	return b.onEngines("mail.db", func(database string) error {
		in, err := b.makeMailingList(database, b.waiting())
		if err != nil {
			return err
		}
		if err := b.addResponder(in); err != nil {
			return err
		}
		round := int64(0)
		return b.repeat(fmt.Sprintf("%s: mails of autoresponders, %s connections", engine(database), mailConnections),
			func() (outcome, error) { round++; return b.sendQueued(in, round) })
	})
}

// waiting returns the number of mails in the queue: a tenth of --contacts.
func (b *bench) waiting() int { return max(1, b.Contacts/10) }

// mailingList is a List to whose Contacts the benchmark sends mails.
type mailingList struct {
	db        string // value of --db
	list      enlist.ListID
	first     enlist.ContactID // the others follow it
	message   enlist.MessageID
	responder enlist.AutoresponderID
}

// sendQueued measures how fast the server sends a queue of mails, one for each Contact. The mail server is paused
// until the queue is full and the server has started.
func (b *bench) sendQueued(in *mailingList, round int64) (o outcome, err error) {
	mails := b.waiting()
	store, err := b.openStore(in.db)
	if err != nil {
		return o, err
	}
	err = b.inBatches(store, mails, func(tx *db.Tx, from, to int) (err error) {
		for i := from; i < to && err == nil; i++ {
			err = tx.Enqueue(events.Autorespond{List: in.list, Contact: in.first + enlist.ContactID(i),
				Autoresponder: in.responder, Time: 1_700_000_000 + round})
		}
		return err
	})
	store.Close()
	if err != nil {
		return o, err
	}
	to, server, err := b.serveWithSink(in.db)
	if err != nil {
		return o, err
	}
	defer to.close()
	defer server.stop()
	time.Sleep(2 * time.Second) // the server fetches the first jobs in this time
	began := time.Now()
	to.resume()
	err = b.taken(to, mails)
	return outcome{calls: mails, elapsed: time.Since(began)}, err
}

// taken waits until the mail server has accepted n messages.
func (b *bench) taken(mails *sink, n int) error {
	for began := time.Now(); mails.taken.Load() < int64(n); time.Sleep(time.Millisecond) {
		if time.Since(began) > 5*time.Minute || b.ctx.Err() != nil {
			late := fmt.Errorf("%d of %d mails arrived", mails.taken.Load(), n)
			return errors.Join(late, context.Cause(b.ctx))
		}
	}
	return nil
}

// serveWithSink starts a server whose mails go to a new, paused sink. The caller stops the server and closes the sink.
func (b *bench) serveWithSink(database string) (*sink, *process, error) {
	to, err := newSink()
	if err != nil {
		return nil, nil, err
	}
	server, err := b.serve(database, "--smtp", to.url(), "--mail-connections", mailConnections)
	if err != nil {
		to.close()
	}
	return to, server, err
}

// makeMailingList creates a List, its Contacts and a Message. A mail of the Message has 2 KB, with a text part, an HTML
// part and three merged values.
func (b *bench) makeMailingList(database string, contacts int) (*mailingList, error) {
	store, service, caller, err := b.open(database)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	in := &mailingList{db: database}
	for _, step := range []func() error{
		func() error { in.list, err = b.addList(service, caller); return err },
		func() error { in.message, err = b.addMessage(service, caller); return err },
		func() error { in.first, err = b.fill(store, in.list, contacts); return err },
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// sentence fills a Message up to its length.
const sentence = "The gardens are open from nine to five, and the café serves lunch until two. "

// addMessage adds the Message of the mails.
func (b *bench) addMessage(service *app.App, caller *enlist.Caller) (enlist.MessageID, error) {
	text := "Dear {{First Name}} {{Last Name}},\n\n" + strings.Repeat(sentence, 7) + "\n\nYours in {{State}}\n"
	html := "<html><body><p>Dear {{First Name}} {{Last Name}},</p><p>" + strings.Repeat(sentence, 12) +
		"</p><p>Yours in {{State}}, <a href=\"https://example.com/\">example.com</a></p></body></html>"
	return service.Messages.AddMessage(b.ctx, caller, []enlist.Detail{detail("type", "email"), detail("name", "Bench"),
		detail("subject", "News for {{First Name}}"), detail("text_content", text), detail("html_content", html)})
}

// addResponder adds an autoresponder with the Message. The benchmark never causes its event: sendQueued enqueues the
// jobs.
func (b *bench) addResponder(in *mailingList) error {
	store, service, caller, err := b.open(in.db)
	if err != nil {
		return err
	}
	defer store.Close()
	in.responder, err = service.Batches.AddAutoresponder(b.ctx, caller,
		[]enlist.Detail{detail("event_type", "subscribe"),
			detail("list_id", fmt.Sprint(in.list)), detail("message_id", fmt.Sprint(in.message))})
	return err
}
