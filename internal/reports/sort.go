package reports

import (
	"cmp"
	"math"
	"slices"

	"enlist/internal/enlist"
	"enlist/internal/recipients"
)

// This file sorts the rows of a Batch by a key for which there is no index. The database returns the first rows of
// each List and link in this order, and the sorter merges them. For a key that is computed, or criteria that are
// evaluated in memory, the database returns all rows. The sorter keeps only those of the page, so a
// Batch of any size needs the same memory. decisions.md: 61

// maxSorted is the largest sum of limit and offset with such a key, if more rows match.
const maxSorted = 10_000

// rowsSorter keeps the first rows in an order.
type rowsSorter struct {
	order      func(a, b *recipients.Row) int
	descending bool
	wanted     int64 // number of rows of the page and before it; math.MaxInt64: all
	kept       []recipients.Row
	full       bool // kept began with the wanted rows in order, so rows behind the last of them are not wanted
}

// newSorter returns the sorter of a page. Rows with equal values are in order of List and Contact.
func (p *rowsPage) newSorter(byKey func(a, b *recipients.Row) int) *rowsSorter {
	s := &rowsSorter{wanted: math.MaxInt64}
	if p.left < math.MaxInt64-p.skip {
		s.wanted = p.left + p.skip
	}
	s.order = func(a, b *recipients.Row) int {
		n := cmp.Or(byKey(a, b), cmp.Compare(a.List, b.List), cmp.Compare(a.Contact, b.Contact),
			cmp.Compare(a.Event.Link, b.Event.Link))
		if s.descending {
			return -n
		}
		return n
	}
	return s
}

// add keeps a row if it can be on the page.
func (s *rowsSorter) add(r *recipients.Row) error {
	if s.full && s.order(r, &s.kept[s.wanted-1]) > 0 {
		return nil
	}
	s.kept = append(s.kept, *r)
	switch {
	case s.wanted > maxSorted && len(s.kept) > maxSorted:
		return enlist.Refuse(enlist.InvalidSearch, "sort_by: more than %d rows match, so limit and offset together can be at most %[1]d; "+
			"for all rows sort by %s", maxSorted, keyContact)
	case len(s.kept) >= 2*maxSorted:
		s.cut()
	}
	return nil
}

// cut sorts the rows and drops those that are not wanted.
func (s *rowsSorter) cut() {
	slices.SortFunc(s.kept, func(a, b recipients.Row) int { return s.order(&a, &b) })
	if int64(len(s.kept)) >= s.wanted {
		s.kept, s.full = s.kept[:s.wanted], true
	}
}

// send sends the rows of the page. The writer needs the rows of a List one after another.
func (s *rowsSorter) send(p *rowsPage) error {
	s.cut()
	rows := s.kept[min(p.skip, int64(len(s.kept))):]
	slices.SortStableFunc(rows, func(a, b recipients.Row) int { return cmp.Compare(a.List, b.List) })
	for i := range rows {
		if err := p.writer.Row(&rows[i]); err != nil {
			return err
		}
	}
	return nil
}
