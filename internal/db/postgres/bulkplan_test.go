package postgres

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/recipients"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The statements of calls with many Contacts find their rows by an index that compares the ID or the address,
// although PostgreSQL made their plans when the tables were empty and had no statistics. Such a plan is used as
// long as a connection lives, or until the first ANALYZE.
func TestCallsWithManyContactsUseIndexesWithoutStatistics(t *testing.T) {
	s := openAt(t, database(t), Options{Writers: 1})
	manyContactCalls(t, s)
	addRecipients(t, s)
	conn, err := s.writers.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	const aboutContacts = `(FROM|UPDATE) (contact|unsubscriber|delivery)(_\d+)?\M' AND statement NOT LIKE 'SELECT EXISTS%duplicate_key IS NOT NULL)`
	scan := regexp.MustCompile(`Seq Scan on \w*(contact|unsubscriber|delivery)`)
	byIndex := regexp.MustCompile(`Index Cond: \((.*)\)`)
	for text, plan := range genericPlans(t, conn, aboutContacts, 7) {
		bad := scan.MatchString(plan)
		for _, found := range byIndex.FindAllStringSubmatch(plan, -1) {
			bad = bad || !strings.Contains(found[1], " AND ") // only the List or the Account is compared
		}
		if bad {
			t.Errorf("this statement reads all rows of a List:\n%s\n%s", text, plan)
		}
	}
	// Statements about many Batches need statistics, which the store has made meanwhile.
	for text, plan := range genericPlans(t, conn, `^(DELETE FROM|UPDATE) recipient\M`, 2) {
		if !strings.Contains(plan, "Index Cond: ((list_id = $1) AND (batch_id = ANY ($2)) AND (contact_id >= $3)") {
			t.Errorf("this statement does not read the range of Contacts in each Batch:\n%s\n%s", text, plan)
		}
	}
}

// genericPlans returns the plans of those prepared statements of a connection that match a regular expression, by their
// text. It fails the test if they are fewer than least.
func genericPlans(t *testing.T, conn *pgxpool.Conn, matching string, least int) map[string]string {
	t.Helper()
	rows, err := conn.Query(t.Context(), "SELECT name, statement, CAST(parameter_types AS TEXT[]) FROM pg_prepared_statements WHERE statement ~ '"+
		matching+"' ORDER BY statement", pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		t.Fatal(err)
	}
	type statement struct {
		Name, Text string
		Types      []string
	}
	statements, err := pgx.CollectRows(rows, pgx.RowToStructByPos[statement])
	if err != nil || len(statements) < least {
		t.Fatalf("%d statements, error %v; want %d or more", len(statements), err, least)
	}
	examples := map[string]string{"bigint": "1", "smallint": "1", "text": "'a'", "jsonb": "'{}'", "bigint[]": "'{1,2}'",
		"text[]": "'{a,b}'", "boolean[]": "'{t,f}'", "boolean": "true", "integer": "1"}
	plans := make(map[string]string)
	for _, st := range statements {
		args := make([]string, len(st.Types))
		for i, kind := range st.Types {
			args[i] = examples[kind]
		}
		explain := fmt.Sprintf("EXPLAIN (COSTS FALSE) EXECUTE %s (%s)", st.Name, strings.Join(args, ", "))
		rows, err := conn.Query(t.Context(), explain, pgx.QueryExecModeSimpleProtocol)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatalf("%s: %v", explain, err)
		}
		plans[st.Text] = strings.Join(lines, "\n")
	}
	return plans
}

// addRecipients adds so many recipients that the store analyzes their table, and waits until it has done so.
func addRecipients(t *testing.T, s *Store) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := s.Update(ctx, func(tx *db.Tx) error {
		return tx.Do(`INSERT INTO recipient SELECT 1, b, c, 1, 'sent', 1, 0, '', '', 1, 0, 0
			FROM generate_series(1, 20) b, generate_series(101, 100 + ?) c`, int64(analyzeAfter/20))
	})
	for analyzed := false; err == nil && !analyzed; {
		err = s.jobs.QueryRow(ctx, "SELECT reltuples > 0 FROM pg_class WHERE relname = 'recipient'").Scan(&analyzed)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// manyContactCalls adds, overwrites, edits and deletes Contacts of a new List, with duplicates.
func manyContactCalls(t *testing.T, s *Store) {
	t.Helper()
	ctx := context.Background()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	service := app.New(s, time.Now)
	first, err := service.Bootstrap(ctx, "")
	must(err)
	caller, err := service.Accounts.Operator(ctx, first.Account)
	must(err)
	add := contacts.AddRequest{List: first.List, Skip: contacts.SkipUnsubscribed}
	for i := range 3 {
		add.Contacts = append(add.Contacts, []enlist.Detail{detail("Email", address(int64(i)))})
	}
	edit := contacts.EditRequest{List: first.List}
	var added []enlist.ContactID
	_, err = service.Lists.EditList(ctx, caller, first.List, []enlist.Detail{detail("disallow_duplicate_contacts", "0")})
	must(err)
	for _, overwrite := range []bool{false, true, false} {
		add.Overwrite = overwrite
		ids, err := service.Contacts.AddContacts(ctx, caller, add)
		must(err)
		added = append(added, ids...)
		for _, id := range ids {
			email := detail("Email", fmt.Sprintf("x%d@example.com", id))
			edit.Contacts = append(edit.Contacts, contacts.EditRow{ID: id, Details: []enlist.Detail{email}})
		}
	}
	_, err = service.Contacts.EditContacts(ctx, caller, edit)
	must(err)
	must(s.Update(ctx, func(tx *db.Tx) error { // the Contacts were sent a Batch
		err := tx.Do(`INSERT INTO batch_population (batch_id, number, list_id, type, contacts, criteria, at_send, upto, last_id, done)
			VALUES (1, 1, ?, 'list', '', '', 0, 0, 0, 1)`, int64(first.List))
		if err != nil {
			return err
		}
		_, err = recipients.Add(tx, first.List, 1, added, recipients.StatusSent, 1, 0)
		return err
	}))
	_, err = service.Contacts.DeleteContacts(ctx, caller, contacts.DeleteRequest{List: first.List, Contacts: added})
	must(err)
}
