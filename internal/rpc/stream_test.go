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

	"enlist/internal/audience"
)

// These tests show replies that are too long to be buffered, and clients that read them slowly.

// fill makes List 1 with Contacts of some 5 KB each.
func (h *harness) fill(t testing.TB, contacts int) {
	t.Helper()
	h.call(t, "addList", `{"name":"Customers"}`)
	h.call(t, "addField", `1,{"name":"Note","type":"comment"}`)
	caller, err := h.service.Authenticate(t.Context(), h.keys["FULL"])
	if err != nil {
		t.Fatal(err)
	}
	note := strings.Repeat("words and \"more\" ", 300)
	text := func(key, s string) audience.Detail {
		return audience.Detail{Key: key, Value: audience.Input{Kind: audience.InputText, Text: s}}
	}
	for i := range contacts {
		_, err := h.service.Subscribe(t.Context(), caller, audience.SubscribeRequest{List: 1, Details: []audience.Detail{
			text("Email", fmt.Sprintf("c%d@example.org", i)), text("Note", note)}})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A reply has the same bytes whether it is buffered or streamed.
//
// covers: spec searchContacts.rule.2, decision 39
func TestBufferedAndStreamedRepliesAreEqual(t *testing.T) {
	t.Parallel()
	for _, held := range []int{0, 1, 100_000} {
		t.Run(fmt.Sprint(held, " bytes buffered"), func(t *testing.T) {
			h := newHarness(t, Options{MaxHeld: held})
			h.fill(t, 60)
			kept := h.post(t, h.request("searchContacts", "1,[],60"))
			streamed := h.post(t, h.request("searchContacts", "1,[],0"))
			if kept != streamed {
				t.Errorf("with %d held: %d and %d bytes differ", held, len(kept), len(streamed))
			}
			if v, err := parse(kept); err != nil || len(child(v, "result").Items) != 60 {
				t.Errorf("with %d held: %v in %.100s", held, err, kept)
			}
			batch := h.post(t, "["+h.request("searchContacts", "1,[],0")+","+h.request("searchContacts", "1,[],60")+`,{"jsonrpc":"2.0","method":"searchContacts","params":["`+
				h.keys["FULL"]+`",1,[],0]},`+h.request("countContacts", "1")+"]")
			if expected := "[" + kept + "," + kept + `,{"id":1,"result":60,"error":null}]`; batch != expected {
				t.Errorf("with %d held: a batch of %d bytes differs from %d", held, len(batch), len(expected))
			}
		})
	}
}

// One Contact is held, however long; a batch is sent as it grows.
func TestSingleContactIsBufferedWhole(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{MaxHeld: 100})
	h.fill(t, 1)
	one := h.post(t, h.request("getContactById", "1,1"))
	if !strings.HasSuffix(one, `,"error":null}`) || len(one) < 4000 {
		t.Error(one)
	}
	many := strings.Repeat(h.request("getContactById", "1,1")+",", 99) + `{"jsonrpc":"2.0","method":"countLists","params":[]}`
	if reply := h.post(t, "["+many+"]"); reply != "["+strings.Repeat(one+",", 98)+one+"]" {
		t.Errorf("%d bytes where %d are expected", len(reply), 99*(len(one)+1)+1)
	}
}

// A failure before 64 KiB are encoded is an ordinary error. After a later failure the reply
// is incomplete JSON.
//
// covers: decision 39
func TestFailedStreamIsNotValidJSON(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{MaxHeld: 1})
	h.fill(t, 60)
	h.store.failSearchAfter(5)
	if reply := h.post(t, h.request("searchContacts", "1,[],0")); reply != `{"id":1,"result":null,"error":{"code":100,"message":"Internal Server Error (request r1)"}}` {
		t.Error(reply)
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
				t.Errorf("%d bytes, %v", len(reply), err)
			}
			if _, err := parse(string(reply)); err == nil {
				t.Error("a broken stream parses")
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
	h.store.setFault("stream", audience.Refuse(audience.Busy, "too many long searches at once"))
	if reply := h.post(t, h.request("searchContacts", "1,[],0")); !strings.Contains(reply, `"result":null,"error":{"code":399,`) {
		t.Error(reply)
	}
	if reply := h.post(t, h.request("searchContacts", `1,[],0,0,"","",["id"]`)); reply != `{"id":1,"result":[{"id":1},{"id":2},{"id":3}],"error":null}` {
		t.Error(reply)
	}
}

// A client that reads nothing or closes its connection loses its stream slot.
//
// covers: decision 39
func TestStalledOrClosedClientFreesItsStreamSlot(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{FlushTimeout: 50 * time.Millisecond})
	h.fill(t, 3000) // 15 MB: more than a connection buffers
	silent, gone := h.stream(t), h.stream(t)
	gone.Close()

	// Streams wait 50 ms for a place; all four must come free.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	all := make(chan error, 4)
	var inside sync.WaitGroup
	inside.Add(4)
	for range 4 {
		go func() {
			err := audience.ErrReplyTooLong
			for err != nil && ctx.Err() == nil {
				err = h.store.Stream(ctx, func(audience.Tx) error {
					inside.Done()
					inside.Wait()
					return nil
				})
			}
			all <- err
		}()
	}
	for range 4 {
		if err := <-all; err != nil {
			t.Error(err)
		}
	}
	if _, err := io.Copy(io.Discard, silent); err != nil {
		t.Log("the silent client:", err)
	}
}

// A client that reads each part in time, but not the whole reply, is disconnected.
//
// covers: decision 39
func TestStreamOverItsTimeLimitIsCutOff(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{MaxHeld: 1, StreamTimeout: time.Millisecond})
	h.fill(t, 500)
	resp, err := h.server.Client().Post(h.server.URL, "", strings.NewReader(h.request("searchContacts", "1,[],0")))
	if err != nil {
		return // cut off before its first byte was there
	}
	defer resp.Body.Close()
	if n, err := io.Copy(io.Discard, resp.Body); err == nil {
		t.Errorf("%d bytes came whole", n)
	}
}

// stream opens a connection on which a long search has begun to answer.
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

// Calls over the number that an Account may run at once wait, then are refused.
//
// covers: decision 43
func TestStreamCountsAsACallOfItsAccount(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{MaxCalls: 1, CallWait: 20 * time.Millisecond, FlushTimeout: time.Minute})
	h.fill(t, 3000)
	reader := h.stream(t) // it has its place, and more to send than it can
	if reply := h.post(t, h.request("countLists", "")); !strings.Contains(reply, `"code":399,`) {
		t.Error(reply)
	}
	if reply := h.post(t, fmt.Sprintf(`{"id":1,"method":"countLists","params":[%q]}`, h.keys["OTHER"])); !strings.Contains(reply, `"result":0,`) {
		t.Error(reply)
	}
	reader.Close()
}
