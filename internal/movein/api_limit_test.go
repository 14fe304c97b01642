package movein_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"enlist/api"
	"enlist/internal/contacts"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/movein"
	"enlist/internal/publicnet"
)

// newSource returns a Source that calls a server and does not wait between attempts.
func newSource(t *testing.T, server *httptest.Server) *movein.API {
	client := api.NewClient(server.URL, "secret-key")
	t.Cleanup(client.Close)
	from := movein.NewAPI(client, server.URL, true, func(string) {})
	from.SetWait(func(ctx context.Context, _ time.Duration) error { return ctx.Err() })
	return from
}

// A service at a private address is called only if the operator has said that it is private.
//
// covers: decision 87
func TestAPrivateAddressIsNotCalled(t *testing.T) {
	called := false
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called = true }))
	t.Cleanup(server.Close)
	client := api.NewClient(server.URL, "secret-key")
	t.Cleanup(client.Close)
	from := movein.NewAPI(client, server.URL, false, func(line string) { t.Error(line) })
	if _, err := from.Lists(t.Context()); !errors.Is(err, publicnet.ErrNotPublic) || called {
		t.Errorf("the error is %v, and called is %v; want ErrNotPublic, and no call", err, called)
	}
}

// A service that sends without end is refused after 64 MiB, and is called once.
//
// covers: decision 87
func TestAnEndlessReplyEndsTheMove(t *testing.T) {
	var calls, sent atomic.Int64
	piece := bytes.Repeat([]byte(" "), 1<<20)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		for r.Context().Err() == nil {
			n, err := w.Write(piece)
			sent.Add(int64(n))
			if err != nil {
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	_, err := newSource(t, server).Lists(t.Context())
	if err == nil || !strings.Contains(err.Error(), "larger than 64 MiB") {
		t.Errorf("the error is %v, want one about the size", err)
	}
	// The server sends into buffers for a moment after the client has stopped reading.
	if calls.Load() != 1 || sent.Load() > 256<<20 {
		t.Errorf("%d calls sent %d MiB, want one that ends after about 64", calls.Load(), sent.Load()>>20)
	}
}

// The body of a call has the key, so a redirect to another host is not followed.
//
// covers: decision 87
func TestTheKeyIsNotSentToAnotherHost(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		t.Errorf("the other host got %s", body)
	}))
	t.Cleanup(other.Close)
	server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(server.Close)
	if _, err := newSource(t, server).Lists(t.Context()); err == nil || !strings.Contains(err.Error(), other.Listener.Addr().String()) {
		t.Errorf("the error is %v, want one that names the other host", err)
	}
}

// A file is read from the host of the service, and from no other address that is not public, also after a redirect. Its
// size is what was read: the record has kilobytes.
//
// covers: decision 87
func TestFilesComeFromTheHostOfTheService(t *testing.T) {
	content := strings.Repeat("x", 5000)
	private := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		t.Error("a server on a private address was called")
		io.WriteString(w, content)
	}))
	t.Cleanup(private.Close)
	mux := http.NewServeMux()
	mux.HandleFunc("/file", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, content) })
	mux.Handle("/elsewhere", http.RedirectHandler(private.URL, http.StatusFound))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	from := newSource(t, server)
	file := func(link string) movein.Record {
		return movein.Record{detail("url", link), detail("size", "5")}
	}
	body, size, err := from.FileContent(t.Context(), file(server.URL+"/file"))
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if got, err := io.ReadAll(body); string(got) != content || size != int64(len(content)) || err != nil {
		t.Errorf("the file has %d bytes and the size %d, %v; want %d", len(got), size, err, len(content))
	}
	for _, link := range []string{private.URL, server.URL + "/elsewhere"} {
		if _, _, err := from.FileContent(t.Context(), file(link)); enlist.KindOf(err) != enlist.InvalidParameters {
			t.Errorf("%s: the error is %v, want a refusal", link, err)
		}
	}
}

func detail(key, text string) enlist.Detail {
	return enlist.Detail{Key: key, Value: enlist.Input{Kind: enlist.InputText, Text: text}}
}

// An entry of the Unsubscriber List without list_id counts for the List of its Contact. It is left out if there is no
// such Contact: without a List it would stop the mails of all Lists.
//
// covers: decision 87
func TestAnUnsubscriberWithoutListIsOfTheListOfItsContact(t *testing.T) {
	dbtest.EachParallel(t, unsubscriberWithoutList)
}

func unsubscriberWithoutList(t *testing.T, e dbtest.Engine) {
	to, ctx := newTarget(t, e), t.Context()
	id, err := to.service.Contacts.Subscribe(ctx, to.caller, contacts.SubscribeRequest{List: 1, Details: []enlist.Detail{detail("Email", "a@example.com")}})
	if err != nil {
		t.Fatal(err)
	}
	entry := func(address string, contact enlist.ContactID, more ...enlist.Detail) movein.Record {
		return append(movein.Record{detail("address_type", "email"), detail("address", address), detail("time", "1500000000"),
			detail("contact_id", fmt.Sprint(contact))}, more...)
	}
	added, problems, err := movein.NewRecords(to.service, to.caller).MoveUnsubscribers(ctx, []movein.Record{
		entry("a@example.com", id), entry("b@example.com", id+1000), entry("c@example.com", 0, detail("list_id", "0"))})
	if err != nil {
		t.Fatal(err)
	}
	if added != 2 || len(problems) != 1 || problems[0].Key != "list_id" {
		t.Errorf("%d entries were added, with the problems %v; want 2 and one about list_id", added, problems)
	}
	for list, want := range map[enlist.ListID]int64{1: 1, 0: 2} { // 0: of all Lists
		n, err := to.service.Contacts.CountUnsubscribers(ctx, to.caller, list, nil)
		if err != nil || n != want {
			t.Errorf("list_id %d: %d entries, %v; want %d", list, n, err, want)
		}
	}
}
