package postgres

import "enlist/internal/db"

// This file has the PostgreSQL form of the SQL that differs between PostgreSQL and SQLite. Package
// the subjects insert this SQL into its statements.

// dialect is the db.Dialect of PostgreSQL.
var dialect = &db.Dialect{
	FieldText: func(id string) string { return "((field_values ->> '" + id + `') COLLATE "C")` },
	// After the type of a Field was changed from text to a number, a Contact may still have 007 or
	// +5 as a JSON string.
	FieldNumber: func(id string) string {
		value := "(field_values -> '" + id + "')"
		return "(CASE jsonb_typeof(" + value + ") WHEN 'number' THEN CAST(" + value + ` AS NUMERIC)
			WHEN 'string' THEN CAST(substring(field_values ->> '` + id +
			`' FROM '^[+-]?[0-9]+\.?[0-9]*$|^[+-]?\.[0-9]+$') AS NUMERIC) END)`
	},
	// jsonb keeps the decimals of a number as the caller sent them. FieldShown reads the number as
	// text, so the API returns the same decimals.
	FieldShown:    func(id string) string { return "((field_values ->> '" + id + `') COLLATE "C")` },
	Document:      "CAST(field_values AS TEXT)",
	ReadValues:    readValues,
	FewValues:     3,
	ValueDocument: "CAST(field_values -> CAST(? AS TEXT) AS TEXT)",
	ReadValue:     readValue,
	ToDocument:    func(argument string) string { return "CAST(" + argument + " AS JSONB)" },
	ShownDocument: "CAST(field_values AS TEXT)",
	DocumentSize:  "pg_column_size(field_values)", // the size as stored, so perhaps compressed
	WithoutField:  "field_values - CAST(? AS TEXT)",
	Items:         func(argument string) string { return "jsonb_array_elements_text(CAST(" + argument + " AS JSONB))" },
	Arrays:        true,
	Position:      "strpos",
	Ending:        func(value string) string { return "right(" + value + ", ?)" },
	SameText:      func(value string) string { return "lower(" + value + ") = ?" },
	JobText:       "CAST(args AS TEXT)",
	JobNumber:     func(name string) string { return "CAST(args ->> '" + name + "' AS BIGINT)" },
	LedgerNumber:  "DEFAULT",
	JobCreated:    "CAST(floor(extract(epoch FROM created_at)) AS BIGINT)",
	JobDue:        "coalesce(CAST(args ->> 'due' AS BIGINT), 0)",
	JobAttempted:  "coalesce(CAST(floor(extract(epoch FROM attempted_at)) AS BIGINT), 0)",
	IndexAbsent:   " NULLS FIRST",
	IndexTail:     ", id",
	// A distributed table has no partitions.
	IndexPlace: `(SELECT CAST(n AS BIGINT) FROM generate_series(0, 15) AS n, pg_class
		WHERE oid = CAST('contact' AS regclass) AND CASE relkind
			WHEN 'p' THEN satisfies_hash_partition(oid, 16, n, list_id) ELSE n = 0 END)`,
	// A new row of a table can use the space of an old one. This query writes a temporary file of 140 kB.
	Probe:             []string{"SET LOCAL work_mem = '64kB'", "SELECT count(*) FROM generate_series(1, 10000)"},
	NumbersAsText:     true,
	ConcurrentWriters: true,
}
