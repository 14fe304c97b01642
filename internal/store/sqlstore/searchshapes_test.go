package sqlstore_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"enlist/internal/audience"
	"enlist/internal/store/pgtest"
	"enlist/internal/store/sqlstore"
	"enlist/internal/store/teststores"

	_ "github.com/jackc/pgx/v5/stdlib"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { pgtest.Main(m, func() error { return goleak.Find() }) }

// large is a List of 20,000 Contacts, each beside one of another List, that has an
// index of every key that is asked for.
type large struct {
	engine teststores.Engine
	store  audience.Store
	db     *sql.DB
	schema *audience.Schema
	keys   map[string]*audience.SearchKey
	names  *strings.Replacer // of a key in braces by the name of its index
}

const largeContacts = 20_000

func newLarge(t *testing.T, e teststores.Engine) *large {
	place := e.New(t)
	store, err := teststores.Open(t.Context(), place, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	l := &large{engine: e, store: store, keys: make(map[string]*audience.SearchKey)}
	if e.Name == teststores.Postgres.Name {
		l.db, err = sql.Open("pgx", place)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.db.Close() })
		l.db.SetMaxOpenConns(1)
		if _, err := l.db.ExecContext(t.Context(), "SET random_page_cost = 1.1"); err != nil { // as in searches
			t.Fatal(err)
		}
	} else {
		l.db = openFile(t, place)
	}
	list := audience.List{AccountID: 1, Name: "Large"}
	l.update(t, func(tx audience.Tx) error { return tx.AddList(&list) })
	l.fill(t, list.ID)
	l.index(t, list.ID)
	return l
}

