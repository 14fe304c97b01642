// Package pgtest gives tests databases on a real PostgreSQL server: the one that
// the environment variable ENLIST_TEST_POSTGRES names by its URL, else one that it
// starts itself, once for a test binary, on a socket in a temporary folder. Where
// there is neither, tests are skipped, and one line says so.
//
// A package that uses it has Main for its TestMain.
package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// serverURL is the environment variable with the URL of a server, as a role that
// may create databases.
const serverURL = "ENLIST_TEST_POSTGRES"

// shared is the server of this test binary.
var shared struct {
	once   sync.Once
	url    string
	err    error
	own    *Server
	number atomic.Int64

	mu        sync.Mutex
	made      []string            // databases
	templates map[string]string   // those to copy, by name
	free      map[string][]string // URLs of their copies that nobody uses
}

func start() {
	shared.once.Do(func() {
		shared.templates, shared.free = make(map[string]string), make(map[string][]string)
		if shared.url = os.Getenv(serverURL); shared.url != "" {
			return
		}
		if shared.own, shared.err = StartServer(); shared.err == nil {
			shared.url = shared.own.URL("postgres")
		}
	})
}

// Open returns the URL of a new, empty database.
func Open(t testing.TB) string {
	t.Helper()
	need(t)
	shared.mu.Lock()
	defer shared.mu.Unlock()
	name, err := newDatabase("template0")
	if err != nil {
		t.Fatal(err)
	}
	return at(name)
}

// OpenLike is Open with what prepare puts into a database. A test may get one that
// another had before, emptied but for the tables to keep: to make one takes half
// a second.
func OpenLike(t testing.TB, name string, prepare func(url string) error, keep ...string) string {
	t.Helper()
	need(t)
	url, err := take(name, prepare)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := empty(url, keep); err != nil {
			t.Logf("empty the database: %v", err) // it is not used again
			return
		}
		shared.mu.Lock()
		defer shared.mu.Unlock()
		shared.free[name] = append(shared.free[name], url)
	})
	return url
}

// take returns a database that nobody uses.
func take(name string, prepare func(url string) error) (string, error) {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if free := shared.free[name]; len(free) > 0 {
		shared.free[name] = free[:len(free)-1]
		return free[len(free)-1], nil
	}
	from, ok := shared.templates[name]
	if !ok {
		var err error
		if from, err = newDatabase("template0"); err != nil {
			return "", err
		}
		if err := prepare(at(from)); err != nil {
			return "", err
		}
		shared.templates[name] = from
	}
	made, err := newDatabase(from)
	return at(made), err
}

// empty removes every row but those of the tables to keep, and has IDs begin at 1
// again.
func empty(url string, keep []string) error {
	ctx, done := context.WithTimeout(context.Background(), time.Minute)
	defer done()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
		SET session_replication_role = replica; -- no triggers
		DO $$
		DECLARE name TEXT;
		BEGIN
			FOR name IN SELECT oid::regclass FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition
				AND relnamespace = current_schema()::regnamespace AND relname <> ALL ('{`+strings.Join(keep, ",")+`}')
			LOOP
				EXECUTE 'DELETE FROM ' || name;
			END LOOP;
			FOR name IN SELECT oid::regclass FROM pg_class WHERE relkind = 'i' AND relname ~ '^search_[0-9]+$' LOOP
				EXECUTE 'DROP INDEX ' || name; -- of a search: comes and goes with a row
			END LOOP;
			FOR name IN SELECT quote_ident(stxname) FROM pg_statistic_ext WHERE stxname ~ '^search_[0-9]+$' LOOP
				EXECUTE 'DROP STATISTICS ' || name;
			END LOOP;
			PERFORM setval(oid::regclass, 1, false) FROM pg_class WHERE relkind = 'S' AND relnamespace = current_schema()::regnamespace;
		END
		$$`)
	return err
}

// Stop stops the server and removes what it kept.
func Stop() {
	if shared.own != nil {
		shared.own.Remove()
		return
	}
	for _, name := range shared.made {
		if err := execute("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)"); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

// need skips a test when there is no server.
func need(t testing.TB) {
	t.Helper()
	start()
	if shared.err != nil {
		if os.Getenv(required) != "" {
			t.Fatal(shared.err)
		}
		t.Skipf("not tested on PostgreSQL: %v", shared.err)
	}
}

// newDatabase makes one, and returns its name.
func newDatabase(template string) (string, error) {
	name := newName()
	shared.made = append(shared.made, name)
	return name, execute(fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s ENCODING 'UTF8' LOCALE 'C.UTF-8'", name, template))
}

func newName() string {
	return fmt.Sprintf("enlist_test_%d_%d_%d", os.Getpid(), time.Now().UnixNano(), shared.number.Add(1))
}

// at is the URL of a database of the server.
func at(name string) string {
	if shared.own != nil {
		return shared.own.URL(name)
	}
	u, err := url.Parse(shared.url)
	if err != nil {
		return shared.url
	}
	u.Path = "/" + name
	return u.String()
}

// execute runs a statement in a database that is there already. It is tried
// again while somebody else copies the same template.
func execute(statement string) error {
	ctx, done := context.WithTimeout(context.Background(), time.Minute)
	defer done()
	conn, err := pgx.Connect(ctx, shared.url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for {
		_, err := conn.Exec(ctx, statement)
		if err == nil || !strings.Contains(err.Error(), "being accessed by other users") {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Main runs a package's tests, stops the server and looks for goroutines that were
// left behind. It is all that TestMain has to do.
func Main(m *testing.M, leaks func() error) {
	code := m.Run()
	Stop()
	if code == 0 {
		if err := leaks(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}
