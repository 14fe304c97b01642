// Package pgtest creates databases for tests on a real PostgreSQL server. If the
// environment variable ENLIST_TEST_POSTGRES has the URL of a server, tests use this
// server. Otherwise each test binary starts its own server, on a Unix socket in a temporary
// folder. If PostgreSQL is not installed, tests are skipped with a message.
//
// A package whose tests use pgtest must call Main in its TestMain.
//
// pgtest.go creates databases. server.go and standby.go start servers that a test can
// stop, crash and promote. cluster.go creates databases on a Citus cluster. proxy.go has a network proxy whose connections a test can cut.
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

// serverURL is the environment variable with the URL of a server. The role in the URL
// must be allowed to create databases.
const serverURL = "ENLIST_TEST_POSTGRES"

// shared is the server of this test binary.
var shared struct {
	once   sync.Once
	url    string
	err    error
	own    *Server      // nil: the server of ENLIST_TEST_POSTGRES
	number atomic.Int64 // number of databases so far, for their names

	mu        sync.Mutex          // guards the fields below
	made      []string            // names of all databases, for Stop
	templates map[string]string   // names of the template databases, by the name that OpenLike got
	free      map[string][]string // URLs of copies that no test uses now, by the name that OpenLike got
}

// start starts the server at the first call.
func start() {
	shared.once.Do(func() {
		shared.templates, shared.free = make(map[string]string), make(map[string][]string)
		shared.url = os.Getenv(serverURL)
		if shared.url != "" {
			return
		}
		shared.own, shared.err = StartServer()
		if shared.err == nil {
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

// OpenLike returns the URL of a copy of a template database. The first call with a name
// creates the template and fills it with prepare. Copying takes half a second, so a test
// can get a copy that an earlier test used. In such a copy all rows have been deleted,
// except the rows of the tables in keep.
func OpenLike(t testing.TB, name string, prepare func(url string) error, keep ...string) string {
	t.Helper()
	need(t)
	url, err := take(name, prepare)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := empty(url, keep); err != nil {
			t.Logf("empty the database: %v", err) // no other test gets this database
			return
		}
		shared.mu.Lock()
		defer shared.mu.Unlock()
		shared.free[name] = append(shared.free[name], url)
	})
	return url
}

// take returns the URL of a copy that no test uses. If there is none, it creates a
// copy.
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
		from, err = newDatabase("template0")
		if err != nil {
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

// empty deletes all rows except those of the tables in keep, drops the search indexes,
// and restarts the sequences at 1.
func empty(url string, keep []string) error {
	ctx, done := context.WithTimeout(context.Background(), time.Minute)
	defer done()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid();
		SET session_replication_role = replica; -- without triggers
		DO $$
		DECLARE name TEXT;
		BEGIN
			FOR name IN SELECT oid::regclass FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition
				AND relnamespace = current_schema()::regnamespace AND relname <> ALL ('{`+strings.Join(keep, ",")+`}')
			LOOP
				EXECUTE 'DELETE FROM ' || name;
			END LOOP;
			FOR name IN SELECT oid::regclass FROM pg_class WHERE relkind = 'i' AND relname ~ '^search_[0-9]+$' LOOP
				EXECUTE 'DROP INDEX ' || name; -- the first loop has deleted its row of search_index
			END LOOP;
			FOR name IN SELECT quote_ident(stxname) FROM pg_statistic_ext WHERE stxname ~ '^search_[0-9]+$' LOOP
				EXECUTE 'DROP STATISTICS ' || name;
			END LOOP;
			PERFORM setval(oid::regclass, 1, false) FROM pg_class
				WHERE relkind = 'S' AND relnamespace = current_schema()::regnamespace;
		END
		$$`)
	return err
}

// Stop removes the server that this package started. If the tests used the server of
// ENLIST_TEST_POSTGRES, Stop drops their databases there.
func Stop() {
	stopCluster()
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

// need skips a test if there is no server. If ENLIST_TEST_POSTGRES_REQUIRED is set, the test
// fails instead.
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

// newDatabase creates a database and returns its name. The caller holds shared.mu.
func newDatabase(template string) (string, error) {
	name := newName()
	shared.made = append(shared.made, name)
	return name, execute(fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s ENCODING 'UTF8' LOCALE 'C.UTF-8'", name, template))
}

// newName returns a name that no other process uses on the same server.
func newName() string {
	return fmt.Sprintf("enlist_test_%d_%d_%d", os.Getpid(), time.Now().UnixNano(), shared.number.Add(1))
}

// at returns the URL of a database on the server.
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

// execute runs a statement in the database of shared.url. It repeats the statement
// while another process copies the same template, because PostgreSQL does not allow two
// such copies at a time.
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

// Main runs a package's tests and stops the server. It then calls leaks, which returns an
// error if goroutines are still running. A TestMain needs no other statement.
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
