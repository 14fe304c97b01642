package search

import (
	"errors"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/search/planner"
)

// This file plans a search and runs its statement.

// Observer receives each search and count that runs. took is the time that the database needed. It must return quickly,
// because the caller of the search waits for it. package advisor has one, which decides which indexes searches need.
type Observer func(tx *db.Tx, s *enlist.Search, took time.Duration)

// Planned is a search with its plan, in one transaction. After Plan, the caller may still change its Columns and Last.
type Planned struct {
	tx   *db.Tx
	of   *enlist.Search
	plan *planner.Plan
}

// Plan makes the plan of a search.
func Plan(tx *db.Tx, s *enlist.Search) (*Planned, error) {
	p := &Planned{tx: tx, of: s}
	err := p.choose()
	if errors.Is(err, db.ErrUnprepared) {
		err = p.withoutIndexes()
	}
	return p, err
}

// withoutIndexes plans the search without the SearchIndexes of the List. The catalogue has one that is ready, but an
// operator has dropped it from the database.
func (p *Planned) withoutIndexes() error {
	schema := *p.of.Schema
	schema.SearchIndexes, p.of.Schema = nil, &schema
	return p.choose()
}

func (p *Planned) choose() (err error) {
	if p.countsAll() {
		return nil
	}
	q := newQuery(p.tx.SQL, p.of).planned(p.of)
	if p.tx.SQL.NamesIndexes {
		p.plan, err = planner.Choose(q, &statistics{tx: p.tx, search: p.of})
	} else {
		p.plan = planner.Delegate(q)
	}
	return err
}

// Contacts calls the function each with the Contacts that match a search, in the requested order. The
// next row overwrites the Contact, so the function must not keep it.
func Contacts(tx *db.Tx, s *enlist.Search, each func(*enlist.Contact) error) error {
	p, err := Plan(tx, s)
	if err != nil {
		return err
	}
	return p.Contacts(each)
}

// Contacts is the function Contacts.
func (p *Planned) Contacts(each func(*enlist.Contact) error) error {
	r := columnReader{tx: p.tx, of: p.of.Columns, state: db.Mapper{Job: db.Selected}}
	r.contact.ListID = p.of.Schema.List.ID
	return p.found(func(row *db.Cursor) error {
		if err := r.read(row); err != nil {
			return err
		}
		return each(&r.contact)
	})
}

// IDs returns the IDs of the Contacts that match a search, in the requested order.
func IDs(tx *db.Tx, s *enlist.Search) ([]enlist.ContactID, error) {
	p, err := Plan(tx, s)
	if err != nil {
		return nil, err
	}
	return p.IDs()
}

// IDs is the function IDs.
func (p *Planned) IDs() (ids []enlist.ContactID, err error) {
	err = p.Contacts(func(c *enlist.Contact) error {
		ids = append(ids, c.ID)
		return nil
	})
	return ids, err
}

// found runs the statement of a search and calls fn with every row.
func (p *Planned) found(fn func(*db.Cursor) error) error {
	err := p.foundBy(fn)
	if !errors.Is(err, db.ErrUnprepared) {
		return err
	}
	if err := p.withoutIndexes(); err != nil {
		return err
	}
	return p.foundBy(fn)
}

// foundBy runs the statement of a search. The statement uses only the indexes that the Schema contains.
func (p *Planned) foundBy(fn func(*db.Cursor) error) error {
	statement, err := p.statement()
	if err != nil {
		return err
	}
	return each(p.tx, statement, fn)
}

// each runs a statement and calls fn with every row.
func each(tx *db.Tx, s db.Statement, fn func(*db.Cursor) error) error {
	rows, err := tx.Search(s)
	if err != nil {
		return err
	}
	return db.EachRow(rows, fn)
}

// number returns the number in the only row of a statement.
func number(tx *db.Tx, s db.Statement) (n int64, err error) {
	err = each(tx, s, func(row *db.Cursor) error {
		n = row.Int()
		return nil
	})
	return n, err
}

// Statement returns the statement of a search. Tests and benchmarks pass it to EXPLAIN.
func Statement(tx *db.Tx, s *enlist.Search) (made db.Statement, err error) {
	p, err := Plan(tx, s)
	if err != nil {
		return made, err
	}
	return p.statement()
}

func (p *Planned) statement() (made db.Statement, err error) {
	s := p.of
	q := newQuery(p.tx.SQL, s)
	if q.literal && p.tx.Locking() == "" {
		q.generic = genericKey(s, p.plan)
	}
	q.selective = p.plan.Selective && !p.tx.SQL.NamesIndexes
	if q.Sorted, err = sorts(p.tx, s, p.plan); err != nil {
		return made, err
	}
	if s.Counted {
		q.count(p.plan)
	} else {
		q.page(s, p.plan)
		q.Add(p.tx.Locking())
	}
	made = q.statement()
	made.Last = s.Last
	return made, nil
}

// maxGenericPage is the largest number of Contacts that a search with a generic plan reads or skips. A scan of
// a table is faster than an index scan that reads most of a List, so longer pages get a plan of their own.
const maxGenericPage = 1000

// genericKey returns the key of the index that a search scans if one plan is the best for all operands: the
// scan of this index in the requested order, which ends after a short page. Otherwise it returns nil.
func genericKey(s *enlist.Search, p *planner.Plan) *enlist.SearchKey {
	switch {
	case !p.BoundsOnly || p.IDsFirst || s.Counted || s.Limit == 0 || s.Limit+s.Offset > maxGenericPage:
		return nil
	case len(p.Predicates) == 0:
		return s.Sort
	case len(p.Predicates) == 1:
		return p.Predicates[0].Tests[0].Key // nil for a group of tests
	}
	return nil
}

// IsQuick reports whether an index finds or counts the Contacts of a search. Such a search
// reads few Contacts that do not match.
func (p *Planned) IsQuick() bool { return p.countsAll() || p.plan.Quick }

// countsAll reports whether the search counts all Contacts of the List, which needs no statement of its own.
func (p *Planned) countsAll() bool { return p.of.Counted && p.of.Where == nil }

// Count returns the number of Contacts that match a search.
func Count(tx *db.Tx, s *enlist.Search) (n int64, err error) {
	counted := *s
	counted.Counted = true
	p, err := Plan(tx, &counted)
	if err != nil {
		return 0, err
	}
	return p.Count()
}

// Count is the function Count, for a search whose Counted is true.
func (p *Planned) Count() (n int64, err error) {
	if p.countsAll() {
		return p.tx.ContactCount(p.of.Schema.List.ID)
	}
	err = p.found(func(row *db.Cursor) error {
		n = row.Int()
		return nil
	})
	return n, err
}
