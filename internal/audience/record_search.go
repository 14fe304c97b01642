// This file searches records that are few enough to be read into memory: Lists,
// Fields, preferences, Folders, Messages, and the pages of long tables.

package audience

import "slices"

// searchRecords filters, sorts and cuts a page from rows, which may come in any
// order and is not changed. Errors are of kind InvalidSearch.
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

// collector is a search over records that come one by one.
type collector[T any] struct {
	attributes []Attribute[T]
	query      Query
	where      *Condition
	sort       *SearchKey
	found      []T
}

// begin checks the query.
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
	if c.where == nil || c.where.matches(func(k *SearchKey) Value { return c.attributes[k.index].Get(row) }) {
		c.found = append(c.found, *row)
	}
}

// full reports whether the page is complete, so that the caller may stop. Use it
// only for records that come in the order of their IDs.
func (c *collector[T]) full() bool {
	return c.sort == nil && c.query.Limit > 0 && int64(len(c.found))-c.query.Offset >= c.query.Limit
}

// page sorts the records that were kept and cuts the page from them. Ties are
// sorted by ID in the same direction; records without an ID keep their order.
func (c *collector[T]) page() []T {
	order := c.order()
	descending := c.query.Descending && c.sort != nil
	if descending {
		// A stable sort keeps ties in this order, which is then the reverse one.
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

// order compares two records by the key to sort by, then by ID; nil when the
// records have no order.
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
