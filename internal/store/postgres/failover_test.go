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

// server is one that the test may stop and start.
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

// callers subscribes Contacts of ever new addresses until it is stopped, half of
// them under Idempotency-Keys. Those try until they are answered, and then once
// more, as who has not heard the answer.
type callers struct {
	*desk
	ending   chan struct{}
	all      sync.WaitGroup
	answered atomic.Int64
	failed   atomic.Int64

	mu      sync.Mutex
	ids     map[string]audience.ContactID // of the addresses that were answered
	unknown map[string]bool               // addresses that were not
}

func (d *desk) callers() *callers {
	c := &callers{desk: d, ending: make(chan struct{}), ids: make(map[string]audience.ContactID), unknown: make(map[string]bool)}
	for i := range 8 {
		c.all.Go(func() {
			for j := 0; ; j++ {
				select {
				case <-c.ending:
					return
				default:
				}
				if email := fmt.Sprintf("a%d.%d@example.com", i, j); i%2 == 0 {
					c.insist(email)
				} else {
					c.once(email)
				}
			}
		})
	}
	return c
}

func (c *callers) insist(email string) {
	for {
		first, err := c.subscribe(c.Context(), email, email)
		if err != nil {
			c.failed.Add(1)
			continue // as a caller does who got 302
		}
		if again, err := c.subscribe(c.Context(), email, email); err == nil && again != first {
			c.Errorf("%s was Contact %d, and then %d", email, first, again)
		}
		c.note(email, first)
		return
	}
}

func (c *callers) once(email string) {
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

// more waits until so many more were answered.
func (c *callers) more(n int64) {
	c.Helper()
	before := c.answered.Load()
	waitFor(c.T, func() bool { return c.answered.Load() >= before+n })
}

// stop ends the callers, and looks that what was answered is there with one row in
// the ledger, and what was not is there like that or not at all.
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

// The server is stopped and started, gently and hard, while many subscribe: what
// was answered is there, and who tries again under the same key makes no second
// Contact.
func TestRestartUnderLoad(t *testing.T) {
	server := server(t)
	c := newDesk(t, openAt(t, server.URL("postgres"), Options{})).callers()
	c.more(100)
	for _, mode := range []string{"fast", "immediate", "fast"} {
		c.must(server.Stop(mode))
		c.must(server.Start())
		c.more(200)
	}
	c.stop()
}

// A server crashes for good while many subscribe, and its standby takes its place.
// Nobody tells the service; its URL names both.
func TestFailover(t *testing.T) {
	primary := server(t)
	d := newDesk(t, openAt(t, primary.URL("postgres"), Options{}))
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

// standbyAway has the standby be away while somebody subscribes: he is not told
// that it is done, since it would be lost if the primary were. When he tries again
// it was done once.
func (d *desk) standbyAway(url string, standby *pgtest.Server) {
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

// A standby that had not got everything takes the place of a server: definitions
// are those that it has, and what changes there is not taken for what was lost.
func TestLostDefinitions(t *testing.T) {
	url := database(t)
	d := newDesk(t, openAt(t, url, Options{}))
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

// A server that lets itself only be read, on connections that are open already:
// they are given up, and who writes waits until there is one that lets itself be
// written to.
func TestReadOnlyServer(t *testing.T) {
	server := server(t)
	d := newDesk(t, openAt(t, server.URL("postgres"), Options{}))
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

// waitFor waits until something holds.
func waitFor(t *testing.T, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); !holds(); {
		if time.Now().After(end) {
			t.Fatal("it did not come to that in a minute")
		}
		<-tick.C
	}
}
