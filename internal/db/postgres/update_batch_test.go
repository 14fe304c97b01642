package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/pgtest"
	"enlist/internal/enlist"

	"github.com/jackc/pgx/v5"
)

// The tests in this file run the calls of several callers in one transaction.

// fullBatchStore is a Store. It waits until it has as many calls as the field size, and then
// runs them as one batch.
type fullBatchStore struct {
	*Store
	mu    sync.Mutex
	batch []*batchedCall
	size  int
}

func (a *fullBatchStore) UpdateInBatch(ctx context.Context, address db.Address, fn func(*db.Tx) error) error {
	limited, cancel := context.WithTimeout(ctx, a.time)
	defer cancel()
	c := &batchedCall{ctx: limited, address: address, fn: fn, done: make(chan struct{})}
	a.mu.Lock()
	a.batch = append(a.batch, c)
	if len(a.batch) == a.size {
		a.batcher.serve(a.batch)
		for _, c := range a.batch {
			close(c.done)
		}
		a.batch = nil
	}
	a.mu.Unlock()
	<-c.done
	if errors.Is(c.err, db.ErrNotBatchable) {
		return a.Store.Update(limited, fn)
	}
	return c.err
}

// batchFixture is a listFixture whose calls run in batches.
type batchFixture struct {
	*listFixture
	batches *fullBatchStore
	db      *pgx.Conn // a connection outside the Store
}

func newBatchFixture(t *testing.T) *batchFixture { return newBatchFixtureAt(t, database(t)) }

func newBatchFixtureAt(t *testing.T, url string) *batchFixture {
	d := newListFixture(t, openAt(t, url, Options{}))
	_, err := d.service.Lists.EditList(t.Context(), d.caller, d.list, []enlist.Detail{
		detail("on_register_address", "owner@example.com"), detail("on_update_address", "owner@example.com")})
	d.must(err)
	_, err = d.subscribe(t.Context(), "first@example.com", "") // so that the cache contains the List from now on
	d.must(err)
	db, err := pgx.Connect(t.Context(), url)
	d.must(err)
	t.Cleanup(func() { db.Close(context.Background()) })
	g := &batchFixture{d, &fullBatchStore{Store: d.store}, db}
	d.service = app.New(g.batches, time.Now)
	return g
}

// all subscribes all emails in one batch.
func (g *batchFixture) all(emails ...string) (ids []enlist.ContactID, errs []error) {
	g.Helper()
	ids, errs = make([]enlist.ContactID, len(emails)), make([]error, len(emails))
	g.batches.size = len(emails)
	var all sync.WaitGroup
	for i, email := range emails {
		all.Go(func() { ids[i], errs[i] = g.subscribe(g.Context(), email, "") })
	}
	all.Wait()
	return ids, errs
}

// want checks that a query returns the given number.
func (g *batchFixture) want(want int, query string) {
	g.Helper()
	var n int
	g.must(g.db.QueryRow(g.Context(), query).Scan(&n))
	if n != want {
		g.Errorf("%s returned %d, want %d", query, n, want)
	}
}

// Each call of a batch stores a Contact, a ledger row and a notification. All are stored in
// one transaction. The column xmin has the ID of the transaction that inserted a row.
func TestBatchStoresEveryCall(t *testing.T) {
	t.Run("INSERT", func(t *testing.T) { batchStoresEveryCall(newBatchFixture(t)) })
	t.Run("COPY into distributed tables", func(t *testing.T) { batchStoresEveryCall(newBatchFixtureAt(t, distributed(t))) })
}

