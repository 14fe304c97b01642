package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"slices"
	"time"

	"enlist/api"
	"enlist/internal/enlist"
	"enlist/internal/users"

	"github.com/jackc/pgx/v5"
)

// This file is the part "pages": the pages of the administration, beside many Lists, Batches to all Contacts with
// their opens and clicks (pages_events.go), and many smaller Batches.

const (
	smallLists    = 20  // Contacts in each of the other Lists
	smallBatches  = 100 // each to one of these Lists
	pageLoads     = 50  // of each page, after one that fills caches
	pagePerson    = "bench@example.com"
	batchDeadline = 30 * time.Minute
)

// measuredPages are the pages, with the parts of the paths that follow /admin/. The first Batches are to all Contacts.
var measuredPages = []struct{ name, path string }{
	{"home", ""}, {"sends", "sends"}, {"report", "sends/1"}, {"people of a report", "sends/1/people/recipients"},
	{"new send", "sends/new"}, {"check of a send", "sends/check?message=1&list=2"}, {"Lists", "lists"},
	{"a List", "lists/2"}, {"its settings", "lists/2/settings"}, {"Contacts", "contacts?list=2"},
	{"Contacts of one State", "contacts?list=2&g=0&key=State&op=in&value=NSW"},
	{"a person", "contacts/person?list=2&contact=500"}, {"Segments", "segments"}, {"Messages", "messages"},
	{"a Message", "messages/1"}, {"images", "images"}, {"look", "look"}, {"Forms", "forms"}, {"Imports", "imports"},
	{"new Import", "imports/new"}, {"sending health", "sending"}, {"autoresponders", "autoresponders"},
	{"Unsubscriber List", "unsubscribers"}, {"users", "users"}, {"keys", "keys"}, {"webhooks", "webhooks"},
	{"audit log", "audit"}, {"you", "you"},
	// Searches that must read all rows, and then end early.
	{"people of a report, a rare text", "sends/1/people/recipients?q=zzqq"},
	{"people of a report, only machines", "sends/1/people/machines"},
	{"Contacts, a rare text", "contacts?list=2&q=zzqq"},
	{"Contacts, sorted by a Field", "contacts?list=2&sort=Comment"},
	{"Unsubscriber List, a rare text", "unsubscribers?q=zzqq"},
}

// paging measures the pages.
func (b *bench) paging() error {
	return b.onEngines("pages.db", func(db string) error {
		b.say("creating %d Contacts, and %d other Lists", b.Contacts, manyLists)
		in, err := b.makeMailingList(db, b.Contacts)
		if err != nil {
			return err
		}
		if err := b.addLists(db, manyLists, smallLists); err != nil {
			return err
		}
		link, err := b.linkOfPerson(db)
		if err != nil {
			return err
		}
		large, err := b.addLargeBatches(in)
		if err != nil {
			return err
		}
		if err := b.sendBatches(in); err != nil {
			return err
		}
		if err := b.addEvents(in, large); err != nil {
			return err
		}
		if err := b.settle(db); err != nil {
			return err
		}
		server, err := b.serve(db)
		if err != nil {
			return err
		}
		defer server.stop()
		return b.loadPages(db, server, link)
	})
}

// linkOfPerson adds a person who may see all pages, and returns the text of the link for the sign-in.
func (b *bench) linkOfPerson(db string) (link string, err error) {
	store, service, caller, err := b.open(db)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	_, err = service.Users.Invite(b.ctx, users.Invitation{Email: pagePerson, Name: "Bench",
		Membership: users.Membership{Account: caller.Account.ID, Level: enlist.Full, MaySend: true}})
	if err != nil {
		return "", err
	}
	return service.Users.NewLink(b.ctx, pagePerson)
}

// sendBatches sends the smaller Batches, and waits until they are complete.
func (b *bench) sendBatches(in *mailingList) error {
	to, server, err := b.serveWithSink(in.db)
	if err != nil {
		return err
	}
	defer to.close()
	defer server.stop()
	to.resume()
	client := api.NewClient("http://"+server.addr, apiKey)
	defer client.Close()
	last := int64(0)
	for i := range smallBatches {
		to := []api.Population{{ListID: int64(in.list) + 1 + int64(i)}}
		id, err := client.AddBatch(b.ctx, int64(in.message), to, 0, false, api.BatchOptions{})
		if err != nil {
			return err
		}
		last = id
	}
	b.say("sending %d Batches", smallBatches)
	deadline := time.Now().Add(batchDeadline)
	for id := last - smallBatches + 1; id <= last; {
		batch, err := client.GetBatchByID(b.ctx, id)
		switch {
		case err != nil:
			return err
		case batch.SendStatus == "completed":
			id++
		case time.Now().After(deadline):
			return fmt.Errorf("the Batch %d has the status %s after %v", id, batch.SendStatus, batchDeadline)
		default:
			time.Sleep(100 * time.Millisecond)
		}
	}
	return nil
}

// settle does at once what PostgreSQL's autovacuum does in the minutes after so many changes. It would run beside the
// measurement, and without its statistics PostgreSQL chooses other plans.
func (b *bench) settle(db string) (err error) {
	if db != b.Postgres {
		return nil
	}
	conn, err := pgx.Connect(b.ctx, db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(b.ctx)) }()
	b.say("vacuuming")
	_, err = conn.Exec(b.ctx, "VACUUM (ANALYZE)")
	return err
}

// loadPages loads each page several times, over one connection.
func (b *bench) loadPages(db string, server *process, link string) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	client := &http.Client{Jar: jar}
	at := "http://" + server.addr + "/admin/"
	reply, err := client.Post(at+"link/"+link, "application/x-www-form-urlencoded", nil)
	if err != nil {
		return err
	}
	reply.Body.Close()
	for _, p := range measuredPages {
		var took outcome
		size := int64(0)
		for i := range pageLoads + 1 {
			began := time.Now()
			request, err := http.NewRequestWithContext(b.ctx, http.MethodGet, at+p.path, nil)
			if err != nil {
				return err
			}
			request.Header.Set("Accept-Encoding", "gzip") // so the size is that of what was sent
			reply, err := client.Do(request)
			if err != nil {
				return err
			}
			size, err = io.Copy(io.Discard, reply.Body)
			reply.Body.Close()
			if err == nil && reply.StatusCode != http.StatusOK {
				err = fmt.Errorf("the page %s is answered with %s", p.path, reply.Status)
			}
			if err != nil {
				return err
			}
			if i > 0 {
				took.latency = append(took.latency, time.Since(began))
			}
		}
		slices.Sort(took.latency)
		b.add(figure{engine(db) + ": page " + p.name, fmt.Sprintf("p50 %s, p95 %s, %d KB", milliseconds(took.percentile(0.5)),
			milliseconds(took.percentile(0.95)), size/1000), 0})
	}
	return nil
}
