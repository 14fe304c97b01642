package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"enlist/api"
	"enlist/internal/db/dbtest"
)

// This test runs clients that close their connection before the server has answered.

// If a client closes its connection, the calls of other clients still succeed. An interrupted statement would make SQLite
// roll back the transaction with all calls in it. Each Contact whose ID a client received is stored once and completely.
func TestHangUpLosesNoOtherCall(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make faults\"")
	}
	c := newCrash(t, dbtest.SQLite, "smtp://127.0.0.1:1")
	kill := c.start()
	defer kill()
	c.notifyOwner()

	const leaving, waiting = 32, 32
	calls := 40
	if testing.Short() {
		calls = 5
	}
	var wg sync.WaitGroup
	for n := range leaving {
		wg.Go(func() {
			for i := range calls {
				c.hangUp(fmt.Sprintf("leaving%d.%d@example.com", n, i))
			}
		})
	}
	for n := range waiting {
		wg.Go(func() {
			for i := range calls {
				name := fmt.Sprintf("Waiting %d.%d", n, i)
				details := api.Details{"Email": fmt.Sprintf("waiting%d.%d@example.com", n, i), "First Name": name}
				id, err := c.client.SubscribeContact(t.Context(), 1, details, api.Consent{Type: api.ConsentDirect, Text: name})
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				c.mu.Lock()
				c.answered[id] = name
				c.recent = append(c.recent, id)
				c.mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(c.recent) != waiting*calls {
		t.Errorf("%d of %d calls of waiting clients were answered, want all", len(c.recent), waiting*calls)
	}
	c.verify(c.recent)
	stored, err := c.client.CountContacts(t.Context(), 1, api.Criteria{})
	if err != nil || stored > int64((leaving+waiting)*calls) {
		t.Errorf("%d Contacts are stored, want at most one for each call; error %v", stored, err)
	}
	kill()
	c.inspect()
	t.Logf("%d calls ran although the client had closed its connection", stored-int64(waiting*calls))
}

// hangUp sends a call and closes the connection within two milliseconds.
func (c *crash) hangUp(email string) {
	endpoint, err := url.Parse(c.url)
	if err != nil {
		c.t.Error(err)
		return
	}
	conn, err := net.Dial("tcp", endpoint.Host)
	if err != nil {
		c.t.Error(err)
		return
	}
	body := fmt.Sprintf(`{"id":1,"method":"subscribeContact","params":["%s",1,{"Email":"%s"}]}`, c.key, email)
	fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: enlist\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	// The read ends at the answer or at a random deadline. So the connection is closed
	// at different stages of the call.
	conn.SetReadDeadline(time.Now().Add(time.Duration(rand.IntN(2000)) * time.Microsecond))
	conn.Read(make([]byte, 1))
	conn.Close()
}