func batchStoresEveryCall(g *batchFixture) {
	t := g.T
	var emails []string
	for i := range 20 {
		emails = append(emails, fmt.Sprintf(`"%d\"{},'ö"@example.com`, i))
	}
	ids, errs := g.all(emails...)
	for i, id := range ids {
		g.must(errs[i])
		g.must(g.store.View(t.Context(), func(tx *db.Tx) error {
			c, err := contacts.ByID(tx, g.list, id)
			if err == nil && c.Values.Get(g.schema.Email().ID) != emails[i] {
				t.Errorf("Contact %d has the address %q, want %q", id, c.Values.Get(g.schema.Email().ID), emails[i])
			}
			return err
		}))
	}
	g.wantCount(21)
	g.want(2, "SELECT count(DISTINCT xmin::text) FROM contact")
	g.want(2, "SELECT count(DISTINCT xmin::text) FROM river_job")
	g.want(21, "SELECT count(DISTINCT contact_id) FROM consent WHERE number > 0")
	g.want(21, "SELECT count(DISTINCT args->>'contact_id') FROM river_job")
}

// If a stored Contact or another call of the batch has the address of a call, that call
// runs in a transaction of its own. The other calls are not affected.
func TestBatchLeavesTakenAddressesToTheirOwnTransaction(t *testing.T) {
	t.Run("INSERT", func(t *testing.T) { batchLeavesTakenAddresses(newBatchFixture(t)) })
	t.Run("COPY into distributed tables", func(t *testing.T) {
		batchLeavesTakenAddresses(newBatchFixtureAt(t, distributed(t)))
	})
}

func batchLeavesTakenAddresses(g *batchFixture) {
	t := g.T
	ids, errs := g.all("twice@example.com", "new@example.com", "TWICE@example.com", "first@example.com")
	g.must(errors.Join(errs...))
	if ids[0] != ids[2] || ids[0] == ids[1] || ids[3] == ids[0] || ids[3] == ids[1] {
		t.Errorf("IDs %d, want the first equal to the third and all others different", ids)
	}
	g.wantCount(3)
	g.want(5, "SELECT count(*) FROM consent")
	g.want(3, "SELECT count(*) FROM river_job WHERE args->>'event' = 'subscribe'")
}

// When the database refuses one row, the batch is rolled back and each call runs in a
// transaction of its own. Only the call of that row fails.
func TestRefusedRowFailsOnlyItsOwnCall(t *testing.T) {
	g := newBatchFixture(t)
	_, err := g.db.Exec(t.Context(), `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not this one'; END $$;
		CREATE TRIGGER refuse BEFORE INSERT ON contact FOR EACH ROW WHEN (NEW.dedupe_key = 'refused@example.com') EXECUTE FUNCTION refuse()`)
	g.must(err)
	_, errs := g.all("a@example.com", "refused@example.com", "b@example.com")
	if errs[0] != nil || errs[2] != nil || enlist.KindOf(errs[1]) != enlist.Internal {
		t.Errorf("errors %v, want only the second call to fail, with Internal", errs)
	}
	g.wantCount(3)
}

// When the connection is lost during a batch, each call runs again and succeeds.
func TestBatchSurvivesALostConnection(t *testing.T) {
	if testing.Short() {
		t.Skip("provokes what happens seldom: run it with \"make check\"")
	}
	g := newBatchFixture(t)
	_, err := g.db.Exec(t.Context(), `CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 77) = 0 THEN RETURN NEW; END IF;
			PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$;
		CREATE TRIGGER cut BEFORE INSERT ON contact_delta FOR EACH ROW WHEN (NEW.n > 1) EXECUTE FUNCTION cut();
		SELECT pg_advisory_lock(77)`)
	g.must(err)
	_, errs := g.all("a@example.com", "b@example.com")
	g.must(errors.Join(errs...))
	g.wantCount(3)
	g.want(3, "SELECT count(*) FROM consent")
	g.want(3, "SELECT count(*) FROM contact")
	g.want(3, "SELECT count(DISTINCT xmin::text) FROM contact")
}

