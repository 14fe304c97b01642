package db

import (
	"context"
	"errors"
	"fmt"

	"enlist/internal/enlist"
)

// This file lets several functions share a transaction if each of them adds one Contact. Package
// postgres calls four steps in this order. NewInsertBatch takes the IDs of the Contacts from the
// sequence. Run runs one function. Insert stores all Contacts with one statement. Finish queues the
// other statements. The SQL in this file works only on PostgreSQL.

// InsertBatch collects the writes of the functions of one transaction. The functions run before the
// transaction sends their statements, so they cannot use a result from the database. If a function
// needs a result, its Conn panics with RetrySignal (ErrNotBatchable). The engine then runs the function
// in a separate transaction.
type InsertBatch struct {
	sql       *Dialect
	copier    Copier // not nil: rows are copied, because the tables are distributed
	addresses []Address
	ids       []enlist.ContactID // one ID for each address; 0: a Contact already has the address
	parts     []*Part            // one Part for each function that ended without an error
}

// Address is the normalised address of a Contact in a List.
type Address struct {
	List enlist.ListID
	Key  string
}

// Part collects the writes of one function of an InsertBatch. It is the Conn of the function's Tx.
type Part struct {
	sql      *Dialect
	address  Address
	id       enlist.ContactID // the ID of the Contact to add
	effects  []Effect
	contact  *enlist.ByID // nil: the function added no Contact
	doc      string       // the Contact's values as JSON
	account  enlist.AccountID
	ledger   []enlist.LedgerRow
	rest     []statement // the other statements; the function does not need their results
	inserted bool        // the INSERT has stored the Contact, so no other Contact had its address
}

// statement is a statement that Finish queues.
type statement struct {
	query string
	args  []any
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
	ids, err := IDsOf[enlist.ContactID](&Tx{ctx: ctx, conn: conn}, takeIDs, lists, keys)
	g.ids = ids
	if err == nil && len(ids) != len(addresses) {
		err = fmt.Errorf("the database returned %d IDs for %d addresses", len(ids), len(addresses))
	}
	return g, err
}

// takeIDs uses a subquery, so that PostgreSQL looks up each address in the index. With a join,
// PostgreSQL could use a generic plan from a time when the table was small. This plan scans the
// table.
const takeIDs = `SELECT CASE WHEN (SELECT id FROM contact
		WHERE list_id = wanted.list_id AND dedupe_key = wanted.key) IS NULL THEN nextval('contact_id') ELSE 0 END
	FROM unnest(CAST(? AS BIGINT[]), CAST(? AS TEXT[])) WITH ORDINALITY AS wanted (list_id, key, place) ORDER BY place`

// Run runs fn for the address with the index place in addresses. If fn fails, the batch stores no
// write of fn.
func (g *InsertBatch) Run(ctx context.Context, place int, fn func(*Tx) error, session *Session) (*Part, error) {
	if g.ids[place] == 0 {
		return nil, ErrNotBatchable
	}
	p := &Part{sql: g.sql, address: g.addresses[place], id: g.ids[place]}
	enqueue := func(e Effect) error {
		p.effects = append(p.effects, e)
		return nil
	}
	tx := NewTx(ctx, p, session, enqueue)
	tx.part = p
	if err := Call(fn, tx); err != nil {
		return nil, err
	}
	if p.contact == nil && len(p.ledger)+len(p.rest)+len(p.effects) > 0 {
		return nil, ErrNotBatchable // without a Contact, Finish cannot tell whether to store the other writes
	}
	g.parts = append(g.parts, p)
	return p, nil
}

// Insert inserts the Contacts. If two functions of the batch add the same address, it inserts only one of
// the two Contacts. If another transaction has stored an address after NewInsertBatch read the addresses,
// it does not insert the Contact with this address.
func (g *InsertBatch) Insert(ctx context.Context, conn Conn) error {
	if g.copier != nil {
		return g.copyContacts()
	}
	byID := make(map[int64]*Part, len(g.parts))
	var lists, ids, created, modified []int64
	var keys, mobiles, via, preferences, docs []string
	for _, p := range g.parts {
		c := p.contact
		if c == nil {
			continue
		}
		byID[int64(c.ID)] = p
		lists, ids = append(lists, int64(c.ListID)), append(ids, int64(c.ID))
		created, modified = append(created, c.Created), append(modified, c.Modified)
		keys, mobiles, via = append(keys, c.Key), append(mobiles, c.Mobile), append(via, c.SubscribedVia)
		prefs, err := (*Answers)(&c.Prefs).Text()
		if err != nil {
			return err
		}
		preferences, docs = append(preferences, prefs), append(docs, p.doc)
	}
	if len(ids) == 0 {
		return nil
	}
	return (&Tx{ctx: ctx, conn: conn}).Each(func(row *Cursor) error {
		byID[row.Int()].inserted = true
		return nil
	}, insertContacts, lists, ids, keys, mobiles, created, modified, via, preferences, docs)
}

