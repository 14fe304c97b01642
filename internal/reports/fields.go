package reports

import (
	"slices"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/recipients"
)

// This file has searches for recipients of a Batch by Fields and preferences of their List. The criteria are divided
// into parts that are joined by AND. Those with a Field or a preference are tested in SQL, with the row of the Contact,
// and the others as in a search without them.

// listSearch is what a page tests and sorts by in one List, in SQL.
type listSearch struct {
	list  enlist.ListID
	where *enlist.Condition // has a Field or a preference; nil: none
	sort  *enlist.SearchKey // a Field; nil: none
}

// divide returns the part of a query that has only keys of rows, and the part with other keys.
func divide(q enlist.Query, keys enlist.Keys) (ofRows, ofFields enlist.Query) {
	ofRows = q
	if _, err := keys.Sort(q.SortBy); err != nil {
		ofRows.SortBy, ofFields.SortBy = "", q.SortBy
	}
	if q.Criteria == nil || hasKeys(q.Criteria, keys) {
		return ofRows, ofFields
	}
	parts := q.Criteria.All
	if parts == nil {
		parts = []enlist.Criteria{*q.Criteria}
	}
	rows, fields := new(enlist.Criteria), new(enlist.Criteria)
	for _, part := range parts {
		if hasKeys(&part, keys) {
			rows.All = append(rows.All, part)
		} else {
			fields.All = append(fields.All, part)
		}
	}
	ofRows.Criteria, ofFields.Criteria = nil, fields
	if rows.All != nil {
		ofRows.Criteria = rows
	}
	return ofRows, ofFields
}

// hasKeys reports whether all keys of criteria are keys of rows.
func hasKeys(c *enlist.Criteria, keys enlist.Keys) bool {
	other := func(part enlist.Criteria) bool { return !hasKeys(&part, keys) }
	if c.All != nil || c.Any != nil {
		return !slices.ContainsFunc(c.All, other) && !slices.ContainsFunc(c.Any, other)
	}
	return slices.ContainsFunc(keys.System, func(k enlist.SearchKey) bool { return k.Name == c.Key })
}

// lists returns the Lists of a Batch. Each of them must have the Fields that the query names.
func (p *rowsPage) lists(tx *db.Tx, b *batches.Batch) (searches []listSearch, err error) {
	ids, err := batches.BatchLists(tx, b.ID)
	if err != nil {
		return nil, err
	}
	usesFields := p.fields.Criteria != nil || p.fields.SortBy != ""
	for _, id := range ids {
		l := listSearch{list: id}
		if usesFields {
			schema, err := lists.Schema(tx, id)
			if enlist.KindOf(err) == enlist.NoList {
				continue // it is deleted, with its Contacts
			}
			if err != nil {
				return nil, err
			}
			if err := p.search(schema, &l); err != nil {
				return nil, err
			}
		}
		searches = append(searches, l)
	}
	if usesFields && len(searches) == 0 {
		err = p.search(new(enlist.Schema), new(listSearch))
	}
	return searches, err
}

// search finds the keys of a query in a List.
func (p *rowsPage) search(schema *enlist.Schema, l *listSearch) (err error) {
	k := enlist.Keys{System: p.keys.System, Schema: schema}
	if l.where, err = k.Condition(p.fields.Criteria); err != nil {
		return err
	}
	if l.sort, err = k.Sort(p.fields.SortBy); err != nil {
		return err
	}
	return checkInStore(l.where)
}

// checkInStore refuses a condition with a test of a row that SQL cannot evaluate.
func checkInStore(c *enlist.Condition) error {
	switch {
	case c == nil || c.Key != nil && recipients.IsOfContact(c.Key):
	case c.Key != nil && !(&enlist.Collector[recipients.Row]{Where: c}).InStore():
		return enlist.Refuse(enlist.InvalidSearch, "this test of %q cannot be joined with a Field by OR", c.Key.Name)
	default:
		for _, part := range slices.Concat(c.All, c.Any) {
			if err := checkInStore(&part); err != nil {
				return err
			}
		}
	}
	return nil
}
