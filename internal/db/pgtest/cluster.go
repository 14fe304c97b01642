package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// This file creates databases on a Citus cluster. Each is a database of the same name on the
// coordinator and on each worker.

// clusterURL is the environment variable with the URL of a database on the coordinator of a
// cluster. This database has the extension Citus, and knows the workers. The role in the URL must be
// a superuser on every server.
const clusterURL = "ENLIST_TEST_CITUS"

// cluster has the databases that this test binary created on the cluster.
var cluster struct {
	mu   sync.Mutex
	made []string // names, for Stop
	free []string // URLs of databases that no test uses now
}

// OpenCluster returns the URL of a database on the coordinator, in which prepare has created and
// distributed the tables. The test is skipped if ENLIST_TEST_CITUS is not set. Creating a database
// takes seconds, so a test can get a database that an earlier test used. In such a database all rows
// have been deleted, except the rows of the tables in keep.
func OpenCluster(t testing.TB, prepare func(url string) error, keep ...string) string {
	t.Helper()
	if os.Getenv(clusterURL) == "" {
		t.Skip("not tested on Citus: set " + clusterURL + " to the URL of a coordinator (CONTRIBUTING.md)")
	}
	at, err := takeCluster(prepare)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := emptyCluster(at, keep); err != nil {
			t.Logf("empty the database: %v", err) // no other test gets this database
			return
		}
		cluster.mu.Lock()
		defer cluster.mu.Unlock()
		cluster.free = append(cluster.free, at)
	})
	return at
}

// takeCluster returns the URL of a database that no test uses. If there is none, it creates one.
func takeCluster(prepare func(url string) error) (string, error) {
	cluster.mu.Lock()
	defer cluster.mu.Unlock()
	if n := len(cluster.free); n > 0 {
		at := cluster.free[n-1]
		cluster.free = cluster.free[:n-1]
		return at, nil
	}
	name := newName()
	cluster.made = append(cluster.made, name)
	at, err := createOnCluster(name)
	if err != nil {
		return "", fmt.Errorf("create a database on the cluster: %w", err)
	}
	return at, prepare(at)
}

// node is a server of the cluster.
type node struct {
	host string
	port int
}

// at returns the URL of a database on a node. An empty host means the coordinator.
func (n node) at(database string) (string, error) {
	u, err := url.Parse(os.Getenv(clusterURL))
	if err != nil {
		return "", errors.New(clusterURL + " is no URL")
	}
	u.Path = "/" + database
	if n.host != "" {
		u.Host = n.host + ":" + strconv.Itoa(n.port)
	}
	return u.String(), nil
}

// nodes returns the coordinator and the workers.
func nodes(ctx context.Context) (coordinator node, workers []node, err error) {
	conn, err := pgx.Connect(ctx, os.Getenv(clusterURL))
	if err != nil {
		return node{}, nil, err
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, "SELECT groupid = 0, nodename, nodeport FROM pg_dist_node ORDER BY groupid")
	if err != nil {
		return node{}, nil, err
	}
	var first bool
	var n node
	_, err = pgx.ForEachRow(rows, []any{&first, &n.host, &n.port}, func() error {
		if first {
			coordinator = n
		} else {
			workers = append(workers, n)
		}
		return nil
	})
	if err == nil && (coordinator.host == "" || len(workers) == 0) {
		err = errors.New("the database of " + clusterURL + " knows no coordinator or no worker")
	}
	return coordinator, workers, err
}

// createOnCluster creates an empty database on all servers and returns its URL on the coordinator.
// Its tables will have 4 shards.
func createOnCluster(name string) (string, error) {
	ctx, done := context.WithTimeout(context.Background(), time.Minute)
	defer done()
	coordinator, workers, err := nodes(ctx)
	if err != nil {
		return "", err
	}
	join := "SELECT citus_set_coordinator_host('" + coordinator.host + "', " + strconv.Itoa(coordinator.port) + ")"
	for _, n := range append(workers, node{}) {
		if err := n.execute(ctx, "postgres", "CREATE DATABASE "+name+
			" TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'"); err != nil {
			return "", err
		}
		if err := n.execute(ctx, name, "CREATE EXTENSION citus"); err != nil {
			return "", err
		}
		join += fmt.Sprintf("; SELECT citus_add_node('%s', %d)", n.host, n.port)
	}
	join, _, _ = strings.Cut(join, "; SELECT citus_add_node('', 0)") // the coordinator itself
	settings := "ALTER DATABASE " + name + " SET citus.shard_count = 4"
	for _, statement := range strings.Split(join+"; "+settings, "; ") {
		if err := (node{}).execute(ctx, name, statement); err != nil {
			return "", err
		}
	}
	return node{}.at(name)
}

// execute runs a statement in a database of a node.
func (n node) execute(ctx context.Context, database, statement string) error {
	at, err := n.at(database)
	if err != nil {
		return err
	}
	return executeAt(ctx, at, statement)
}

func executeAt(ctx context.Context, at string, statements ...string) error {
	conn, err := pgx.Connect(ctx, at)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// emptyCluster does the same as empty, in a transaction for each table. Citus does not change the
// rows and the indexes of distributed tables in one transaction.
func emptyCluster(at string, keep []string) error {
	ctx, done := context.WithTimeout(context.Background(), time.Minute)
	defer done()
	conn, err := pgx.Connect(ctx, at)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, `SELECT 'DELETE FROM ' || oid::regclass FROM pg_class
			WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname <> ALL ($1)
		UNION ALL SELECT 'DROP INDEX ' || oid::regclass FROM pg_class WHERE relkind = 'i' AND relname ~ '^search_[0-9]+$'
		UNION ALL SELECT 'DROP STATISTICS ' || quote_ident(stxname) FROM pg_statistic_ext WHERE stxname ~ '^search_[0-9]+$'
		UNION ALL SELECT 'SELECT setval(''' || oid::regclass || ''', 1, false)' FROM pg_class
			WHERE relkind = 'S' AND relnamespace = current_schema()::regnamespace`, keep)
	if err != nil {
		return err
	}
	statements, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
		AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND application_name = 'enlist'`
	const noTriggers = "SET session_replication_role = replica" // a trigger keeps the rows of the audit log
	return executeAt(ctx, at, append([]string{end, noTriggers}, statements...)...)
}

// stopCluster drops the databases on all servers of the cluster.
func stopCluster() {
	if len(cluster.made) == 0 {
		return
	}
	ctx, done := context.WithTimeout(context.Background(), time.Minute)
	defer done()
	_, workers, err := nodes(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	for _, name := range cluster.made {
		for _, n := range append([]node{{}}, workers...) {
			if err := n.execute(ctx, "postgres", "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}
	}
}
