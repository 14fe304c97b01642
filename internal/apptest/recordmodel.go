package apptest

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"enlist/internal/address"
	"enlist/internal/enlist"
)

// This file searches records in a plain way, to compare with searches in SQL.

// RecordModel searches records.
type RecordModel[T any] struct {
	Attributes []enlist.Attribute[T]
	Records    []T
	ByID       func(a, b T) int
}

// Criteria returns tests of each searchable key with each operator and some operands, and two groups of tests.
func (m *RecordModel[T]) Criteria(operands ...string) (all []*enlist.Criteria) {
	operators := []string{"exactly", "not", "in", "greater_than", "less_than", "starts_with", "ends_with", "contains"}
	for _, a := range m.Attributes {
		for _, operator := range operators {
			for _, operand := range operands {
				_, err := strconv.Atoi(operand)
				fits := a.Type == enlist.KeyText || a.Type == enlist.KeyInt && err == nil && slices.Index(operators,
					operator) < 5 ||
					a.Type == enlist.KeyBool && (operand == "0" || operand == "1") && slices.Index(operators,
						operator) < 3
				if a.Searchable && fits {
					all = append(all, Criterion(a.Name, operator, operand))
				}
			}
		}
	}
	first, last := all[0], all[len(all)-1]
	return append(all, &enlist.Criteria{All: []enlist.Criteria{*first, *last}},
		&enlist.Criteria{Any: []enlist.Criteria{*first, *last}})
}

// Search returns a page of the records that match.
func (m *RecordModel[T]) Search(q enlist.Query) []T {
	found := slices.DeleteFunc(slices.Clone(m.Records),
		func(r T) bool { return q.Criteria != nil && !m.matches(q.Criteria, &r) })
	slices.SortStableFunc(found, m.ByID)
	if q.SortBy != "" {
		slices.SortStableFunc(found, func(a, b T) int {
			x, y := m.value(q.SortBy, &a), m.value(q.SortBy, &b)
			return cmp.Or(cmp.Compare(x.Int, y.Int), cmp.Compare(orderedText(x.Text), orderedText(y.Text)))
		})
		if q.Descending {
			slices.Reverse(found)
		}
	}
	return PageOf(found, q)
}

// PageOf returns the part of records that limit and offset select.
func PageOf[T any](all []T, q enlist.Query) []T {
	all = all[min(len(all), int(q.Offset)):]
	if q.Limit > 0 {
		all = all[:min(len(all), int(q.Limit))]
	}
	return all
}

func (m *RecordModel[T]) value(key string, r *T) enlist.Value {
	i := slices.IndexFunc(m.Attributes, func(a enlist.Attribute[T]) bool { return a.Name == key })
	return m.Attributes[i].Get(r)
}

func (m *RecordModel[T]) matches(c *enlist.Criteria, r *T) bool {
	matches := func(part enlist.Criteria) bool { return m.matches(&part, r) }
	switch {
	case c.All != nil:
		return !slices.ContainsFunc(c.All, func(part enlist.Criteria) bool { return !matches(part) })
	case c.Any != nil:
		return slices.ContainsFunc(c.Any, matches)
	}
	v, operand := m.value(c.Key, r), address.LowerASCII(c.Value.Text)
	text := address.LowerASCII(v.Text)
	order := cmp.Compare(orderedText(text), orderedText(operand))
	if v.Kind != enlist.KeyText {
		text = strconv.FormatInt(v.Int, 10)
		n, _ := strconv.ParseInt(operand, 10, 64)
		order = cmp.Compare(v.Int, n)
	}
	switch c.Operator {
	case "exactly":
		return text == operand
	case "not":
		return text != operand
	case "in":
		return operand != "" && slices.Contains(strings.Split(operand, ","), text)
	case "greater_than":
		return text != "" && order > 0
	case "less_than":
		return text != "" && order < 0
	case "starts_with":
		return strings.HasPrefix(text, operand)
	case "ends_with":
		return strings.HasSuffix(text, operand)
	}
	return strings.Contains(text, operand)
}

// orderedText returns a text as sorting compares it.
func orderedText(text string) string { return enlist.FirstCharacters(address.LowerASCII(text)) }
