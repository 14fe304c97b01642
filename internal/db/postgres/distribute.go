package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// This file distributes the large tables over the workers of a Citus cluster, for the
// command enlist distribute. All rows of a List are on the same worker. All other
// tables stay on the coordinator, which is the server that enlist connects to. No
// statement uses a large table together with another table (pgtest/statements.go).
//
// A distributed table has shards in place of partitions. With both, the three tables would
// have 1,536 shards, and each statement would take longer.

// Distribution is the list of statements that distribute the large tables.
// OpenDistribution makes the list from the current state of the tables. So if a run is
// interrupted, the next Distribution continues where that run stopped.
type Distribution struct {
	Statements []string // each table is converted in one transaction; empty: nothing is left to do
	Superuser  bool     // a superuser owns the ledger, so privileges do not protect the ledger from changes
	conn       *pgx.Conn
}

// largeTables are the tables that have rows for each Contact. Citus stores the rows of
// one List in all of these tables on the same worker.
var largeTables = []string{"contact", "consent", "delivery", "recipient", "recipient_event"}

var (
	errNoCitus = errors.New("the extension Citus is not in this database: install it on every server of the cluster, " +
		"with shared_preload_libraries = 'citus', and run in a database of this name on each: CREATE EXTENSION citus")
	errNoNodes = errors.New("no server of the cluster accepts shards: add each worker with: " +
		"SELECT citus_add_node('HOST', 5432)")
	errLocked        = errors.New("another process is changing the tables: try again when it has finished")
	errHalfConverted = errors.New("the distribution of its large tables is not finished, or an older version made it: " +
		"run enlist distribute")
)

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

