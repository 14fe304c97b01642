package postgres

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/pgtest"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// The tests in this file stop, crash and replace PostgreSQL servers while callers
// subscribe Contacts.

// server starts a server that the test may stop and start.
func server(t *testing.T) *pgtest.Server {
	t.Helper()
	if testing.Short() {
		t.Skip(`the test starts a PostgreSQL server: run it with "make faults"`)
	}
	s, err := pgtest.StartServer()
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(s.Remove)
	return s
}

// callers are goroutines that subscribe new addresses until stop is called. Half of the
// callers use Idempotency-Keys. They repeat a call until it succeeds. Then they repeat it
// once more, like a client that did not receive the reply.
type callers struct {
	*listFixture
	ending   chan struct{}
	all      sync.WaitGroup
	answered atomic.Int64
	failed   atomic.Int64

	mu      sync.Mutex
	ids     map[string]enlist.ContactID // by address, for the calls that returned an ID
	unknown map[string]bool             // addresses whose calls returned an error
}

func (d *listFixture) callers() *callers {
	c := &callers{listFixture: d, ending: make(chan struct{}), ids: make(map[string]enlist.ContactID), unknown: make(map[string]bool)}
	for i := range 8 {
		c.all.Go(func() {
			for j := 0; ; j++ {
				select {
				case <-c.ending:
					return
				default:
				}
				if email := fmt.Sprintf("a%d.%d@example.com", i, j); i%2 == 0 {
					c.subscribeUntilAnswered(email)
				} else {
					c.subscribeOnce(email)
				}
			}
		})
	}
	return c
}

// subscribeUntilAnswered subscribes with an Idempotency-Key.
func (c *callers) subscribeUntilAnswered(email string) {
	for {
		first, err := c.subscribe(c.Context(), email, email)
		if err != nil {
			c.failed.Add(1)
			continue // repeat the call, as a client does after the error 302
		}
		if again, err := c.subscribe(c.Context(), email, email); err == nil && again != first {
			c.Errorf("%s: the first call returned Contact %d, the repeated call Contact %d; want the same Contact", email, first, again)
		}
		c.note(email, first)
		return
	}
}

// subscribeOnce subscribes without an Idempotency-Key.
func (c *callers) subscribeOnce(email string) {
	id, err := c.subscribe(c.Context(), email, "")
	if err == nil {
		c.note(email, id)
		return
	}
	c.failed.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unknown[email] = true
}

func (c *callers) note(email string, id enlist.ContactID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ids[email] = id
	c.answered.Add(1)
}

// more waits until n more calls have succeeded.
func (c *callers) more(n int64) {
	c.Helper()
	before := c.answered.Load()
	waitFor(c.T, func() bool { return c.answered.Load() >= before+n })
}

// stop ends the callers. It checks that each Contact whose ID a caller received is
// stored with one ledger row. If the call of an address returned an error, the Contact
// must be stored with one ledger row or not at all.
func (c *callers) stop() {
	c.Helper()
	close(c.ending)
	c.all.Wait()
	for email, id := range c.ids {
		if found := c.find(email); found != id {
			c.Errorf("the call for %s returned Contact %d, but Contact %d is stored (0: none)", email, id, found)
		}
	}
	stored := int64(len(c.ids))
	for email := range c.unknown {
		if c.find(email) != 0 {
			stored++
		}
	}
	var rows, contacts int64
	c.must(retry(c.Context(), func() (again bool, err error) {
		// A connection of the pool may still lead to the server that the test has stopped.
		err = c.store.jobs.QueryRow(c.Context(), "SELECT count(*), count(DISTINCT contact_id) FROM consent").Scan(&rows, &contacts)
		return lost(err), err
	}))
	if rows != stored || contacts != stored {
		c.Errorf("the ledger has %d rows about %d Contacts, want one row for each of the %d Contacts", rows, contacts, stored)
	}
	c.wantCount(stored)
	c.Logf("%d calls succeeded; %d calls failed, but the Contacts of %d of them are stored", c.answered.Load(), c.failed.Load(), stored-int64(len(c.ids)))
}

// find returns the ID of the Contact with an address, or 0 if there is none.
func (c *callers) find(email string) (id enlist.ContactID) {
	c.Helper()
	err := c.store.View(c.Context(), func(tx *db.Tx) error {
		found, err := contacts.ByKey(tx, c.list, email)
		if err == nil {
			id = found.ID
		}
		return err
	})
	if err != nil && enlist.KindOf(err) != enlist.NoContact {
		c.Fatal(err)
	}
	return id
}

// While callers subscribe, the server is once stopped (mode fast) and once crashes (mode
// immediate). Every Contact whose ID a caller received is stored. A repeated call with the
// same Idempotency-Key creates no second Contact.
func TestRestartUnderLoadLosesNoAnsweredSubscription(t *testing.T) {
	server := server(t)
	c := newListFixture(t, openAt(t, server.URL("postgres"), Options{})).callers()
	c.more(100)
	for _, mode := range []string{"fast", "immediate", "fast"} {
		c.must(server.Stop(mode))
		c.must(server.Start())
		c.more(200)
	}
	c.stop()
}

