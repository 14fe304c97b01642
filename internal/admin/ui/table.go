package ui

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// This file sorts tables by a column, and finds rows by their names. A URL has the order and the text, so both work
// without script: ?sort=KEY, with order=down for the greatest first, and ?find=TEXT.

// Columns are the columns of a table with rows of the type R.
type Columns[R any] []Column[R]

// Column is a column of a table.
type Column[R any] struct {
	Key, Text string            // without a Key, the table cannot be sorted by it
	Number    bool              // at the right
	Falls     bool              // the first click shows the greatest value first
	Compare   func(a, b *R) int // nil: the service sorts
}

// TextColumn returns a column of texts, which are compared without regard to letter case.
func TextColumn[R any](key, text string, of func(*R) string) Column[R] {
	return Column[R]{Key: key, Text: text, Compare: func(a, b *R) int {
		return strings.Compare(strings.ToLower(of(a)), strings.ToLower(of(b)))
	}}
}

// NumberColumn returns a column of numbers, which are at the right.
func NumberColumn[R any](key, text string, of func(*R) int64) Column[R] {
	c := TimeColumn(key, text, of)
	c.Number = true
	return c
}

// TimeColumn returns a column of Unix times, or of other numbers that are shown as texts.
func TimeColumn[R any](key, text string, of func(*R) int64) Column[R] {
	return Column[R]{Key: key, Text: text, Falls: true, Compare: func(a, b *R) int { return cmp.Compare(of(a), of(b)) }}
}

// Order is the order of a table. The template "heads" of form.html shows the heads of its columns, and the template
// "order" keeps the order in a form.
type Order struct {
	Key     string // of the column; "": the rows are as the service returns them
	Down    bool   // the greatest value is first
	IsFirst bool   // the URL asks for no order
	Heads   []Head
}

// Head is the head of a column.
type Head struct {
	Text, URL string // without a URL, the table cannot be sorted by it
	Sorted    string // "ascending" or "descending" if the table is sorted by it
	Number    bool
}

// AddTo writes the order into the query of a URL.
func (o Order) AddTo(q url.Values) {
	if o.IsFirst {
		return
	}
	q.Set("sort", o.Key)
	q.Del("order")
	if o.Down {
		q.Set("order", "down")
	}
}

// Order returns the order that a URL asks for. Without a known key, it is the one of the column with the key first, or
// of the service if first is "".
func (all Columns[R]) Order(q url.Values, first string) Order {
	o := Order{Key: q.Get("sort"), Down: q.Get("order") == "down"}
	if !slices.ContainsFunc(all, func(c Column[R]) bool { return c.Key == o.Key && c.Key != "" }) {
		o = Order{Key: first, IsFirst: true,
			Down: slices.ContainsFunc(all, func(c Column[R]) bool { return c.Key == first && c.Falls })}
	}
	q = without(q, "page")
	for _, c := range all {
		h, next := Head{Text: c.Text, Number: c.Number}, Order{Key: c.Key, Down: c.Falls}
		if c.Key != "" && c.Key == o.Key {
			next.Down, h.Sorted = !o.Down, "ascending"
			if o.Down {
				h.Sorted = "descending"
			}
		}
		if c.Key != "" {
			next.AddTo(q)
			h.URL = "?" + q.Encode()
		}
		o.Heads = append(o.Heads, h)
	}
	return o
}

// Sort sorts rows in the Order that a URL asks for. Rows with equal values stay as they are.
func (all Columns[R]) Sort(q url.Values, first string, rows []R) Order {
	o := all.Order(q, first)
	for _, c := range all {
		if c.Key != "" && c.Key == o.Key && c.Compare != nil {
			slices.SortStableFunc(rows, func(a, b R) int {
				if o.Down {
					return c.Compare(&b, &a)
				}
				return c.Compare(&a, &b)
			})
		}
	}
	return o
}

// Find is a search for a part of a name. The template "find" of form.html shows its input, and the template "not found"
// says that there is none.
type Find struct {
	Text    string
	IsShown bool       // the table is long, or Text is not ""
	Kept    url.Values // what else the URL says
}

// fewRows is the number of rows that a user reads without a search.
const fewRows = 20

// FindRows keeps the rows whose names have the text that a URL asks for, without regard to letter case.
func FindRows[R any](q url.Values, rows []R, name func(*R) string) ([]R, Find) {
	f := Find{Text: strings.TrimSpace(q.Get("find")), Kept: without(q, "find", "page")}
	f.IsShown = f.Text != "" || len(rows) > fewRows
	text := strings.ToLower(f.Text)
	return slices.DeleteFunc(rows, func(r R) bool { return !strings.Contains(strings.ToLower(name(&r)), text) }), f
}

// All returns the URL of all rows.
func (f Find) All() string { return "?" + f.Kept.Encode() }

// without returns a copy of a query without some parameters, and without what the last request has done.
func without(q url.Values, names ...string) url.Values {
	q = maps.Clone(q)
	for _, name := range append(names, DoneParameter) {
		q.Del(name)
	}
	return q
}
