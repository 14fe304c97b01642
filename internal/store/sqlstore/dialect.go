package sqlstore

import "enlist/internal/audience"

// Dialect is what differs between the engines' SQL. Everything else is written
// once, in words that all of them know: CAST(? AS BIGINT), IS DISTINCT FROM,
// ON CONFLICT. An engine makes its Dialect once and never changes it.
type Dialect struct {
	// Expressions for the value in a Field, NULL where there is none: as text,
	// which compares by code point; as a number; and as replies show a number.
	FieldText, FieldNumber, FieldShown func(id string) string

	Document     string // field_values as ReadValues takes them
	WithoutField string // field_values without the Field whose ID, as text, is an argument
	Position     string // the function that finds a text in another
	Ending       func(value string) string
	SameText     func(value string) string // is it the argument, which is in lower case, but for the case of ASCII letters?
	LedgerNumber string                    // of the next row of the Contact ?2 of the List ?1

	// ReadValues appends the values in a Document to v.
	ReadValues func(document string, v audience.Values) (audience.Values, error)

	// FewValues is up to how many values of a Contact cost less, each read by itself,
	// than the Document: ValueDocument is the one in the Field whose ID, as text, is
	// an argument, so that not every List has its own statements. 0: none.
	FewValues     int
	ValueDocument string
	ReadValue     func(document string) (text string, err error)

	// ToDocument is JSON text, the argument, as field_values.
	ToDocument func(argument string) string

	// Items are the elements of a JSON array, the argument, in a column "value".
	Items func(argument string) string

	// Arrays: an argument may be a []int64 or a []string.
	Arrays bool

	// NoIndex before a column keeps the engine from an index of it that it
	// would take, without having seen the data, for better than it is.
	NoIndex string

	// Of an index that a search needs: what puts absent values first in it, what it
	// ends in after the key, and the part of the table, as a number, that one of the
	// List list_id is on.
	IndexAbsent, IndexTail, IndexPlace string

	// NamesIndexes: statements name the index that the engine is to use.
	NamesIndexes bool

	// NumbersAsText: numbers to compare with are given in their decimals, not as
	// floating point.
	NumbersAsText bool

	// ConcurrentWriters: transactions write at once. Then Contacts that one reads to change
	// them are locked, and counters are changed by rows that are added, so that
	// they do not wait for one another.
	ConcurrentWriters bool

	mappings   mappings
	statements statements
}

// mappings are those of all tables.
type mappings struct {
	accounts       *mapping[audience.Account]
	autoresponders *mapping[audience.Autoresponder]
	contacts       *mapping[audience.Contact]
	contactState   *mapping[audience.Contact] // the columns of a search that reads system values
	deliveries     *mapping[audience.Delivery]
	fields         *mapping[audience.Field]
	folders        *mapping[audience.Folder]
	keys           *mapping[storedKey]
	ledger         *mapping[ledgerRow]
	lists          *mapping[audience.List]
	messages       *mapping[audience.Message]
	messageHeads   *mapping[audience.Message]
	preferences    *mapping[audience.Preference]
	searchIndexes  *mapping[audience.SearchIndex]
	unsubscribers  *mapping[storedUnsubscriber]
	webhooks       *mapping[audience.Webhook]
	webhookEvents  *mapping[audience.WebhookEvent]
	webhookTargets *mapping[audience.WebhookTarget]
}

// statements are those that are run most often: putting one together costs as
// much as finding a Contact.
type statements struct {
	contactByID, contactByKey, contactsByAddress string
	lockedByID, lockedByKey, lockedByAddress     string
	insert, insertNew                            insertion
}

// Complete prepares a Dialect for use.
func (d Dialect) Complete() *Dialect {
	d.mappings = mappings{
		accounts:       newMapping("account", mapAccount),
		autoresponders: newMapping("autoresponder", mapAutoresponder),
		contacts:       newMapping("contact", d.mapContact),
		contactState:   newMapping("contact", mapContactState),
		deliveries:     newMapping("delivery", mapDelivery),
		fields:         newMapping("field", mapField),
		folders:        newMapping("folder", mapFolder),
		keys:           newMapping("api_key", mapKey),
		ledger:         newMapping("consent", d.mapLedgerRow),
		lists:          newMapping("list", d.mapList),
		messages:       newMapping("message", mapMessage),
		messageHeads:   newMapping("message", mapMessageHead),
		preferences:    newMapping("preference", mapPreference),
		searchIndexes:  newMapping("search_index", d.mapSearchIndex),
		unsubscribers:  newMapping("unsubscriber", mapUnsubscriber),
		webhooks:       newMapping("webhook", mapWebhook),
		webhookEvents:  newMapping("webhook_event", mapWebhookEvent),
		webhookTargets: newMapping("webhook_target", mapWebhookTarget),
	}
	d.prepareContactStatements()
	return &d
}

// prepareContactStatements writes the statements of the table contact.
func (d *Dialect) prepareContactStatements() {
	lock := ""
	if d.ConcurrentWriters {
		lock = " FOR UPDATE"
	}
	s, c := &d.statements, d.mappings.contacts
	contact := "SELECT " + c.columns + c.from + " WHERE "
	s.contactByID = contact + "list_id = ? AND id = ?"
	s.contactByKey = contact + "list_id = ? AND dedupe_key = ?"
	// The IDs first: SQLite would rather walk the List.
	s.contactsByAddress = contact + d.NoIndex + `list_id = ? AND id > ? AND id IN (
		SELECT id FROM contact WHERE list_id = ? AND dedupe_key = ?
		UNION ALL SELECT id FROM contact WHERE list_id = ? AND duplicate_key = ?
		UNION ALL SELECT id FROM contact WHERE list_id = ? AND mobile_key = ?) ORDER BY id` + limited
	s.lockedByID, s.lockedByKey, s.lockedByAddress = s.contactByID+lock, s.contactByKey+lock, s.contactsByAddress+lock
	s.insert = d.insertion("VALUES (", ") ON CONFLICT DO NOTHING")
	s.insertNew = s.insert
	if d.ConcurrentWriters { // an ID is only taken where the address is just coming to be there
		s.insertNew = d.insertion("SELECT ", " WHERE NOT EXISTS (SELECT 1 FROM contact WHERE list_id = ?1 AND dedupe_key = ?2) ON CONFLICT DO NOTHING")
	}
}

// insertion inserts a Contact. One to whom nothing has happened yet, as nearly all
// are, has most values in the statement: every argument costs something.
type insertion struct{ untouched, whole string }

func (d *Dialect) insertion(begin, end string) insertion {
	c := d.mappings.contacts
	return insertion{c.into + begin + c.initial + end, c.into + begin + c.values + end}
}

// limited is LIMIT with an argument. A bare one would have SQLite plan the
// statement again, at 5 to 100 µs each time, whenever it is bound.
const limited = " LIMIT CAST(? AS BIGINT)"

// ids is a list of the IDs in a JSON array that is an argument.
func (d *Dialect) ids() string { return "(SELECT CAST(value AS BIGINT) FROM " + d.Items("?") + ")" }

// locking is the end of a statement that reads Contacts to change them.
func (t *Tx) locking() string {
	if t.writes && t.sql.ConcurrentWriters {
		return " FOR UPDATE"
	}
	return ""
}
