package postgres

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
)

var (
	large = regexp.MustCompile(`(\w+ )?\b(contact|consent|delivery)\b([.]?)`) // with the word before it
	list  = regexp.MustCompile(`\blist_id = (\?|[0-9]|wanted\.list_id)`)      // wanted: several, in a InsertBatch, on one server only
	texts = regexp.MustCompile(`'[^']*'`)
	made  = regexp.MustCompile(`CREATE TABLE (\w+) `)
)

// Every statement about a large table names one List for each mention of it, as an
// argument: else it would ask every partition, and every server where they are
// distributed. None has a small table too, which is on one server then. This looks
// at what a store has sent when a test is done with it, the suites among them, as
// far as its connections prepared it: that is all but some random searches.
func nameTheirList(t testing.TB, s *Store) {
	t.Helper()
	small := smallTables(t)
	for _, pool := range []*pgxpool.Pool{s.writers, s.readers.pool, s.searches.pool, s.streams.pool} {
		for _, c := range pool.AcquireAllIdle(context.Background()) {
			for query := range statementsOf(c.Conn().PgConn()).prepared {
				if problem := acrossLists(query, small); problem != "" {
					t.Errorf("%s: %s", problem, query)
				}
			}
			c.Release()
		}
	}
}

// What the tests look for in all statements would be found.
func TestStatementsNameTheirList(t *testing.T) {
	small := smallTables(t)
	for query, want := range map[string]string{
		"SELECT 1 FROM contact WHERE list_id = ? AND id = ?":                                                                 "",
		"SELECT 1 FROM contact c WHERE c.list_id = ?1 AND EXISTS (SELECT 1 FROM contact d WHERE d.list_id = ?1)":             "",
		"SELECT 1 FROM contact WHERE list_id = ? AND id IN (SELECT d.id FROM contact d WHERE d.list_id = ? FOR UPDATE OF d)": "",
		"INSERT INTO consent (list_id, contact_id) SELECT a, b FROM unnest(?, ?) AS added (a, b)":                            "",
		"UPDATE contact SET id = ? WHERE list_id = ?":                                                                        "",
		"DELETE FROM contact_delta WHERE contact_id = ?":                                                                     "",
		"SELECT contact_count FROM list WHERE id = ?":                                                                        "",
		"SELECT 1 FROM contact WHERE id = ?":                                                                                 "1 mentions of a large table, and 0 Lists",
		"DELETE FROM delivery":                                                                                               "1 mentions of a large table, and 0 Lists",
		"SELECT 1 FROM contact c WHERE c.list_id = ? AND EXISTS (SELECT 1 FROM contact d WHERE d.list_id = c.list_id)":       "2 mentions of a large table, and 1 Lists",
		"UPDATE contact SET list_id = ? WHERE id = ?":                                                                        "1 mentions of a large table, and 0 Lists",
		"INSERT INTO contact (id) VALUES (?)":                                                                                "1 mentions of a large table, and 0 Lists",
		"SELECT 1 FROM list, contact WHERE list_id = ?":                                                                      "contact is mentioned otherwise",
		"SELECT 1 FROM contact WHERE list_id = ? AND EXISTS (SELECT 1 FROM list WHERE list.id = ?)":                          "list is on another server",
		"INSERT INTO consent (list_id, text) SELECT id, name FROM list":                                                      "list is on another server",
	} {
		if got := acrossLists(query, small); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// smallTables finds mentions of the tables that are not distributed.
func smallTables(t testing.TB) *regexp.Regexp {
	t.Helper()
	files, err := migrations.ReadDir("migrations")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		text, err := migrations.ReadFile("migrations/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range made.FindAllSubmatch(text, -1) {
			if name := string(m[1]); !slices.Contains(distributed, name) {
				names = append(names, name)
			}
		}
	}
	return regexp.MustCompile(`\b(FROM|JOIN|INTO|UPDATE) (` + strings.Join(append(names, `river_\w+`), "|") + `)\b`)
}

// acrossLists says what is wrong with a statement, "" when nothing is.
func acrossLists(query string, small *regexp.Regexp) string {
	query = texts.ReplaceAllString(query, "''")
	mentions, inserts := 0, false
	for _, m := range large.FindAllStringSubmatch(query, -1) {
		before, table, dot := strings.TrimSpace(m[1]), m[2], m[3]
		switch {
		case dot != "": // of a column
		case before == "INTO" && strings.Contains(query, "INSERT INTO "+table+" (list_id,"):
			inserts = true
		case slices.Contains([]string{"FROM", "JOIN", "INTO", "UPDATE"}, before):
			mentions++
		default:
			return table + " is mentioned otherwise"
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
