package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"enlist/internal/audience"
	"enlist/internal/enlist"
	"enlist/internal/store/postgres"
	"enlist/internal/store/sqlite"
)

// This file has the part "mail". It measures how fast the server sends queued mails, and the processor time
// of a mail. sink.go is the mail server.

// mailConnections is the number of connections to the mail server.
const mailConnections = "16"

// mailing measures notifications and autoresponders on SQLite, and on PostgreSQL if --postgres is set.
func (b *bench) mailing() error {
	databases := []string{filepath.Join(b.Dir, "mail.db")}
	if b.Postgres != "" {
		databases = append(databases, b.Postgres)
	}
	for _, db := range databases {
		in, err := b.makeMailingList(db, b.waiting(), b.addResponder)
		if err != nil {
			return err
		}
		for round := range b.Rounds {
			if err := b.sendQueued(in, "notifications", round, in.notification); err != nil {
				return err
			}
			if err := b.sendQueued(in, "autoresponders", round, in.autoresponder); err != nil {
				return err
			}
		}
	}
	return nil
}

// mailingList is a List to whose Contacts the benchmark sends mails.
type mailingList struct {
	db        string // value of --db
	list      enlist.ListID
	message   enlist.MessageID
	responder enlist.AutoresponderID
}

// engine returns the name of the engine for the report.
func (m *mailingList) engine() string {
	if isPostgres(m.db) {
		return "PostgreSQL"
	}
	return "SQLite"
}

func (m *mailingList) notification(contact, round int) audience.Effect {
	return audience.Notify{List: m.list, Contact: enlist.ContactID(contact), Event: enlist.EventSubscribe,
		Address: "owner@example.com", Time: 1_700_000_000 + int64(round)}
}

func (m *mailingList) autoresponder(contact, round int) audience.Effect {
	return audience.Autorespond{List: m.list, Contact: enlist.ContactID(contact), Autoresponder: m.responder,
		Time: 1_700_000_000 + int64(round)}
}

// sendQueued measures how fast the server sends a queue of mails, one for each Contact. The mail server is paused
// until the queue is full and the server has started.
func (b *bench) sendQueued(in *mailingList, what string, round int, effect func(contact, round int) audience.Effect) error {
	mails := b.waiting()
	store, err := b.openStore(in.db)
	if err != nil {
		return err
	}
	err = b.inBatches(store, mails, func(tx *audience.Tx, from, to int) (err error) {
		for i := from; i < to && err == nil; i++ {
			err = tx.Enqueue(effect(i+1, round))
		}
		return err
	})
	store.Close()
	if err != nil {
		return err
	}
	to, server, err := b.serveWithSink(in.db)
	if err != nil {
		return err
	}
	defer to.close()
	defer server.stop()
	time.Sleep(2 * time.Second) // the server fetches the first jobs in this time
	began, cpu := time.Now(), server.cpu()
	to.resume()
	if err := b.taken(to, mails); err != nil {
		return err
	}
	took := time.Since(began)
	b.add(figure{fmt.Sprintf("%s: queued %s sent, %s connections", in.engine(), what, mailConnections),
		fmt.Sprintf("%.0f/s, %v of processor time in enlist", float64(mails)/took.Seconds(),
			(server.cpu()-cpu)/time.Duration(mails)), 0, ""})
	return nil
}

// serveWithSink starts a server whose mails go to a new, paused sink. The caller stops the server and closes the sink.
func (b *bench) serveWithSink(db string) (*sink, *process, error) {
	to, err := newSink()
	if err != nil {
		return nil, nil, err
	}
	server, err := b.serveAt(db, "--smtp", to.url(), "--mail-from", "bench@example.com",
		"--mail-connections", mailConnections)
	if err != nil {
		to.close()
	}
	return to, server, err
}

// openStore opens the store at the value of --db.
func (b *bench) openStore(db string) (audience.Store, error) {
	if isPostgres(db) {
		return postgres.Open(b.ctx, db, postgres.Options{})
	}
	return sqlite.Open(b.ctx, db, sqlite.Options{})
}

func isPostgres(db string) bool { return strings.HasPrefix(db, "postgres") }

// makeMailingList creates a database with a List, its Contacts and a Message. A mail of the Message has 2 KB, with a
// text part, an HTML part and three merged values. more adds to the List before it has Contacts.
func (b *bench) makeMailingList(db string, contacts int,
	more func(*audience.Service, *enlist.Caller, *mailingList) error) (*mailingList, error) {
	store, err := b.openStore(db)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	service := audience.NewService(store, time.Now)
	first, err := service.Bootstrap(b.ctx, apiKey)
	if err != nil {
		return nil, err
	}
	if first == nil {
		return nil, fmt.Errorf("the database of --postgres is not empty: give a new one")
	}
	caller, err := service.Operator(b.ctx, first.Account)
	if err != nil {
		return nil, err
	}
	in := &mailingList{db: db}
	in.list, err = b.addList(service, caller)
	if err != nil {
		return nil, err
	}
	in.message, err = b.addMessage(service, caller)
	if err != nil {
		return nil, err
	}
	if err := more(service, caller, in); err != nil {
		return nil, err
	}
	return in, b.fill(store, in.list, contacts)
}

// sentence fills a Message up to its length.
const sentence = "The gardens are open from nine to five, and the café serves lunch until two. "

// addMessage adds the Message of the mails.
func (b *bench) addMessage(service *audience.Service, caller *enlist.Caller) (enlist.MessageID, error) {
	text := "Dear {{First Name}} {{Last Name}},\n\n" + strings.Repeat(sentence, 7) + "\n\nYours in {{State}}\n"
	html := "<html><body><p>Dear {{First Name}} {{Last Name}},</p><p>" + strings.Repeat(sentence, 12) +
		"</p><p>Yours in {{State}}, <a href=\"https://example.com/\">example.com</a></p></body></html>"
	return service.AddMessage(b.ctx, caller, []enlist.Detail{detail("type", "email"), detail("name", "Bench"),
		detail("subject", "News for {{First Name}}"), detail("text_content", text), detail("html_content", html)})
}

// addResponder adds an autoresponder with the Message. The benchmark never causes its event: sendQueued enqueues the
// jobs.
func (b *bench) addResponder(service *audience.Service, caller *enlist.Caller, in *mailingList) (err error) {
	in.responder, err = service.AddAutoresponder(b.ctx, caller, []enlist.Detail{detail("event_type", "subscribe"),
		detail("list_id", fmt.Sprint(in.list)), detail("message_id", fmt.Sprint(in.message))})
	return err
}
