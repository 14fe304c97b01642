package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/httpserver"
)

// These tests check replies that are too long for the buffer, and clients that read them slowly.

// fill creates List 1 with Contacts of about 5 KB each.
func (h *harness) fill(t testing.TB, all int) {
	t.Helper()
	h.call(t, "addList", `{"name":"Customers"}`)
	h.call(t, "addField", `1,{"name":"Note","type":"comment"}`)
	caller, err := h.service.Accounts.Authenticate(t.Context(), h.keys["FULL"])
	if err != nil {
		t.Fatal(err)
	}
	note := strings.Repeat("words and \"more\" ", 300)
	text := func(key, s string) enlist.Detail {
		return enlist.Detail{Key: key, Value: enlist.Input{Kind: enlist.InputText, Text: s}}
	}
	for i := range all {
		_, err := h.service.Contacts.Subscribe(t.Context(), caller, contacts.SubscribeRequest{List: 1, Details: []enlist.Detail{
			text("Email", fmt.Sprintf("c%d@example.org", i)), text("Note", note)}})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A streamed reply has the same bytes as a buffered reply.
//
// covers: spec searchContacts.rule.2, decision 39
func TestBufferedAndStreamedRepliesAreEqual(t *testing.T) {
	t.Parallel()
	for _, buffer := range []int{0, 1, 100_000} {
		t.Run(fmt.Sprint("MaxHeld ", buffer), func(t *testing.T) {
			h := newHarness(t, Options{MaxHeld: buffer})
			h.fill(t, 60)
			limited := h.post(t, h.request("searchContacts", "1,[],60"))
			unlimited := h.post(t, h.request("searchContacts", "1,[],0"))
			if limited != unlimited {
				t.Errorf("the replies with limit 60 (%d bytes) and without a limit (%d bytes) differ", len(limited), len(unlimited))
			}
			if v, err := parse(limited); err != nil || len(child(v, "result").Items) != 60 {
				t.Errorf("the reply does not have 60 Contacts: %v in %.100s", err, limited)
			}
			batch := h.post(t, "["+h.request("searchContacts", "1,[],0")+","+h.request("searchContacts", "1,[],60")+`,{"jsonrpc":"2.0","method":"searchContacts","params":["`+
				h.keys["FULL"]+`",1,[],0]},`+h.request("countContacts", "1")+"]")
			if expected := "[" + limited + "," + limited + `,{"id":1,"result":60,"error":null}]`; batch != expected {
				t.Errorf("the reply to a batch has %d bytes and differs from the expected %d bytes", len(batch), len(expected))
			}
		})
	}
}

// The reply to getContactById is never streamed, even if it is longer than MaxHeld. The reply to a
// batch is sent in parts.
func TestGetContactByIDIsNotStreamed(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{MaxHeld: 100})
	h.fill(t, 1)
	one := h.post(t, h.request("getContactById", "1,1"))
	if !strings.HasSuffix(one, `,"error":null}`) || len(one) < 4000 {
		t.Errorf("got %s, want a complete reply of at least 4000 bytes", one)
	}
	many := strings.Repeat(h.request("getContactById", "1,1")+",", 99) + `{"jsonrpc":"2.0","method":"countLists","params":[]}`
	if reply := h.post(t, "["+many+"]"); reply != "["+strings.Repeat(one+",", 98)+one+"]" {
		t.Errorf("the reply to a batch has %d bytes, want %d bytes", len(reply), 99*(len(one)+1)+1)
	}
}

// If a search fails before its reply has 64 KiB, the client gets an ordinary error. If it fails
// later, the client gets incomplete JSON.
//
// covers: decision 39
func TestFailedStreamIsNotValidJSON(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{MaxHeld: 1})
	h.fill(t, 60)
	h.store.failSearchAfter(5)
	if reply := h.post(t, h.request("searchContacts", "1,[],0")); reply != `{"id":1,"result":null,"error":{"code":100,"message":"Internal Server Error (request r1)"}}` {
		t.Errorf("a search that fails after 5 Contacts: got %s, want code 100", reply)
	}
	h.store.failSearchAfter(40)
	search := h.request("searchContacts", "1,[],0")
	for _, test := range []struct{ name, body string }{
		{"one call", search},
		{"a batch", "[" + h.request("countLists", "") + "," + search + "]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			resp, err := h.server.Client().Post(h.server.URL, "", strings.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			reply, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if !errors.Is(err, io.ErrUnexpectedEOF) || len(reply) < firstBytes {
				t.Errorf("got %d bytes and the error %v, want at least %d bytes and an unexpected end", len(reply), err, firstBytes)
			}
			if _, err := parse(string(reply)); err == nil {
				t.Error("the incomplete reply is valid JSON")
			}
		})
	}
}

