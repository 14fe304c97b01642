package sqlstore

// This file reads the recipients of a Batch by kind of event, in order of Contact. It reads them in chunks: the first
// statement of a chunk scans one index in order, and the second reads the rest of the values by ID. So no statement
// joins or sorts large tables, whatever plan the engine chooses for it.

import (
	"math"
	"slices"

	"enlist/internal/audience"
)

// rowsChunk is the largest number of recipients that a statement reads.
const rowsChunk = 1000

// BatchRows calls each for the recipients that q describes.
func (t *Tx) BatchRows(q *audience.RowsQuery, each func(*audience.BatchRow) error) error {
	c := rowsCursor{tx: t, RowsQuery: *q, first: int64(q.After) + 1, last: math.MaxInt64, left: q.Limit}
	if q.Before != 0 {
		c.last = int64(q.Before) - 1
	}
	if q.Limit == 0 {
		c.left = math.MaxInt64
	}
	next := c.events
	switch q.Kind {
	case audience.RowsSent, audience.RowsNotOpened:
		next = c.recipients
	default:
		if found, err := c.skip(); err != nil || !found {
			return err
		}
	}
	for c.left > 0 && c.first <= c.last {
		rows, err := next()
		if err != nil {
			return err
		}
		for i := range rows {
			if err := each(&rows[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// rowsCursor is the state of BatchRows.
type rowsCursor struct {
	audience.RowsQuery
	tx          *Tx
	first, last int64 // the Contacts between these IDs are left
	left        int64 // number of rows that are left
}

// order returns the ORDER BY clause.
func (c *rowsCursor) order() string {
	if c.Descending {
		return " ORDER BY contact_id DESC"
	}
	return " ORDER BY contact_id"
}

// passed moves the cursor behind a Contact. It ends the cursor if the chunk was the last one.
func (c *rowsCursor) passed(id audience.ContactID, isLast bool) {
	switch {
	case isLast:
		c.left = 0
	case c.Descending:
		c.last = int64(id) - 1
	default:
		c.first = int64(id) + 1
	}
}

// ofKind selects the events of a kind, in order of the index recipient_event_kind.
const ofKind = " FROM recipient_event WHERE list_id = ? AND batch_id = ? AND kind = ? AND link_id = ? AND contact_id BETWEEN ? AND ?"

func (c *rowsCursor) keys() []any {
	return []any{int64(c.List), int64(c.Batch), string(c.Kind), int64(c.Link), c.first, c.last}
}

// skip moves the cursor behind Offset events. It reads only the index. found is false if there are no more events.
func (c *rowsCursor) skip() (found bool, err error) {
	if c.Offset == 0 {
		return true, nil
	}
	id, err := c.tx.number("SELECT contact_id"+ofKind+c.order()+limited+" OFFSET CAST(? AS BIGINT)",
		append(c.keys(), int64(1), c.Offset)...)
	if c.Descending {
		c.last = id
	} else {
		c.first = id
	}
	return id != 0, err
}

// events returns the next rows of events. The first statement selects only IDs, because SQLite scans the primary key
// if a statement selects all columns: it expects few rows between two IDs.
func (c *rowsCursor) events() (rows []audience.BatchRow, err error) {
	size := min(rowsChunk, c.left)
	ids, err := idsOf[audience.ContactID](c.tx, "SELECT contact_id"+ofKind+c.order()+limited, append(c.keys(), size)...)
	if err != nil || len(ids) == 0 {
		c.passed(0, true)
		return nil, err
	}
	test, args, err := c.tx.recipientsByID(c.List, c.Batch, ids)
	if err != nil {
		return nil, err
	}
	events, err := recipientEventTable.all(c.tx, "WHERE "+test+" AND kind = ? AND link_id = ?"+c.order(),
		append(args, string(c.Kind), int64(c.Link))...)
	if err != nil {
		return nil, err
	}
	recipients, err := c.tx.Recipients(c.List, c.Batch, ids)
	if err != nil {
		return nil, err
	}
	for i := range events {
		if r := recipients[events[i].Contact]; r != nil {
			rows = append(rows, audience.BatchRow{Recipient: *r, Event: events[i]})
		}
	}
	c.left -= int64(len(ids))
	c.passed(ids[len(ids)-1], int64(len(ids)) < size)
	return rows, nil
}

// Recipients returns recipients of a Batch by their IDs.
func (t *Tx) Recipients(list audience.ListID, batch audience.BatchID, ids []audience.ContactID) (
	map[audience.ContactID]*audience.Recipient, error) {
	test, args, err := t.recipientsByID(list, batch, ids)
	if err != nil {
		return nil, err
	}
	found := make(map[audience.ContactID]*audience.Recipient, len(ids))
	return found, recipientTable.each(t, func(r *audience.Recipient) error {
		found[r.Contact] = r
		return nil
	}, "WHERE "+test, args...)
}

// recipients returns the next rows of recipients without the need of an event.
func (c *rowsCursor) recipients() (rows []audience.BatchRow, err error) {
	all, err := recipientTable.all(c.tx, "WHERE list_id = ? AND batch_id = ? AND contact_id BETWEEN ? AND ?"+c.order()+limited,
		int64(c.List), int64(c.Batch), c.first, c.last, int64(rowsChunk))
	if err != nil || len(all) == 0 {
		c.passed(0, true)
		return nil, err
	}
	defer func() { c.passed(all[len(all)-1].Contact, len(all) < rowsChunk) }()
	var opened []audience.ContactID
	if c.Kind == audience.RowsNotOpened {
		ends := []int64{int64(all[0].Contact), int64(all[len(all)-1].Contact)}
		slices.Sort(ends)
		opened, err = idsOf[audience.ContactID](c.tx, "SELECT contact_id"+ofKind+" ORDER BY contact_id",
			int64(c.List), int64(c.Batch), string(audience.EventOpened), int64(0), ends[0], ends[1])
		if err != nil {
			return nil, err
		}
	}
	for i := range all {
		_, isOpened := slices.BinarySearch(opened, all[i].Contact)
		switch {
		case isOpened || !all[i].Is(c.Kind):
		case c.Offset > 0:
			c.Offset--
		case c.left > 0:
			c.left--
			rows = append(rows, audience.BatchRow{Recipient: all[i]})
		}
	}
	return rows, nil
}
