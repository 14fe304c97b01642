package sqlstore

import (
	"context"
	"errors"
	"fmt"

	"enlist/internal/audience"
)

// This file lets several functions that each add a Contact share a transaction. NewInsertBatch takes
// their IDs, Run runs each function, Insert stores all Contacts with one statement, and Finish
// stores the rest. Package postgres calls them in this order. The statements are PostgreSQL's own.

// InsertBatch collects the writes of the functions of one transaction. The functions run before
// anything is sent, so they must not need a result from the database. A function that needs one
// panics with RetrySignal (ErrNotBatchable), and the engine runs it in its own transaction.
type InsertBatch struct {
	sql       *Dialect
	addresses []Address
	ids       []audience.ContactID // for each address; 0: a Contact has the address already
	parts     []*Part              // of the functions that have run without an error
}

// Address is the normalised address of a Contact in a List.
type Address struct {
	List audience.ListID
	Key  string
}

// Part collects the writes of one function of an InsertBatch. It is the Conn of the function's Tx.
type Part struct {
	sql      *Dialect
	address  Address
	id       audience.ContactID // of the Contact to add
	effects  []audience.Effect
	contact  *audience.Contact // nil: the function added none
	doc      string            // the Contact's values as JSON
	account  audience.AccountID
	ledger   []audience.LedgerRow
	rest     []statement // other statements, whose results the function does not need
	inserted bool        // the Contact is stored: no other has its address
}

// statement waits for Finish.
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
	ids, err := idsOf[audience.ContactID](&Tx{ctx: ctx, conn: conn}, takeIDs, lists, keys)
	g.ids = ids
	if err == nil && len(ids) != len(addresses) {
		err = fmt.Errorf("%d IDs for %d Contacts", len(ids), len(addresses))
	}
	return g, err
}

// takeIDs has a subquery and no join, so that the server looks each address up in the index. For a
// join, a generic plan made while the table was small would scan the table.
const takeIDs = `SELECT CASE WHEN (SELECT id FROM contact
		WHERE list_id = wanted.list_id AND dedupe_key = wanted.key) IS NULL THEN nextval('contact_id') ELSE 0 END
	FROM unnest(CAST(? AS BIGINT[]), CAST(? AS TEXT[])) WITH ORDINALITY AS wanted (list_id, key, place) ORDER BY place`

// Run runs the function for the address at an index of the list. After an error the batch has
// nothing of the function.
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
		prefs, err := (*answers)(&c.Prefs).text()
		if err != nil {
			return err
		}
		preferences, docs = append(preferences, prefs), append(docs, p.doc)
	}
	if len(ids) == 0 {
		return nil
	}
	return (&Tx{ctx: ctx, conn: conn}).each(func(row *Cursor) error {
		byID[row.Int()].inserted = true
		return nil
	}, insertContacts, lists, ids, keys, mobiles, created, modified, via, preferences, docs)
}

// insertContacts sorts the rows, so that two transactions with the same addresses
// cannot deadlock.
const insertContacts = `INSERT INTO contact (list_id, id, dedupe_key, mobile_key,
		creation_time, last_modified_time, subscribed_via,
		double_opt_in, double_opt_in_time, is_active, is_bounce_deactivated, is_unsubscribed,
		last_click_time, last_message_time, last_open_time, webform_id, preference_values, field_values)
	SELECT list_id, id, key, nullif(mobile, ''), created, modified, via, 0, 0, 1, 0, 0, 0, 0, 0, 0,
		preferences, CAST(doc AS JSONB)
	FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS BIGINT[]),
		CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]))
		AS added (list_id, id, key, mobile, created, modified, via, preferences, doc)
	ORDER BY list_id, key ON CONFLICT DO NOTHING RETURNING id`

// addLedgerRows inserts the ledger rows of all functions.
const addLedgerRows = `INSERT INTO consent (list_id, contact_id, time, method, type, text, ip, preferences, key_id)
	SELECT list_id, contact_id, time, method, type, text, ip, preferences, key_id
	FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]),
		CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS BIGINT[]))
		AS added (list_id, contact_id, time, method, type, text, ip, preferences, key_id)`

// Finish queues the other statements of the functions whose Contacts were inserted: ledger rows,
// counters and the rest. It returns the effects of these functions.
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
			chosen, err := (*choices)(&r.Preferences).text()
			if err != nil {
				return nil, err
			}
			lists, contacts = append(lists, int64(r.ListID)), append(contacts, int64(r.ContactID))
			times, keys = append(times, r.Time), append(keys, int64(r.KeyID))
			methods, types, texts = append(methods, r.Method), append(types, string(r.Type)), append(texts, r.Text)
			ips, preferences = append(ips, r.IP), append(preferences, chosen)
		}
	}
	if len(lists) > 0 {
		err := conn.Do(addLedgerRows, lists, contacts, times, methods, types, texts, ips, preferences, keys)
		if err != nil {
			return nil, err
		}
	}
	for _, s := range rest {
		if err := conn.Do(s.query, s.args...); err != nil {
			return nil, err
		}
	}
	return effects, writeCounts(conn, counts)
}

// Inserted reports whether the function's writes are in the transaction. If not, another Contact
// has the address.
func (p *Part) Inserted() bool { return p.inserted || p.contact == nil }

// batchTx is the Tx of a function in an InsertBatch. It collects the Contact and its ledger rows in
// the Part. All other statements go through the embedded Tx to the Part, which is its Conn.
type batchTx struct {
	*Tx
	part *Part
}

// InsertOrFind keeps the Contact for InsertBatch.Insert and assumes that no other has its address. The
// batch's INSERT needs the initial values in the state columns, except in the preferences.
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
	t.part.doc, err = encodeValues(schema, c.Values)
	if err != nil {
		return nil, err
	}
	c.ID = t.part.id
	added := *c
	t.part.contact, t.part.account = &added, schema.List.AccountID
	return nil, nil
}

// AddLedgerRow keeps a row for InsertBatch.Finish.
func (t *batchTx) AddLedgerRow(r *audience.LedgerRow) error {
	t.part.ledger = append(t.part.ledger, *r)
	return nil
}

// notBatchable ends the function. It never returns.
func notBatchable() error { panic(RetrySignal{Err: ErrNotBatchable}) }

// The methods of Conn follow. Finish runs the statements of Do. The other methods would need a
// result or a lock now, so their functions cannot share a transaction.

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
