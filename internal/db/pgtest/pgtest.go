// Package pgtest creates databases for tests on a real PostgreSQL server. If the
// environment variable ENLIST_TEST_POSTGRES has the URL of a server, tests use this
// server. Otherwise the test binaries of a run share a server that the first of them starts, on a Unix socket in a
// temporary folder. If PostgreSQL is not installed, tests are skipped with a message.
//
// A package whose tests use pgtest must call Main in its TestMain.
//
// pgtest.go creates databases on the server that shared.go starts. server.go and standby.go start servers that a test
// can stop, crash and promote. cluster.go creates databases on a Citus cluster. proxy.go has a network proxy whose
// connections a test can cut. statements.go checks the statements for Citus.
package pgtest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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

// shared is the server for the tests of this binary.
var shared struct {
	once   sync.Once
	url    string
	err    error
	own    *sharedServer // nil: the server of ENLIST_TEST_POSTGRES
	number atomic.Int64  // number of databases so far, for their names

	mu        sync.Mutex // guards made and templates
	made      []string   // names of the databases of this binary, for Stop
	templates []string   // that exist

	// one connection for all statements of execute: a connection costs the server as much as half of a new database
	connMu sync.Mutex
	conn   *pgx.Conn
}

// start starts the server at the first call.
func start() {
	shared.once.Do(func() {
		shared.url = os.Getenv(serverURL)
		if shared.url != "" {
			return
		}
		shared.own, shared.err = join()
		if shared.err == nil {
			shared.url = shared.own.URL("postgres")
		}
	})
}

// Open returns the URL of a new, empty database.
func Open(t testing.TB) string {
	t.Helper()
	need(t)
	name, err := newDatabase("template0")
	if err != nil {
		t.Fatal(err)
	}
	return at(name)
}

// OpenMigrated returns the URL of a new database with all tables and no rows. It is a copy of a template, in which
// migrate created the tables. The shared server keeps the template for later runs with the same migrations.
func OpenMigrated(t testing.TB, migrate func(url string) error) string {
	t.Helper()
	need(t)
	sum, err := sumOfMigrations()
	if err != nil {
		t.Fatal(err)
	}
	name, err := template("enlist_template_"+sum, migrate)
	if err == nil {
		name, err = newDatabase(name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return at(name)
}

// sumOfMigrations returns a checksum of the code that creates the tables: the package postgres, and the version of
// River.
func sumOfMigrations() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	// Tests run in the folder of their package. runtime.Caller has no folder in a build with -trimpath.
	for !fileExists(filepath.Join(dir, "go.mod")) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	postgres := filepath.Join(dir, "internal", "db", "postgres")
	sum := sha256.New()
	for _, pattern := range []string{"migrations/*.sql", "*.go", "../../../go.sum"} {
		files, err := filepath.Glob(filepath.Join(postgres, pattern))
		if err != nil || len(files) == 0 {
			return "", fmt.Errorf("find %s in %s: %w", pattern, postgres, cmp.Or(err, os.ErrNotExist))
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				return "", err
			}
			if !strings.HasSuffix(file, "_test.go") {
				sum.Write(content)
			}
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// template returns the name of a template database. It creates the database under another name, so a template is
// complete even if this process is killed. On a server that the tests did not start, Stop drops the template.
func template(name string, prepare func(url string) error) (string, error) {
	if shared.own == nil {
		name += "_" + strconv.Itoa(os.Getpid())
	}
	shared.mu.Lock()
	exists := slices.Contains(shared.templates, name)
	shared.mu.Unlock()
	if exists {
		return name, nil
	}
	if err := makeTemplate(name, prepare); err != nil {
		return "", err
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	shared.templates = append(shared.templates, name)
	return name, nil
}

// makeTemplate creates a template database if it does not exist.
func makeTemplate(name string, prepare func(url string) error) error {
	ctx, done := context.WithTimeout(context.Background(), time.Minute)
	defer done()
	conn, err := pgx.Connect(ctx, shared.url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	// Only one test at a time creates a template. The lock ends with the connection.
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(hashtext($1))", name); err != nil {
		return err
	}
	var exists bool
	const known = "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)"
	if err := conn.QueryRow(ctx, known, name).Scan(&exists); err != nil || exists {
		return err
	}
	from, err := newDatabase("template0")
	if err != nil {
		return err
	}
	if err := prepare(at(from)); err != nil {
		return err
	}
	if shared.own == nil {
		remember(name)
	}
	_, err = conn.Exec(ctx, "ALTER DATABASE "+from+" RENAME TO "+name)
	return err
}

// Stop drops the databases of this binary, and stops the server if this package started it and no other binary uses it.
func Stop() {
	stopCluster()
	drop := "DROP DATABASE IF EXISTS %s WITH (FORCE)"
	for _, name := range shared.made {
		if err := execute(fmt.Sprintf(drop, name)); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	if shared.conn != nil {
		shared.conn.Close(context.Background())
	}
	if shared.own != nil {
		if err := shared.own.leave(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

// dropDatabases drops the databases that killed runs left on a server, and the templates of other versions but the
// newest ten.
func dropDatabases(url string) error {
	ctx, done := context.WithTimeout(context.Background(), time.Minute)
	defer done()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, `SELECT datname FROM pg_database WHERE datname LIKE 'enlist\_test\_%'
		UNION ALL (SELECT datname FROM pg_database WHERE datname LIKE 'enlist\_template\_%' ORDER BY oid DESC OFFSET 10)`)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := conn.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			return err
		}
	}
	return nil
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

// remember makes Stop drop a database.
func remember(name string) {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	shared.made = append(shared.made, name)
}

// newDatabase creates a database and returns its name. Copying the files takes a quarter of the time of writing them to
// the log.
func newDatabase(template string) (string, error) {
	name := newName()
	remember(name)
	const create = "CREATE DATABASE %s TEMPLATE %s ENCODING 'UTF8' LOCALE 'C.UTF-8' STRATEGY file_copy"
	return name, execute(fmt.Sprintf(create, name, template))
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
	shared.connMu.Lock()
	defer shared.connMu.Unlock()
	if shared.conn == nil || shared.conn.IsClosed() {
		conn, err := pgx.Connect(ctx, shared.url)
		if err != nil {
			return err
		}
		shared.conn = conn
	}
	for {
		_, err := shared.conn.Exec(ctx, statement)
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