// Run runs the statements. It calls report before each. After an error, Close rolls the open
// transaction back.
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
	var nodes, marked bool
	err = d.conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_dist_node WHERE noderole = 'primary' AND shouldhaveshards),
		EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass($1))`, twoPhase).Scan(&nodes, &marked)
	if err == nil && !nodes {
		err = errNoNodes
	}
	if err != nil {
		return err
	}
	for _, name := range largeTables {
		t, err := d.look(ctx, name)
		if err != nil {
			return err
		}
		if name == "consent" {
			d.Superuser = t.superuser
		}
		if t.partitioned || !t.distributed {
			d.convert(t)
		}
	}
	if !marked {
		d.markTwoPhase()
	}
	return nil
}

// largeTable is the state of one large table. Names are quoted for SQL.
type largeTable struct {
	name        string
	distributed bool
	partitioned bool
	foreign     bool // another role than the current one owns the table
	owner       string
	superuser   bool     // the owner is a superuser
	grants      []string // privileges that other roles have, such as "SELECT ON contact TO reports"
	indexes     []string // names
	definitions []string // statements that create the indexes
}

const lookAtTable = `SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = t.oid),
		relkind = 'p', rolname <> current_user, quote_ident(rolname), rolsuper,
		ARRAY(SELECT privilege_type || ' ON ' || relname || ' TO ' ||
				CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END
			FROM aclexplode(relacl) WHERE grantee <> relowner
				AND (relname <> 'consent' OR privilege_type NOT IN ('UPDATE', 'DELETE', 'TRUNCATE')) ORDER BY 1),
		ARRAY(SELECT quote_ident(relname) FROM pg_index JOIN pg_class i ON i.oid = indexrelid
			WHERE indrelid = t.oid ORDER BY indexrelid),
		ARRAY(SELECT coalesce('ALTER TABLE ' || t.relname || ' ADD CONSTRAINT ' || quote_ident(conname) || ' ' ||
					pg_get_constraintdef(c.oid), replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON '))
			FROM pg_index LEFT JOIN pg_constraint c ON conindid = indexrelid AND contype IN ('p', 'u')
			WHERE indrelid = t.oid ORDER BY indexrelid)
	FROM pg_class t JOIN pg_roles ON pg_roles.oid = relowner WHERE t.oid = $1::regclass`

// look reads the state of a table.
func (d *Distribution) look(ctx context.Context, name string) (*largeTable, error) {
	t := &largeTable{name: name}
	err := d.conn.QueryRow(ctx, lookAtTable, name).Scan(&t.distributed, &t.partitioned, &t.foreign, &t.owner,
		&t.superuser, &t.grants, &t.indexes, &t.definitions)
	return t, err
}

// convert appends the statements that replace a table by a distributed table with the same rows,
// in one transaction. Citus cannot distribute a table with triggers. So the new ledger is
// protected by privileges: no role may change, delete or truncate rows.
func (d *Distribution) convert(t *largeTable) {
	const old = "_undistributed"
	d.add("BEGIN")
	d.add("SET LOCAL citus.multi_shard_modify_mode TO 'sequential'")
	d.add("ALTER TABLE %s RENAME TO %s", t.name, t.name+old)
	for _, index := range t.indexes {
		d.add("ALTER INDEX %s RENAME TO %s", index, index+old)
	}
	d.add("CREATE TABLE %s (LIKE %s INCLUDING ALL EXCLUDING INDEXES)", t.name, t.name+old)
	for _, definition := range t.definitions {
		d.add("%s", definition)
	}
	if t.foreign {
		d.add("ALTER TABLE %s OWNER TO %s", t.name, t.owner)
	}
	for _, grant := range t.grants {
		d.add("GRANT %s", grant)
	}
	with := largeTables[0]
	if t.name == with {
		with = "none"
	}
	d.add("SELECT create_distributed_table('%s', 'list_id', colocate_with => '%s')", t.name, with)
	if t.name == "consent" {
		d.add("REVOKE UPDATE, DELETE, TRUNCATE ON %s FROM PUBLIC, %s", t.name, t.owner)
	}
	d.add("INSERT INTO %s SELECT * FROM %s", t.name, t.name+old)
	d.add("DROP TABLE %s", t.name+old)
	d.add("COMMIT")
}

// add appends a statement.
func (d *Distribution) add(format string, args ...any) {
	d.Statements = append(d.Statements, fmt.Sprintf(format, args...))
}

// twoPhase is an empty table on the coordinator that Citus manages. A transaction that writes to it
// is committed in two phases. Otherwise Citus would not know that a transaction writes to other
// tables of the coordinator: it would commit on the worker first, and a crash of the coordinator
// could then store a Contact without its jobs. Citus would also only warn if the worker failed
// during COMMIT.
const twoPhase = "two_phase"

// writeTwoPhase is the statement that makes a transaction commit in two phases.
const writeTwoPhase = "DELETE FROM two_phase WHERE id = 0"

// markTwoPhase appends the statements that create the table.
func (d *Distribution) markTwoPhase() {
	d.add("BEGIN")
	d.add("CREATE TABLE %s (id BIGINT PRIMARY KEY)", twoPhase)
	d.add("SELECT citus_add_local_table_to_metadata('%s')", twoPhase)
	d.add("COMMIT")
}

// isDistributed reports whether the large tables are on several servers. It returns an error if
// only some of them are.
func (s *Store) isDistributed(ctx context.Context) (is bool, err error) {
	err = s.readers.pool.QueryRow(ctx, "SELECT to_regclass('pg_dist_partition') IS NOT NULL").Scan(&is)
	if err != nil || !is {
		return false, err
	}
	const managed = `SELECT relname::text, relkind = 'r' FROM pg_dist_partition JOIN pg_class ON oid = logicalrelid
		WHERE relname = ANY ($1) AND relnamespace = current_schema()::regnamespace`
	tables := slices.Concat(largeTables, []string{twoPhase})
	rows, err := s.readers.pool.Query(ctx, managed, tables)
	if err != nil {
		return false, err
	}
	var name string
	var plain, partitioned bool
	found := 0
	_, err = pgx.ForEachRow(rows, []any{&name, &plain}, func() error {
		found++
		partitioned = partitioned || !plain
		return nil
	})
	switch {
	case err != nil:
		return false, err
	case found > 0 && (found < len(tables) || partitioned):
		return false, errHalfConverted
	}
	return found > 0, nil
}