func (l *large) update(t *testing.T, fn func(audience.Tx) error) {
	t.Helper()
	if err := l.store.Update(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// fill stores the Contacts, whose values go in circles of different lengths.
func (l *large) fill(t *testing.T, list audience.ListID) {
	series, document, number := "WITH RECURSIVE series(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < %d)", "jsonb(%s)", "n"
	if l.engine.Name == teststores.Postgres.Name {
		series, document, number = "WITH series AS (SELECT n FROM generate_series(1, %d) AS n)", "CAST(%s AS JSONB)", "CAST(n AS BIGINT)"
	}
	values := fmt.Sprintf(document, `'{"1":"code' || n || '","2":"state' || (n % 3) || '","3":"name' || (n % 500) || '","4":"' ||
		CASE WHEN n % 2 = 0 THEN 'yes' ELSE 'no' END || '","5":"19' || (50 + n % 50) || '-0' || (1 + n % 9) || '-' || (10 + n % 19) || '","6":' || (n % 1000) || '}'`)
	statement := fmt.Sprintf(series, 2*largeContacts) + `
		INSERT INTO contact (list_id, dedupe_key, creation_time, last_modified_time, subscribed_via, double_opt_in, double_opt_in_time, is_active,
			is_bounce_deactivated, is_unsubscribed, last_click_time, last_message_time, last_open_time, webform_id, preference_values, field_values)
		SELECT CASE WHEN n % 2 = 0 THEN ` + strconv.Itoa(int(list)) + ` ELSE ` + strconv.Itoa(int(list)) + ` + 1 + n % 16 END, 'person' || n || '@example.com', 1700000000 + ` + number + `, 1700000000 + n,
			'api', 0, 0, 1, 0, CASE WHEN n % 60 = 0 THEN 1 ELSE 0 END, 0, 0, 0, 0, '', ` + strings.ReplaceAll(values, "n %", "(n / 2) %") + " FROM series"
	if _, err := l.db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
	if _, err := l.db.ExecContext(t.Context(), "UPDATE list SET contact_count = "+strconv.Itoa(largeContacts)+" WHERE id = "+strconv.Itoa(int(list))); err != nil {
		t.Fatal(err)
	}
	if l.engine.Name == teststores.Postgres.Name {
		if _, err := l.db.ExecContext(t.Context(), "VACUUM ANALYZE contact"); err != nil {
			t.Fatal(err)
		}
	}
}

// index makes the indexes.
func (l *large) index(t *testing.T, list audience.ListID) {
	field := func(id audience.FieldID, k audience.KeyType) *audience.SearchKey {
		return &audience.SearchKey{Field: &audience.Field{ID: id, ListID: list}, Type: k}
	}
	var names []string
	for name, k := range map[string]*audience.SearchKey{
		"code": field(1, audience.KeyText), "state": field(2, audience.KeyText), "name": field(3, audience.KeyText), "member": field(4, audience.KeyText),
		"born": field(5, audience.KeyDate), "amount": field(6, audience.KeyNumber), "unsubscribed": {Name: "is_unsubscribed", Type: audience.KeyBool},
		"via": {Name: "subscribed_via", Type: audience.KeyText},
	} {
		x := audience.SearchIndex{ListID: list, Key: k.IndexKey(), State: audience.IndexBuilding}
		l.update(t, func(tx audience.Tx) error { _, err := tx.AddSearchIndex(&x); return err })
		if _, err := l.store.BuildIndex(t.Context(), x.ID, list, k); err != nil {
			t.Fatal(err)
		}
		x.State = audience.IndexReady
		l.update(t, func(tx audience.Tx) error { return tx.UpdateSearchIndex(&x) })
		l.keys[name] = k
		names = append(names, "{"+name+"}", sqlstore.IndexName(x.ID))
	}
	l.names = strings.NewReplacer(names...)
	l.keys["email"] = &audience.SearchKey{Field: &audience.Field{ID: 7, ListID: list}, Type: audience.KeyEmail}
	l.keys["id"] = &audience.SearchKey{Name: "id", Type: audience.KeyInt}
	l.keys["created"] = &audience.SearchKey{Name: "creation_time", Type: audience.KeyInt}
	err := l.store.View(t.Context(), func(tx audience.Tx) (err error) { l.schema, err = tx.Schema(list); return err })
	if err != nil {
		t.Fatal(err)
	}
}

// test is a test of a key, by its name.
func (l *large) test(key string, op audience.Operator, values ...any) audience.Condition {
	c := audience.Condition{Key: l.keys[key], Operator: op}
	for _, value := range values {
		o := audience.Operand{Text: fmt.Sprint(value), Absent: value == ""}
		if n, ok := value.(int); ok {
			o.Int, o.Number = int64(n), float64(n)
		}
		c.Operands = append(c.Operands, o)
	}
	return c
}

// plan is what the engine makes of a search.
func (l *large) plan(t *testing.T, s *audience.Search) (text, plan string) {
	t.Helper()
	text, args := statement(t, l.store, s)
	if l.engine.Name == teststores.SQLite.Name {
		return text, explain(t, l.db, "EXPLAIN QUERY PLAN "+text, args)
	}
	n := 0
	pieces := strings.SplitAfter(text, "'") // every other one is quoted
	for i := 0; i < len(pieces); i += 2 {
		for strings.Contains(pieces[i], "?") {
			n++
			pieces[i] = strings.Replace(pieces[i], "?", "$"+strconv.Itoa(n), 1)
		}
	}
	return text, explain(t, l.db, "EXPLAIN (COSTS FALSE) "+strings.Join(pieces, ""), args)
}

// Every shape of search goes by an index, on each engine: none looks at the whole
// List, and each walks or seeks where that is the least.
func TestShapesUseIndexes(t *testing.T) {
	teststores.Each(t, func(t *testing.T, e teststores.Engine) {
		l := newLarge(t, e)
		t.Run("a hundred tests", l.aHundredTests)
		if e.Name == teststores.SQLite.Name {
			t.Run("entries first", l.entriesFirst)
		}
		for name, c := range l.shapes() {
			t.Run(name, func(t *testing.T) {
				c.search.Schema, c.search.Columns = l.schema, audience.Columns{System: true, All: true}
				statement, plan := l.plan(t, &c.search)
				uses, never := c.sqlite, "SCAN contact\n"
				if e.Name == teststores.Postgres.Name {
					uses, never = c.postgres, "Seq Scan"
				}
				for use := range strings.SplitSeq(uses, "; ") {
					if use, not := strings.CutPrefix(l.names.Replace(use), "no "); not == strings.Contains(plan, use) {
						t.Errorf("want %q", use)
					}
				}
				if strings.Contains(plan, never) && !strings.Contains(uses, never) {
					t.Errorf("the plan has %q", never)
				}
				if t.Failed() {
					t.Logf("%s\n%s", statement, plan)
				}
			})
		}
	})
}

// shape is a search, and what the engines' plans have to say of it.
type shape struct {
	search           audience.Search
	sqlite, postgres string // parts, between semicolons
}

func (l *large) shapes() map[string]shape {
	const (
		exactly, in, greater, less = audience.Exactly, audience.In, audience.GreaterThan, audience.LessThan
		sorts                      = "TEMP B-TREE FOR ORDER BY"
	)
	type search = audience.Search
	one := func(c audience.Condition) *audience.Condition { return &c }
	both := func(c ...audience.Condition) *audience.Condition { return &audience.Condition{All: c} }
	either := func(c ...audience.Condition) *audience.Condition { return &audience.Condition{Any: c} }
	code, state, member := l.test("code", exactly, "code78"), l.test("state", exactly, "state1"), l.test("member", exactly, "yes")
	rare, nobody := l.test("name", exactly, "name77"), l.test("name", exactly, "nobody")
	since := l.test("born", greater, "1960-01-01")
	created, born, name := l.keys["created"], l.keys["born"], l.keys["name"]
	return map[string]shape{
		"a rare value":          {search{Where: &code, Limit: 100}, "{code} (<expr>=?); no " + sorts, "using {code}"},
		"a common value":        {search{Where: &state, Limit: 100}, "{state} (<expr>=?); no " + sorts, "using {state}; no Sort"},
		"an absent value":       {search{Where: one(l.test("code", exactly, "")), Limit: 100}, "{code} (<expr>=?)", "{code}"},
		"a number":              {search{Where: one(l.test("amount", exactly, 7)), Limit: 100}, "{amount} (<expr>=?)", "{amount}"},
		"a system key":          {search{Where: one(l.test("unsubscribed", exactly, 1)), Limit: 100}, "{unsubscribed} (is_unsubscribed=?)", "{unsubscribed}"},
		"a day":                 {search{Where: one(l.test("born", exactly, "1960-02-11")), Limit: 100}, "{born} (<expr>>? AND <expr><?)", "{born}"},
		"a range in its order":  {search{Where: &since, Sort: born, Limit: 100}, "{born} (<expr>>?); no " + sorts, "using {born}; no Sort"},
		"backward":              {search{Where: &since, Sort: born, Descending: true, Limit: 100}, "{born} (<expr>>?); no " + sorts, "Backward using {born}; no Sort"},
		"between, by time":      {search{Where: both(since, l.test("born", less, "1960-03-01")), Sort: created, Limit: 100}, "{born} (<expr>>? AND <expr><?)", "{born}"},
		"in the order of a key": {search{Sort: born, Limit: 100}, "USING INDEX {born}; no " + sorts, "using {born}; no Sort"},
		"the more selective":    {search{Where: both(state, rare), Limit: 100}, "{name} (<expr>=?)", "{name}"},
		"of three":              {search{Where: both(state, code, member), Limit: 100}, "{code} (<expr>=?)", "using {code}"},
		"few, in another order": {search{Where: both(rare, member), Sort: created, Limit: 100}, "{name} (<expr>=?); no contact_created", "{name}; no creation_time_id"},
		"many, in that order":   {search{Where: both(state, member), Sort: created, Limit: 10}, "contact_created (list_id=?); no " + sorts, "creation_time_id; no Sort"},
		"many, in a key's":      {search{Where: &state, Sort: born, Limit: 10}, "USING INDEX {born}; no " + sorts, "using {born}; no Sort"},
		"few, in a key's":       {search{Where: &rare, Sort: born, Limit: 10}, "{name} (<expr>=?)", "{name}"},
		"one or another":        {search{Where: either(rare, code), Limit: 100}, "{name} (<expr>=?); {code} (<expr>=?); MERGE (UNION)", "{name}; {code}"},
		"either and a third":    {search{Where: both(*either(rare, code), member), Sort: born, Limit: 10}, "{name} (<expr>=?); {code} (<expr>=?)", "{name}; {code}"},
		"counted either":        {search{Where: either(rare, code), Counted: true}, "{name} (<expr>=?); {code} (<expr>=?)", "{name}; {code}"},
		"in":                    {search{Where: one(l.test("name", in, "name1", "name2", "name3")), Limit: 100}, "{name} (<expr>=?)", "{name}"},
		"in numbers":            {search{Where: one(l.test("amount", in, 1, 2, 3)), Limit: 100}, "{amount} (<expr>=?)", "{amount}"},
		"in days":               {search{Where: one(l.test("born", in, "1960-02-11", "1961-02-12")), Limit: 100}, "{born} (<expr>>? AND <expr><?)", "{born}"},
		"starts with":           {search{Where: one(l.test("name", audience.StartsWith, "name123")), Limit: 100}, "{name} (<expr>>? AND <expr><?)", "{name}"},
		"in its order":          {search{Where: one(l.test("name", audience.StartsWith, "name12")), Sort: name, Limit: 100}, "{name} (<expr>>? AND <expr><?); no " + sorts, "using {name}; no Sort"},
		"deep":                  {search{Offset: 10_000, Limit: 100}, "contact_list (list_id=?); no " + sorts, "Index Only Scan"},
		"deep by time":          {search{Sort: created, Offset: 10_000, Limit: 100}, "contact_created (list_id=?); no " + sorts, "Index Only Scan using"},
		"deep by a key":         {search{Sort: born, Offset: 10_000, Limit: 100}, "USING INDEX {born}; no " + sorts, "using {born}"},
		"deep among some":       {search{Where: &member, Offset: 9000, Limit: 100}, "{member} (<expr>=?); no " + sorts, "{member}"},
		"counted":               {search{Where: &state, Counted: true}, "{state} (<expr>=?)", "{state}"},
		"counted range":         {search{Where: one(l.test("born", greater, "1998-01-01")), Counted: true}, "{born} (<expr>>?)", "{born}"},
		"counted system key":    {search{Where: one(l.test("unsubscribed", exactly, 1)), Counted: true}, "COVERING INDEX {unsubscribed}", "Index Only Scan using {unsubscribed}"},
		"counted both":          {search{Where: both(rare, member), Counted: true}, "{name} (<expr>=?); {member} (<expr>=? AND rowid=?)", "{name}"},
		"counted together":      {search{Where: both(state, member), Counted: true}, "{state} (<expr>=?); {member} (<expr>=?", "{state}"},
		"an address":            {search{Where: one(l.test("email", exactly, "person8@example.com")), Limit: 1}, "contact_dedupe (list_id=? AND dedupe_key=?)", "dedupe_key_idx"},
		"nobody, in any order":  {search{Where: &nobody, Sort: born, Limit: 10}, "{name} (<expr>=?)", "{name}"},
		"IDs, by a key":         {search{Where: one(l.test("id", in, 2, 4, 6)), Sort: born, Limit: 10}, "PRIMARY KEY (rowid=?)", "_pkey; no {born}"},
		"times, by a key":       {search{Where: one(l.test("created", in, 2, 4, 6)), Sort: born, Limit: 10}, "contact_created (list_id=? AND creation_time=?)", "creation_time_id; no {born}"},
		"no such way, by a key": {search{Where: one(l.test("via", exactly, "web_form")), Sort: born, Limit: 1}, "{via} (<expr>=?)", "{via}; no {born}"},
		"IDs or an address, by a key": {search{Where: either(l.test("id", in, 2, 4), l.test("email", exactly, "person8@example.com")), Sort: born, Limit: 10},
			"PRIMARY KEY (rowid=?); contact_dedupe", "dedupe_key_idx; no {born}"},
		// PostgreSQL reads no values out of an index, so that these scan there.
		"contains":    {search{Where: one(l.test("name", audience.Contains, "zzz")), Limit: 100}, "SCAN contact USING INDEX {name}", ""},
		"ends with":   {search{Where: one(l.test("name", audience.EndsWith, "99")), Counted: true}, "SCAN contact USING INDEX {name}", "Seq Scan"},
		"counted not": {search{Where: one(l.test("state", audience.Not, "state1")), Counted: true}, "SCAN contact USING INDEX {state}", "Seq Scan"},
		"few that only rows tell, in a key's order": {search{Where: either(nobody, l.test("code", audience.EndsWith, "zzz")), Sort: born, Limit: 5},
			"PRIMARY KEY (rowid>? AND rowid<?); " + sorts, ""},
		"counted part of a wide range": {search{Where: both(since, l.test("name", audience.Contains, "77")), Counted: true}, "SCAN contact USING INDEX {name}", "Seq Scan"},
		"anybody but some":             {search{Where: one(l.test("state", audience.Not, "state1")), Limit: 10}, "PRIMARY KEY (rowid>? AND rowid<?); no " + sorts, "no Sort"},
	}
}

// entriesFirst tests that rows are only read of those Contacts whose entry in the
// index that is walked says that they may be meant.
func (l *large) entriesFirst(t *testing.T) {
	where := audience.Condition{All: []audience.Condition{l.test("born", audience.GreaterThan, "1960-01-01"), l.test("name", audience.Contains, "77")}}
	text, args := statement(t, l.store, &audience.Search{Schema: l.schema, Where: &where, Counted: true})
	if !slices.Equal(args, []any{"77", "77", "1960-01-01~"}) {
		t.Errorf("the arguments are %q of %s", args, text)
	}
}

// aHundredTests tests that as many tests as criteria may have are still one statement.
func (l *large) aHundredTests(t *testing.T) {
	var tests, groups []audience.Condition
	for i := range 100 {
		in := l.test("born", audience.In, "", "1960-02-11 10:00:00", fmt.Sprintf("19%02d-02-11", i)) // as three arms
		tests = append(tests, in)
		groups = append(groups, audience.Condition{Any: []audience.Condition{in, l.test("code", audience.Exactly, "code78")}})
	}
	for name, c := range map[string]struct {
		where audience.Condition
		want  int64
	}{
		"one of": {audience.Condition{Any: tests}, l.count(t, l.test("born", audience.EndsWith, "-02-11"))},
		"all of": {audience.Condition{All: groups}, 1},
	} {
		if n := l.count(t, c.where); n != c.want {
			t.Errorf("%s: counted %d, want %d", name, n, c.want)
		}
		found := int64(0)
		err := l.store.View(t.Context(), func(tx audience.Tx) error {
			s := &audience.Search{Schema: l.schema, Where: &c.where, Sort: l.keys["created"], Limit: 1000}
			return tx.SearchContacts(s, func(*audience.Contact) error { found++; return nil })
		})
		if err != nil || found != c.want {
			t.Errorf("%s: found %d, want %d, %v", name, found, c.want, err)
		}
	}
}

func (l *large) count(t *testing.T, c audience.Condition) (n int64) {
	t.Helper()
	err := l.store.View(t.Context(), func(tx audience.Tx) (err error) {
		n, err = tx.CountContacts(&audience.Search{Schema: l.schema, Where: &c})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
