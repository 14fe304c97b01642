package contacts

import (
	"math"
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
)

// This file has the parts that AddContacts, EditContacts and DeleteContacts share. These
// calls run in several transactions (db.RunInSteps).

// MaxRows is the largest number of Contacts in one call of addContacts or editContacts.
// decisions.md: 53
const MaxRows = 5000

// Outcome says whether a call changed or deleted a Contact as requested.
type Outcome struct {
	Contact enlist.ContactID
	Done    bool
}

// parsedRows are the Contacts in a request. Each row is parsed before the transaction that needs it. On
// SQLite other callers that write must wait until a transaction ends, so it must be short.
type parsedRows struct {
	sent         [][]enlist.Detail
	parsed       []*ParsedContact // nil: not parsed, or no longer needed
	partial      bool             // true: a row does not need an address
	withDefaults bool             // true: the values of a new Contact are prepared too
	released     int              // number of rows that are done
}

func newParsedRows(sent [][]enlist.Detail) parsedRows {
	return parsedRows{sent: sent, parsed: make([]*ParsedContact, len(sent))}
}

// parse parses the rows from first to last-1.
func (r *parsedRows) parse(first, last int, schema *enlist.Schema, today string) {
	for i := first; i < last; i++ {
		r.at(i, schema, today)
	}
}

// at returns a parsed row. If the Schema or the day has changed since the row was parsed, at
// parses it again.
func (r *parsedRows) at(i int, schema *enlist.Schema, today string) *ParsedContact {
	if p := r.parsed[i]; p != nil && p.IsCurrent(schema, today) {
		return p
	}
	p := &ParsedContact{Schema: schema, Today: today, partial: r.partial}
	p.err = p.parse(r.sent[i])
	if r.withDefaults && p.err == nil {
		p.Initial = p.InitialValues()
	}
	r.parsed[i] = p
	return p
}

// forget removes a parsed row that the call no longer needs, to free its memory.
func (r *parsedRows) forget(i int) {
	r.parsed[i] = nil
}

// drop removes the parsed rows from first to last-1, to free their memory. They are parsed again when the call
// needs them.
func (r *parsedRows) drop(first, last int) {
	if first < last {
		clear(r.parsed[first:last])
	}
}

// release forgets the rows before next.
func (r *parsedRows) release(next int) {
	for ; r.released < next; r.released++ {
		r.forget(r.released)
	}
}

const (
	// bulkStep is the number of Contacts that one transaction adds or changes. With 10 Fields this
	// takes about 20 ms. On SQLite no other caller can write during this time.
	bulkStep = 500
	// BulkValues is the number of values after which a transaction takes no further Contact. In a List
	// with a thousand Fields, a Contact takes as long as fifty usual ones.
	BulkValues = 10_000
	// bulkBytes is the size of the stored values after which a transaction takes no further Contact. A
	// Contact with 10 short values has 200 bytes, and a Contact with a thousand long values several million.
	bulkBytes = 2 << 20
)

// StepSize counts the Contacts that a transaction adds or changes, and their values.
type StepSize struct {
	Most             int   // largest number of Contacts
	contacts, values int   // so far
	bytes            int64 // of the values that were stored before the transaction
}

// NewStepSize returns an empty step for at most bulkStep Contacts, or fewer if the event causes jobs for
// each Contact. It takes as long to store two jobs as to store one Contact.
func NewStepSize(schema *enlist.Schema, event enlist.Event) StepSize {
	jobs := 0
	for i := range schema.Autoresponders {
		if a := &schema.Autoresponders[i]; a.IsActive && a.Event == event {
			jobs++
		}
	}
	if addresses := schema.List.Recipients(event); addresses != "" {
		jobs += strings.Count(addresses, ",") + 1
	}
	return StepSize{Most: max(1, 2*bulkStep/(2+jobs))}
}

// add counts a Contact with a number of values.
func (b *StepSize) add(values int) {
	b.contacts++
	b.values += values
}

// full reports whether the transaction must not take another Contact.
func (b *StepSize) full() bool {
	return b.contacts >= b.Most || b.values >= BulkValues || b.bytes >= bulkBytes
}

// take returns how many of the stored Contacts, from the first on, the transaction may read and change, and counts
// the bytes of their values. It returns at least 1. A Contact has at most one value for each Field.
func (b *StepSize) take(tx *db.Tx, schema *enlist.Schema, ids []enlist.ContactID) (n int, err error) {
	fields := max(1, len(schema.Fields))
	n = max(1, min(len(ids), b.Most-b.contacts, (BulkValues-b.values)/fields))
	sizes, err := valueSizes(tx, schema.List.ID, ids[:n])
	if err != nil {
		return 0, err
	}
	for i, id := range ids[:n] {
		b.bytes += sizes[id]
		if b.bytes >= bulkBytes {
			return i + 1, nil
		}
	}
	return n, nil
}

// maxSingleEvents is the largest number of changed Contacts for which a call publishes one
// event for each Contact. For more Contacts it publishes one event of the List.
// decisions.md: 53
const maxSingleEvents = 100

// Notifier publishes the changes of a call to webhooks, step by step. It is part
// of the progress that is stored under an Idempotency-Key.
type Notifier struct {
	Changed int  `json:"changed"` // number of changes in all steps so far
	Many    bool `json:"many"`    // the event of the List was published
}

// ContactEvent is an event of one Contact for webhooks.
type ContactEvent struct {
	Contact enlist.ContactID
	Event   enlist.WebhookEventType
}

// Publish publishes the changes of a step, one for each Contact that the step added, edited or deleted. When all
// steps so far have more than maxSingleEvents, it publishes one event of the List instead. Usually the first step has
// more, or is the only one. If it has fewer, a call publishes both kinds of events: to wait for the last step could
// lose them.
func (t *Notifier) Publish(tx *db.Tx, schema *enlist.Schema, now int64, changes []ContactEvent) error {
	t.Changed += len(changes)
	if t.Changed > maxSingleEvents {
		if t.Many {
			return nil
		}
		t.Many = true
		return events.Publish(tx, schema, 0, now, enlist.WebhookBulkUpdated)
	}
	for _, e := range changes {
		if err := events.Publish(tx, schema, e.Contact, now, e.Event); err != nil {
			return err
		}
	}
	return nil
}

// insertOrDuplicate stores a new Contact. If another Contact has the address, insert stores the new Contact
// as a duplicate or, if the List disallows duplicates, stores nothing and returns false.
func insertOrDuplicate(c *enlist.Contact, tx *db.Tx, schema *enlist.Schema) (inserted bool, err error) {
	c.IsFirst = true
	inserted, err = Insert(tx, c)
	if err == nil && !inserted && !schema.List.DisallowDuplicates {
		c.IsFirst = false
		inserted, err = Insert(tx, c)
	}
	return inserted, err
}

// AccountRoom returns how many Contacts the Account may still add. reference.md: limit.contacts
func AccountRoom(tx *db.Tx, a *enlist.Account) (int64, error) {
	if a.ContactLimit == enlist.NoContactLimit {
		return math.MaxInt64, nil
	}
	n, err := tx.AccountContacts(a.ID)
	return max(a.ContactLimit-n, 0), err
}

// requireRoom returns an error of kind ContactLimit if the Account has as many Contacts as its
// limit allows.
func requireRoom(tx *db.Tx, a *enlist.Account) error {
	room, err := AccountRoom(tx, a)
	if err == nil && room == 0 {
		err = enlist.Refuse(enlist.ContactLimit, "the Account may store %d Contacts", a.ContactLimit)
	}
	return err
}