// A function that runs a statement gets ErrNotBatchable. It runs in a transaction of its own, even if it ignores this
// error.
func TestFunctionWithAStatementRunsInItsOwnTransaction(t *testing.T) {
	g := newBatchFixture(t)
	runs, refused := 0, 0
	g.must(g.store.UpdateInBatch(t.Context(), db.Address{List: g.list, Key: "new@example.com"}, func(tx *db.Tx) error {
		runs++
		err := tx.Do("INSERT INTO retry (account_id, key_id, header, fingerprint, time) VALUES (1, 1, 'once', '', 0)")
		if errors.Is(err, db.ErrNotBatchable) {
			refused++
		}
		return nil
	}))
	if runs != 2 || refused != 1 {
		t.Errorf("the function ran %d times and got ErrNotBatchable %d times, want 2 and 1", runs, refused)
	}
	g.want(1, "SELECT count(*) FROM retry WHERE header = 'once'")
}

// awaitWaiter waits until a transaction of this database waits for a lock of another one.
func (g *batchFixture) awaitWaiter() {
	g.Helper()
	conn, err := pgx.ConnectConfig(g.Context(), g.db.Config())
	g.must(err)
	defer conn.Close(g.Context())
	for waits := false; !waits; {
		g.must(conn.QueryRow(g.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waits))
	}
}

// When another transaction stores an address after a batch has looked for it, the batch is rolled back, and each call
// runs in a transaction of its own.
func TestBatchSurvivesAnAddressStoredMeanwhile(t *testing.T) {
	g := newBatchFixture(t)
	other, err := g.db.Begin(t.Context())
	g.must(err)
	_, err = other.Exec(t.Context(), `INSERT INTO contact SELECT (jsonb_populate_record(c,
		jsonb_build_object('id', nextval('contact_id'), 'dedupe_key', 'b@example.com'))).* FROM contact c`)
	g.must(err)
	done := make(chan []error)
	go func() {
		_, errs := g.all("a@example.com", "b@example.com", "c@example.com")
		done <- errs
	}()
	g.awaitWaiter()
	g.must(other.Commit(t.Context()))
	g.must(errors.Join(<-done...))
	g.want(4, "SELECT count(*) FROM contact")
	g.want(4, "SELECT count(DISTINCT contact_id) FROM consent")
}

// A transaction that waits for a change of definitions reads the version of this change, also with a plan that
// the connection keeps.
func TestVersionIsReadAfterTheLock(t *testing.T) {
	g := newBatchFixture(t)
	writer, err := g.store.writers.Acquire(t.Context())
	g.must(err)
	defer writer.Release()
	read := func() (version int64, err error) {
		err = writer.QueryRow(t.Context(), lockAndReadVersion).Scan(&version)
		return version, err
	}
	for range 2 {
		if _, err := read(); err != nil {
			t.Fatal(err)
		}
		change, err := g.db.Begin(t.Context())
		g.must(err)
		_, err = change.Exec(t.Context(), lockExclusive)
		g.must(err)
		done := make(chan int64)
		go func() {
			version, err := read()
			if err != nil {
				t.Error(err)
			}
			done <- version
		}()
		g.awaitWaiter()
		var want int64
		g.must(change.QueryRow(t.Context(), "UPDATE catalogue SET version = version + 1 RETURNING version").Scan(&want))
		g.must(change.Commit(t.Context()))
		if got := <-done; got != want {
			t.Errorf("the waiting transaction read the version %d, want %d", got, want)
		}
	}
}

// A subscription takes two round trips: one for the version and the ID, one for the rows and COMMIT.
func TestSubscriptionNeedsTwoRoundTrips(t *testing.T) {
	url := database(t)
	proxy := pgtest.NewProxy(t, url)
	d := newListFixture(t, openAt(t, proxy.URL(url), Options{Writers: 1}))
	trips := func(email string) int64 {
		before := proxy.RoundTrips()
		_, err := d.subscribe(t.Context(), email, "")
		d.must(err)
		return int64(proxy.RoundTrips() - before)
	}
	trips("a@example.com") // the connection prepares its statements
	trips("b@example.com") // and those of the partition
	if n := trips("c@example.com"); n != 2 {
		t.Errorf("the subscription took %d round trips, want 2", n)
	}
}
