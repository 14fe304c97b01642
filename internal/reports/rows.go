package reports

import (
	"cmp"
	"context"
	"errors"
	"hash/fnv"
	"math"
	"slices"
	"strconv"

	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/recipients"
)

// This file returns the recipients of a Batch by kind of event. The database reads them in order of Contact, by an
// index and not by a sort, so a page near the beginning costs the same in a Batch of any size (recipients.Rows). sort.go
// has the rows that are sorted by another key, and keys.go the keys of the rows.

// RowsRequest says which rows a caller wants.
type RowsRequest struct {
	Batch enlist.BatchID
	Kind  recipients.EventKind
	URL   string // for EventLink: the link as the Message contains it
	Part  recipients.Part
}

// clickID returns a number that a client can use to recognise a pair of a mail and a link. It is computed, because the
// database has no such number.
func clickID(r *recipients.Row) int64 {
	h := fnv.New64a()
	for _, n := range []int64{int64(r.Batch), int64(r.Contact), int64(r.Event.Link)} {
		h.Write(strconv.AppendInt(nil, n, 10))
		h.Write([]byte{'-'})
	}
	return int64(h.Sum64() >> 11) // programs in JavaScript read numbers of 53 bits exactly
}

// BatchRows sends rows of a Batch to w, those of a List one after another. limit and offset count through all Lists of
// the Batch, in order of ID. Errors: NoBatch, InvalidSearch, and Busy as for SearchContacts. decisions.md: 61
func (s *Service) BatchRows(ctx context.Context, c *enlist.Caller, r RowsRequest, q enlist.Query,
	w enlist.RowWriter[recipients.Row]) error {
	return s.db.InPhases(ctx, c, db.LookingUp, func(tx *db.Tx, p db.Phase) error {
		b, err := batches.Load(tx, c, r.Batch, false)
		if err != nil {
			return err
		}
		page, err := newRowsPage(r, q, w)
		if err != nil {
			return err
		}
		if err := b.CheckHasRows(page.Kind); err != nil {
			return err
		}
		if page.Part.Reason == recipients.ReasonPolicy {
			sums, err := recipients.DomainsOf(tx, b.ID)
			if err != nil {
				return err
			}
			page.Part.IsOld = !recipients.HasFaults(sums)
		}
		lists, err := page.lists(tx, b)
		if err != nil {
			return err
		}
		if p == db.LookingUp && !page.isQuick(b) {
			return db.ErrSlow
		}
		if err := w.Begin(p == db.Streaming); err != nil {
			return err
		}
		return page.read(tx, b, lists)
	})
}

// rowsPage is one page of rows.
type rowsPage struct {
	RowsRequest
	keys       enlist.Keys                      // of the rows
	fields     enlist.Query                     // the part of the query with Fields
	found      enlist.Collector[recipients.Row] // checks the other criteria; collects nothing
	after      enlist.ContactID                 // the criteria allow only Contacts between these
	before     enlist.ContactID
	filtered   bool // the criteria test something else too
	descending bool
	sorted     *rowsSorter // nil: the rows are in order of Contact
	skip, left int64
	writer     enlist.RowWriter[recipients.Row]
}

func newRowsPage(r RowsRequest, q enlist.Query, w enlist.RowWriter[recipients.Row]) (*rowsPage, error) {
	p := &rowsPage{RowsRequest: r, writer: w, skip: q.Offset, left: q.Limit}
	p.found.Attributes = BatchRowAttributes(r.Kind)
	p.keys.System = enlist.AttributeKeys(p.found.Attributes)
	if r.Kind == recipients.RowsOpens {
		p.Kind = recipients.EventOpened
	}
	q, p.fields = divide(q, p.keys)
	if err := p.found.Begin(q); err != nil {
		return nil, err
	}
	if p.left == 0 {
		p.left = math.MaxInt64
	}
	p.filtered = !p.bound(p.found.Where) || p.Part != recipients.Part{}
	switch k := p.found.Sort; {
	case p.fields.SortBy != "":
		p.sorted = p.newSorter(func(a, b *recipients.Row) int { return a.CompareField(b) })
	case k != nil && k.Name != keyContact && k.Name != keySend:
		p.sorted = p.newSorter(p.found.Order())
	}
	p.descending = q.Descending && (p.sorted != nil || p.found.Sort != nil)
	if p.sorted != nil {
		p.sorted.descending = p.descending
	}
	return p, nil
}

// bound reads the tests that limit the IDs of Contacts, so that the statement can begin there. It returns false if the
// condition has other tests.
func (p *rowsPage) bound(c *enlist.Condition) bool {
	switch {
	case c == nil:
		return true
	case c.Any != nil:
		return false
	case c.All != nil:
		onlyBounds := true
		for i := range c.All {
			onlyBounds = p.bound(&c.All[i]) && onlyBounds
		}
		return onlyBounds
	case c.Key.Name != keyContact && c.Key.Name != keySend:
		return false
	}
	switch c.Operator {
	case enlist.GreaterThan:
		p.above(enlist.ContactID(c.Operands[0].Int))
	case enlist.LessThan:
		p.below(enlist.ContactID(c.Operands[0].Int))
	case enlist.Exactly:
		if o := c.Operands[0]; !o.Absent && !o.Impossible {
			p.above(enlist.ContactID(o.Int) - 1)
			p.below(enlist.ContactID(o.Int) + 1)
			return true
		}
		return false
	default:
		return false
	}
	return true
}

func (p *rowsPage) above(id enlist.ContactID) { p.after = max(p.after, id) }

func (p *rowsPage) below(id enlist.ContactID) {
	id = max(1, id) // no Contact has an ID below 1
	if p.before == 0 || id < p.before {
		p.before = id
	}
}

