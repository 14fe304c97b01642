// This file searches records in memory, for example Lists, Fields, Messages and the entries of
// the Unsubscriber List. Contacts are searched by the store.

package audience

import "slices"

// searchRecords returns a page of the rows that match, sorted as the query says. The rows may
// be in any order, and the slice is not changed. Errors are of kind InvalidSearch.
func searchRecords[T any](attributes []Attribute[T], rows []T, q Query) ([]T, error) {
	found := collector[T]{attributes: attributes}
	if err := found.begin(q); err != nil {
		return nil, err
	}
	for i := range rows {
		found.add(&rows[i])
	}
	return found.page(), nil
}

// collector is a search that receives the records one by one.
type collector[T any] struct {
	attributes []Attribute[T]
	query      Query
	where      *Condition
	sort       *SearchKey
	found      []T
}

// begin checks the query and prepares the search.
func (c *collector[T]) begin(q Query) (err error) {
	if q.Limit < 0 || q.Offset < 0 {
		return errNegativePage
	}
	k := keys{system: attributeKeys(c.attributes)}
	c.query = q
	c.where, err = k.condition(q.Criteria)
	if err != nil {
		return err
	}
	if c.where != nil {
		c.where.sortOperands()
	}
	c.sort, err = k.sort(q.SortBy)
	return err
}

// add keeps a record that matches.
func (c *collector[T]) add(row *T) {
	if c.accepts(row) {
		c.found = append(c.found, *row)
	}
}

// accepts reports whether a record matches.
func (c *collector[T]) accepts(row *T) bool {
	return c.where == nil || c.where.matches(func(k *SearchKey) Value { return c.attributes[k.index].Get(row) })
}

// inStore reports whether a store can evaluate the criteria and the order. The result is the same as in memory.
func (c *collector[T]) inStore() bool {
	return (c.where == nil || c.where.inStore()) && (c.sort == nil || !c.sort.Computed)
}

// page sorts the records that match and returns the requested page. Records with equal values
// are sorted by ID in the same direction. Records without an ID keep their order.
func (c *collector[T]) page() []T {
	order := c.order()
	descending := c.query.Descending && c.sort != nil
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

// order returns a function that compares two records by the sort key, then by ID. It returns
// nil if the records have neither.
func (c *collector[T]) order() func(a, b *T) int {
	var id func(*T) Value
	for i := range c.attributes {
		if c.attributes[i].Name == "id" {
			id = c.attributes[i].Get
		}
	}
	switch {
	case c.sort == nil && id == nil:
		return nil
	case c.sort == nil:
		return func(a, b *T) int { return id(a).compare(id(b)) }
	}
	get := c.attributes[c.sort.index].Get
	return func(a, b *T) int {
		if order := get(a).compare(get(b)); order != 0 || id == nil {
			return order
		}
		return id(a).compare(id(b))
	}
}
