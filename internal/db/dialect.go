package db

import (
	"sync"

	"enlist/internal/enlist"
)

// This file contains the Dialect, which is the SQL that differs between engines, and the values that are built
// from a Dialect.

// Dialect contains the expressions and options that differ between engines. All other SQL works on every
// engine, for example CAST(? AS BIGINT), IS DISTINCT FROM and ON CONFLICT. An engine creates its Dialect
// once and never changes it, so goroutines share it without a lock.
type Dialect struct {
	// Expressions for the value of a Field. Each is NULL if the Contact has no value. FieldText is a
	// text, and the engine compares such texts by code point. FieldNumber is a number. FieldShown is
	// the number as the text that replies show.
	FieldText, FieldNumber, FieldShown func(id string) string

	Document      string                    // field_values in the form that ReadValues decodes
	ShownDocument string                    // field_values as JSON text
	DocumentSize  string                    // bytes that field_values takes in the database
	WithoutField  string                    // field_values without one Field; the argument is the ID of this Field as text
	Position      string                    // name of the SQL function that returns the position of a text in another text
	Ending        func(value string) string // the last characters of value; the argument is their number
	SameText      func(value string) string // comparison with a lower-case argument; ignores the case of ASCII letters
	LedgerNumber  string                    // number of the next ledger row of Contact ?2 in List ?1

	// Unix times of a job: when it was stored, when it is due (0: at once), and when its last attempt began.
	JobCreated, JobDue, JobAttempted string

	// JobText is the arguments of a job as JSON text, and JobNumber returns the expression for one of them that is a
	// number, or NULL.
	JobText   string
	JobNumber func(name string) string

	// Probe has statements that fail if the disk has no free space, for ProbeWrite.
	Probe []string

	// ReadValues decodes a Document and appends its values to v.
	ReadValues func(document string, v enlist.Values) (enlist.Values, error)

	// A search that needs at most FewValues values of a Contact reads each value with the expression
	// ValueDocument, because this takes less time than reading the Document. If FewValues is 0, every
	// search reads the Document. The argument of ValueDocument is the Field's ID as text, so that all
	// Lists share the prepared statements.
	FewValues     int
	ValueDocument string
	ReadValue     func(document string) (text string, err error)

	// ToDocument returns the expression that converts an argument, which is JSON text, to the type of
	// field_values.
	ToDocument func(argument string) string

	// Items returns the expression for a table of the elements of an argument, which is a JSON array.
	// The table has the column "value".
	Items func(argument string) string

	// Arrays reports whether the engine accepts a []int64 or a []string as an argument.
	Arrays bool

	// NoIndex is written before a column so that the engine does not use an index on this column. SQLite
	// has no statistics about the data, so its planner would often choose that index wrongly.
	NoIndex string

	// IndexAbsent and IndexTail are parts of the definition of a search index. IndexAbsent is the order
	// clause that puts NULLs first. IndexTail is the columns after the key. IndexPlace is the expression
	// for the number of the partition that stores the List list_id.
	IndexAbsent, IndexTail, IndexPlace string

	// NamesIndexes reports whether the statement of a search names the index that the engine must
	// use.
	NamesIndexes bool

	// NumbersAsText reports whether the argument of a comparison of numbers is a decimal text. Otherwise
	// it is a floating-point number.
	NumbersAsText bool

	// ConcurrentWriters reports whether several transactions write at the same time. Such transactions
	// lock the Contacts that they read. They insert contact_delta rows and do not update the counters, so
	// that no transaction waits for another one.
	ConcurrentWriters bool
}

// PerDialect is a value that is made from a Dialect, once for each engine. It is the mapping of a table whose columns
// differ between engines, or the texts of frequent statements: to build such a text takes as long as to read a Contact.
type PerDialect[T any] struct {
	build func(*Dialect) T
	built sync.Map // by *Dialect
}

// NewPerDialect returns a PerDialect whose values build makes.
func NewPerDialect[T any](build func(*Dialect) T) *PerDialect[T] { return &PerDialect[T]{build: build} }

// Of returns the value for a Dialect.
func (p *PerDialect[T]) Of(d *Dialect) T {
	v, ok := p.built.Load(d)
	if !ok {
		v, _ = p.built.LoadOrStore(d, p.build(d))
	}
	return v.(T)
}

// NewDialectMapping is NewMapping for a table whose columns differ between engines.
func NewDialectMapping[T any](table string, visit func(*Dialect, *Mapper, *T)) *PerDialect[*mapping[T]] {
	return NewPerDialect(func(d *Dialect) *mapping[T] {
		return NewMapping(table, func(m *Mapper, x *T) { visit(d, m, x) })
	})
}

// Limited is LIMIT with an argument. Without the CAST, SQLite would prepare the statement again for each
// new argument, which takes 5 to 100 µs.
const Limited = " LIMIT CAST(? AS BIGINT)"

// Locking returns the end of a statement that reads Contacts. This end locks the Contacts if the
// transaction writes and other transactions can write at the same time.
func (t *Tx) Locking() string {
	if t.Writes && t.SQL.ConcurrentWriters {
		return " FOR UPDATE"
	}
	return ""
}
