package db

import (
	"context"
	"strings"

	"enlist/internal/enlist"
)

// This file is the InsertBatch of a distributed PostgreSQL database. Its rows are copied, because Citus
// plans an INSERT of several rows at each execution. COPY takes as long as the INSERT on one server.

// Copier copies rows into a table, at once. PostgreSQL's COPY has no ON CONFLICT: if a row exists, the
// transaction fails.
type Copier interface {
	// Copy adds rows to a table. Columns that are not named get their defaults.
	Copy(table string, columns []string, rows [][]any) error
}

// NewCopyBatch is NewInsertBatch for addresses of one List. It uses several statements, because the Contacts
// are on another server than the sequence.
func NewCopyBatch(ctx context.Context, conn Conn, copier Copier, addresses []Address) (*InsertBatch, error) {
	g := &InsertBatch{sql: conn.Dialect(), copier: copier, addresses: addresses}
	keys := make([]string, len(addresses))
	for i, a := range addresses {
		keys[i] = a.Key
	}
	t := &Tx{ctx: ctx, conn: conn}
	if err := conn.Do(WriteOnWorker, int64(addresses[0].List)); err != nil {
		return nil, err
	}
	taken := make(map[string]bool)
	err := t.Each(func(row *Cursor) error {
		taken[row.Text()] = true
		return nil
	}, "SELECT dedupe_key FROM contact WHERE list_id = ? AND dedupe_key = ANY (CAST(? AS TEXT[]))",
		int64(addresses[0].List), keys)
	if err != nil {
		return nil, err
	}
	var free []int // indexes in addresses
	for i, key := range keys {
		if !taken[key] {
			free, taken[key] = append(free, i), true
		}
	}
	ids, err := t.NewContactIDs(len(free))
	g.ids = make([]enlist.ContactID, len(keys))
	for i, id := range ids {
		g.ids[free[i]] = id
	}
	return g, err
}

// WriteOnWorker deletes no row, before rows are copied. Citus 13 does not count COPY as a change: a worker whose
// transaction had only COPY would commit in one phase. If that worker then failed, acknowledged rows would be lost.
const WriteOnWorker = "DELETE FROM delivery WHERE list_id = ? AND contact_id = 0"

var contactColumns = []string{"list_id", "id", "dedupe_key", "mobile_key", "creation_time", "last_modified_time",
	"subscribed_via", "double_opt_in", "double_opt_in_time", "is_active", "is_bounce_deactivated", "is_unsubscribed",
	"last_click_time", "last_message_time", "last_open_time", "webform_id", "preference_values", "field_values", "language"}

// copyContacts stores the Contacts of all functions.
func (g *InsertBatch) copyContacts(_ Conn, parts []*Part) error {
	var rows [][]any
	for _, p := range parts {
		c := p.contact
		preferences, err := (*Answers)(&c.Prefs).Text()
		if err != nil {
			return err
		}
		rows = append(rows, []any{int64(c.ListID), int64(c.ID), c.Key, OrNull(c.Mobile), c.Created, c.Modified,
			c.SubscribedVia, 0, 0, 1, 0, 0, 0, 0, 0, 0, preferences, p.doc, c.Language})
	}
	return g.copier.Copy("contact", contactColumns, rows)
}

// copyLedger stores ledger rows.
func (g *InsertBatch) copyLedger(_ Conn, ledger []enlist.LedgerRow) error {
	rows := make([][]any, len(ledger))
	for i, r := range ledger {
		preferences, err := (*Choices)(&r.Preferences).Text()
		if err != nil {
			return err
		}
		rows[i] = []any{int64(r.ListID), int64(r.ContactID), r.Time, r.Method, string(r.Type), r.Text, r.IP,
			preferences, int64(r.KeyID)}
	}
	return g.copier.Copy("consent", strings.Split(ledgerColumns, ", "), rows)
}
