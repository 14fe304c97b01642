package sqlstore

// This file contains the Dialect: the SQL that differs between engines. From it, it builds the
// statements about Contacts, once for each engine.

import "enlist/internal/audience"

// Dialect contains the expressions and options that differ between engines. All other SQL is
// common to them: CAST(? AS BIGINT), IS DISTINCT FROM, ON CONFLICT. An engine creates its
// Dialect once and never changes it, so goroutines share it without a lock.
type Dialect struct {
	// Expressions for a Field's value, or NULL without one: as text, which compares by code
	// point; as a number; and as a number in the form of replies.
	FieldText, FieldNumber, FieldShown func(id string) string

	Document     string // field_values in the form that ReadValues decodes
	WithoutField string // field_values without one Field; the argument is its ID as text
	Position     string // the function that returns the position of a text in another
	Ending       func(value string) string
	SameText     func(value string) string // compares with a lower-case argument, ignoring the case of ASCII letters
	LedgerNumber string                    // the next row's number for Contact ?2 of List ?1

	// ReadValues decodes a Document and appends its values to v.
	ReadValues func(document string, v audience.Values) (audience.Values, error)

	// FewValues is the number of values of a Contact up to which reading each value costs less
	// than reading the Document; 0 means that the Document is always cheaper. ValueDocument is
	// the expression for one value. Its argument is the Field's ID as text, so that all Lists
	// share the prepared statements.
	FewValues     int
	ValueDocument string
	ReadValue     func(document string) (text string, err error)

	// ToDocument converts the argument, JSON text, to field_values.
	ToDocument func(argument string) string

	// Items is a table of the elements of the argument, a JSON array. Its column is "value".
	Items func(argument string) string

	// Arrays reports whether an argument may be a []int64 or a []string.
	Arrays bool

	// NoIndex before a column prevents the use of an index on it. The engine's planner has no
	// statistics of the data and would overestimate that index.
	NoIndex string

	// Parts of the definition of a search index: the order clause that puts NULLs first, the
	// columns after the key, and the number of the table's partition for the List list_id.
	IndexAbsent, IndexTail, IndexPlace string

	// NamesIndexes reports whether a search names the index that the engine must use.
	NamesIndexes bool

	// NumbersAsText reports whether numbers in a comparison are decimal texts and not
	// floating-point arguments.
	NumbersAsText bool

	// ConcurrentWriters reports whether several transactions write at the same time. They then
	// lock the Contacts that they read, and insert contact_delta rows in place of updating
	// counters, so that they do not wait for each other.
	ConcurrentWriters bool

	mappings   mappings
	statements statements
}

// mappings has the mappings of the tables whose statements differ between engines. Those of the
// other tables are variables, such as accountTable.
type mappings struct {
	contacts      *mapping[audience.Contact]
	contactState  *mapping[audience.Contact] // the columns of a search that reads system values
	ledger        *mapping[audience.LedgerRow]
	lists         *mapping[audience.List]
	searchIndexes *mapping[audience.SearchIndex]
}

// statements has the texts of the most frequent statements. Building a text for each call
// would take as long as reading a Contact.
type statements struct {
	contactByID, contactByKey, contactsByAddress string
	lockedByID, lockedByKey, lockedByAddress     string
	insert, insertNew                            insertion
}

// Complete returns a Dialect with its mappings and statements.
func (d Dialect) Complete() *Dialect {
	d.mappings = mappings{
		contacts:      newMapping("contact", d.mapContact),
		contactState:  newMapping("contact", mapContactState),
		ledger:        newMapping("consent", d.mapLedgerRow),
		lists:         newMapping("list", d.mapList),
		searchIndexes: newMapping("search_index", d.mapSearchIndex),
	}
	d.prepareContactStatements()
	return &d
}

// prepareContactStatements builds the statements of the table contact.
func (d *Dialect) prepareContactStatements() {
	lock := ""
	if d.ConcurrentWriters {
		lock = " FOR UPDATE"
	}
	s, c := &d.statements, d.mappings.contacts
	contact := c.read + "WHERE "
	s.contactByID = contact + "list_id = ? AND id = ?"
	s.contactByKey = contact + "list_id = ? AND dedupe_key = ?"
	// The subquery makes SQLite use the address indexes and not scan the List.
	s.contactsByAddress = contact + d.NoIndex + `list_id = ? AND id > ? AND id IN (
		SELECT id FROM contact WHERE list_id = ? AND dedupe_key = ?
		UNION ALL SELECT id FROM contact WHERE list_id = ? AND duplicate_key = ?
		UNION ALL SELECT id FROM contact WHERE list_id = ? AND mobile_key = ?) ORDER BY id` + limited
	s.lockedByID, s.lockedByKey, s.lockedByAddress = s.contactByID+lock, s.contactByKey+lock, s.contactsByAddress+lock
	s.insert = d.insertion("VALUES (", ") ON CONFLICT DO NOTHING")
	s.insertNew = s.insert
	if d.ConcurrentWriters { // does not take an ID from the sequence if the address exists
		const unlessExists = ` WHERE NOT EXISTS (SELECT 1 FROM contact WHERE list_id = ?1 AND dedupe_key = ?2)
			ON CONFLICT DO NOTHING`
		s.insertNew = d.insertion("SELECT ", unlessExists)
	}
}

// insertion has two statements that insert a Contact: initial has constants for the state columns
// of a new Contact, which is faster than an argument each; full has arguments for all columns.
type insertion struct{ initial, full string }

func (d *Dialect) insertion(begin, end string) insertion {
	c := d.mappings.contacts
	return insertion{c.into + begin + c.initial + end, c.into + begin + c.values + end}
}

// limited is LIMIT with an argument. Without the CAST, SQLite prepares the statement again
// for each new argument, which takes 5 to 100 µs.
const limited = " LIMIT CAST(? AS BIGINT)"

// ids is a subquery for the IDs in the argument, which jsonArray encodes.
func (d *Dialect) ids() string { return "(SELECT CAST(value AS BIGINT) FROM " + d.Items("?") + ")" }

// locking ends a statement that reads Contacts which the transaction will change.
func (t *Tx) locking() string {
	if t.writes && t.sql.ConcurrentWriters {
		return " FOR UPDATE"
	}
	return ""
}
