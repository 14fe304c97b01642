package sqlstore

import (
	"context"
	"errors"
	"fmt"

	"enlist/internal/audience"
)

// InsertBatch is what several functions that each add a Contact write in one
// transaction: all their Contacts go in with one statement, and all rows of the
// ledger with another. The functions run before anything is sent, so they must
// need no answer from the database; one that does is left with RetrySignal, and runs
// by itself instead.
type InsertBatch struct {
	sql       *Dialect
	addresses []Address
	ids       []audience.ContactID // for them, 0 where somebody has the address
	parts     []*Part
}

// Address is the address, by its comparison form, of a Contact of a List.
type Address struct {
	List audience.ListID
	Key  string
}

// Part is what one function of a InsertBatch writes.
type Part struct {
	sql      *Dialect
	address  Address
	id       audience.ContactID // for the Contact
	effects  []audience.Effect
	contact  *audience.Contact
	doc      string // its values
	account  audience.AccountID
	ledger   []ledgerRow
	rest     []statement
	inserted bool
}

type statement struct {
	query string
	args  []any
}

// ErrNotBatchable is why a function is left that cannot run with others.
var ErrNotBatchable = errors.New("the function has to run by itself")

// NewInsertBatch prepares for functions that add Contacts with these addresses.
// Whose address is new gets an ID.
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

// A subquery in place of a join: it looks each address up in the index, however
// few Contacts there were when the statement was planned.
const takeIDs = `SELECT CASE WHEN (SELECT id FROM contact WHERE list_id = wanted.list_id AND dedupe_key = wanted.key) IS NULL
		THEN nextval('contact_id') ELSE 0 END
	FROM unnest(CAST(? AS BIGINT[]), CAST(? AS TEXT[])) WITH ORDINALITY AS wanted (list_id, key, place) ORDER BY place`

// Run runs the function for the address at a place. After an error nothing of it
// is written.
func (g *InsertBatch) Run(ctx context.Context, place int, fn func(audience.Tx) error, session *Session) (*Part, error) {
	if g.ids[place] == 0 {
		return nil, ErrNotBatchable
	}
	p := &Part{sql: g.sql, address: g.addresses[place], id: g.ids[place]}
	enqueue := func(e audience.Effect) error {
		p.effects = append(p.effects, e)
		return nil
	}
	if err := Call(fn, &gatheredTx{NewTx(ctx, p, session, enqueue), p}); err != nil {
		return nil, err
	}
	if p.contact == nil && len(p.ledger)+len(p.rest)+len(p.effects) > 0 {
		return nil, ErrNotBatchable // it hangs on nobody
	}
	g.parts = append(g.parts, p)
	return p, nil
}

// Insert inserts the Contacts, but for those whose address another one has.
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
	}, insertGathered, lists, ids, keys, mobiles, created, modified, via, preferences, docs)
}

// In one order, so that two transactions with the same addresses do not wait for
// each other.
const insertGathered = `INSERT INTO contact (list_id, id, dedupe_key, mobile_key, creation_time, last_modified_time, subscribed_via,
		double_opt_in, double_opt_in_time, is_active, is_bounce_deactivated, is_unsubscribed,
		last_click_time, last_message_time, last_open_time, webform_id, preference_values, field_values)
	SELECT list_id, id, key, nullif(mobile, ''), created, modified, via, 0, 0, 1, 0, 0, 0, 0, 0, 0, preferences, CAST(doc AS JSONB)
	FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS BIGINT[]),
		CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]))
		AS added (list_id, id, key, mobile, created, modified, via, preferences, doc)
	ORDER BY list_id, key ON CONFLICT DO NOTHING RETURNING id`

const addGathered = `INSERT INTO consent (list_id, contact_id, time, method, type, text, ip, preferences, key_id)
	SELECT list_id, contact_id, time, method, type, text, ip, preferences, key_id
	FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]),
		CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS BIGINT[]))
		AS added (list_id, contact_id, time, method, type, text, ip, preferences, key_id)`

// Finish queues what else belongs to the Contacts that were inserted, and returns
// what they set in motion.
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
		if err := conn.Do(addGathered, lists, contacts, times, methods, types, texts, ips, preferences, keys); err != nil {
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
// somebody has the address already.
func (p *Part) Inserted() bool { return p.inserted || p.contact == nil }

// gatheredTx is the Tx for a function of a InsertBatch.
type gatheredTx struct {
	*Tx
	part *Part
}

// InsertOrFind takes for granted that the address is still new.
func (t *gatheredTx) InsertOrFind(c *audience.Contact) (existing *audience.Contact, err error) {
	plain := *c
	plain.Prefs = nil
	if t.part.contact != nil || t.part.address != (Address{c.ListID, c.Key}) || !untouched(&plain) {
		return nil, apart()
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

// AddLedgerRow adds a row for the Contact that the function adds.
func (t *gatheredTx) AddLedgerRow(r *audience.LedgerRow) error {
	row, err := encodeLedgerRow(r)
	t.part.ledger = append(t.part.ledger, row)
	return err
}

func apart() error { panic(RetrySignal{Err: ErrNotBatchable}) }

// A Part is its function's Conn: what needs no answer waits, and nothing else goes.

// Do implements Conn.
func (p *Part) Do(query string, args ...any) error {
	p.rest = append(p.rest, statement{query, args})
	return nil
}

// Exec implements Conn.
func (p *Part) Exec(string, ...any) (int64, error) { return 0, apart() }

// Insert implements Conn.
func (p *Part) Insert(string, ...any) (int64, error) { return 0, apart() }

// Query implements Conn.
func (p *Part) Query(context.Context, string, ...any) (Rows, error) { return nil, apart() }

// QueryLast implements Conn.
func (p *Part) QueryLast(context.Context, string, ...any) (Rows, error) { return nil, apart() }

// Lock implements Conn.
func (p *Part) Lock(LockMode, string) error { return apart() }

// Alone implements Conn.
func (p *Part) Alone() error { return apart() }

// Dialect implements Conn.
func (p *Part) Dialect() *Dialect { return p.sql }