// insertContacts inserts the rows in the order of their addresses, so that two transactions with the same
// addresses cannot deadlock.
const insertContacts = `INSERT INTO contact (list_id, id, dedupe_key, mobile_key,
		creation_time, last_modified_time, subscribed_via,
		double_opt_in, double_opt_in_time, is_active, is_bounce_deactivated, is_unsubscribed,
		last_click_time, last_message_time, last_open_time, webform_id, preference_values, field_values)
	SELECT list_id, id, key, nullif(mobile, ''), created, modified, via, 0, 0, 1, 0, 0, 0, 0, 0, 0,
		preferences, CAST(doc AS JSONB)
	FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS BIGINT[]),
		CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]))
		AS added (list_id, id, key, mobile, created, modified, via, preferences, doc)
	ORDER BY list_id, key COLLATE "C" ON CONFLICT DO NOTHING RETURNING id`

// addLedgerRows inserts the ledger rows of all functions.
const addLedgerRows = `INSERT INTO consent (list_id, contact_id, time, method, type, text, ip, preferences, key_id)
	SELECT list_id, contact_id, time, method, type, text, ip, preferences, key_id
	FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]),
		CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS BIGINT[]))
		AS added (list_id, contact_id, time, method, type, text, ip, preferences, key_id)`

// Finish queues the other statements of those functions whose Contacts Insert has stored. These are
// the INSERT of the ledger rows, the delayed statements, and the changes of the counters. Finish
// returns the effects of these functions.
func (g *InsertBatch) Finish(conn Conn) (effects []Effect, err error) {
	var counts []contactCount
	var rest []statement
	var ledger []enlist.LedgerRow
	for _, p := range g.parts {
		if !p.inserted {
			continue
		}
		effects, rest = append(effects, p.effects...), append(rest, p.rest...)
		counts = append(counts, contactCount{p.contact.ListID, p.account, 1})
		ledger = append(ledger, p.ledger...)
	}
	if g.copier != nil {
		err = g.copyLedger(ledger)
	} else {
		err = insertLedger(conn, ledger)
	}
	if err != nil {
		return nil, err
	}
	for _, s := range rest {
		if err := conn.Do(s.query, s.args...); err != nil {
			return nil, err
		}
	}
	return effects, writeCounts(conn, counts)
}

// insertLedger queues the INSERT of the ledger rows.
func insertLedger(conn Conn, ledger []enlist.LedgerRow) error {
	if len(ledger) == 0 {
		return nil
	}
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
	return conn.Do(addLedgerRows, lists, contacts, times, methods, types, texts, ips, preferences, keys)
}

// Inserted reports whether the transaction contains the writes of the function. It returns false if
// another Contact has the address.
func (p *Part) Inserted() bool { return p.inserted || p.contact == nil }

// IsBatched reports whether the function is in an InsertBatch.
func (t *Tx) IsBatched() bool { return t.part != nil }

// BatchLedgerRow stores a ledger row for InsertBatch.Finish.
func (t *Tx) BatchLedgerRow(r *enlist.LedgerRow) { t.part.ledger = append(t.part.ledger, *r) }

// BatchContact stores the primary Contact of an address in the Part for InsertBatch.Insert, and assumes that no other
// Contact has this address. All state columns except preference_values must have their initial values, because the
// INSERT of the batch has constants for them.
func (t *Tx) BatchContact(schema *enlist.Schema, c *enlist.ByID) error {
	p, plain := t.part, *c
	plain.Prefs = nil
	if p.contact != nil || p.address != (Address{c.ListID, c.Key}) || !HasInitialState(&plain) {
		return notBatchable()
	}
	var err error
	p.doc, err = EncodeValues(schema, c.Values)
	if err != nil {
		return err
	}
	c.ID = p.id
	added := *c
	p.contact, p.account = &added, schema.List.AccountID
	return nil
}

// notBatchable ends the function of the Part by a panic, which Call recovers. So notBatchable never
// returns, and its result type exists only for the callers.
func notBatchable() error { panic(RetrySignal{Err: ErrNotBatchable}) }

// The methods of Conn follow. Do stores its statement in the Part for Finish. The other methods need a
// result or a lock at once, so a function that calls them cannot share a transaction.

// Do implements Conn.
func (p *Part) Do(query string, args ...any) error {
	p.rest = append(p.rest, statement{query, args})
	return nil
}

// Exec implements Conn.
func (p *Part) Exec(string, ...any) (int64, error) { return 0, notBatchable() }

// Insert implements Conn.
func (p *Part) Insert(string, ...any) (int64, error) { return 0, notBatchable() }

// Query implements Conn.
func (p *Part) Query(context.Context, string, ...any) (Rows, error) { return nil, notBatchable() }

// QueryLast implements Conn.
func (p *Part) QueryLast(context.Context, string, ...any) (Rows, error) { return nil, notBatchable() }

// Lock implements Conn.
func (p *Part) Lock(LockMode, string) error { return notBatchable() }

// LockDefinitions implements Conn.
func (p *Part) LockDefinitions() error { return notBatchable() }

// Dialect implements Conn.
func (p *Part) Dialect() *Dialect { return p.sql }