func (p *rowsPage) isQuick(b *batches.Batch) bool {
	if p.sorted != nil || p.fields.Criteria != nil {
		return b.Recipients <= contacts.MaxBuffered
	}
	return !p.filtered && p.left <= contacts.MaxBuffered && p.skip <= contacts.MaxBuffered
}

// errPageFull ends the reading of rows.
var errPageFull = errors.New("the page is full")

func (p *rowsPage) read(tx *db.Tx, b *batches.Batch, lists []listSearch) error {
	links, err := p.links(tx, b)
	if err != nil {
		return err
	}
	for i := range lists {
		for _, link := range links {
			q := &recipients.RowsQuery{List: lists[i].list, Batch: b.ID, Kind: p.Kind, Link: link, Part: p.Part,
				After: p.after, Before: p.before, Descending: p.descending}
			whole := !p.filtered && p.sorted == nil && lists[i].where == nil
			if whole && len(lists) == 1 && len(links) == 1 {
				q.Offset, p.skip = p.skip, 0
			}
			if err := p.readList(tx, q, &lists[i]); errors.Is(err, errPageFull) {
				return nil
			} else if err != nil {
				return err
			}
		}
	}
	if p.sorted != nil {
		return p.sorted.send(p)
	}
	return nil
}

// readList sends the rows of one List. The database reads only as many rows as the page needs.
func (p *rowsPage) readList(tx *db.Tx, q *recipients.RowsQuery, l *listSearch) error {
	if p.left == 0 {
		return errPageFull
	}
	q.Where, q.Sort = l.where, l.sort
	inStore := p.found.InStore() && p.Part == recipients.Part{}
	if inStore && (p.sorted != nil || l.where != nil) {
		q.Where = both(l.where, p.found.Where)
		q.Sort = cmp.Or(l.sort, p.found.Sort)
	}
	// The statement can have the limit if each row that it returns is a row of the page.
	storeCanLimit := p.sorted == nil && (!p.filtered || inStore && l.where != nil)
	switch {
	case p.sorted != nil && inStore:
		// One row more than a page can have, so that the sorter sees that there are more.
		q.Limit = min(p.sorted.wanted, maxSorted+1)
	case storeCanLimit && p.left < math.MaxInt64-p.skip:
		q.Limit = p.left + p.skip
	}
	return recipients.Rows(tx, q, func(r *recipients.Row) error {
		r.LinkURL = p.URL
		switch {
		case p.filtered && !p.found.Accepts(r):
			return nil
		case p.sorted != nil:
			return p.sorted.add(r)
		case p.skip > 0:
			p.skip--
			return nil
		}
		if err := p.writer.Row(r); err != nil {
			return err
		}
		p.left--
		if p.left == 0 {
			return errPageFull
		}
		return nil
	})
}

// both returns the condition that two conditions are true. nil means none.
func both(a, b *enlist.Condition) *enlist.Condition {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	return &enlist.Condition{All: []enlist.Condition{*a, *b}}
}

// links returns the links of EventLink, and 0 for other kinds.
func (p *rowsPage) links(tx *db.Tx, b *batches.Batch) (ids []enlist.LinkID, err error) {
	if p.Kind != recipients.EventLink {
		return []enlist.LinkID{0}, nil
	}
	ofBatch, err := linksOf(tx, b)
	for i := range ofBatch {
		if ofBatch[i].URL == p.URL {
			ids = append(ids, ofBatch[i].Link)
		}
	}
	return ids, err
}

// Responses checks a query and returns no rows. Errors: NoBatch, Denied, InvalidSearch.
func (s *Service) Responses(ctx context.Context, c *enlist.Caller, id enlist.BatchID,
	q enlist.Query) ([]Response, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]Response, error) {
		if _, err := batches.Load(tx, c, id, false); err != nil {
			return nil, err
		}
		return enlist.SearchRecords(ResponseAttributes, nil, q)
	})
}

// ContactLinks returns the links that the recipient of a mail has clicked. send is the send_id of a row. Without such
// a mail the result is empty. Errors: NoBatch, Denied, InvalidSearch.
func (s *Service) ContactLinks(ctx context.Context, c *enlist.Caller, id enlist.BatchID, send enlist.ContactID,
	q enlist.Query) ([]recipients.Row, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]recipients.Row, error) {
		b, err := batches.Load(tx, c, id, false)
		if err != nil {
			return nil, err
		}
		if err := b.CheckHasRows(recipients.EventLink); err != nil {
			return nil, err
		}
		lists, err := batches.BatchLists(tx, id)
		if err != nil {
			return nil, err
		}
		links, err := linksOf(tx, b)
		if err != nil {
			return nil, err
		}
		var rows []recipients.Row
		for _, list := range lists {
			r, err := recipients.Load(tx, list, id, send)
			if enlist.KindOf(err) == enlist.NotFound {
				continue
			}
			if err != nil {
				return nil, err
			}
			clicked, err := linkRows(tx, r, links)
			if err != nil {
				return nil, err
			}
			rows = append(rows, clicked...)
		}
		return enlist.SearchRecords(BatchRowAttributes(recipients.EventLink), rows, q)
	})
}

func linkRows(tx *db.Tx, r *recipients.Recipient, links []recipients.LinkSums) (rows []recipients.Row, err error) {
	events, err := recipients.Events(tx, r.List, r.Batch, r.Contact)
	if err != nil {
		return nil, err
	}
	for i := range events {
		if events[i].Kind != recipients.EventLink {
			continue
		}
		row := recipients.Row{Recipient: *r, Event: events[i]}
		if at, found := slices.BinarySearchFunc(links, events[i].Link, byLink); found {
			row.LinkURL = links[at].URL
		}
		rows = append(rows, row)
	}
	return rows, nil
}
