package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"enlist/internal/audience"
	"enlist/internal/store/sqlstore"

	"github.com/jackc/pgx/v5"
)

// assembling is a Store that runs the functions of so many callers together,
// never fewer.
type assembling struct {
	*Store
	mu    sync.Mutex
	group []*gathered
	size  int
}

func (a *assembling) UpdateTogether(ctx context.Context, list audience.ListID, key string, fn func(audience.Tx) error) error {
	limited, cancel := context.WithTimeout(ctx, a.time)
	defer cancel()
	c := &gathered{ctx: limited, address: sqlstore.Address{List: list, Key: key}, fn: fn, done: make(chan struct{})}
	a.mu.Lock()
	if a.group = append(a.group, c); len(a.group) == a.size {
		a.gatherer.serve(a.group)
		for _, c := range a.group {
			close(c.done)
		}
		a.group = nil
	}
	a.mu.Unlock()
	<-c.done
	if errors.Is(c.err, sqlstore.ErrNotBatchable) {
		return a.Update(limited, fn)
	}
	return c.err
}

// gathering is a desk where the calls of several are served together.
type gathering struct {
	*desk
	together *assembling
	db       *pgx.Conn // past the Store
}

func newGathering(t *testing.T) *gathering {
	url := database(t)
	d := newDesk(t, openAt(t, url, Options{}))
	_, err := d.service.EditList(t.Context(), d.caller, d.list, []audience.Detail{
		detail("on_register_address", "owner@example.com"), detail("on_update_address", "owner@example.com")})
	d.must(err)
	_, err = d.subscribe(t.Context(), "first@example.com", "") // the List is known from now on
	d.must(err)
	db, err := pgx.Connect(t.Context(), url)
	d.must(err)
	t.Cleanup(func() { db.Close(context.Background()) })
	g := &gathering{d, &assembling{Store: d.store}, db}
	d.service = audience.NewService(g.together, time.Now)
	return g
}

// all has all addresses subscribe in one transaction.
func (g *gathering) all(emails ...string) (ids []audience.ContactID, errs []error) {
	g.Helper()
	ids, errs = make([]audience.ContactID, len(emails)), make([]error, len(emails))
	g.together.size = len(emails)
	var all sync.WaitGroup
	for i, email := range emails {
		all.Go(func() { ids[i], errs[i] = g.subscribe(g.Context(), email, "") })
	}
	all.Wait()
	return ids, errs
}

// want compares the one number that a query past the Store returns.
func (g *gathering) want(want int, query string) {
	g.Helper()
	var n int
	g.must(g.db.QueryRow(g.Context(), query).Scan(&n))
	if n != want {
		g.Errorf("%d by %s; want %d", n, query, want)
	}
}

// Everybody of a group has a Contact, a row in the ledger and a notification, all
// from one transaction.
func TestGathered(t *testing.T) {
	g := newGathering(t)
	var emails []string
	for i := range 20 {
		emails = append(emails, fmt.Sprintf(`"%d\"{},'ö"@example.com`, i))
	}
	ids, errs := g.all(emails...)
	for i, id := range ids {
		g.must(errs[i])
		g.must(g.store.View(t.Context(), func(tx audience.Tx) error {
			c, err := tx.Contact(g.list, id)
			if err == nil && c.Values.Get(g.schema.Email().ID) != emails[i] {
				t.Errorf("Contact %d is %q, want %q", id, c.Values.Get(g.schema.Email().ID), emails[i])
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

// Who is there already, and who comes twice in one group, is changed and told of
// like anybody else; the others do not notice.
func TestGatheredWithWhoIsThere(t *testing.T) {
	g := newGathering(t)
	ids, errs := g.all("twice@example.com", "new@example.com", "TWICE@example.com", "first@example.com")
	g.must(errors.Join(errs...))
	if ids[0] != ids[2] || ids[0] == ids[1] || ids[3] == ids[0] || ids[3] == ids[1] {
		t.Errorf("IDs %d", ids)
	}
	g.wantCount(3)
	g.want(5, "SELECT count(*) FROM consent")
	g.want(3, "SELECT count(*) FROM river_job WHERE args->>'event' = 'subscribe'")
}

// What the database does not take of one is that one's alone.
func TestGatheredWithOneRefused(t *testing.T) {
	g := newGathering(t)
	_, err := g.db.Exec(t.Context(), `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not this one'; END $$;
		CREATE TRIGGER refuse BEFORE INSERT ON contact FOR EACH ROW WHEN (NEW.dedupe_key = 'refused@example.com') EXECUTE FUNCTION refuse()`)
	g.must(err)
	_, errs := g.all("a@example.com", "refused@example.com", "b@example.com")
	if errs[0] != nil || errs[2] != nil || audience.KindOf(errs[1]) != audience.Internal {
		t.Errorf("errors %v", errs)
	}
	g.wantCount(3)
}

// A connection that is cut under a group costs another try.
func TestGatheredWhenCut(t *testing.T) {
	g := newGathering(t)
	_, err := g.db.Exec(t.Context(), `CREATE TABLE cut AS SELECT 1 AS once;
		CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
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
