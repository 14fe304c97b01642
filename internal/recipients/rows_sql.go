package recipients

import (
	"math"
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file reads the recipients of a Batch by kind of event, in order of Contact. It reads them in chunks: the first
// statement of a chunk scans one index in order, and the second reads the rest of the values by ID. So no statement
// joins or sorts more than maxRange rows, whatever plan the engine chooses for it. rows_sort_sql.go reads recipients
// in another order.

// rowsChunk is the largest number of recipients that a statement reads.
const rowsChunk = 1000

// Rows calls each for the recipients that q describes, in the order that it names.
func Rows(t *db.Tx, q *RowsQuery, each func(*Row) error) error {
	c := rowsCursor{tx: t, RowsQuery: *q, first: int64(q.After) + 1, last: math.MaxInt64, left: q.Limit}
	if q.Before != 0 {
		c.last = int64(q.Before) - 1
	}
	if q.Limit == 0 {
		c.left = math.MaxInt64
	}
	if q.Sort != nil || q.Where != nil {
		return c.sorted(each)
	}
	next := c.events
	switch q.Kind {
	case RowsSent, RowsAccepted, RowsDeferred, RowsFailed, RowsDelivered:
		next = c.sentTo
	case RowsNotOpened:
		next = c.withoutOpen
	default:
		if more, err := c.skip(); err != nil || !more {
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

// rowsCursor is the state of Rows.
type rowsCursor struct {
	RowsQuery
	tx          *db.Tx
	first, last int64 // the Contacts between these IDs are left
	left        int64 // number of rows that are left
	size        int64 // number of recipients in the last range of withoutOpen
}

func (c *rowsCursor) order() string {
	if c.Descending {
		return " ORDER BY contact_id DESC"
	}
	return " ORDER BY contact_id"
}

// passed moves the cursor behind a Contact. It ends the cursor if the chunk was the last one.
func (c *rowsCursor) passed(id enlist.ContactID, isLast bool) {
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
func (c *rowsCursor) skip() (more bool, err error) {
	if c.Offset == 0 {
		return true, nil
	}
	id, err := c.tx.Number("SELECT contact_id"+ofKind+c.order()+db.Limited+" OFFSET CAST(? AS BIGINT)",
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
func (c *rowsCursor) events() (rows []Row, err error) {
	size := min(rowsChunk, c.left)
	ids, err := db.IDsOf[enlist.ContactID](c.tx, "SELECT contact_id"+ofKind+c.order()+db.Limited,
		append(c.keys(), size)...)
	if err != nil || len(ids) == 0 {
		c.passed(0, true)
		return nil, err
	}
	rows, err = c.load(ids)
	if err != nil {
		return nil, err
	}
	c.left -= int64(len(ids))
	c.passed(ids[len(ids)-1], int64(len(ids)) < size)
	return rows, nil
}

func (c *rowsCursor) hasEvents() bool {
	switch c.Kind {
	case RowsSent, RowsAccepted, RowsDeferred, RowsFailed, RowsDelivered, RowsNotOpened:
		return false
	}
	return true
}

// load returns the rows of recipients, in the order of ids.
func (c *rowsCursor) load(ids []enlist.ContactID) (rows []Row, err error) {
	byID, err := ByID(c.tx, c.List, c.Batch, ids)
	if err != nil {
		return nil, err
	}
	if c.Part != (Part{}) { // most recipients may not belong to it, so their events are not read
		ids = slices.DeleteFunc(slices.Clone(ids), func(id enlist.ContactID) bool {
			return byID[id] == nil || !c.Part.has(byID[id])
		})
	}
	if len(ids) == 0 {
		return nil, nil
	}
	events := make(map[enlist.ContactID]*Event, len(ids))
	if c.hasEvents() {
		test, args, err := testByID(c.tx, c.List, c.Batch, ids)
		if err != nil {
			return nil, err
		}
		err = eventTable.Each(c.tx, func(e *Event) error {
			events[e.Contact] = e
			return nil
		}, "WHERE "+test+" AND kind = ? AND link_id = ?", append(args, string(c.Kind), int64(c.Link))...)
		if err != nil {
			return nil, err
		}
	}
	for _, id := range ids {
		r, e := byID[id], events[id]
		switch {
		case r == nil:
		case e != nil:
			rows = append(rows, Row{Recipient: *r, Event: *e})
		case !c.hasEvents():
			rows = append(rows, Row{Recipient: *r})
		}
	}
	return rows, nil
}

// sentTo returns the next recipients of a kind that tests no opens.
func (c *rowsCursor) sentTo() (rows []Row, err error) {
	chunk, err := table.All(c.tx, "WHERE"+ofRange+c.order()+db.Limited,
		append(c.batchKeys(c.first, c.last), int64(rowsChunk))...)
	if err != nil || len(chunk) == 0 {
		c.passed(0, true)
		return nil, err
	}
	var bounced []enlist.ContactID // in order
	if c.Kind == RowsDelivered {
		first, last := min(chunk[0].Contact, chunk[len(chunk)-1].Contact), max(chunk[0].Contact, chunk[len(chunk)-1].Contact)
		bounced, err = db.IDsOf[enlist.ContactID](c.tx, "SELECT contact_id"+ofKind+" ORDER BY contact_id", int64(c.List),
			int64(c.Batch), string(EventBounced), int64(0), int64(first), int64(last))
		if err != nil {
			return nil, err
		}
	}
	for i := range chunk {
		_, hasBounced := slices.BinarySearch(bounced, chunk[i].Contact)
		switch {
		case hasBounced || !belongsTo(&chunk[i], c.Kind) || !c.Part.has(&chunk[i]):
		case c.Offset > 0:
			c.Offset--
		case c.left > 0:
			c.left--
			rows = append(rows, Row{Recipient: chunk[i]})
		}
	}
	c.passed(chunk[len(chunk)-1].Contact, len(chunk) < rowsChunk)
	return rows, nil
}

// ofRange selects recipients of a Batch between two IDs.
const ofRange = " list_id = ? AND batch_id = ? AND contact_id BETWEEN ? AND ?"

func (c *rowsCursor) batchKeys(first, last int64) []any {
	return []any{int64(c.List), int64(c.Batch), first, last}
}

// maxRange is the largest number of recipients among which one statement looks for those that did not open.
const maxRange = 8000

// delivered selects the recipients r of the kind RowsDelivered, which BatchReport.Delivered counts. A mail that bounced
// stays out when its Contact reports it as spam later. The arguments are the List and the Batch.
const delivered = ` AND sent_time <> 0 AND NOT EXISTS (SELECT 1 FROM recipient_event e WHERE e.list_id = ? AND
	e.batch_id = ? AND e.kind = 'bounced' AND e.link_id = 0 AND e.contact_id = r.contact_id)`

// notOpened selects the recipients r of the kind RowsNotOpened. Its arguments are the List and the Batch.
const notOpened = ` AND sent_time <> 0 AND status <> 'bounced' AND NOT EXISTS (SELECT 1 FROM recipient_event e
	WHERE e.list_id = ? AND e.batch_id = ? AND e.kind = 'opened' AND e.link_id = 0 AND e.contact_id = r.contact_id)`

// withoutOpen returns the next recipients of the kind RowsNotOpened. If almost all have opened, few of many recipients
// are found. So it first compares numbers: a range that has as many opens as recipients has no such recipient.
func (c *rowsCursor) withoutOpen() (rows []Row, err error) {
	first, last, isLast, err := c.nextRange()
	if err != nil {
		return nil, err
	}
	opens, err := c.tx.Number("SELECT count(*)"+ofKind, int64(c.List), int64(c.Batch), string(EventOpened),
		int64(0),
		first, last)
	if err != nil {
		return nil, err
	}
	if !isLast && opens == c.size {
		c.passed(rangeEnd(c.Descending, first, last), false)
		return nil, nil
	}
	size := min(rowsChunk, c.left)
	if c.Offset < math.MaxInt64-size {
		size = min(rowsChunk, size+c.Offset)
	}
	ids, err := db.IDsOf[enlist.ContactID](c.tx, "SELECT contact_id FROM recipient r WHERE"+ofRange+notOpened+
		c.order()+db.Limited, append(c.batchKeys(first, last), int64(c.List), int64(c.Batch), size)...)
	if err != nil {
		return nil, err
	}
	end := rangeEnd(c.Descending, first, last)
	if int64(len(ids)) == size { // the range may have more
		end, isLast = ids[size-1], false
	}
	skipped := min(c.Offset, int64(len(ids)))
	c.Offset -= skipped
	ids = ids[skipped:min(int64(len(ids)), skipped+c.left)]
	c.left -= int64(len(ids))
	c.passed(end, isLast)
	if len(ids) == 0 {
		return nil, nil
	}
	return c.load(ids)
}

// rangeEnd returns the ID at which the scan of a range ends.
func rangeEnd(descending bool, first, last int64) enlist.ContactID {
	if descending {
		return enlist.ContactID(first)
	}
	return enlist.ContactID(last)
}

// nextRange returns the IDs between which the next recipients are. isLast is true if no others follow.
func (c *rowsCursor) nextRange() (first, last int64, isLast bool, err error) {
	c.size = min(max(2*c.size, rowsChunk), maxRange)
	end, err := c.tx.Number("SELECT contact_id FROM recipient WHERE"+ofRange+c.order()+db.Limited+
		" OFFSET CAST(? AS BIGINT)",
		append(c.batchKeys(c.first, c.last), int64(1), c.size-1)...)
	switch {
	case err != nil || end == 0:
		return c.first, c.last, true, err
	case c.Descending:
		return end, c.last, false, nil
	}
	return c.first, end, false, nil
}
