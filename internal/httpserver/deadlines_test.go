package httpserver

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// limitedHandler serves what handlers do with their bodies and replies.
func limitedHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/ignores", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") })
	mux.HandleFunc("/flushes", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "ok")
		http.NewResponseController(w).Flush()
	})
	mux.HandleFunc("/reads", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		fmt.Fprint(w, len(body))
	})
	mux.HandleFunc("/long", func(w http.ResponseWriter, r *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
	})
	return mux
}

// short are Limits that a test can wait for.
var short = Limits{Read: 50 * time.Millisecond, Write: 50 * time.Millisecond, Rest: 50 * time.Millisecond}

// A server closes a connection that keeps a request waiting, whatever the handler does with its body. Without the
// deadlines, each of these connections stays open for ever.
//
// covers: decision 125
func TestEveryRequestHasDeadlines(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(Handler(limitedHandler(), Options{Limits: short}))
	t.Cleanup(s.Close)
	body := "Host: a\r\nContent-Length: 10\r\n\r\n"
	for _, sent := range []string{
		"GET /ignores HTTP/1.1\r\n" + body,
		"POST /ignores HTTP/1.1\r\n" + body + "1",
		"POST /ignores HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n",
		"POST /flushes HTTP/1.1\r\n" + body,
		"POST /reads HTTP/1.1\r\n" + body + "123",
		"GET /nothing HTTP/1.1\r\n" + body,
	} {
		conn := dial(t, s.Listener.Addr().String(), sent)
		if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, conn); isTimeout(err) {
			t.Errorf("%q: %v, want that the server closes the connection", sent, err)
		}
	}
}

func isTimeout(err error) bool {
	timeout, is := errors.AsType[net.Error](err)
	return is && timeout.Timeout()
}

// A client that reads nothing is cut off, with HTTP/1.1 and with HTTP/2.
//
// covers: decision 125
func TestClientsThatDoNotReadAreCutOff(t *testing.T) {
	t.Parallel()
	for _, http2 := range []bool{false, true} {
		ended := make(chan struct{})
		s := httptest.NewUnstartedServer(Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			limitedHandler().ServeHTTP(w, r)
			close(ended)
		}), Options{Limits: short}))
		s.EnableHTTP2 = http2
		if http2 {
			s.StartTLS()
		} else {
			s.Start()
		}
		t.Cleanup(s.Close)
		client := s.Client()
		client.CheckRedirect = nil
		reply, err := client.Get(s.URL + "/long")
		if err != nil {
			t.Fatal(err)
		}
		defer reply.Body.Close()
		if want := map[bool]int{true: 2, false: 1}[http2]; reply.ProtoMajor != want {
			t.Fatalf("HTTP/%d, want HTTP/%d", reply.ProtoMajor, want)
		}
		<-ended
	}
}

// On HTTP/2, a stream without an end ends, and the connection serves others.
//
// covers: decision 125
func TestStreamsOfHTTP2HaveDeadlines(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(Handler(limitedHandler(), Options{Limits: short}))
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	for _, path := range []string{"/ignores", "/reads"} {
		never, end := io.Pipe()
		defer end.Close()
		request, err := http.NewRequest("POST", s.URL+path, never)
		if err != nil {
			t.Fatal(err)
		}
		if reply, err := s.Client().Do(request); err == nil {
			io.Copy(io.Discard, reply.Body)
			reply.Body.Close()
		}
	}
	reply, err := s.Client().Post(s.URL+"/reads", "text/plain", strings.NewReader("12345"))
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	if got, err := io.ReadAll(reply.Body); err != nil || string(got) != "5" {
		t.Errorf("got %q, %v", got, err)
	}
}

// A body that comes too slowly as a whole is refused, though each of its parts is in time. One that comes in time is not,
// also if it takes longer than the limit of a part. Time that the handler needs does not count.
func TestBodyNeedsARate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rate int64
		want bool
	}{{1 << 20, true}, {1, false}} {
		now, deadlines := time.Now(), &recorder{}
		w := &timed{ResponseWriter: deadlines, body: io.NopCloser(bytes.NewReader(make([]byte, 100))),
			control: http.NewResponseController(deadlines), limits: Limits{Read: time.Hour, Rate: c.rate}}
		w.waited = 2 * time.Hour
		w.got = 7200 * 2
		if _, err := (timedBody{w}).Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		if late := deadlines.read.Before(now); late != c.want {
			t.Errorf("rate %d: the deadline has passed: %v, want %v", c.rate, late, c.want)
		}
	}
}

// recorder records the deadlines of a reply.
type recorder struct {
	httptest.ResponseRecorder
	read, write time.Time
}

