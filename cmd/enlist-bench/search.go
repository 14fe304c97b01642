package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// This file is the part "search": searches by Email, pages, and a stream of all Contacts of a large List. It also
// measures the time until the server is ready, and the memory of the idle server.

// searching measures searches in a List of many Contacts, and the time and memory
// that the server needs to start.
func (b *bench) searching() error {
	b.say("creating %d Contacts", b.Contacts)
	list, err := b.makeDatabase("search.db", b.Contacts)
	if err != nil {
		return err
	}
	server, err := b.serve("search.db")
	if err != nil {
		return err
	}
	defer server.stop()
	b.add(figure{fmt.Sprintf("time from start to ready, %d Contacts", b.Contacts), milliseconds(server.up), 0, "150 ms"})
	time.Sleep(2 * time.Second) // the server becomes idle
	b.add(figure{"resident memory of an idle server", fmt.Sprintf("%.1f MiB", server.resident(false)), 0, "40 MiB"})
	base, err := b.bareHandler()
	if err != nil {
		return err
	}
	defer base.stop()

	lookups := make([]string, 5000)
	for i := range lookups {
		lookups[i] = fmt.Sprintf(`{"id":1,"method":"searchContacts","params":["%s",%d,[["Email","exactly","%s"]]]}`, apiKey,
			list, address(i*104729%b.Contacts))
	}
	ratio, o, _, err := b.compare("searchContacts by Email", server, base, lookups)
	if err != nil {
		return err
	}
	b.add(figure{fmt.Sprintf("searchContacts by Email, %d Contacts, %d connections", b.Contacts, b.Connections),
		perSecond(o), ratio, "0.40"})
	page := fmt.Sprintf(`{"id":1,"method":"searchContacts","params":["%s",%d,[],100,1000]}`, apiKey, list)
	ratio, o, size, err := b.compare("pages", server, base, []string{page})
	if err != nil {
		return err
	}
	b.add(figure{fmt.Sprintf("page of 100 Contacts, all Fields, %d bytes", size), perSecond(o), ratio, "4000/s"})
	return b.streaming(server, post(server, fmt.Sprintf(`{"id":1,"method":"searchContacts","params":["%s",%d,[],0]}`,
		apiKey, list), 0))
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
func (b *bench) streaming(server *process, request []byte) error {
	before := server.resident(false)
	server.forgetPeak()
	began := time.Now()
	conn, err := net.Dial("tcp", server.addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.Write(request); err != nil {
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
	b.add(figure{"memory growth while all Contacts stream", fmt.Sprintf("%.1f MiB", server.resident(true)-before), 0,
		"32 MiB"})
	b.add(figure{"– duration of the stream", fmt.Sprintf("%.1f s, %.0f MB, %.0f Contacts/s", took.Seconds(), float64(n)/1e6,
		float64(b.Contacts)/took.Seconds()), 0, ""})
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
