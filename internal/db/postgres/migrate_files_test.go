package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/search"

	"github.com/jackc/pgx/v5"
)

// The test in this file runs the migrations of a later version while this version
// serves calls.

// nextVersion returns the migrations of this version and examples of later migrations.
// The examples add a column to contact, an index of this column and a constraint.
func nextVersion(t *testing.T) fs.FS {
	t.Helper()
	files := fstest.MapFS{}
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := migrations.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name[len("migrations/"):]] = &fstest.MapFile{Data: text}
	}
	add := func(name, text string) { files[name] = &fstest.MapFile{Data: []byte(text)} }
	add("01901_column.sql", `-- +goose Up
ALTER TABLE contact ADD COLUMN colour TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE contact ADD CONSTRAINT contact_colour_short CHECK (length(colour) < 100) NOT VALID;
`)
	add("01902_index.sql", `-- +goose Up
CREATE INDEX contact_colour ON ONLY contact (list_id, colour, id);
`)
	build, attach := "-- +goose NO TRANSACTION\n-- +goose Up\n", "-- +goose Up\n"
	for i := range 16 {
		name := fmt.Sprintf("contact_%d_colour", i)
		build += fmt.Sprintf("DROP INDEX CONCURRENTLY IF EXISTS %s;\nCREATE INDEX CONCURRENTLY %s ON contact_%d (list_id, colour, id);\n", name, name, i)
		attach += fmt.Sprintf("ALTER INDEX contact_colour ATTACH PARTITION %s;\n", name)
	}
	add("01903_index_parts.sql", build+"ALTER TABLE contact VALIDATE CONSTRAINT contact_colour_short;\n")
	add("01904_index_whole.sql", attach)
	return files
}

// waitLog is a log handler. Each time a migration did not get a lock, it sends a text to the
// channel waits.
type waitLog struct {
	slog.Handler
	waits chan string
}

func (l waitLog) Enabled(context.Context, slog.Level) bool { return true }
func (l waitLog) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l waitLog) WithGroup(string) slog.Handler            { return l }

func (l waitLog) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "oldest" {
			l.waits <- r.Level.String() + " " + a.String()
		}
		return true
	})
	return nil
}

// wait waits until one more attempt of the migration has failed to get its lock.
func (l waitLog) wait(migrated <-chan error) error {
	select {
	case <-l.waits:
		return nil
	case err := <-migrated:
		return fmt.Errorf("the migration ended while a transaction reads the tables, want it to wait: %w", err)
	case <-time.After(time.Minute):
		return errors.New("no attempt of the migration failed to get its lock within a minute")
	}
}

// traffic runs callers that subscribe, search and change definitions until stop is
// true.
type traffic struct {
	*listFixture
	calls   atomic.Int64
	longest atomic.Int64 // nanoseconds of the longest call
	stop    atomic.Bool
	all     sync.WaitGroup
}

func (c *traffic) start() {
	call := func(name string, do func(i int) error) {
		c.all.Go(func() {
			for i := 0; !c.stop.Load(); i++ {
				start := time.Now()
				if err := do(i); err != nil {
					c.Errorf("%s: %v", name, err)
					return
				}
				took := time.Since(start).Nanoseconds()
				for longest := c.longest.Load(); took > longest && !c.longest.CompareAndSwap(longest, took); longest = c.longest.Load() {
				}
				c.calls.Add(1)
			}
		})
	}
	for w := range 3 {
		call("subscribe", func(i int) error {
			_, err := c.subscribe(c.Context(), fmt.Sprintf("new%d.%d@example.com", w, i), "")
			return err
		})
	}
	call("change", func(i int) error {
		_, err := c.subscribe(c.Context(), fmt.Sprintf("old%d@example.com", i%1000), "")
		if i%20 == 19 && err == nil {
			_, err = c.service.Lists.AddField(c.Context(), c.caller, c.list, []enlist.Detail{detail("name", fmt.Sprint("Field ", i)), detail("type", "text")})
		}
		return err
	})
	call("search", func(i int) error {
		return c.store.Search(c.Context(), func(tx *db.Tx) error {
			return search.Contacts(tx, &enlist.Search{Schema: c.schema, Limit: 100, Offset: int64(i % 50), Columns: enlist.Columns{All: true, System: true}},
				func(*enlist.Contact) error { return nil })
		})
	})
}

// While tables with 100,000 Contacts are migrated, all calls of this version succeed. They
// also succeed while the migration waits for the end of a long transaction.
func TestMigrationRunsWhileThePreviousVersionServes(t *testing.T) {
	if testing.Short() {
		t.Skip(`slow on PostgreSQL: run it with "make check"`)
	}
	url := prepared(t)
	c := &traffic{listFixture: newListFixture(t, openAt(t, url, Options{}))}
	execute(t, url, fmt.Sprintf(`INSERT INTO contact (list_id, dedupe_key, creation_time, last_modified_time, double_opt_in, double_opt_in_time, is_active,
			is_bounce_deactivated, is_unsubscribed, last_click_time, last_message_time, last_open_time, subscribed_via, webform_id, preference_values, field_values)
		SELECT %d, 'old' || n || '@example.com', 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 'api', 0, '', '{}' FROM generate_series(0, 99999) n;
		UPDATE list SET contact_count = 100000; UPDATE account SET contact_count = 100000`, c.list))
	config, err := parse(url)
	c.must(err)
	log := waitLog{waits: make(chan string, 100)}

	reader, err := pgx.Connect(t.Context(), url)
	c.must(err)
	defer reader.Close(context.Background())
	_, err = reader.Exec(t.Context(), "BEGIN; SELECT count(*) FROM contact WHERE list_id = 0")
	c.must(err)

	c.start()
	defer c.all.Wait()
	defer c.stop.Store(true)
	migrated := make(chan error, 1)
	go func() { migrated <- migrateTo(t.Context(), config, Options{Log: slog.New(log)}, nextVersion(t)) }()
	c.must(log.wait(migrated))
	before := c.calls.Load()
	c.must(log.wait(migrated))
	if c.calls.Load() == before {
		t.Error("no call succeeded while the migration waited")
	}
	_, err = reader.Exec(t.Context(), "COMMIT")
	c.must(err)
	c.must(<-migrated)
	c.stop.Store(true)
	c.all.Wait()
	t.Logf("%d calls; the longest took %v", c.calls.Load(), time.Duration(c.longest.Load()))

	var valid, parts int
	query(t, url, `SELECT count(*) FILTER (WHERE indisvalid), (SELECT count(*) FROM pg_inherits WHERE inhparent = 'contact_colour'::regclass)
		FROM pg_index WHERE indexrelid = 'contact_colour'::regclass`, &valid, &parts)
	if valid != 1 || parts != 16 {
		t.Errorf("%d valid indexes with %d partitions, want 1 with 16", valid, parts)
	}
	again := openAt(t, url, Options{Log: slog.New(log)}) // the previous version restarts
	c.must(again.Ready(t.Context()))
}
