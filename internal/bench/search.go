package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// searching measures searches in a List of many Contacts, and what the server
// takes of memory and time to be there at all.
func (b *bench) searching() error {
	b.say("making %d Contacts", b.Contacts)
	list, err := b.makeDatabase("search.db", b.Contacts)
	if err != nil {
		return err
	}
	server, err := b.serve("search.db")
	if err != nil {
		return err
	}
	defer server.stop()
	b.add(figure{fmt.Sprintf("start to ready, %d Contacts", b.Contacts), milliseconds(server.up), 0, "150 ms"})
	time.Sleep(2 * time.Second) // idle
	b.add(figure{"resident when idle", fmt.Sprintf("%.1f MiB", server.resident(false)), 0, "40 MiB"})
	base, err := b.bareHandler()
	if err != nil {
		return err
	}
	defer base.stop()

	n := make([]int, b.Connections)
	lookup := &load{server: server, connections: b.Connections, duration: b.Duration, good: succeeded,
		request: func(i int) []byte {
			n[i]++
			at := (i*7919 + n[i]*104729) % b.Contacts
			return post(server.addr, fmt.Sprintf(`{"id":1,"method":"searchContacts","params":["%s",%d,[["Email","exactly","%s"]]]}`, apiKey, list, address(at)))
		}}
	size, err := b.replySize(lookup)
	if err != nil {
		return err
	}
	ratio, o, err := b.pairs("searchContacts by Email", lookup, lookup.at(base).bare(size))
	if err != nil {
		return err
	}
	b.add(figure{fmt.Sprintf("searchContacts by Email, %d Contacts, %d connections", b.Contacts, b.Connections), perSecond(o), ratio, "0.40"})

	page := post(server.addr, fmt.Sprintf(`{"id":1,"method":"searchContacts","params":["%s",%d,[],100,1000]}`, apiKey, list))
	pages := &load{server: server, connections: b.Connections, duration: b.Duration, good: succeeded, request: func(int) []byte { return page }}
	if size, err = b.replySize(pages); err != nil {
		return err
	}
	ratio, o, err = b.pairs("pages", pages, pages.at(base).bare(size))
	if err != nil {
		return err
	}
	b.add(figure{fmt.Sprintf("page of 100 Contacts, all Fields, %d bytes", size), perSecond(o), ratio, "4000/s"})
	return b.streaming(server, post(server.addr, fmt.Sprintf(`{"id":1,"method":"searchContacts","params":["%s",%d,[],0]}`, apiKey, list)))
}

// streaming reads all Contacts in one reply and looks at the server's memory.
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
	b.add(figure{"memory growth while all Contacts stream", fmt.Sprintf("%.1f MiB", server.resident(true)-before), 0, "32 MiB"})
	b.add(figure{"– their time", fmt.Sprintf("%.1f s, %.0f MB, %.0f Contacts/s", took.Seconds(), float64(n)/1e6, float64(b.Contacts)/took.Seconds()), 0, ""})
	return nil
}

// replySize asks once and returns how long the reply is.
func (b *bench) replySize(l *load) (int, error) {
	conn, err := net.Dial("tcp", l.server.addr)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	if _, err := conn.Write(l.request(0)); err != nil {
		return 0, err
	}
	body, err := readReply(conn, make([]byte, replyRoom))
	if err == nil && !l.good(body) {
		err = fmt.Errorf("the server answered %.300s", bytes.TrimSpace(body))
	}
	return len(body), err
}

func (l load) at(server *process) *load {
	l.server = server
	return &l
}
