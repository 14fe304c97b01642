package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"enlist/internal/enlist"
)

// This file lets several functions share a transaction if each of them only adds one Contact. Package
// postgres calls three steps in this order. NewInsertBatch takes the IDs of the Contacts from the
// sequence. Run runs one function. Store stores the Contacts with one statement, and their ledger rows
// with another one. Both are sent together with COMMIT. The SQL in this file works only on PostgreSQL.

// InsertBatch collects the Contacts, ledger rows and effects of the functions of one transaction.
type InsertBatch struct {
	sql       *Dialect
	copier    Copier // not nil: rows are copied, because the tables are distributed
	addresses []Address
	ids       []enlist.ContactID // one ID for each address; 0: a Contact, or an earlier function, has the address
	parts     []*Part            // one Part for each function that ended without an error
}

// Address is the normalised address of a Contact in a List.
type Address struct {
	List enlist.ListID
	Key  string
}

// Part collects the writes of one function of an InsertBatch. It is also the Conn of the function's Tx, and
// refuses all statements.
type Part struct {
	sql     *Dialect
	address Address
	id      enlist.ContactID // the ID of the Contact to add
	effects []Effect
	contact *enlist.Contact // nil: the function added no Contact
	doc     string          // the Contact's values as JSON
	count   ContactCount    // of the Contact
	ledger  []enlist.LedgerRow
	refused bool // the function has tried to run a statement
}

// ErrNotBatchable is the error of a function that cannot share a transaction.
var ErrNotBatchable = errors.New("the function needs a separate transaction")

// NewInsertBatch takes an ID from the sequence for each address that no Contact of its List has. The
// caller passes the addresses in the order in which it runs the functions.
func NewInsertBatch(ctx context.Context, conn Conn, addresses []Address) (*InsertBatch, error) {
	g := &InsertBatch{sql: conn.Dialect(), addresses: addresses}
	var lists []int64
	var keys []string
	for _, a := range addresses {
		lists, keys = append(lists, int64(a.List)), append(keys, a.Key)
	}
	query, args := takeIDs, []any{lists, keys}
	if len(addresses) == 1 {
		query, args = takeID, []any{lists[0], keys[0]}
	}
	ids, err := IDsOf[enlist.ContactID](&Tx{ctx: ctx, conn: conn}, query, args...)
	g.ids = ids
	switch {
	case err != nil:
		return nil, err
	case len(ids) != len(addresses):
		return nil, fmt.Errorf("the database returned %d IDs for %d addresses", len(ids), len(addresses))
	}
	taken := make(map[Address]bool, len(addresses))
	for i, a := range addresses {
		if taken[a] {
			ids[i] = 0
		}
		taken[a] = true
	}
	return g, nil
}

// takeIDs uses a subquery, so that PostgreSQL looks up each address in the index. With a join,
// PostgreSQL could use a generic plan from a time when the table was small. This plan scans the
// table.
const takeIDs = `SELECT CASE WHEN (SELECT id FROM contact
		WHERE list_id = wanted.list_id AND dedupe_key = wanted.key) IS NULL THEN nextval('contact_id') ELSE 0 END
	FROM unnest(CAST(? AS BIGINT[]), CAST(? AS TEXT[])) WITH ORDINALITY AS wanted (list_id, key, place) ORDER BY place`

// takeID is takeIDs for one address.
const takeID = `SELECT CASE WHEN (SELECT id FROM contact WHERE list_id = ? AND dedupe_key = ?) IS NULL
	THEN nextval('contact_id') ELSE 0 END`

// Run runs fn for the address with the index place in addresses. If fn fails, the batch stores no
// write of fn.
func (g *InsertBatch) Run(ctx context.Context, place int, fn func(*Tx) error, session *Session) error {
	if g.ids[place] == 0 {
		return ErrNotBatchable
	}
	p := &Part{sql: g.sql, address: g.addresses[place], id: g.ids[place]}
	enqueue := func(e Effect) error {
		p.effects = append(p.effects, e)
		return nil
	}
	tx := NewTx(ctx, p, session, enqueue)
	tx.part = p
	err := Call(fn, tx)
	switch {
	case p.refused: // even if fn has replaced or ignored ErrNotBatchable
		return ErrNotBatchable
	case err != nil:
		return err
	case p.contact == nil && len(p.ledger)+len(p.effects) > 0:
		return ErrNotBatchable // without a Contact, Store cannot tell whether to store the other writes
	}
	g.parts = append(g.parts, p)
	return nil
}

