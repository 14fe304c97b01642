package enlist

import "slices"

// This file searches records in memory, for example Lists, Fields and Messages. Package search
// searches Contacts in the database.

// SearchRecords returns a page of the rows that match, sorted as the query says. The rows may
// be in any order, and the slice is not changed. Errors are of kind InvalidSearch.
func SearchRecords[T any](attributes []Attribute[T], rows []T, q Query) ([]T, error) {
	search := Collector[T]{Attributes: attributes}
	if err := search.Begin(q); err != nil {
		return nil, err
	}
	for i := range rows {
		search.add(&rows[i])
	}
	return search.page(), nil
}

// Collector is a search that receives the records one by one.
type Collector[T any] struct {
	Attributes []Attribute[T]
	query      Query
	Where      *Condition
	Sort       *SearchKey
	found      []T
}

// Begin checks the query and prepares the search.
func (c *Collector[T]) Begin(q Query) (err error) {
	if q.Limit < 0 || q.Offset < 0 {
		return ErrNegativePage
	}
	k := Keys{System: AttributeKeys(c.Attributes)}
	c.query = q
	c.Where, err = k.Condition(q.Criteria)
	if err != nil {
		return err
	}
	if c.Where != nil {
		c.Where.sortOperands()
	}
	c.Sort, err = k.Sort(q.SortBy)
	return err
}

// add keeps a record that matches.
func (c *Collector[T]) add(row *T) {
	if c.Accepts(row) {
		c.found = append(c.found, *row)
	}
}

// Accepts reports whether a record matches.
func (c *Collector[T]) Accepts(row *T) bool {
	return c.Where == nil || c.Where.matches(func(k *SearchKey) Value { return c.Attributes[k.index].Get(row) })
}

// InStore reports whether a store can evaluate the criteria and the order. The result is the same as in memory.
func (c *Collector[T]) InStore() bool {
	return (c.Where == nil || c.Where.inStore()) && (c.Sort == nil || !c.Sort.Computed)
}

// page sorts the records that match and returns the requested page. Records with equal values
// are sorted by ID in the same direction. Records without an ID keep their order.
func (c *Collector[T]) page() []T {
	order := c.Order()
	descending := c.query.Descending && c.Sort != nil
	if descending {
		// A stable sort keeps the order of equal records, so reverse them before the sort.
		slices.Reverse(c.found)
	}
	if order != nil {
		slices.SortStableFunc(c.found, func(a, b T) int {
			if descending {
				return order(&b, &a)
			}
			return order(&a, &b)
		})
	}
	rows := c.found[min(c.query.Offset, int64(len(c.found))):]
	if c.query.Limit > 0 && int64(len(rows)) > c.query.Limit {
		rows = rows[:c.query.Limit]
	}
	return rows
}

// Order returns a function that compares two records by the sort key, then by ID. It returns
// nil if the records have neither.
func (c *Collector[T]) Order() func(a, b *T) int {
	var id func(*T) Value
	for i := range c.Attributes {
		if c.Attributes[i].Name == "id" {
			id = c.Attributes[i].Get
		}
	}
	switch {
	case c.Sort == nil && id == nil:
		return nil
	case c.Sort == nil:
		return func(a, b *T) int { return id(a).compare(id(b)) }
	}
	get := c.Attributes[c.Sort.index].Get
	return func(a, b *T) int {
		if order := get(a).compare(get(b)); order != 0 || id == nil {
			return order
		}
		return id(a).compare(id(b))
	}
}
