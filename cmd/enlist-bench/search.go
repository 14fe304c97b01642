package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"enlist/internal/enlist"
)

// This file is the part "search": searches by Email, pages, and a stream of all Contacts of a large List, and then
// searches that use indexes (search_indexed.go). It also measures the time until the server is ready, and its memory.

// manyLists is the number of other Lists. Together they have as many Contacts as the List that is searched.
const manyLists = 1000

// searching measures searches in a List of many Contacts.
func (b *bench) searching() error {
	return b.onEngines("search.db", func(db string) error {
		b.say("creating %d Contacts, and as many in other Lists", b.Contacts)
		list, err := b.makeList(db, b.Contacts)
		if err != nil {
			return err
		}
		if err := b.addLists(db, manyLists, b.Contacts/manyLists); err != nil {
			return err
		}
		server, err := b.serve(db)
		if err != nil {
			return err
		}
		defer server.stop()
		base, err := b.bareHandler()
		if err != nil {
			return err
		}
		defer base.stop()
		in := &searched{bench: b, db: db, list: list, server: server, base: base}
		if err := in.measure(); err != nil {
			return err
		}
		return in.measureIndexed()
	})
}

// searched is the List that searches run on, with its server and the bare handler.
type searched struct {
	*bench
	db           string
	list         enlist.ListID
	server, base *process
}

// body returns the JSON of a call. params are its parameters after the List.
func (in *searched) body(method, params string) string {
	return fmt.Sprintf(`{"id":1,"method":"%s","params":["%s",%d,%s]}`, method, apiKey, in.list, params)
}

// measure measures the start of the server, and searches that need no index of a Field.
func (in *searched) measure() error {
	on := engine(in.db) + ": "
	in.add(figure{fmt.Sprintf("%stime from start to ready, %d Contacts", on, in.Contacts), milliseconds(in.server.up),
		0})
	time.Sleep(2 * time.Second) // the server becomes idle
	in.add(figure{on + "resident memory of an idle server", fmt.Sprintf("%.1f MiB", in.server.resident(false)), 0})
	lookups := make([]string, 5000)
	for i := range lookups {
		lookups[i] = in.body("searchContacts", fmt.Sprintf(`[["Email","exactly","%s"]]`, address(i*104729%in.Contacts)))
	}
	ratio, o, _, err := in.compare("searchContacts by Email", in.server, in.base, lookups)
	if err != nil {
		return err
	}
	in.add(figure{fmt.Sprintf("%ssearchContacts by Email, %d Contacts, %d connections", on, in.Contacts,
		in.Connections),
		perSecond(o), ratio})
	ratio, o, size, err := in.compare("pages", in.server, in.base, []string{in.body("searchContacts", "[],100,1000")})
	if err != nil {
		return err
	}
	in.add(figure{fmt.Sprintf("%spage of 100 Contacts, all Fields, %d bytes", on, size), perSecond(o), ratio})
	return in.streaming()
}

// compare sends the same bodies to both servers in turn. It asks the bare handler
// for replies of the same size as the first reply of the server.
func (b *bench) compare(name string, server, base *process, bodies []string) (ratio float64, o outcome, size int,
	err error) {
	size, err = replySize(server, post(server, bodies[0], 0))
	if err != nil {
		return 0, o, 0, err
	}
	load := func(to *process) *load {
		requests := make([][]byte, len(bodies))
		for i, body := range bodies {
			requests[i] = post(to, body, size)
		}
		return repeating(to, b.Connections, b.Duration, requests)
	}
	ratio, o, err = b.pairs(name, load(server), load(base))
	return ratio, o, size, err
}

// streaming reads all Contacts in one reply. It measures how much the server's memory grows, and the duration.
func (in *searched) streaming() error {
	before := in.server.resident(false)
	in.server.forgetPeak()
	began := time.Now()
	conn, err := net.Dial("tcp", in.server.addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.Write(post(in.server, in.body("searchContacts", "[],0"), 0)); err != nil {
		return err
	}
	reply, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return err
	}
	n, err := io.Copy(io.Discard, reply.Body)
	if err != nil {
		return err
	}
	took := time.Since(began)
	in.add(figure{engine(in.db) + ": memory growth while all Contacts stream",
		fmt.Sprintf("%.1f MiB", in.server.resident(true)-before), 0})
	in.add(figure{"– duration of the stream", fmt.Sprintf("%.1f s, %.0f MB, %.0f Contacts/s", took.Seconds(),
		float64(n)/1e6, float64(in.Contacts)/took.Seconds()), 0})
	return nil
}

// replySize sends one request and returns the length of the reply's body.
func replySize(server *process, request []byte) (int, error) {
	conn, err := net.Dial("tcp", server.addr)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	if _, err := conn.Write(request); err != nil {
		return 0, err
	}
	body, err := readReply(conn, make([]byte, replyRoom))
	if err == nil && !succeeded(body) {
		err = fmt.Errorf("the server answered %.300s", bytes.TrimSpace(body))
	}
	return len(body), err
}
