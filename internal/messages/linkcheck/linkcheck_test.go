package linkcheck

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// covers: decision 52
func TestLinksAreAskedOnceAnHourAndOnlyAtPublicAddresses(t *testing.T) {
	var heads, gets atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			heads.Add(1)
		} else {
			gets.Add(1)
		}
		switch r.URL.Path {
		case "/gone":
			w.WriteHeader(http.StatusNotFound)
		case "/get":
			if r.Method == http.MethodHead {
				w.WriteHeader(http.StatusMethodNotAllowed)
			}
		case "/members":
			w.WriteHeader(http.StatusForbidden)
		case "/moved":
			http.Redirect(w, r, "/gone", http.StatusFound)
		}
	}))
	defer server.Close()
	now := time.Now()
	c := New(Options{Private: true, Version: "test"})
	c.now = func() time.Time { return now }
	paths := map[string]string{"/": "", "/gone": "the server answers with status 404", "/get": "", "/members": "",
		"/moved": "the server answers with status 404"}
	var urls []string
	for path := range paths {
		urls = append(urls, server.URL+path)
	}
	if known := c.Known(urls); len(known) != 0 || heads.Load() != 0 {
		t.Errorf("before, %v is known", known)
	}
	for range 2 {
		found := c.Look(t.Context(), 7, urls)
		for path, why := range paths {
			if found[server.URL+path] != why {
				t.Errorf("%s: %q, want %q", path, found[server.URL+path], why)
			}
		}
	}
	if heads.Load() != 6 || gets.Load() != 4 { // one more of each for the redirect; the first answer counts for an hour
		t.Errorf("there were %d HEAD and %d GET, want 6 and 4", heads.Load(), gets.Load())
	}
	now = now.Add(time.Hour)
	if known := c.Known(urls); len(known) != 0 {
		t.Errorf("after an hour, %v is known", known)
	}
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf("%s/?%d", server.URL, i))
	}
	before := heads.Load()
	c.Look(t.Context(), 8, many)
	if n := heads.Load() - before; n != 60 {
		t.Errorf("an owner asked %d links at once, want 60", n)
	}
	public := New(Options{})
	if why := public.Look(t.Context(), 1, []string{server.URL + "/"})[server.URL+"/"]; why != "its address is not public" {
		t.Errorf("a private address: %q", why)
	}
	if why := public.Look(t.Context(), 1, []string{"http://user:word@localhost/", "ftp://localhost/"}); len(why) != 0 {
		t.Errorf("links that are not asked: %v", why)
	}
}

// An Account whose links never answer holds only its share of the slots, and each of its links is asked once.
func TestLinksThatNeverAnswerDelayOnlyTheirAccount(t *testing.T) {
	var silent atomic.Int64
	reached := make(chan bool, 100)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/silent" {
			silent.Add(1)
			reached <- true
			<-r.Context().Done()
		}
	}))
	defer server.Close()
	c := New(Options{Private: true})
	ctx, stop := context.WithCancel(t.Context())
	var links []string
	for i := range 20 {
		links = append(links, fmt.Sprintf("%s/silent?%d", server.URL, i))
	}
	var asked sync.WaitGroup
	asked.Go(func() { c.Look(ctx, 1, links) })
	for range share {
		<-reached
	}
	c.Look(t.Context(), 2, []string{server.URL + "/page"}) // it ends, although the others wait
	if n := silent.Load(); n != share {
		t.Errorf("%d links of an Account are asked at once, want %d", n, share)
	}
	stop()
	asked.Wait()

	c.client.Timeout = time.Millisecond
	silent.Store(0)
	link := server.URL + "/silent"
	if why := c.Look(t.Context(), 3, []string{link})[link]; why != noAnswer || silent.Load() > 1 {
		t.Errorf("a link that does not answer was asked %d times: %q", silent.Load(), why)
	}
}
