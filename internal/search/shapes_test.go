package search_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/search"

	_ "github.com/jackc/pgx/v5/stdlib"
)

// This file checks the plans that both engines use for different searches. The List is so large that
// the engines prefer indexes to a scan of the table.

// large has a List of 20,000 Contacts, with an index for each key that the searches use. Every second row
// of the table belongs to another List.
type large struct {
	engine dbtest.Engine
	store  db.Engine
	db     *sql.DB
	schema *enlist.Schema
	keys   map[string]*enlist.SearchKey
	names  *strings.Replacer // replaces the name of a key in braces by the name of its index
}

const largeContacts = 20_000

func newLarge(t *testing.T, e dbtest.Engine) *large {
	l := openLarge(t, e)
	list := enlist.List{AccountID: 1, Name: "Large"}
	l.update(t, func(tx *db.Tx) error { return lists.Insert(tx, &list) })
	l.fill(t, list.ID)
	l.index(t, list.ID)
	return l
}

// openLarge opens an empty database.
func openLarge(t *testing.T, e dbtest.Engine) *large {
	t.Helper()
	if e.Name == dbtest.Citus.Name {
		t.Skip("a worker plans the search, as PostgreSQL does")
	}
	place := e.New(t)
	store, err := dbtest.Open(t.Context(), place, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	l := &large{engine: e, store: store, keys: make(map[string]*enlist.SearchKey)}
	if e.Name == dbtest.Postgres.Name {
		l.db, err = sql.Open("pgx", place)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.db.Close() })
		l.db.SetMaxOpenConns(1)
		// Searches run with this setting too.
		if _, err := l.db.ExecContext(t.Context(), "SET random_page_cost = 1.1"); err != nil {
			t.Fatal(err)
		}
	} else {
		l.db = openFile(t, place)
	}
	return l
}

