package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"enlist/api"
	"enlist/internal/config"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/db/pgtest"
	"enlist/internal/db/postgres"
	"enlist/internal/webhooks/post"
)

// These tests run the service while its PostgreSQL server stops, hangs, crashes or fails over.

// outage is a service in this process. The test makes its database server unavailable.
type outage struct {
	*testing.T
	store *postgres.Store
	url   string
	api   *api.Client
	http  *http.Client
}

// newOutage starts a service whose calls end after 0.5 s instead of 10 s.
func newOutage(t *testing.T, target string) *outage {
	t.Helper()
	return newOutageWith(t, target, postgres.Options{Writers: 2, UpdateTime: time.Second})
}

func newOutageWith(t *testing.T, target string, o postgres.Options) *outage {
	t.Helper()
	must0 := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	store, err := postgres.Open(t.Context(), target, o)
	must0(err)
	t.Cleanup(func() { store.Close() })
	key := strings.Repeat("f", 64)
	service, indexes := newService(store)
	_, err = service.Bootstrap(t.Context(), key)
	must0(err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must0(err)
	settings := config.Serve{Connections: 64, Memory: 512 << 20, Mail: "dir:" + t.TempDir()}
	quiet := slog.New(slog.DiscardHandler)
	mailer, links, err := newMailer(t.Context(), settings, service, listener.Addr(), quiet)
	must0(err)
	t.Cleanup(func() { mailer.Close() })
	hooks := post.New(post.Options{})
	t.Cleanup(hooks.Close)
	opened := &database{Engine: store, jobs: store.Jobs, check: store.Check}
	s, err := newServer(settings, components{store: opened, service: service, indexes: indexes, mailer: mailer, hooks: hooks,
		links: links, listeners: new(listeners), log: quiet, quiet: quiet})
	must0(err)
	s.start(context.WithoutCancel(t.Context()), listener)
	t.Cleanup(func() { s.stop() })
	running := &outage{t, store, "http://" + listener.Addr().String(), nil, &http.Client{Timeout: time.Minute}}
	running.api = api.NewClient(running.url, key)
	t.Cleanup(running.api.Close)
	t.Cleanup(running.http.CloseIdleConnections)
	return running
}

// status returns the HTTP status of a path of the service.
func (o *outage) status(path string) int {
	o.Helper()
	reply, err := o.http.Get(o.url + path)
	if err != nil {
		o.Fatal(err)
	}
	reply.Body.Close()
	return reply.StatusCode
}

// calls are the calls that the test sends during an outage, each with the error code that the reply must have.
var calls = []struct {
	method string
	params []any
	code   api.Code
}{
	{"subscribeContact", []any{1, api.Details{"Email": "new@example.com"}}, 302},
	{"resubscribeContact", []any{1, 1}, 302},
	{"unsubscribeContactById", []any{1, 1}, 100},
	{"getContactById", []any{1, 1}, 100},
	{"searchContacts", []any{1, []any{[]any{"Email", "contains", "a"}}}, 100},
	{"addField", []any{1, api.Details{"name": "Age", "type": "decimal"}}, 100},
}

// away checks the service while its database is unavailable: the service answers every
// call with an error code, /healthz succeeds and /readyz fails.
func (o *outage) away(name string) {
	o.Helper()
	began := time.Now()
	ctx, cancel := context.WithTimeout(o.Context(), time.Minute)
	defer cancel()
	var all sync.WaitGroup
	for _, c := range calls {
		all.Go(func() {
			err := o.api.Call(ctx, c.method, c.params, nil)
			if refused, ok := errors.AsType[*api.Error](err); !ok || refused.Code != c.code {
				o.Errorf("%s: %s was answered with %v, want code %d", name, c.method, err, c.code)
			}
		})
	}
	all.Wait()
	if ready, lives := o.status("/readyz"), o.status("/healthz"); ready != 503 || lives != 200 {
		o.Errorf("%s: /readyz answers with %d and /healthz with %d, want 503 and 200", name, ready, lives)
	}
	o.Logf("%s: the calls took %s", name, time.Since(began).Round(time.Millisecond))
}

// back waits until the service is ready again, and checks that calls succeed.
func (o *outage) back(name string) {
	o.Helper()
	o.becomes(200)
	if _, err := o.api.SubscribeContact(o.Context(), 1, api.Details{"Email": "ada@example.com"}, api.Consent{}); err != nil {
		o.Errorf("after %s: %v", name, err)
	}
	if _, err := o.api.GetContactByID(o.Context(), 1, 1); err != nil {
		o.Errorf("after %s: %v", name, err)
	}
}

// becomes waits until /readyz answers with the given status.
func (o *outage) becomes(status int) {
	o.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); o.status("/readyz") != status; <-tick.C {
		if time.Now().After(end) {
			o.Fatalf("/readyz did not answer with %d within a minute", status)
		}
	}
}

