package postgres

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file checks every statement that the stores of the tests have prepared. The
// statements about large tables must be able to run on a Citus cluster.

var (
	large = regexp.MustCompile(`(\w+ )?\b(contact|consent|delivery|recipient|recipient_event)\b([.]?)`) // a large table and the word before it
	list  = regexp.MustCompile(`\blist_id = (\?|\$|[0-9]|wanted\.list_id)`)                             // wanted: only in NewInsertBatch, which a cluster does not use
	texts = regexp.MustCompile(`'[^']*'`)
)

// checkStatements checks the statements that the connections of a store have prepared
// during a test. For each mention of a large table, a statement must have one List as an
// argument. Otherwise it would read every partition, on every server of a cluster. A
// statement with a large table must not use a small table, because small tables are on the
// coordinator only. Some random searches use statements that pgx does not keep prepared.
// Those statements are not checked.
func checkStatements(t testing.TB, s *Store) {
	t.Helper()
	for _, pool := range []*pgxpool.Pool{s.writers, s.readers.pool, s.searches.pool, s.streams.pool} {
		for _, c := range pool.AcquireAllIdle(context.Background()) {
			for _, query := range preparedStatements(t, c) {
				if problem := acrossLists(query); problem != "" {
					t.Errorf("a statement that cannot run on a Citus cluster: %s: %s", problem, query)
				}
			}
			c.Release()
		}
	}
}

// preparedStatements returns the statements that are prepared on a connection.
func preparedStatements(t testing.TB, c *pgxpool.Conn) []string {
	t.Helper()
	// pgx describes the columns for COPY by a SELECT that it never executes.
	const all = `SELECT statement FROM pg_prepared_statements WHERE statement NOT LIKE 'select "%'`
	rows, err := c.Query(context.Background(), all, pgx.QueryExecModeExec)
	var texts []string
	if err == nil {
		texts, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	if err != nil && !lost(err) && !c.Conn().IsClosed() { // the test may have cut the connection
		t.Fatal(err)
	}
	return texts
}

// The function acrossLists must find exactly the statements that checkStatements
// reports.
func TestStatementsOnLargeTablesNameTheirList(t *testing.T) {
	for _, test := range []struct{ query, want string }{
		{"SELECT 1 FROM contact WHERE list_id = ? AND id = ?", ""},
		{"SELECT 1 FROM contact c WHERE c.list_id = ?1 AND EXISTS (SELECT 1 FROM contact d WHERE d.list_id = ?1)", ""},
		{"SELECT 1 FROM contact WHERE list_id = ? AND id IN (SELECT d.id FROM contact d WHERE d.list_id = ? FOR UPDATE OF d)", ""},
		{"INSERT INTO consent (list_id, contact_id) SELECT a, b FROM unnest(?, ?) AS added (a, b)", ""},
		{"UPDATE contact SET id = ? WHERE list_id = ?", ""},
		{"DELETE FROM contact_delta WHERE contact_id = ?", ""},
		{"SELECT contact_count FROM list WHERE id = ?", ""},
		{"SELECT 1 FROM contact WHERE id = ?", "1 mentions of a large table, and 0 Lists"},
		{"DELETE FROM delivery", "1 mentions of a large table, and 0 Lists"},
		{"SELECT 1 FROM contact c WHERE c.list_id = ? AND EXISTS (SELECT 1 FROM contact d WHERE d.list_id = c.list_id)", "2 mentions of a large table, and 1 Lists"},
		{"UPDATE contact SET list_id = ? WHERE id = ?", "1 mentions of a large table, and 0 Lists"},
		{"INSERT INTO contact (id) VALUES (?)", "1 mentions of a large table, and 0 Lists"},
		{"SELECT 1 FROM list, contact WHERE list_id = ?", "contact is mentioned, but not after FROM, JOIN, INTO or UPDATE"},
		{"SELECT 1 FROM contact WHERE list_id = ? AND EXISTS (SELECT 1 FROM list WHERE list.id = ?)", "list is on another server"},
		{"INSERT INTO consent (list_id, text) SELECT id, name FROM list", "list is on another server"},
	} {
		if got := acrossLists(test.query); got != test.want {
			t.Errorf("%s: %q, want %q", test.query, got, test.want)
		}
	}
}

// coordinatorTables are the tables that are not distributed: they have no row for each Contact, or their statements
// name no List.
var coordinatorTables = []string{
	"account", "account_move", "api_key", "audit", "autoresponder", "autoresponder_batch", "backup", "batch", "batch_agent", "batch_edition",
	"batch_exclusion", "batch_link",
	"batch_population", "batch_slice", "batch_sum", "catalogue", "contact_delta", "field", "file",
	"file_content", "file_piece", "folder", "import", "import_result", "link", "list", "mail_day", "mail_hold", "mail_pace", "mail_rate",
	"message", "preference", "retry", "search_index", "search_index_use", "secret", "sending_domain",
	"unsubscriber", "webhook", "webhook_event", "webhook_target"}

// small matches mentions of the tables that are not distributed.
var small = regexp.MustCompile(`\b(FROM|JOIN|INTO|UPDATE) (` + strings.Join(append(coordinatorTables, `river_\w+`), "|") + `)\b`)

// A migration that adds a table must say whether enlist distribute distributes it: in largeTables or in
// coordinatorTables.
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
	if known := slices.Sorted(slices.Values(slices.Concat(largeTables, coordinatorTables))); !slices.Equal(tables, known) {
		t.Errorf("the tables are %q, but largeTables and coordinatorTables are %q", tables, known)
	}
}

// acrossLists returns the reason why a statement cannot run on a cluster, or "" if it can run there.
func acrossLists(query string) string {
	query = texts.ReplaceAllString(query, "''")
	mentions, inserts := 0, false
	for _, m := range large.FindAllStringSubmatch(query, -1) {
		before, table, dot := strings.TrimSpace(m[1]), m[2], m[3]
		switch {
		case dot != "": // the table name is a part of a column name
		case before == "INTO" && strings.Contains(query, "INSERT INTO "+table+" (list_id,"):
			inserts = true
		case slices.Contains([]string{"FROM", "JOIN", "INTO", "UPDATE"}, before):
			mentions++
		default:
			return table + " is mentioned, but not after FROM, JOIN, INTO or UPDATE"
		}
	}
	where := query
	if strings.HasPrefix(query, "UPDATE") {
		_, where, _ = strings.Cut(query, "WHERE")
	}
	if lists := len(list.FindAllString(where, -1)); lists < mentions {
		return fmt.Sprintf("%d mentions of a large table, and %d Lists", mentions, lists)
	}
	if other := small.FindStringSubmatch(query); (mentions > 0 || inserts) && other != nil {
		return other[2] + " is on another server"
	}
	return ""
}
