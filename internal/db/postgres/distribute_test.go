package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"enlist/internal/db/pgtest"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// citus creates functions with the names of those of the extension Citus, because the servers
// of the tests do not have Citus. Here create_distributed_table and citus_add_local_table_to_metadata
// only record the table. The tests of package dbtest use a real cluster.
const citus = `
	INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
		SELECT 70000, 'citus', 10, 'public'::regnamespace, false, '13.0-1';
	CREATE FUNCTION create_distributed_table(name REGCLASS, partkey TEXT, colocate_with TEXT) RETURNS VOID LANGUAGE plpgsql AS $$
	BEGIN
		IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = name) THEN
			RAISE EXCEPTION 'it has triggers';
		END IF;
		INSERT INTO pg_dist_partition VALUES (name, partkey, colocate_with);
	END
	$$;
	CREATE FUNCTION citus_add_local_table_to_metadata(name REGCLASS) RETURNS VOID LANGUAGE plpgsql AS $$
	BEGIN
		INSERT INTO pg_dist_partition VALUES (name, NULL, NULL);
	END
	$$;`

// citusTables creates the tables of Citus. The test runs it after enlist has created
// its own tables. Before that, enlist would refuse the database, because these tables
// look like those of another program.
const citusTables = `
	CREATE TABLE pg_dist_node (noderole TEXT, shouldhaveshards BOOL);
	CREATE TABLE pg_dist_partition (logicalrelid REGCLASS, partkey TEXT, colocation TEXT)`

func TestDistributionContinuesAndProtectsTheLedger(t *testing.T) {
	if testing.Short() {
		t.Skip("provokes what happens seldom: run it with \"make check\"")
	}
	url := pgtest.Open(t)
	wantRefusal(t, url, errNoCitus)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	run := func(statements string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), statements); err != nil {
			t.Fatal(err)
		}
	}
	run(citus)
	wantRefusal(t, url, errEmpty)
	d := newListFixture(t, openAt(t, url, Options{}))
	run(citusTables)
	wantRefusal(t, url, errNoNodes)
	run("INSERT INTO pg_dist_node VALUES ('primary', true)")
	_, err = d.subscribe(t.Context(), "a@example.com", "")
	d.must(err)

	role := ownedByOther(t, conn)
	plan := distribution(t, url)
	wantPlan(t, plan, role)
	if plan.Superuser {
		t.Error("Superuser is true, want false: the owner is not a superuser")
	}
	plan.Close(t.Context())

	// A second Distribution continues where an interrupted run stopped. The table consent was not
	// converted completely, so its transaction was rolled back.
	plan = distribution(t, url)
	plan.Statements = plan.Statements[:slices.Index(plan.Statements, "COMMIT")+6]
	d.must(plan.Run(t.Context(), func(string) {}))
	plan.Close(t.Context())
	if _, err := Open(t.Context(), url, Options{}); !errors.Is(err, errHalfConverted) {
		t.Errorf("a store on a database with one distributed table: error %v, want %v", err, errHalfConverted)
	}
	plan = distribution(t, url)
	if len(plan.Statements) < 3 || plan.Statements[2] != "ALTER TABLE consent RENAME TO consent_undistributed" {
		t.Errorf("a second Distribution has the statements %q, want it to continue with the table consent", plan.Statements)
	}
	d.must(plan.Run(t.Context(), func(string) {}))
	plan.Close(t.Context())
	plan = distribution(t, url)
	defer plan.Close(t.Context())
	if len(plan.Statements) > 0 {
		t.Errorf("after all statements ran, a new Distribution has %q, want no statements", plan.Statements)
	}
	wantLedgerProtected(t, conn, role)

	// Only a store that is opened after the distribution avoids statements about several
	// Lists.
	if d.store.distributed || !openAt(t, url, Options{}).distributed {
		t.Error("distributed must be false in the store that was opened before the distribution, and true in a new store")
	}
	d.store = openAt(t, url, Options{})
	d.wantCount(1)
}

// distributed returns the URL of a database whose tables are distributed, with a substitute for Citus.
func distributed(t *testing.T) string {
	t.Helper()
	url := database(t)
	s := openAt(t, url, Options{})
	for _, statements := range []string{citus, citusTables, "INSERT INTO pg_dist_node VALUES ('primary', true)"} {
		if _, err := s.jobs.Exec(t.Context(), statements); err != nil {
			t.Fatal(err)
		}
	}
	plan := distribution(t, url)
	defer plan.Close(t.Context())
	if err := plan.Run(t.Context(), func(string) {}); err != nil {
		t.Fatal(err)
	}
	return url
}

func wantRefusal(t *testing.T, url string, want error) {
	t.Helper()
	d, err := OpenDistribution(t.Context(), url)
	if err == nil {
		d.Close(t.Context())
	}
	if !errors.Is(err, want) {
		t.Errorf("OpenDistribution: error %v, want %v", err, want)
	}
}

func distribution(t *testing.T, url string) *Distribution {
	t.Helper()
	d, err := OpenDistribution(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// ownedByOther creates a role that is not a superuser and makes it the owner of the
// ledger. It returns the name of the role.
func ownedByOther(t *testing.T, conn *pgx.Conn) string {
	t.Helper()
	role := fmt.Sprintf("enlist_test_%d", os.Getpid())
	statements := "CREATE ROLE " + role + "; GRANT USAGE ON SEQUENCE consent_number TO " + role + "; ALTER TABLE consent OWNER TO " + role +
		"; GRANT SELECT, UPDATE ON consent TO PUBLIC"
	for i := range 16 {
		statements += fmt.Sprintf("; ALTER TABLE consent_%d OWNER TO %s", i, role)
	}
	if _, err := conn.Exec(t.Context(), statements); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.Background()
		last, err := pgx.Connect(ctx, conn.Config().ConnString())
		if err == nil {
			defer last.Close(ctx)
			_, err = last.Exec(ctx, "DROP OWNED BY "+role+"; DROP ROLE "+role)
		}
		if err != nil {
			t.Error(err)
		}
	})
	return role
}