// databaseServer starts a PostgreSQL server that the test may stop.
func databaseServer(t *testing.T) *pgtest.Server {
	t.Helper()
	if testing.Short() {
		t.Skip("this test starts a PostgreSQL server: run it with \"make faults\"")
	}
	s, err := pgtest.StartServer()
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(s.Remove)
	return s
}

// After the primary has crashed and its standby was promoted, the service becomes ready by itself.
func TestFailoverMakesTheServiceReadyAgain(t *testing.T) {
	t.Parallel()
	primary := databaseServer(t)
	standby, err := primary.StartStandby()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(standby.Remove)
	o := newOutage(t, pgtest.URL("postgres", primary, standby))
	o.back("nothing")
	if err := primary.Stop("immediate"); err != nil {
		t.Fatal(err)
	}
	o.away("no primary")
	if err := standby.Promote(); err != nil {
		t.Fatal(err)
	}
	o.back("failover")
}

// The database server hangs, stops, crashes, and returns as a standby. During each outage calls fail in time and
// /readyz answers 503. After the outage the service becomes ready by itself.
func TestOutageEndsWithTheServiceReadyAgain(t *testing.T) {
	t.Parallel()
	server := databaseServer(t)
	line := pgtest.NewProxy(t, server.URL("postgres"))
	o := newOutage(t, line.URL(server.URL("postgres")))
	o.back("nothing")
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		name       string
		begin, end func()
	}{
		{"silence", line.FallSilent, line.Talk},
		{"a stop", func() { check(server.Stop("fast")) }, func() { check(server.Start()) }},
		{"a crash", func() { check(server.Stop("immediate")) }, func() { check(server.Start()) }},
		{"being a standby", func() {
			check(server.Stop("fast"))
			check(server.Demote())
			check(server.Start())
		}, func() { check(server.Promote()) }},
	} {
		step.begin() // each step needs the state that the step before it left, so steps are not subtests
		o.away(step.name)
		step.end()
		o.back(step.name)
	}
}

// A service whose pool has no free connection for some time is not ready. It is
// ready again when a connection is free.
func TestFullPoolIsNotReady(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	o := newOutage(t, dbtest.Postgres.New(t))
	held, release := sync.WaitGroup{}, make(chan struct{})
	var holders sync.WaitGroup
	for range 2 {
		held.Add(1)
		first := sync.OnceFunc(held.Done)
		holders.Go(func() {
			for { // the store closes a connection that is in use for too long
				o.store.Update(o.Context(), func(*db.Tx) error { first(); <-release; return nil })
				select {
				case <-release:
					return
				default:
				}
			}
		})
	}
	held.Wait()
	if ready, lives := o.status("/readyz"), o.status("/healthz"); ready != 503 || lives != 200 {
		t.Errorf("/readyz answers with %d and /healthz with %d, want 503 and 200", ready, lives)
	}
	close(release)
	holders.Wait()
	o.back("a full pool")
}
