package postgres

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/recipients"
)

// A Batch is sent right after its recipients are stored, when PostgreSQL has no statistics of them yet. The statement
// that marks some recipients must nevertheless find them by their IDs, and not read all recipients of the Batch.
func TestMarkingRecipientsNeedsNoStatistics(t *testing.T) {
	s := openAt(t, database(t), Options{Writers: 1})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := s.jobs.Exec(t.Context(), `INSERT INTO recipient
		SELECT 1, 1, n, 1, 'waiting', 0, 0, '', '', 0, 0, 0 FROM generate_series(1, 5000) n`)
	must(err)
	must(s.Update(t.Context(), func(tx *db.Tx) error { return recipients.MarkSending(tx, 1, 1, []enlist.ContactID{7, 9}, 1) }))

	conn, err := s.writers.Acquire(t.Context())
	must(err)
	defer conn.Release()
	var name string
	must(conn.QueryRow(t.Context(), "SELECT name FROM pg_prepared_statements WHERE statement LIKE 'UPDATE recipient %'").Scan(&name))
	rows, err := conn.Query(t.Context(), "EXPLAIN EXECUTE "+name+" (1, 1, 1, '{7,9}', 7, 9)", pgx.QueryExecModeSimpleProtocol)
	must(err)
	plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(err)
	if _, condition, _ := strings.Cut(strings.Join(plan, "\n"), "Index Cond: "); !strings.Contains(strings.Split(condition+"\n", "\n")[0], "contact_id") {
		t.Errorf("the index scan does not compare contact_id:\n%s", strings.Join(plan, "\n"))
	}
}