func (l *large) update(t *testing.T, fn func(*db.Tx) error) {
	t.Helper()
	if err := l.store.Update(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// analyze makes PostgreSQL count the rows of a table. No process does that on SQLite.
func (l *large) analyze(t *testing.T, table string) {
	t.Helper()
	if l.engine.Name == dbtest.SQLite.Name {
		return
	}
	if _, err := l.db.ExecContext(t.Context(), "ANALYZE "+table); err != nil {
		t.Fatal(err)
	}
}

// fill stores the Contacts. The values of each Field repeat after a number of Contacts, and this number
// is different for each Field.
func (l *large) fill(t *testing.T, list enlist.ListID) {
	series := "WITH RECURSIVE series(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < %d)"
	document, number := "jsonb(%s)", "n"
	if l.engine.Name == dbtest.Postgres.Name {
		series = "WITH series AS (SELECT n FROM generate_series(1, %d) AS n)"
		document, number = "CAST(%s AS JSONB)", "CAST(n AS BIGINT)"
	}
	values := fmt.Sprintf(document, `'{"1":"code' || n || '","2":"state' || (n % 3) || '","3":"name' || (n % 500) ||
		'","4":"' || CASE WHEN n % 2 = 0 THEN 'yes' ELSE 'no' END ||
		'","5":"19' || (50 + n % 50) || '-0' || (1 + n % 9) || '-' || (10 + n % 19) || '","6":' || (n % 1000) || ',"8":"street ' || (n % 9999) || '"}'`)
	id := strconv.Itoa(int(list))
	statement := fmt.Sprintf(series, 2*largeContacts) + `
		INSERT INTO contact (list_id, dedupe_key, creation_time, last_modified_time, subscribed_via,
			double_opt_in, double_opt_in_time, is_active, is_bounce_deactivated, is_unsubscribed,
			last_click_time, last_message_time, last_open_time, webform_id, preference_values, field_values)
		SELECT CASE WHEN n % 2 = 0 THEN ` + id + ` ELSE ` + id + ` + 1 + n % 16 END, 'person' || n || '@example.com',
			1700000000 + ` + number + `, 1700000000 + n, 'api', 0, 0, 1, 0, CASE WHEN n % 60 = 0 THEN 1 ELSE 0 END,
			0, 0, 0, 0, '', ` + strings.ReplaceAll(values, "n %", "(n / 2) %") + " FROM series"
	if _, err := l.db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
	count := "UPDATE list SET contact_count = " + strconv.Itoa(largeContacts) + " WHERE id = " + id
	if _, err := l.db.ExecContext(t.Context(), count); err != nil {
		t.Fatal(err)
	}
	if l.engine.Name == dbtest.Postgres.Name {
		if _, err := l.db.ExecContext(t.Context(), "VACUUM ANALYZE contact"); err != nil {
			t.Fatal(err)
		}
	}
}

// index builds an index for each key.
func (l *large) index(t *testing.T, list enlist.ListID) {
	field := func(id enlist.FieldID, k enlist.KeyType) *enlist.SearchKey {
		return &enlist.SearchKey{Field: &enlist.Field{ID: id, ListID: list}, Type: k}
	}
	var names []string
	keys := []struct {
		name string
		key  *enlist.SearchKey
	}{
		{"code", field(1, enlist.KeyText)},
		{"state", field(2, enlist.KeyText)},
		{"name", field(3, enlist.KeyText)},
		{"member", field(4, enlist.KeyText)},
		{"born", field(5, enlist.KeyDate)},
		{"amount", field(6, enlist.KeyNumber)},
		{"unsubscribed", &enlist.SearchKey{Name: "is_unsubscribed", Type: enlist.KeyBool}},
		{"via", &enlist.SearchKey{Name: "subscribed_via", Type: enlist.KeyText}},
		{"parts", field(8, enlist.KeyText).ForParts()},
	}
	for _, of := range keys {
		name, k := of.name, of.key
		if k.Parts && !l.store.FindsParts() {
			continue
		}
		x := enlist.SearchIndex{ListID: list, Key: k.IndexKey(), State: enlist.IndexWaiting}
		l.update(t, func(tx *db.Tx) error { _, err := search.AddIndex(tx, &x); return err })
		if _, err := l.store.BuildIndex(t.Context(), x.ID, list, k); err != nil {
			t.Fatal(err)
		}
		x.State = enlist.IndexReady
		l.update(t, func(tx *db.Tx) error { return search.UpdateIndex(tx, &x) })
		l.keys[name] = k
		names = append(names, "{"+name+"}", search.IndexName(x.ID))
	}
	l.names = strings.NewReplacer(names...)
	l.keys["street"] = field(8, enlist.KeyText)
	l.keys["other"] = field(9, enlist.KeyText)
	l.keys["email"] = &enlist.SearchKey{Field: &enlist.Field{ID: 7, ListID: list}, Type: enlist.KeyEmail}
	l.keys["id"] = &enlist.SearchKey{Name: "id", Type: enlist.KeyInt}
	l.keys["created"] = &enlist.SearchKey{Name: "creation_time", Type: enlist.KeyInt}
	err := l.store.View(t.Context(), func(tx *db.Tx) (err error) { l.schema, err = lists.Schema(tx, list); return err })
	if err != nil {
		t.Fatal(err)
	}
}

// test returns a condition that tests the key with this name.
func (l *large) test(key string, op enlist.Operator, values ...any) enlist.Condition {
	c := enlist.Condition{Key: l.keys[key], Operator: op}
	for _, value := range values {
		o := enlist.Operand{Text: fmt.Sprint(value), Absent: value == ""}
		if n, ok := value.(int); ok {
			o.Int, o.Number = int64(n), float64(n)
		}
		c.Operands = append(c.Operands, o)
	}
	return c
}

// plan returns the statement of a search, and the plan of the engine for this statement.
func (l *large) plan(t *testing.T, s *enlist.Search) (text, plan string) {
	t.Helper()
	q := statement(t, l.store, s)
	return q.Text, l.explain(t, q)
}

// explain returns the plan of the engine for a statement.
func (l *large) explain(t *testing.T, q db.Statement) (plan string) {
	t.Helper()
	if l.engine.Name == dbtest.SQLite.Name {
		return explain(t, l.db, "EXPLAIN QUERY PLAN "+q.Text, q.Args)
	}
	n := 0
	pieces := strings.SplitAfter(q.Text, "'") // the pieces with an odd index are quoted texts
	for i := 0; i < len(pieces); i += 2 {
		for strings.Contains(pieces[i], "?") {
			n++
			pieces[i] = strings.Replace(pieces[i], "?", "$"+strconv.Itoa(n), 1)
		}
	}
	numbered := strings.Join(pieces, "")
	if q.Kind == db.Generic {
		return l.genericPlan(t, numbered, q.Args)
	}
	return explain(t, l.db, "EXPLAIN (COSTS FALSE) "+numbered, q.Args)
}

// genericPlan returns the plan that PostgreSQL makes if it does not know the arguments.
func (l *large) genericPlan(t *testing.T, text string, args []any) string {
	t.Helper()
	var literals []string
	for _, arg := range args {
		if s, ok := arg.(string); ok {
			arg = "'" + strings.ReplaceAll(s, "'", "''") + "'"
		}
		literals = append(literals, fmt.Sprint(arg))
	}
	execute := func(statement string) {
		t.Helper()
		if _, err := l.db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	execute("SET plan_cache_mode = force_generic_plan")
	execute("PREPARE generic AS " + text)
	defer execute("RESET plan_cache_mode")
	defer execute("DEALLOCATE generic")
	call := "EXPLAIN (COSTS FALSE) EXECUTE generic"
	if len(args) > 0 {
		call += "(" + strings.Join(literals, ", ") + ")"
	}
	return explain(t, l.db, call, nil)
}

// Every search of the method shapes has the expected plan on each engine. A search scans the table only if
// its expected plan contains such a scan.
func TestSearchesHaveTheExpectedPlans(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, e dbtest.Engine) {
		if testing.Short() && e.Name == dbtest.Postgres.Name {
			t.Skip("slow on PostgreSQL, because it stores many Contacts and builds indexes: run it with \"make check\"")
		}
		l := newLarge(t, e)
		t.Run("criteria of 100 tests are one statement", l.aHundredTests)
		if e.Name == dbtest.SQLite.Name {
			t.Run("a covering filter tests the index entry before it reads the row", l.entriesFirst)
		}
		for _, c := range l.shapes() {
			t.Run(c.name, func(t *testing.T) {
				c.search.Schema, c.search.Columns = l.schema, enlist.Columns{System: true, All: true}
				statement, plan := l.plan(t, &c.search)
				uses, never := c.sqlite, "SCAN contact\n"
				if e.Name == dbtest.Postgres.Name {
					uses, never = c.postgres, "Seq Scan"
				}
				for use := range strings.SplitSeq(uses, "; ") {
					if use, not := strings.CutPrefix(l.names.Replace(use), "no "); not == strings.Contains(plan, use) {
						t.Errorf("the plan contains %q: %t, want %t", use, not, !not)
					}
				}
				if strings.Contains(plan, never) && !strings.Contains(uses, never) {
					t.Errorf("the plan must not contain %q", never)
				}
				if t.Failed() {
					t.Logf("%s\n%s", statement, plan)
				}
			})
		}
	})
}

// entriesFirst checks that the test of a covering filter is the first test in the statement. SQLite evaluates
// the tests in the order of the statement. So it tests the index entry before it reads the row.
func (l *large) entriesFirst(t *testing.T) {
	where := enlist.Condition{All: []enlist.Condition{
		l.test("born", enlist.GreaterThan, "1960-01-01"), l.test("name", enlist.Contains, "77"),
	}}
	q := statement(t, l.store, &enlist.Search{Schema: l.schema, Where: &where, Counted: true})
	if !slices.Equal(q.Args, []any{"77", "77", "1960-01-01~"}) {
		t.Errorf("the arguments are %q, want those of contains first; statement %s", q.Args, q.Text)
	}
}

// aHundredTests checks that the engine runs a statement with 100 tests, the largest number that criteria
// are allowed to have.
func (l *large) aHundredTests(t *testing.T) {
	var tests, groups []enlist.Condition
	for i := range 100 {
		in := l.test("born", enlist.In, "", "1960-02-11 10:00:00", fmt.Sprintf("19%02d-02-11", i)) // three scans
		tests = append(tests, in)
		groups = append(groups, enlist.Condition{Any: []enlist.Condition{in, l.test("code", enlist.Exactly, "code78")}})
	}
	for _, c := range []struct {
		name  string
		where enlist.Condition
		want  int64
	}{
		{"one of 100 tests must match", enlist.Condition{Any: tests},
			l.count(t, l.test("born", enlist.EndsWith, "-02-11"))},
		{"all of 100 tests must match", enlist.Condition{All: groups}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if n := l.count(t, c.where); n != c.want {
				t.Errorf("the count is %d, want %d", n, c.want)
			}
			found := int64(0)
			err := l.store.View(t.Context(), func(tx *db.Tx) error {
				s := &enlist.Search{Schema: l.schema, Where: &c.where, Sort: l.keys["created"], Limit: 1000}
				return search.Contacts(tx, s, func(*enlist.Contact) error { found++; return nil })
			})
			if err != nil || found != c.want {
				t.Errorf("the search finds %d Contacts, want %d, error %v", found, c.want, err)
			}
		})
	}
}

func (l *large) count(t *testing.T, c enlist.Condition) (n int64) {
	t.Helper()
	err := l.store.View(t.Context(), func(tx *db.Tx) (err error) {
		n, err = search.Count(tx, &enlist.Search{Schema: l.schema, Where: &c})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
