package search_test

import "enlist/internal/enlist"

// This file lists the searches of TestSearchesHaveTheExpectedPlans and their expected plans.

// shape is a search and its expected plan on each engine. The expected plan is a list of texts, separated
// by semicolons, that the plan must contain. If a text has the prefix "no ", the plan must not contain the
// text after the prefix. {key} stands for the name of the key's index.
type shape struct {
	name             string
	search           enlist.Search
	sqlite, postgres string
}

func (l *large) shapes() []shape {
	const (
		exactly, in, greater, less = enlist.Exactly, enlist.In, enlist.GreaterThan, enlist.LessThan
		sorts                      = "TEMP B-TREE FOR ORDER BY"
	)
	type search = enlist.Search
	one := func(c enlist.Condition) *enlist.Condition { return &c }
	both := func(c ...enlist.Condition) *enlist.Condition { return &enlist.Condition{All: c} }
	either := func(c ...enlist.Condition) *enlist.Condition { return &enlist.Condition{Any: c} }
	code, state := l.test("code", exactly, "code78"), l.test("state", exactly, "state1")
	member, email := l.test("member", exactly, "yes"), l.test("email", exactly, "person8@example.com")
	rare, none := l.test("name", exactly, "name77"), l.test("name", exactly, "none")
	since := l.test("born", greater, "1960-01-01")
	created, born, name := l.keys["created"], l.keys["born"], l.keys["name"]
	prefix, part := l.test("name", enlist.StartsWith, "name12"), l.test("name", enlist.Contains, "77")
	unindexed, end := l.test("code", enlist.EndsWith, "zzz"), l.test("name", enlist.EndsWith, "99")
	via := l.test("via", exactly, "web_form")
	return []shape{
		{"a rare value uses its index", search{Where: &code, Limit: 100},
			"{code} (<expr>=?); no " + sorts, "using {code}"},
		{"a common value uses its index", search{Where: &state, Limit: 100},
			"{state} (<expr>=?); no " + sorts, "using {state}; no Sort"},
		{"an absent value uses the index", search{Where: one(l.test("code", exactly, "")), Limit: 100},
			"{code} (<expr>=?)", "{code}"},
		{"a number uses the index", search{Where: one(l.test("amount", exactly, 7)), Limit: 100},
			"{amount} (<expr>=?)", "{amount}"},
		{"a system key uses its index", search{Where: one(l.test("unsubscribed", exactly, 1)), Limit: 100},
			"{unsubscribed} (is_unsubscribed=?)", "{unsubscribed}"},
		{"a day is a range of the index", search{Where: one(l.test("born", exactly, "1960-02-11")), Limit: 100},
			"{born} (<expr>>? AND <expr><?)", "{born}"},
		{"a range in the order of its key is not sorted", search{Where: &since, Sort: born, Limit: 100},
			"{born} (<expr>>?); no " + sorts, "using {born}; no Sort"},
		{"a descending range is not sorted", search{Where: &since, Sort: born, Descending: true, Limit: 100},
			"{born} (<expr>>?); no " + sorts, "Backward using {born}; no Sort"},
		{"a range sorted by time", search{Where: both(since, l.test("born", less, "1960-03-01")), Sort: created, Limit: 100},
			"{born} (<expr>>? AND <expr><?)", "{born}"},
		{"the index of the sort key is scanned", search{Sort: born, Limit: 100},
			"USING INDEX {born}; no " + sorts, "using {born}; no Sort"},
		{"the scan uses the index of the more selective of two values", search{Where: both(state, rare), Limit: 100},
			"{name} (<expr>=?)", "{name}"},
		{"the scan uses the index of the most selective of three values", search{Where: both(state, code, member), Limit: 100},
			"{code} (<expr>=?)", "using {code}"},
		{"few matches are sorted by time", search{Where: both(rare, member), Sort: created, Limit: 100},
			"{name} (<expr>=?); no contact_created", "{name}; no creation_time_id"},
		{"many matches are scanned in order of time", search{Where: both(state, member), Sort: created, Limit: 10},
			"contact_created (list_id=?); no " + sorts, "creation_time_id; no Sort"},
		{"many matches are scanned in order of a key", search{Where: &state, Sort: born, Limit: 10},
			"USING INDEX {born}; no " + sorts, "using {born}; no Sort"},
		{"few matches are sorted by a key", search{Where: &rare, Sort: born, Limit: 10},
			"{name} (<expr>=?)", "{name}"},
		{"the scans of alternatives are merged", search{Where: either(rare, code), Limit: 100},
			"{name} (<expr>=?); {code} (<expr>=?); MERGE (UNION)", "{name}; {code}"},
		{"the scan uses the indexes of alternatives with few matches and not that of a common value",
			search{Where: both(*either(rare, code), member), Sort: born, Limit: 10},
			"{name} (<expr>=?); {code} (<expr>=?)", "{name}; {code}"},
		{"alternatives are counted by their indexes", search{Where: either(rare, code), Counted: true},
			"{name} (<expr>=?); {code} (<expr>=?)", "{name}; {code}"},
		{"a list of texts uses the index", search{Where: one(l.test("name", in, "name1", "name2", "name3")), Limit: 100},
			"{name} (<expr>=?)", "{name}"},
		{"a list of numbers uses the index", search{Where: one(l.test("amount", in, 1, 2, 3)), Limit: 100},
			"{amount} (<expr>=?)", "{amount}"},
		{"days are ranges of the index", search{Where: one(l.test("born", in, "1960-02-11", "1961-02-12")), Limit: 100},
			"{born} (<expr>>? AND <expr><?)", "{born}"},
		{"a prefix is a range of the index", search{Where: one(l.test("name", enlist.StartsWith, "name123")), Limit: 100},
			"{name} (<expr>>? AND <expr><?)", "{name}"},
		{"a prefix in the order of its key is not sorted", search{Where: &prefix, Sort: name, Limit: 100},
			"{name} (<expr>>? AND <expr><?); no " + sorts, "using {name}; no Sort"},
		{"a large offset scans only the index", search{Offset: 10_000, Limit: 100},
			"contact_list (list_id=?); no " + sorts, "Index Only Scan"},
		{"a large offset in order of time scans only the index", search{Sort: created, Offset: 10_000, Limit: 100},
			"contact_created (list_id=?); no " + sorts, "Index Only Scan using"},
		{"a large offset in order of a key uses its index", search{Sort: born, Offset: 10_000, Limit: 100},
			"USING INDEX {born}; no " + sorts, "using {born}"},
		{"a large offset with a test uses the index of the test", search{Where: &member, Offset: 9000, Limit: 100},
			"{member} (<expr>=?); no " + sorts, "{member}"},
		{"a count of one value uses the index", search{Where: &state, Counted: true},
			"{state} (<expr>=?)", "{state}"},
		{"a count of a range uses the index", search{Where: one(l.test("born", greater, "1998-01-01")), Counted: true},
			"{born} (<expr>>?)", "{born}"},
		{"a count of a system key reads only the index",
			search{Where: one(l.test("unsubscribed", exactly, 1)), Counted: true},
			"COVERING INDEX {unsubscribed}", "Index Only Scan using {unsubscribed}"},
		{"a count with few matches looks each match up in the other index", search{Where: both(rare, member), Counted: true},
			"{name} (<expr>=?); {member} (<expr>=? AND rowid=?)", "{name}"},
		{"a count with many matches intersects sets of IDs", search{Where: both(state, member), Counted: true},
			"{state} (<expr>=?); {member} (<expr>=?", "{state}"},
		{"an address uses its index", search{Where: &email, Limit: 1},
			"contact_dedupe (list_id=? AND dedupe_key=?)", "dedupe_key_idx"},
		{"a value without a match uses its index", search{Where: &none, Sort: born, Limit: 10},
			"{name} (<expr>=?)", "{name}"},
		{"IDs use the primary key in every order", search{Where: one(l.test("id", in, 2, 4, 6)), Sort: born, Limit: 10},
			"PRIMARY KEY (rowid=?)", "_pkey; no {born}"},
		{"times use their index in every order", search{Where: one(l.test("created", in, 2, 4, 6)), Sort: born, Limit: 10},
			"contact_created (list_id=? AND creation_time=?)", "creation_time_id; no {born}"},
		{"a system key without a match uses its index and not that of the order", search{Where: &via, Sort: born, Limit: 1},
			"{via} (<expr>=?)", "{via}; no {born}"},
		{"IDs or an address use their indexes in every order",
			search{Where: either(l.test("id", in, 2, 4), email), Sort: born, Limit: 10},
			"PRIMARY KEY (rowid=?); contact_dedupe", "dedupe_key_idx; no {born}"},
		// For the searches below, PostgreSQL scans the table, because it does not read the value of an
		// expression from an index.
		{"contains scans the index of its key", search{Where: one(l.test("name", enlist.Contains, "zzz")), Limit: 100},
			"SCAN contact USING INDEX {name}", "Sort; Seq Scan"},
		{"a count with ends_with scans the index of its key", search{Where: &end, Counted: true},
			"SCAN contact USING INDEX {name}", "Seq Scan"},
		{"a count with not scans the index of its key",
			search{Where: one(l.test("state", enlist.Not, "state1")), Counted: true},
			"SCAN contact USING INDEX {state}", "Seq Scan"},
		{"if an alternative has no index, the table is scanned", search{Where: either(none, unindexed), Sort: born, Limit: 5},
			"PRIMARY KEY (rowid>? AND rowid<?); " + sorts, ""},
		{"contains scans the index of its key if the other test is a wide range",
			search{Where: both(since, part), Counted: true},
			"SCAN contact USING INDEX {name}", "Seq Scan"},
		{"contains uses the index for parts", search{Where: one(l.test("street", enlist.Contains, "eet 78")), Limit: 100},
			"", "{parts}"},
		{"ends_with uses the index for parts",
			search{Where: one(l.test("street", enlist.EndsWith, "t 678")), Sort: born, Limit: 100}, "", "{parts}"},
		{"starts_with uses the index for parts if there is no other",
			search{Where: one(l.test("street", enlist.StartsWith, "street 678")), Counted: true}, "", "{parts}"},
		{"a scan with few matches sorts them", search{Where: one(l.test("other", exactly, "none")), Limit: 100},
			"", "Sort; Seq Scan"},
		{"a scan with few matches sorts them by time",
			search{Where: one(l.test("other", exactly, "none")), Sort: created, Limit: 100}, "", "Sort; Seq Scan"},
		{"a scan with many matches reads in order",
			search{Where: one(l.test("street", enlist.Contains, "s")), Limit: 100}, "", "no Sort"},
		{"not scans the table in order of IDs",
			search{Where: one(l.test("state", enlist.Not, "state1")), Limit: 10},
			"PRIMARY KEY (rowid>? AND rowid<?); no " + sorts, "no Sort"},
	}
}