func (r *recorder) SetReadDeadline(t time.Time) error  { r.read = t; return nil }
func (r *recorder) SetWriteDeadline(t time.Time) error { r.write = t; return nil }

// A handler's own deadline is used if it is earlier, and not after the end of the body: the server reads then to notice
// that the client has left, and a deadline would end the call.
func TestHandlersHaveDeadlinesOfTheirOwn(t *testing.T) {
	t.Parallel()
	inner := &recorder{}
	Deadlines(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control, soon := http.NewResponseController(w), time.Now().Add(time.Second)
		control.SetReadDeadline(soon)
		control.SetWriteDeadline(soon)
		r.Body.Read(make([]byte, 1))
		if !inner.read.Equal(soon) {
			t.Errorf("deadline %v, want %v", inner.read, soon)
		}
		w.Write(make([]byte, heldBytes))
		if !inner.write.IsZero() {
			t.Errorf("deadline %v for bytes that net/http holds back, want none", inner.write)
		}
		w.Write([]byte("x"))
		if !inner.write.Equal(soon) {
			t.Errorf("deadline %v, want %v", inner.write, soon)
		}
		io.Copy(io.Discard, r.Body)
		control.SetReadDeadline(soon)
		if !inner.read.IsZero() {
			t.Errorf("after the end of the body: deadline %v, want none", inner.read)
		}
		control.SetWriteDeadline(time.Time{})
	}), Limits{}).ServeHTTP(inner, httptest.NewRequest("POST", "/", struct{ io.Reader }{strings.NewReader("abc")}))
	if inner.write.IsZero() || !inner.read.IsZero() {
		t.Errorf("after the handler: deadlines %v and %v, want only one to write", inner.read, inner.write)
	}
}

// Connections whose handler is done and whose body does not come give their slot to a new one, though no time limit has
// passed.
//
// covers: decision 125
func TestConnectionWhoseHandlerIsDoneGivesWay(t *testing.T) {
	t.Parallel()
	s := limitedSlots(t, 8, limitedHandler(), Limits{Rest: time.Hour})
	s.Start()
	for range 50 {
		dial(t, s.Listener.Addr().String(), "GET /ignores HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n")
	}
	good := dial(t, s.Listener.Addr().String(), "POST /reads HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
	if got := reply(t, good); got != "200 3" {
		t.Errorf("a good request: %s", got)
	}
}

// Clients that do not read their replies give their slots to new ones, though no time limit has passed.
//
// covers: decision 125
func TestConnectionWhoseReplyIsNotReadGivesWay(t *testing.T) {
	t.Parallel()
	s := limitedSlots(t, 8, limitedHandler(), Limits{Write: time.Hour})
	s.Start()
	addr, began := s.Listener.Addr().String(), 0
	for range 1000 { // some are refused while the others still send
		conn := dial(t, addr, "GET /long HTTP/1.1\r\nHost: a\r\n\r\n")
		if _, err := conn.Read(make([]byte, 1)); err == nil {
			began++
		}
		if began == 50 {
			return
		}
	}
	t.Errorf("%d replies began, want 50", began)
}

// limitedSlots returns a server with a number of slots.
func limitedSlots(t *testing.T, most int, handler http.Handler, l Limits) *httptest.Server {
	t.Helper()
	limit := NewConnections(most, nil)
	s := httptest.NewUnstartedServer(Handler(handler, Options{Limits: l}))
	s.Listener = limit.Limit(s.Listener)
	s.Config.ConnState, s.Config.ConnContext = limit.State, limit.Context
	t.Cleanup(s.Close)
	return s
}

// Requests at the same time on one connection of HTTP/2 have no more slots than connections have, and give them back.
//
// covers: decision 125
func TestRequestsOfHTTP2NeedPlaces(t *testing.T) {
	t.Parallel()
	arrived, free := make(chan struct{}, 10), make(chan struct{})
	s := limitedSlots(t, 8, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-free
	}), Limits{})
	s.EnableHTTP2 = true
	s.StartTLS()
	ask := func() int {
		reply, err := s.Client().Get(s.URL)
		if err != nil {
			t.Error(err)
			return 0
		}
		defer reply.Body.Close()
		if reply.ProtoMajor != 2 {
			t.Errorf("HTTP/%d, want HTTP/2", reply.ProtoMajor)
		}
		return reply.StatusCode
	}
	for range 3 {
		var asked sync.WaitGroup
		for range 2 {
			asked.Go(func() {
				if got := ask(); got != http.StatusOK {
					t.Errorf("status %d, want 200", got)
				}
			})
			<-arrived
		}
		if got := ask(); got != http.StatusServiceUnavailable {
			t.Errorf("the third request: status %d, want 503", got)
		}
		for range 2 {
			free <- struct{}{}
		}
		asked.Wait()
	}
}