// A search whose reply is buffered needs no stream slot.
//
// covers: decision 39
func TestShortSearchNeedsNoStreamSlot(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{MaxHeld: 10_000})
	h.fill(t, 3)
	h.store.setFault("stream", enlist.Refuse(enlist.Busy, "too many long searches at once"))
	if reply := h.post(t, h.request("searchContacts", "1,[],0")); !strings.Contains(reply, `"result":null,"error":{"code":399,`) {
		t.Errorf("a long reply without a free slot: got %s, want code 399", reply)
	}
	if reply := h.post(t, h.request("searchContacts", `1,[],0,0,"","",["id"]`)); reply != `{"id":1,"result":[{"id":1},{"id":2},{"id":3}],"error":null}` {
		t.Errorf("a short reply without a free slot: got %s, want three Contacts", reply)
	}
}

// If a client does not read its streamed reply or closes its connection, the slot of the stream
// becomes free.
//
// covers: decision 39
func TestStalledOrClosedClientFreesItsStreamSlot(t *testing.T) {
	t.Parallel()
	// On a busy machine, a shorter limit would also end the calls of fill.
	h := newHarness(t, Options{}, httpserver.Limits{Write: 2 * time.Second})
	h.fill(t, 3000) // 15 MB: more than the buffers of a connection can hold
	silent, gone := h.stream(t), h.stream(t)
	gone.Close()

	// A stream waits for a slot for at most 50 ms. All slots must become free. The service itself, which
	// has no Account here, may use all of them.
	const slots = 8
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	all := make(chan error, slots)
	var inside sync.WaitGroup
	inside.Add(slots)
	for range slots {
		go func() {
			err := enlist.ErrReplyTooLong
			for err != nil && ctx.Err() == nil {
				err = h.store.Stream(ctx, func(*db.Tx) error {
					inside.Done()
					inside.Wait()
					return nil
				})
			}
			all <- err
		}()
	}
	for range slots {
		if err := <-all; err != nil {
			t.Error(err)
		}
	}
	if _, err := io.Copy(io.Discard, silent); err != nil {
		t.Log("the silent client:", err)
	}
}

// If a client reads each part in time but needs too long for the complete reply, the server closes
// the connection.
//
// covers: decision 39
func TestStreamOverItsTimeLimitIsAborted(t *testing.T) {
	t.Parallel()
	database := openFile(t, dbtest.SQLite.New(t))
	filled := newHarnessOn(t, database, Options{})
	filled.fill(t, 500)
	h := serve(t, database, Options{MaxHeld: 1, StreamTimeout: time.Millisecond})
	h.keys = filled.keys
	resp, err := h.server.Client().Post(h.server.URL, "", strings.NewReader(h.request("searchContacts", "1,[],0")))
	if err != nil {
		return // the server closed the connection before it sent a byte
	}
	defer resp.Body.Close()
	if n, err := io.Copy(io.Discard, resp.Body); err == nil {
		t.Errorf("the client got the complete reply of %d bytes, want a closed connection", n)
	}
}

// stream opens a connection, starts a search with a long reply and reads the first byte of the
// reply.
func (h *harness) stream(t *testing.T) net.Conn {
	t.Helper()
	conn, r := h.dial(t)
	body := h.request("searchContacts", "1,[],0")
	fmt.Fprintf(conn, "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	if _, err := r.ReadByte(); err != nil {
		t.Fatal(err)
	}
	return conn
}

// A streamed reply uses a call slot of its Account until the reply ends. If no slot is free, further
// calls of this Account wait and are then refused. Calls of another Account are executed.
//
// covers: decision 43
func TestStreamUsesACallSlotOfItsAccount(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{MaxCalls: 1, CallWait: 20 * time.Millisecond})
	h.fill(t, 3000)
	// The stream uses the only slot of the Account. It does not end, because the client does not
	// read the reply.
	reader := h.stream(t)
	if reply := h.post(t, h.request("countLists", "")); !strings.Contains(reply, `"code":399,`) {
		t.Errorf("a second call of the Account: got %s, want code 399", reply)
	}
	if reply := h.post(t, fmt.Sprintf(`{"id":1,"method":"countLists","params":[%q]}`, h.keys["OTHER"])); !strings.Contains(reply, `"result":0,`) {
		t.Errorf("a call of another Account: got %s, want the result 0", reply)
	}
	reader.Close()
}
