package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// This file distributes the large tables over the workers of a Citus cluster, for the
// command enlist distribute. All rows of a List are on the same worker. All other
// tables stay on the coordinator, which is the server that enlist connects to. No
// statement uses a large table together with another table (lists_test.go).

// Distribution is the list of statements that distribute the large tables.
// OpenDistribution makes the list from the current state of the tables. So if a run is
// interrupted, the next Distribution continues where that run stopped.
type Distribution struct {
	Statements []string // empty: the tables are distributed
	Superuser  bool     // a superuser owns the ledger, so privileges do not protect the ledger from changes
	conn       *pgx.Conn
}

// largeTables are the tables that have rows for each Contact. Citus stores the rows of
// one List in all three tables on the same worker.
var largeTables = []string{"contact", "consent", "delivery"}

var (
	errNoCitus = errors.New("the extension Citus is not in this database: install it on every server of the cluster, " +
		"with shared_preload_libraries = 'citus', and run in a database of this name on each: CREATE EXTENSION citus")
	errNoNodes = errors.New("no server of the cluster accepts shards: add each worker with: " +
		"SELECT citus_add_node('HOST', 5432)")
	errLocked = errors.New("another process is changing the tables: try again when it has finished")
)

// isDistributed reports whether the large tables are on several servers.
func (s *Store) isDistributed(ctx context.Context) (is bool, err error) {
	err = s.readers.pool.QueryRow(ctx, "SELECT to_regclass('pg_dist_partition') IS NOT NULL").Scan(&is)
	if err != nil || !is {
		return false, err
	}
	const isOurs = "SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('contact'))"
	err = s.readers.pool.QueryRow(ctx, isOurs).Scan(&is)
	return is, err
}

// OpenDistribution prepares the Distribution of a database. It changes nothing, but it
// holds the lock of migrations until Close.
func OpenDistribution(ctx context.Context, url string) (*Distribution, error) {
	config, err := parse(url)
	if err != nil {
		return nil, err
	}
	conn, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return nil, fmt.Errorf("distribute %s: %w", shown(config), connectError(err))
	}
	d := &Distribution{conn: conn}
	if err := d.prepare(ctx); err != nil {
		d.Close(ctx)
		return nil, fmt.Errorf("distribute %s: %w", shown(config), err)
	}
	return d, nil
}

// Close releases the lock of migrations and closes the connection.
func (d *Distribution) Close(ctx context.Context) {
	unlockMigration(ctx, d.conn)
	d.conn.Close(context.WithoutCancel(ctx))
}

// Run runs each statement in a transaction of its own. It calls report before it runs a
// statement.
func (d *Distribution) Run(ctx context.Context, report func(statement string)) error {
	for _, statement := range d.Statements {
		report(statement)
		if _, err := d.conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// prepare checks the database and fills in Statements.
func (d *Distribution) prepare(ctx context.Context) error {
	var locked, citus, ours bool
	err := d.conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1),
		EXISTS (SELECT FROM pg_extension WHERE extname = 'citus'),
		to_regclass('contact') IS NOT NULL AND to_regclass('goose_db_version') IS NOT NULL`,
		migrationLock).Scan(&locked, &citus, &ours)
	switch {
	case err != nil:
		return err
	case !locked:
		return errLocked
	case !citus:
		return errNoCitus
	case !ours:
		return errEmpty
	}
	var nodes bool
	err = d.conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_dist_node
		WHERE noderole = 'primary' AND shouldhaveshards)`).Scan(&nodes)
	if err == nil && !nodes {
		err = errNoNodes
	}
	if err != nil {
		return err
	}
	tables := make([]*largeTable, len(largeTables))
	for i, name := range largeTables {
		tables[i], err = d.look(ctx, name)
		if err != nil {
			return err
		}
	}
	d.plan(tables)
	return nil
}

// largeTable is the state of one large table. Names are quoted for SQL.
type largeTable struct {
	name        string
	distributed bool
	triggers    []string
	owner       string
	superuser   bool     // the owner is a superuser
	granted     []string // privileges that the owner or PUBLIC has
	partitions  []string
	full        []string // partitions that have rows on the coordinator
}

const lookAtTable = `SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = t.oid),
		ARRAY(SELECT quote_ident(tgname) FROM pg_trigger WHERE tgrelid = t.oid AND NOT tgisinternal ORDER BY tgname),
		quote_ident(rolname), rolsuper,
		ARRAY(SELECT DISTINCT privilege_type FROM aclexplode(coalesce(relacl, acldefault('r', relowner)))
			WHERE grantee IN (relowner, 0) ORDER BY 1),
		ARRAY(SELECT relid::text FROM pg_partition_tree(t.oid) p WHERE isleaf ORDER BY p.relid),
		ARRAY(SELECT relid::text FROM pg_partition_tree(t.oid) p
			WHERE isleaf AND pg_relation_size(relid) > 0 ORDER BY p.relid)
	FROM pg_class t JOIN pg_roles ON pg_roles.oid = relowner WHERE t.oid = $1::regclass`

// look reads the state of a table.
func (d *Distribution) look(ctx context.Context, name string) (*largeTable, error) {
	t := &largeTable{name: name}
	err := d.conn.QueryRow(ctx, lookAtTable, name).Scan(&t.distributed, &t.triggers, &t.owner, &t.superuser, &t.granted,
		&t.partitions, &t.full)
	return t, err
}

// plan fills in Statements. Citus cannot distribute a table with triggers. So the ledger is
// protected by revoked privileges and not by triggers. UPDATE and DELETE are revoked before
// the triggers are dropped, so at no time can a statement change or delete a row. TRUNCATE
// is revoked last, after the rows on the coordinator are truncated.
func (d *Distribution) plan(tables []*largeTable) {
	for _, t := range tables {
		if t.name == "consent" {
			d.Superuser = t.superuser
			d.revoke(t, "UPDATE", "DELETE")
		}
		for _, trigger := range t.triggers {
			d.add("DROP TRIGGER %s ON %s", trigger, t.name)
		}
	}
	for _, t := range tables {
		with := largeTables[0]
		if t.name == with {
			with = "none"
		}
		if !t.distributed {
			d.add("SELECT create_distributed_table('%s', 'list_id', colocate_with => '%s')", t.name, with)
		}
	}
	// create_distributed_table has copied the rows of these partitions to the shards.
	for _, t := range tables {
		for _, partition := range t.full {
			d.add("SELECT truncate_local_data_after_distributing_table('%s')", partition)
		}
	}
	for _, t := range tables {
		if t.name == "consent" {
			d.revoke(t, "TRUNCATE")
		}
	}
}

// add appends a statement.
func (d *Distribution) add(format string, args ...any) {
	d.Statements = append(d.Statements, fmt.Sprintf(format, args...))
}

// revoke appends statements that take privileges from PUBLIC and from the owner.
func (d *Distribution) revoke(t *largeTable, privileges ...string) {
	tables := strings.Join(append([]string{t.name}, t.partitions...), ", ")
	for _, p := range privileges {
		if slices.Contains(t.granted, p) {
			d.add("REVOKE %s ON %s FROM PUBLIC, %s", p, tables, t.owner)
		}
	}
}