// Store queues the Contacts, their ledger rows and the changes of the counters, and returns the effects. If another
// transaction has stored an address after NewInsertBatch read the addresses, the transaction fails.
func (g *InsertBatch) Store(conn Conn) (effects []Effect, err error) {
	var added []*Part
	var counts []ContactCount
	var ledger []enlist.LedgerRow
	for _, p := range g.parts {
		if p.contact != nil {
			added, counts = append(added, p), append(counts, p.count)
			effects, ledger = append(effects, p.effects...), append(ledger, p.ledger...)
		}
	}
	insertContacts, insertLedger := insertContacts, insertLedger
	if g.copier != nil {
		insertContacts, insertLedger = g.copyContacts, g.copyLedger
	}
	if len(added) > 0 {
		if err := insertContacts(conn, added); err != nil {
			return nil, err
		}
	}
	if len(ledger) > 0 {
		if err := insertLedger(conn, ledger); err != nil {
			return nil, err
		}
	}
	return effects, writeCounts(conn, counts)
}

// insertContacts queues the INSERT of the Contacts of all functions. The rows are in the order of their addresses, so
// that two transactions with the same addresses cannot deadlock.
func insertContacts(conn Conn, parts []*Part) error {
	slices.SortFunc(parts, func(a, b *Part) int {
		return cmp.Or(cmp.Compare(a.address.List, b.address.List), strings.Compare(a.address.Key, b.address.Key))
	})
	var lists, ids, created, modified []int64
	var keys, mobiles, via, preferences, docs, languages []string
	speaks := false
	for _, p := range parts {
		c := p.contact
		lists, ids = append(lists, int64(c.ListID)), append(ids, int64(c.ID))
		created, modified = append(created, c.Created), append(modified, c.Modified)
		keys, mobiles, via = append(keys, c.Key), append(mobiles, c.Mobile), append(via, c.SubscribedVia)
		prefs, err := (*Answers)(&c.Prefs).Text()
		if err != nil {
			return err
		}
		preferences, docs = append(preferences, prefs), append(docs, p.doc)
		languages, speaks = append(languages, c.Language), speaks || c.Language != ""
	}
	if speaks {
		return addSpeakers.do(conn, lists, ids, keys, mobiles, created, modified, via, preferences, docs, languages)
	}
	return addContacts.do(conn, lists, ids, keys, mobiles, created, modified, via, preferences, docs)
}

// rowsStatement is an INSERT of rows. It gets an array for each column. A single row is faster without arrays, because
// PostgreSQL then needs no function to make rows of them.
type rowsStatement struct{ one, many string }

// newRowsStatement returns an INSERT that selects from a table "added". types are those of the columns of this table.
func newRowsStatement(insert, columns string, types ...string) *rowsStatement {
	values, arrays := make([]string, len(types)), make([]string, len(types))
	for i, t := range types {
		values[i], arrays[i] = "CAST(? AS "+t+")", "CAST(? AS "+t+"[])"
	}
	added := " AS added (" + columns + ")"
	return &rowsStatement{
		one:  insert + " FROM (VALUES (" + strings.Join(values, ", ") + "))" + added,
		many: insert + " FROM unnest(" + strings.Join(arrays, ", ") + ")" + added,
	}
}

// do queues the INSERT. Each column is a []int64 or a []string.
func (s *rowsStatement) do(conn Conn, columns ...any) error {
	values := make([]any, 0, len(columns))
	for _, column := range columns {
		switch c := column.(type) {
		case []int64:
			if len(c) == 1 {
				values = append(values, c[0])
			}
		case []string:
			if len(c) == 1 {
				values = append(values, c[0])
			}
		}
	}
	if len(values) == len(columns) {
		return conn.Do(s.one, values...)
	}
	return conn.Do(s.many, columns...)
}

// addContacts inserts the Contacts of all functions, and addSpeakers also their languages, which most do not have.
var addContacts, addSpeakers = newContactsStatement(""), newContactsStatement(", language", "TEXT")

