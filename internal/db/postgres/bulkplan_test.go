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
	"enlist/internal/enlist"

	"github.com/jackc/pgx/v5"
)

// The statements of calls with many Contacts find their rows by an index that compares the ID or the address,
// although PostgreSQL made their plans when the tables were empty and had no statistics. Such a plan is used as
// long as a connection lives, or until the first ANALYZE.
func TestCallsWithManyContactsUseIndexesWithoutStatistics(t *testing.T) {
	s := openAt(t, database(t), Options{Writers: 1})
	manyContactCalls(t, s)
	conn, err := s.writers.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	rows, err := conn.Query(t.Context(), `SELECT name, statement, CAST(parameter_types AS TEXT[])
		FROM pg_prepared_statements WHERE statement ~ '(FROM|UPDATE) (contact|unsubscriber|delivery)\M'
			AND statement NOT LIKE 'SELECT EXISTS%duplicate_key IS NOT NULL)' ORDER BY statement`)
	if err != nil {
		t.Fatal(err)
	}
	type statement struct {
		Name, Text string
		Types      []string
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[statement])
	if err != nil || len(all) < 7 {
		t.Fatalf("%d statements, error %v; want 7 or more", len(all), err)
	}
	examples := map[string]string{"bigint": "1", "smallint": "1", "text": "'a'", "jsonb": "'{}'", "bigint[]": "'{1,2}'",
		"text[]": "'{a,b}'", "boolean[]": "'{t,f}'", "boolean": "true", "integer": "1"}
	scan := regexp.MustCompile(`Seq Scan on \w*(contact|unsubscriber|delivery)`)
	byIndex := regexp.MustCompile(`Index Cond: \((.*)\)`)
	for _, st := range all {
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
		plan := strings.Join(lines, "\n")
		bad := scan.MatchString(plan)
		for _, found := range byIndex.FindAllStringSubmatch(plan, -1) {
			bad = bad || !strings.Contains(found[1], " AND ") // only the List or the Account is compared
		}
		if bad {
			t.Errorf("this statement reads all rows of a List:\n%s\n%s", st.Text, plan)
		}
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
	_, err = service.Contacts.DeleteContacts(ctx, caller, contacts.DeleteRequest{List: first.List, Contacts: added})
	must(err)
}
