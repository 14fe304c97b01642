package rpc

import (
	"net/url"
	"strings"

	"enlist/internal/enlist"
)

// This file reads the parameters that searches share. Five of them follow one another:
// search_criteria, limit, offset, sort_by and sort_order. The sixth is returned_fields.

// defaultLimit is the limit of a search if the caller sent no limit. reference.md: Limits
const defaultLimit = 100

// query reads the five parameters of a search that begin at position i.
// reference.md: Search
func (p *params) query(i int) enlist.Query {
	q := enlist.Query{Criteria: p.criteria(i), Limit: p.limit(i + 1), Offset: p.offset(i + 2)}
	if v := p.at(i + 3); v.Kind == enlist.InputText || v.Kind == enlist.InputNull {
		q.SortBy = v.Text
	} else {
		p.refuse(i+3, "the name of a key")
	}
	q.Descending = p.descending(i + 4)
	return q
}

// limit reads the largest number of records to return. 0 means no limit. reference.md: page.limit
func (p *params) limit(i int) int64 {
	if p.allByDefault {
		return p.amount(i, 0)
	}
	return p.amount(i, defaultLimit)
}

// allBefore33 returns a search that has no default limit if the caller uses a version before 3.3 of
// the published interface. Clients of these versions send no limit and expect all records.
// reference.md: page.limit
func allBefore33(search func(*call) error) func(*call) error {
	return func(c *call) error {
		c.allByDefault = c.before33()
		return search(c)
	}
}

// before33 reports whether the caller uses a version before 3.3 of the published interface.
func (c *call) before33() bool {
	query, _ := url.ParseQuery(c.urlQuery) // an invalid query names no version
	switch query.Get("version") {
	case "3.0", "3.1", "3.2":
		return true
	}
	return false
}

// offset reads the number of records to skip.
func (p *params) offset(i int) int64 { return p.amount(i, 0) }

// amount reads an integer that is not negative. It returns omitted if the caller omitted the
// parameter.
func (p *params) amount(i int, omitted int64) int64 {
	if p.at(i).IsBlank() {
		return omitted
	}
	n, ok := p.at(i).AsInt()
	if !ok || n < 0 {
		p.refuse(i, "an integer of 0 or more")
	}
	return n
}

// descending reads a sort order. It returns true for DESC, and also if the caller omitted the
// parameter. reference.md: sort.order
func (p *params) descending(i int) bool {
	v := p.at(i)
	switch {
	case v.IsBlank(), v.Kind == enlist.InputText && strings.EqualFold(v.Text, "DESC"):
		return true
	case v.Kind == enlist.InputText && strings.EqualFold(v.Text, "ASC"):
		return false
	}
	found := describeFound(v)
	if v.Kind == enlist.InputText {
		found = "another string"
	}
	p.refuseAs(shapeCode(p.names, i), i, "ASC or DESC", found)
	return true
}

// returnedFields reads the names of the values to return. It returns nil for all values.
// reference.md: searchContacts.rule.1
func (p *params) returnedFields(i int) []string {
	v := p.at(i)
	switch {
	case v.Omitted():
		return nil
	case v.Kind == enlist.InputText:
		return []string{v.Text}
	case v.Kind != enlist.InputArray:
		p.refuse(i, "an array of names")
		return nil
	}
	list := make([]string, len(v.Items))
	for j := range v.Items {
		if item := &v.Items[j]; item.Kind != enlist.InputText && item.Kind != enlist.InputNumber {
			p.refusePart(i, "an array of names", item)
			return nil
		}
		list[j] = v.Items[j].Text
	}
	return list
}
