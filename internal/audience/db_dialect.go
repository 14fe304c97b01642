package audience

import "enlist/internal/enlist"

// This file contains the Dialect, which is the SQL that differs between engines. It also builds the
// statements for Contacts from a Dialect, once for each engine.

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

	mappings   mappings
	statements statements
}

// mappings has the mappings of the tables whose statements differ between engines. The mappings of the
// other tables are variables, such as accountTable.
type mappings struct {
	contacts      *mapping[enlist.Contact]
	contactState  *mapping[enlist.Contact] // the columns that a search for system values reads
	ledger        *mapping[LedgerRow]
	lists         *mapping[enlist.List]
	searchIndexes *mapping[enlist.SearchIndex]
}

// statements contains the texts of the most frequent statements. Building such a text takes as long
// as reading a Contact, so each text is built only once.
type statements struct {
	contactByID, contactByKey, contactsByAddress string
	lockedByID, lockedByKey, lockedByAddress     string

	contactsToChange, valueSizes, contactsByKeys, lockedByKeys, primaries, primariesToLock string
	contactsByDuplicateKeys, lockedByDuplicateKeys, contactsByMobiles, lockedByMobiles     string

	// Both insert a Contact. The statement insertInitial has constants for the state columns of a new
	// Contact, because constants are faster than arguments. The statement insert has only arguments.
	insert, insertInitial string

	importLedger string
}

// Complete returns a copy of d with its mappings and statements.
func (d Dialect) Complete() *Dialect {
	d.mappings = mappings{
		contacts:      newMapping("contact", d.mapContact),
		contactState:  newMapping("contact", mapContactState),
		ledger:        newMapping("consent", d.mapLedgerRow),
		lists:         newMapping("list", d.mapList),
		searchIndexes: newMapping("search_index", d.mapSearchIndex),
	}
	d.prepareContactStatements()
	d.statements.importLedger = d.importLedger()
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
	s.contactsToChange = d.contactsOf(c.columns, "id", lock)
	s.valueSizes = d.contactsOf("id, "+d.DocumentSize, "id", "")
	s.contactsByKeys = d.contactsOf(c.columns, "dedupe_key", "")
	s.lockedByKeys = d.contactsOf(c.columns, "dedupe_key", lock)
	s.contactsByDuplicateKeys = d.contactsOf(c.columns, "duplicate_key", "")
	s.lockedByDuplicateKeys = d.contactsOf(c.columns, "duplicate_key", lock)
	s.contactsByMobiles = d.contactsOf(c.columns, "mobile_key", "")
	s.lockedByMobiles = d.contactsOf(c.columns, "mobile_key", lock)
	s.primaries = d.contactsOf("dedupe_key", "dedupe_key", "")
	s.primariesToLock = d.contactsOf("dedupe_key", "dedupe_key", lock)
	const unlessTaken = ") ON CONFLICT DO NOTHING"
	s.insert = c.into + "VALUES (" + c.values + unlessTaken
	s.insertInitial = c.into + "VALUES (" + c.initial + unlessTaken
}

// contactsOf returns a statement for the Contacts of the List ?1 whose column, id or an address, has one of the values of ?2.
// It locks them in the order of these values. On PostgreSQL a subquery looks up each value. With a join or with
// = ANY, PostgreSQL would read all Contacts of the List if it expects few of them. It does that without
// statistics, and if most Lists are small.
func (d *Dialect) contactsOf(columns, column, lock string) string {
	array, noIndex := "TEXT[]", ""
	if column == "id" {
		array, noIndex = "BIGINT[]", d.NoIndex
	}
	if !d.Arrays {
		return "SELECT " + columns + " FROM contact WHERE " + noIndex + "list_id = ?1 AND " + column +
			" IN (SELECT value FROM " + d.Items("?2") + ")"
	}
	if lock == "" {
		lock = " OFFSET 0" // as a lock does, this keeps the planner from replacing the subquery by a join
	}
	return "SELECT found.* FROM unnest(CAST(?2 AS " + array + ")) AS wanted (value), LATERAL (SELECT " + columns +
		" FROM contact WHERE list_id = ?1 AND " + column + " = wanted.value" + lock + ") AS found"
}

// limited is LIMIT with an argument. Without the CAST, SQLite would prepare the statement again for each
// new argument, which takes 5 to 100 µs.
const limited = " LIMIT CAST(? AS BIGINT)"

// locking returns the end of a statement that reads Contacts. This end locks the Contacts if the
// transaction writes and other transactions can write at the same time.
func (t *Tx) locking() string {
	if t.writes && t.sql.ConcurrentWriters {
		return " FOR UPDATE"
	}
	return ""
}
