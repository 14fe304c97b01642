package sqlstore

import (
	"context"
	"errors"
	"fmt"

	"enlist/internal/audience"
)

// This file lets several functions that each add a Contact share a transaction:
// NewInsertBatch takes their IDs, Run runs each function, Insert stores all Contacts
// with one statement, and Finish stores the rest with another. Package postgres calls
// them in this order.

// InsertBatch collects what the functions of one transaction write. A function runs
// before anything is sent, so it must not need a result from the database. One that
// does panics with RetrySignal (ErrNotBatchable) and runs in its own transaction.
type InsertBatch struct {
	sql       *Dialect
	addresses []Address
	ids       []audience.ContactID // by address; 0: a Contact has the address already
	parts     []*Part              // of the functions that have run
}

// Address is the normalised address of a Contact in a List.
type Address struct {
	List audience.ListID
	Key  string
}

// Part is what one function of an InsertBatch writes. It is also the Conn of the
// function's Tx.
type Part struct {
	sql      *Dialect
	address  Address
	id       audience.ContactID // for the Contact
	effects  []audience.Effect
	contact  *audience.Contact // nil: the function added none
	doc      string            // the Contact's values
	account  audience.AccountID
	ledger   []ledgerRow
	rest     []statement // others, whose results the function does not need
	inserted bool        // the Contact is stored: no other has its address
}

// statement is one that Finish runs.
type statement struct {
	query string
	args  []any
}

// ErrNotBatchable is the error of a function that cannot share a transaction.
var ErrNotBatchable = errors.New("the function needs a transaction of its own")

// NewInsertBatch takes an ID from the sequence for each address that no Contact of
// its List has. The addresses are in the order of the functions.
func NewInsertBatch(ctx context.Context, conn Conn, addresses []Address) (*InsertBatch, error) {
	g := &InsertBatch{sql: conn.Dialect(), addresses: addresses}
	var lists []int64
	var keys []string
	for _, a := range addresses {
		lists, keys = append(lists, int64(a.List)), append(keys, a.Key)
	}
	t := &Tx{ctx: ctx, conn: conn}
	ids, err := idsOf[audience.ContactID](t, takeIDs, lists, keys)
	g.ids = ids
	if err == nil && len(g.ids) != len(addresses) {
		err = fmt.Errorf("%d IDs for %d Contacts", len(g.ids), len(addresses))
	}
	return g, err
}

// takeIDs has a subquery and no join, so that the server looks each address up in the
// index. A generic plan made while the table was small would scan it for a join.
const takeIDs = `SELECT CASE WHEN (SELECT id FROM contact WHERE list_id = wanted.list_id AND dedupe_key = wanted.key) IS NULL
		THEN nextval('contact_id') ELSE 0 END
	FROM unnest(CAST(? AS BIGINT[]), CAST(? AS TEXT[])) WITH ORDINALITY AS wanted (list_id, key, place) ORDER BY place`

// Run runs the function of the address at a place in the list. After an error nothing
// of it is stored.
func (g *InsertBatch) Run(ctx context.Context, place int, fn func(audience.Tx) error, session *Session) (*Part, error) {
	if g.ids[place] == 0 {
		return nil, ErrNotBatchable
	}
	p := &Part{sql: g.sql, address: g.addresses[place], id: g.ids[place]}
	enqueue := func(e audience.Effect) error {
		p.effects = append(p.effects, e)
		return nil
	}
	if err := Call(fn, &batchTx{NewTx(ctx, p, session, enqueue), p}); err != nil {
		return nil, err
	}
	if p.contact == nil && len(p.ledger)+len(p.rest)+len(p.effects) > 0 {
		return nil, ErrNotBatchable // without a Contact, Insert cannot tell whether to store the rest
	}
	g.parts = append(g.parts, p)
	return p, nil
}

// Insert inserts the Contacts, except those whose address has been taken since
// NewInsertBatch looked, or by another function of the batch.
func (g *InsertBatch) Insert(ctx context.Context, conn Conn) error {
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
		preferences, docs = append(preferences, encodePreferences(c.Prefs)), append(docs, p.doc)
	}
	if len(ids) == 0 {
		return nil
	}
	t := &Tx{ctx: ctx, conn: conn}
	return t.each(func(row *Cursor) error {
		byID[row.Int()].inserted = true
		return nil
	}, insertContacts, lists, ids, keys, mobiles, created, modified, via, preferences, docs)
}

