package sqlite

import "enlist/internal/store/sqlstore"

// Dialect is SQLite's.
var Dialect = sqlstore.Dialect{
	FieldText:   func(id string) string { return "(field_values ->> " + path(id) + ")" },
	FieldNumber: func(id string) string { return "CAST((field_values ->> " + path(id) + ") AS REAL)" },
	// The JSON text of a number has the decimals that were sent.
	FieldShown:   func(id string) string { return "trim(field_values -> " + path(id) + `, '"')` },
	Document:     "CAST(field_values AS TEXT)", // the same bytes, of which drivers make a string at once
	ReadValues:   readValues,
	ToDocument:   func(argument string) string { return "jsonb(" + argument + ")" },
	WithoutField: `jsonb_remove(field_values, '$."' || ? || '"')`,
	Items:        func(argument string) string { return "json_each(" + argument + ")" },
	Position:     "instr",
	Ending:       func(value string) string { return "substr(" + value + ", -?)" },
	SameText:     func(value string) string { return value + " = ? COLLATE NOCASE" }, // 0.06 s per million faster than lower()
	LedgerNumber: "(SELECT coalesce(max(number), 0) + 1 FROM consent WHERE list_id = ?1 AND contact_id = ?2)",
	NoIndex:      "+",
	NamesIndexes: true,
	IndexPlace:   "0", // every index ends in the ID, and begins with NULL, anyway
}.Complete()

// path is the place of a Field's value in field_values.
func path(id string) string { return `'$."` + id + `"'` }
