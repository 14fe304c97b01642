package postgres

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"enlist/internal/audience"
	"enlist/internal/store/pgtest"
)

// This file stops, crashes and replaces servers while callers subscribe Contacts.

// server starts a server that the test may stop and start.
func server(t *testing.T) *pgtest.Server {
	t.Helper()
	if testing.Short() {
		t.Skip("a test with a server of its own: make faults runs it")
	}
	s, err := pgtest.StartServer()
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(s.Remove)
	return s
}

// callers subscribe Contacts of new addresses until they are stopped. Half of them use
// Idempotency-Keys: they repeat a call until it is answered, and then once more, like a
// client that has lost the answer.
type callers struct {
	*listFixture
	ending   chan struct{}
	all      sync.WaitGroup
	answered atomic.Int64
	failed   atomic.Int64

	mu      sync.Mutex
	ids     map[string]audience.ContactID // of the addresses that were answered
	unknown map[string]bool               // addresses that were not
}

func (d *listFixture) callers() *callers {
	c := &callers{listFixture: d, ending: make(chan struct{}), ids: make(map[string]audience.ContactID), unknown: make(map[string]bool)}
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
			continue // as a client does after error 302
		}
		if again, err := c.subscribe(c.Context(), email, email); err == nil && again != first {
			c.Errorf("%s was Contact %d, and then %d", email, first, again)
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

func (c *callers) note(email string, id audience.ContactID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ids[email] = id
	c.answered.Add(1)
}

// more waits until n more calls have been answered.
func (c *callers) more(n int64) {
	c.Helper()
	before := c.answered.Load()
	waitFor(c.T, func() bool { return c.answered.Load() >= before+n })
}

// stop ends the callers. It checks that each answered Contact is stored with one ledger
// row, and each Contact without an answer with one row or not at all.
func (c *callers) stop() {
	c.Helper()
	close(c.ending)
	c.all.Wait()
	for email, id := range c.ids {
		if found := c.find(email); found != id {
			c.Errorf("%s was answered with Contact %d, and is %d", email, id, found)
		}
	}
	stored := int64(len(c.ids))
	for email := range c.unknown {
		if c.find(email) != 0 {
			stored++
		}
	}
	var rows, contacts int64
	c.must(c.store.jobs.QueryRow(c.Context(), "SELECT count(*), count(DISTINCT contact_id) FROM consent").Scan(&rows, &contacts))
	if rows != stored || contacts != stored {
		c.Errorf("%d rows in the ledger about %d Contacts, of whom there are %d", rows, contacts, stored)
	}
	c.wantCount(stored)
	c.Logf("%d answered, %d calls failed, %d of which are stored", c.answered.Load(), c.failed.Load(), stored-int64(len(c.ids)))
}

// find returns the Contact with an address, 0 when there is none.
func (c *callers) find(email string) (id audience.ContactID) {
	c.Helper()
	err := c.store.View(c.Context(), func(tx audience.Tx) error {
		found, err := tx.ContactByKey(c.list, email)
		if err == nil {
			id = found.ID
		}
		return err
	})
	if err != nil && audience.KindOf(err) != audience.NoContact {
		c.Fatal(err)
	}
	return id
}

// The server is stopped (fast) and crashes (immediate) while callers subscribe. Every
// answered Contact is stored, and a repeated call with the same Idempotency-Key makes
// no second Contact.
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
// finds the new primary without a restart: its URL names both servers.
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
	d.service = audience.NewService(d.store, time.Now)
	c := d.callers()
	c.note("away@example.com", 1)
	c.more(200)
	c.must(primary.Stop("immediate"))
	c.must(standby.Promote())
	c.more(200)
	c.stop()
	d.must(d.store.Ready(t.Context()))
}

// standbyAway stops the standby and subscribes. The call must fail, since the Contact
// would be lost with the primary. Repeated when the standby is back, the call succeeds
// and there is one Contact.
func (d *listFixture) standbyAway(url string, standby *pgtest.Server) {
	d.Helper()
	hasty := *d
	hasty.store = openAt(d.T, url, Options{UpdateTime: 500 * time.Millisecond})
	hasty.service = audience.NewService(hasty.store, time.Now)
	d.must(standby.Stop("fast"))
	if id, err := hasty.subscribe(d.Context(), "away@example.com", "away"); err == nil {
		d.Errorf("Contact %d was answered and is on one server only", id)
	}
	d.must(standby.Start())
	id, err := d.subscribe(d.Context(), "away@example.com", "away")
	d.must(err)
	if id != 1 {
		d.Errorf("the second time it was Contact %d", id)
	}
}

// A standby that had not received everything becomes the primary. The store uses the
// definitions that this server has, not the newer ones in its cache.
func TestDefinitionsThatWereLostAreNotUsed(t *testing.T) {
	url := database(t)
	d := newListFixture(t, openAt(t, url, Options{}))
	rename := func(s *audience.Service, name string) {
		t.Helper()
		_, err := s.EditList(t.Context(), d.caller, d.list, []audience.Detail{detail("name", name)})
		d.must(err)
	}
	see := func(name string) {
		t.Helper()
		if l, err := d.service.List(t.Context(), d.caller, d.list); err != nil || l.Name != name {
			t.Errorf("the List is %+v, want its name %s; %v", l, name, err)
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
	d.must(d.store.Update(t.Context(), func(tx audience.Tx) error { _, err := tx.Schema(d.list); return err }))
	if _, known := d.store.CachedSchema(d.list); d.store.cache.Newest() != kept || !known {
		t.Errorf("the cache has version %d, the database %d", d.store.cache.Newest(), kept)
	}
	rename(audience.NewService(openAt(t, url, Options{}), time.Now), "other")
	see("other")
}

// A server becomes read-only while connections to it are open. The store closes them,
// and an Update waits until the server is writable again.
func TestReadOnlyServerMakesWritesWait(t *testing.T) {
	server := server(t)
	d := newListFixture(t, openAt(t, server.URL("postgres"), Options{}))
	_, err := d.subscribe(t.Context(), "a@example.com", "")
	d.must(err)
	hasty := openAt(t, server.URL("postgres"), Options{UpdateTime: 300 * time.Millisecond})
	d.must(hasty.Ready(t.Context()))
	d.must(server.Set("default_transaction_read_only", "'on'"))
	if err := hasty.Ready(t.Context()); err == nil {
		t.Error("a server that takes no writes is ready")
	}
	runs := make(chan struct{}, 100)
	done := make(chan error, 1)
	go func() {
		done <- d.store.Update(context.WithoutCancel(t.Context()), func(tx audience.Tx) error {
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

// waitFor waits until a condition holds, for a minute at most.
func waitFor(t *testing.T, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); !holds(); {
		if time.Now().After(end) {
			t.Fatal("the condition did not hold within a minute")
		}
		<-tick.C
	}
}