func wantPlan(t *testing.T, d *Distribution, role string) {
	t.Helper()
	want := []string{
		"BEGIN",
		"SET LOCAL citus.multi_shard_modify_mode TO 'sequential'",
		"ALTER TABLE consent RENAME TO consent_undistributed",
		"ALTER INDEX consent_pkey RENAME TO consent_pkey_undistributed",
		"CREATE TABLE consent (LIKE consent_undistributed INCLUDING ALL EXCLUDING INDEXES)",
		"ALTER TABLE consent ADD CONSTRAINT consent_pkey PRIMARY KEY (list_id, contact_id, number)",
		"ALTER TABLE consent OWNER TO " + role,
		"GRANT SELECT ON consent TO PUBLIC", // the privilege to UPDATE is not kept
		"SELECT create_distributed_table('consent', 'list_id', colocate_with => 'contact')",
		"REVOKE UPDATE, DELETE, TRUNCATE ON consent FROM PUBLIC, " + role,
		"INSERT INTO consent SELECT * FROM consent_undistributed",
		"DROP TABLE consent_undistributed",
		"COMMIT",
	}
	first := slices.Index(d.Statements, "COMMIT") + 1 // after the table contact
	if got := d.Statements[first:][:len(want)]; !slices.Equal(got, want) {
		t.Errorf("the statements for the ledger are %q, want %q", got, want)
	}
	const index = "CREATE UNIQUE INDEX contact_dedupe ON public.contact USING btree (list_id, dedupe_key) WHERE (dedupe_key IS NOT NULL)"
	for _, statement := range []string{index, "SELECT create_distributed_table('contact', 'list_id', colocate_with => 'none')",
		"SELECT create_distributed_table('delivery', 'list_id', colocate_with => 'contact')"} {
		if !slices.Contains(d.Statements, statement) {
			t.Errorf("the statements do not contain %q", statement)
		}
	}
}

// wantLedgerProtected checks that the role can insert rows into the ledger, but cannot
// change or delete rows.
func wantLedgerProtected(t *testing.T, conn *pgx.Conn, role string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), "SET ROLE "+role+`; INSERT INTO consent (list_id, contact_id, time, method, type, text, ip, preferences, key_id)
		VALUES (1, 1, 0, '', '', '', '', '', 0)`); err != nil {
		t.Error(err)
	}
	for _, change := range []string{"UPDATE consent SET text = 'no'", "DELETE FROM consent", "TRUNCATE consent"} {
		_, err := conn.Exec(t.Context(), change)
		if refusal, ok := errors.AsType[*pgconn.PgError](err); !ok || refusal.Code != "42501" {
			t.Errorf("%s: error %v, want insufficient privilege", change, err)
		}
	}
}

// Every unique index of a large table includes the List, and no foreign key starts or
// ends at a large table. Otherwise a server that stores only some of the Lists could
// not check the index or the key.
func TestLargeTablesAreUniqueByList(t *testing.T) {
	s := open(t)
	for _, query := range []string{
		`SELECT indexrelid::regclass::text FROM pg_index WHERE indisunique AND indrelid IN (SELECT relid FROM unnest($1::text[]) name, pg_partition_tree(name::regclass))
			AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = indrelid AND attname = 'list_id' AND attnum = ANY ((indkey::int2[])[0:indnkeyatts - 1]))`,
		`SELECT conname::text FROM pg_constraint WHERE contype IN ('f', 'x') AND (conrelid = ANY ($1::text[]::regclass[]) OR confrelid = ANY ($1::text[]::regclass[]))`,
		`SELECT name FROM unnest($1::text[]) name WHERE pg_get_partkeydef(name::regclass) <> 'HASH (list_id)'`,
		// Workers need sequences of 64 bits for IDs.
		`SELECT relname::text FROM pg_class JOIN pg_sequence ON seqrelid = pg_class.oid WHERE relname IN ('contact_id', 'consent_number') AND seqtypid <> 'bigint'::regtype AND cardinality($1::text[]) > 0`,
	} {
		rows, err := s.jobs.Query(t.Context(), query, largeTables)
		if err != nil {
			t.Fatal(err)
		}
		found, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || len(found) > 0 {
			t.Errorf("%s: found %q, want nothing; error %v", query, found, err)
		}
	}
}

// A migration that adds a table must say whether enlist distribute distributes it: in largeTables or in
// pgtest.CoordinatorTables.
func TestEachTableIsDistributedOrStaysOnTheCoordinator(t *testing.T) {
	rows, err := open(t).jobs.Query(t.Context(), `SELECT relname::text FROM pg_class
		WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = current_schema()::regnamespace
			AND relname !~ '^(river_|goose_)' ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	if known := slices.Sorted(slices.Values(slices.Concat(largeTables, pgtest.CoordinatorTables))); !slices.Equal(tables, known) {
		t.Errorf("the tables are %q, but largeTables and CoordinatorTables are %q", tables, known)
	}
}