// insertContacts sorts the rows, so that two transactions with the same addresses
// cannot deadlock.
const insertContacts = `INSERT INTO contact (list_id, id, dedupe_key, mobile_key, creation_time, last_modified_time, subscribed_via,
		double_opt_in, double_opt_in_time, is_active, is_bounce_deactivated, is_unsubscribed,
		last_click_time, last_message_time, last_open_time, webform_id, preference_values, field_values)
	SELECT list_id, id, key, nullif(mobile, ''), created, modified, via, 0, 0, 1, 0, 0, 0, 0, 0, 0, preferences, CAST(doc AS JSONB)
	FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS BIGINT[]),
		CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]))
		AS added (list_id, id, key, mobile, created, modified, via, preferences, doc)
	ORDER BY list_id, key ON CONFLICT DO NOTHING RETURNING id`

// addLedgerRows is one statement for the ledger rows of all functions.
const addLedgerRows = `INSERT INTO consent (list_id, contact_id, time, method, type, text, ip, preferences, key_id)
	SELECT list_id, contact_id, time, method, type, text, ip, preferences, key_id
	FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]),
		CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS BIGINT[]))
		AS added (list_id, contact_id, time, method, type, text, ip, preferences, key_id)`

// Finish queues the statements that belong to the inserted Contacts: ledger rows,
// others, and counters. It returns the effects of their functions.
func (g *InsertBatch) Finish(conn Conn) (effects []audience.Effect, err error) {
	var counts []count
	var rest []statement
	var lists, contacts, times, keys []int64
	var methods, types, texts, ips, preferences []string
	for _, p := range g.parts {
		if !p.inserted {
			continue
		}
		effects, rest = append(effects, p.effects...), append(rest, p.rest...)
		counts = append(counts, count{p.contact.ListID, p.account, 1})
		for _, r := range p.ledger {
			lists, contacts, times = append(lists, int64(r.ListID)), append(contacts, int64(r.ContactID)), append(times, r.Time)
			methods, types, texts = append(methods, r.Method), append(types, string(r.Type)), append(texts, r.Text)
			ips, preferences, keys = append(ips, r.IP), append(preferences, r.preferences), append(keys, int64(r.KeyID))
		}
	}
	if len(lists) > 0 {
		if err := conn.Do(addLedgerRows, lists, contacts, times, methods, types, texts, ips, preferences, keys); err != nil {
			return nil, err
		}
	}
	for _, s := range rest {
		if err := conn.Do(s.query, s.args...); err != nil {
			return nil, err
		}
	}
	return effects, addDeltas(conn, counts)
}

// Inserted reports whether what the function wrote is in the transaction. If not,
// another Contact has the address.
func (p *Part) Inserted() bool { return p.inserted || p.contact == nil }

// batchTx is the Tx of a function in an InsertBatch. It keeps the Contact and its
// ledger rows in the Part; everything else goes through the embedded Tx to the Part.
type batchTx struct {
	*Tx
	part *Part
}

// InsertOrFind keeps the Contact for InsertBatch.Insert and assumes that its address is
// still free. Only a Contact with the default values of a new one can be kept.
func (t *batchTx) InsertOrFind(c *audience.Contact) (existing *audience.Contact, err error) {
	plain := *c
	plain.Prefs = nil
	if t.part.contact != nil || t.part.address != (Address{c.ListID, c.Key}) || !hasInitialState(&plain) {
		return nil, notBatchable()
	}
	schema, err := t.Schema(c.ListID)
	if err != nil {
		return nil, err
	}
	if t.part.doc, err = encodeValues(schema, c.Values); err != nil {
		return nil, err
	}
	c.ID = t.part.id
	added := *c
	t.part.contact, t.part.account = &added, schema.List.AccountID
	return nil, nil
}

// AddLedgerRow keeps a row for InsertBatch.Finish.
func (t *batchTx) AddLedgerRow(r *audience.LedgerRow) error {
	row, err := encodeLedgerRow(r)
	t.part.ledger = append(t.part.ledger, row)
	return err
}

// notBatchable leaves the function.
func notBatchable() error { panic(RetrySignal{Err: ErrNotBatchable}) }

// The methods of Conn follow. Only Do can wait for Finish; the others need a result.

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

// Alone implements Conn.
func (p *Part) Alone() error { return notBatchable() }

// Dialect implements Conn.
func (p *Part) Dialect() *Dialect { return p.sql }