// The primary crashes while callers subscribe, and its standby is promoted. The service
// finds the new primary without a restart, because its URL contains both servers.
func TestFailoverLosesNoAnsweredSubscription(t *testing.T) {
	primary := server(t)
	d := newListFixture(t, openAt(t, primary.URL("postgres"), Options{}))
	standby, err := primary.StartStandby()
	d.must(err)
	t.Cleanup(standby.Remove)
	for _, url := range []string{pgtest.URL("postgres", primary, standby), pgtest.URL("postgres", standby, primary)} {
		d.must(openAt(t, url, Options{}).Ready(t.Context()))
	}
	d.standbyAway(pgtest.URL("postgres", primary, standby), standby)
	d.store = openAt(t, pgtest.URL("postgres", standby, primary), Options{})
	d.service = app.New(d.store, time.Now)
	c := d.callers()
	c.note("away@example.com", 1)
	c.more(200)
	c.must(primary.Stop("immediate"))
	c.must(standby.Promote())
	c.more(200)
	c.stop()
	d.must(d.store.Ready(t.Context()))
}

// standbyAway stops the standby and then subscribes an address. The call must fail, because
// only the primary has stored the Contact. After the standby has started again, the repeated
// call must succeed, and there must be only one Contact.
func (d *listFixture) standbyAway(url string, standby *pgtest.Server) {
	d.Helper()
	hasty := *d
	hasty.store = openAt(d.T, url, Options{UpdateTime: 500 * time.Millisecond})
	hasty.service = app.New(hasty.store, time.Now)
	d.must(standby.Stop("fast"))
	if id, err := hasty.subscribe(d.Context(), "away@example.com", "away"); err == nil {
		d.Errorf("the call returned Contact %d although only the primary has stored it, want an error", id)
	}
	d.must(standby.Start())
	id, err := d.subscribe(d.Context(), "away@example.com", "away")
	d.must(err)
	if id != 1 {
		d.Errorf("the repeated call returned Contact %d, want 1", id)
	}
}

// A standby becomes the primary, but it has not received the last change of a definition.
// The store must use the definitions of the new primary, and not the newer definitions
// in its cache. To simulate this, the test sets the definitions in the database back to an
// older version.
func TestDefinitionsThatWereLostAreNotUsed(t *testing.T) {
	if testing.Short() {
		t.Skip("provokes what happens seldom: run it with \"make check\"")
	}
	url := database(t)
	d := newListFixture(t, openAt(t, url, Options{}))
	rename := func(s *app.App, name string) {
		t.Helper()
		_, err := s.Lists.EditList(t.Context(), d.caller, d.list, []enlist.Detail{detail("name", name)})
		d.must(err)
	}
	see := func(name string) {
		t.Helper()
		if l, err := d.service.Lists.List(t.Context(), d.caller, d.list); err != nil || l.Name != name {
			t.Errorf("the List is %+v, want the name %s; error %v", l, name, err)
		}
	}
	var kept int64
	rename(d.service, "kept")
	d.must(d.store.jobs.QueryRow(t.Context(), "SELECT version FROM catalogue").Scan(&kept))
	rename(d.service, "lost")
	see("lost")
	_, err := d.store.jobs.Exec(t.Context(), "UPDATE list SET name = 'kept'")
	d.must(err)
	_, err = d.store.jobs.Exec(t.Context(), "UPDATE catalogue SET version = $1", kept)
	d.must(err)
	see("kept")
	d.must(d.store.Update(t.Context(), func(tx *db.Tx) error { _, err := lists.Schema(tx, d.list); return err }))
	if _, known := d.store.Cache().Schema(d.list); d.store.cache.Newest() != kept || !known {
		t.Errorf("the cache has version %d of the catalogue, want the version of the database, %d, and the schema of the List", d.store.cache.Newest(), kept)
	}
	rename(app.New(openAt(t, url, Options{}), time.Now), "other")
	see("other")
}

// A server becomes read-only while connections to it are open. The store closes these
// connections, and an Update waits until the server is writable again.
func TestReadOnlyServerMakesWritesWait(t *testing.T) {
	server := server(t)
	d := newListFixture(t, openAt(t, server.URL("postgres"), Options{}))
	_, err := d.subscribe(t.Context(), "a@example.com", "")
	d.must(err)
	hasty := openAt(t, server.URL("postgres"), Options{UpdateTime: 300 * time.Millisecond})
	d.must(hasty.Ready(t.Context()))
	d.must(server.Set("default_transaction_read_only", "'on'"))
	if err := hasty.Ready(t.Context()); err == nil {
		t.Error("Ready returned no error although the server refuses writes")
	}
	runs := make(chan struct{}, 100)
	done := make(chan error, 1)
	go func() {
		done <- d.store.Update(context.WithoutCancel(t.Context()), func(tx *db.Tx) error {
			runs <- struct{}{}
			_, err := d.insert(tx, "b@example.com")
			return err
		})
	}()
	<-runs
	d.must(server.Set("default_transaction_read_only", "'off'"))
	d.must(<-done)
	d.must(hasty.Ready(t.Context()))
	d.wantCount(2)
}

// waitFor waits until holds returns true, for a minute at most.
func waitFor(t *testing.T, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); !holds(); {
		if time.Now().After(end) {
			t.Fatal("the condition was still false after a minute")
		}
		<-tick.C
	}
}
