// Package pgtest gives tests databases on a real PostgreSQL server: the one that
// the environment variable ENLIST_TEST_POSTGRES names by its URL, else one that it
// starts itself, once for a test binary, on a socket in a temporary folder. Where
// there is neither, tests are skipped, and one line says so.
//
// A package that uses it calls Stop at the end of its TestMain.
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
	templates map[string]string // databases to copy, by name
}

func start() {
	shared.once.Do(func() {
		shared.templates = make(map[string]string)
		if shared.url = os.Getenv(serverURL); shared.url != "" {
			return
		}
		if shared.own, shared.err = StartServer(); shared.err == nil {
			shared.url = shared.own.URL("postgres")
		}
	})
}

// Open returns the URL of a new, empty database, which is dropped when the test
// ends.
func Open(t testing.TB) string {
	t.Helper()
	return create(t, "template0")
}

// OpenLike is Open with what prepare puts into a database. It does so once for a
// name; the tests get copies.
func OpenLike(t testing.TB, name string, prepare func(url string) error) string {
	t.Helper()
	need(t)
	shared.mu.Lock()
	defer shared.mu.Unlock()
	from, ok := shared.templates[name]
	if !ok {
		from = newName()
		if err := execute("CREATE DATABASE " + from + " TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'"); err != nil {
			t.Fatal(err)
		}
		if err := prepare(at(from)); err != nil {
			t.Fatal(err)
		}
		shared.templates[name] = from
	}
	return create(t, from)
}

// Stop stops the server and removes what it kept. It is for TestMain.
func Stop() {
	for _, name := range shared.templates {
		if err := execute("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)"); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	if shared.own != nil {
		shared.own.Remove()
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

func create(t testing.TB, template string) string {
	t.Helper()
	need(t)
	name := newName()
	if err := execute(fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s ENCODING 'UTF8' LOCALE 'C.UTF-8'", name, template)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := execute("DROP DATABASE " + name + " WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return at(name)
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