func newContactsStatement(more string, types ...string) *rowsStatement {
	return newRowsStatement(`INSERT INTO contact (list_id, id, dedupe_key, mobile_key,
		creation_time, last_modified_time, subscribed_via,
		double_opt_in, double_opt_in_time, is_active, is_bounce_deactivated, is_unsubscribed,
		last_click_time, last_message_time, last_open_time, webform_id, preference_values, field_values`+more+`)
	SELECT list_id, id, key, nullif(mobile, ''), created, modified, via, 0, 0, 1, 0, 0, 0, 0, 0, 0,
		preferences, CAST(doc AS JSONB)`+more, "list_id, id, key, mobile, created, modified, via, preferences, doc"+more,
		append([]string{"BIGINT", "BIGINT", "TEXT", "TEXT", "BIGINT", "BIGINT", "TEXT", "TEXT", "TEXT"}, types...)...)
}

const ledgerColumns = "list_id, contact_id, time, method, type, text, ip, preferences, key_id"

// addLedgerRows inserts the ledger rows of all functions.
var addLedgerRows = newRowsStatement("INSERT INTO consent ("+ledgerColumns+") SELECT "+ledgerColumns, ledgerColumns,
	"BIGINT", "BIGINT", "BIGINT", "TEXT", "TEXT", "TEXT", "TEXT", "TEXT", "BIGINT")

// insertLedger queues the INSERT of the ledger rows.
func insertLedger(conn Conn, ledger []enlist.LedgerRow) error {
	var lists, contacts, times, keys []int64
	var methods, types, texts, ips, preferences []string
	for _, r := range ledger {
		chosen, err := (*Choices)(&r.Preferences).Text()
		if err != nil {
			return err
		}
		lists, contacts = append(lists, int64(r.ListID)), append(contacts, int64(r.ContactID))
		times, keys = append(times, r.Time), append(keys, int64(r.KeyID))
		methods, types, texts = append(methods, r.Method), append(types, string(r.Type)), append(texts, r.Text)
		ips, preferences = append(ips, r.IP), append(preferences, chosen)
	}
	return addLedgerRows.do(conn, lists, contacts, times, methods, types, texts, ips, preferences, keys)
}

// IsBatched reports whether the function is in an InsertBatch.
func (t *Tx) IsBatched() bool { return t.part != nil }

// BatchLedgerRow stores a ledger row for InsertBatch.Store.
func (t *Tx) BatchLedgerRow(r *enlist.LedgerRow) { t.part.ledger = append(t.part.ledger, *r) }

// BatchContact stores the primary Contact of an address in the Part for InsertBatch.Store, and assumes that no other
// Contact has this address. All state columns except preference_values and language must have their initial values, because the
// INSERT of the batch has constants for them.
func (t *Tx) BatchContact(schema *enlist.Schema, c *enlist.Contact) error {
	p, plain := t.part, *c
	plain.Prefs, plain.Language = nil, ""
	if p.contact != nil || p.address != (Address{c.ListID, c.Key}) || !HasInitialState(&plain) {
		return p.refuse()
	}
	var err error
	p.doc, err = EncodeValues(schema, c.Values)
	if err != nil {
		return err
	}
	c.ID = p.id
	added := *c
	p.contact, p.count = &added, countOf(schema, c, 1)
	return nil
}

// refuse returns ErrNotBatchable and remembers that the function has got it.
func (p *Part) refuse() error {
	p.refused = true
	return ErrNotBatchable
}

// The methods of Conn follow. The functions run before the transaction sends anything, so no statement can have a
// result.

// Do implements Conn.
func (p *Part) Do(string, ...any) error { return p.refuse() }

// Exec implements Conn.
func (p *Part) Exec(string, ...any) (int64, error) { return 0, p.refuse() }

// Insert implements Conn.
func (p *Part) Insert(string, ...any) (int64, error) { return 0, p.refuse() }

// Query implements Conn.
func (p *Part) Query(context.Context, string, ...any) (Rows, error) { return nil, p.refuse() }

// Search implements Conn.
func (p *Part) Search(context.Context, Statement) (Rows, error) { return nil, p.refuse() }

// Lock implements Conn.
func (p *Part) Lock(LockMode, string) error { return p.refuse() }

// LockDefinitions implements Conn.
func (p *Part) LockDefinitions() error { return p.refuse() }

// Dialect implements Conn.
func (p *Part) Dialect() *Dialect { return p.sql }
