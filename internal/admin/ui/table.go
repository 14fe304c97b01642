package ui

import (
	"bytes"
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"

	"enlist/internal/language"
)

// This file has tables, sorts them by a column, and finds rows by their names. A URL has the order and the text, so both
// work without script: ?sort=KEY, with order=down for the greatest first, and ?find=TEXT.

// Table is a table with a search above it and links to other pages below it. The data of a page embeds it. The template
// "table card" of table.html draws it. For that, the template of the page defines "row", the cells of one of the Rows,
// and "empty", which it shows if there are no Rows.
type Table[R any] struct {
	Rows  []R
	Order Order
	Find  Find
	Pager Pager
	Note  any    // above the rows, such as that a search was given up; nil: none
	Foot  string // below the table; "": none
	Label string // says what the rows are, if the keyboard has to scroll the table because it has no links
	Roomy bool   // for cells with long texts
}

// Table returns the table of rows, in the order that the URL asks for. first is as for Columns.Order.
func (all Columns[R]) Table(r *Request, first string, rows []R, f Find) Table[R] {
	return Table[R]{Rows: rows, Order: all.Sort(r.Language, r.URL.Query(), first, rows), Find: f}
}

// tableRows is the number of rows that Cut leaves on a page.
const tableRows = 50

// Cut leaves the rows of the page that the URL asks for, if the table is too long for one page.
func (t *Table[R]) Cut(r *Request) {
	if len(t.Rows) > tableRows {
		t.Rows, t.Pager = PageRows(r.URL.Query(), t.Rows, tableRows)
	}
}

// Columns are the columns of a table with rows of the type R.
type Columns[R any] []Column[R]

// Column is a column of a table.
type Column[R any] struct {
	Key, Text string            // without a Key, the table cannot be sorted by it
	Number    bool              // at the right
	Falls     bool              // the first click shows the greatest value first
	Compare   func(a, b *R) int // of numbers
	of        func(*R) string   // of texts. Without both, the service sorts
}

// TextColumn returns a column of texts, which are sorted as in the language of the page.
func TextColumn[R any](key, text string, of func(*R) string) Column[R] {
	return Column[R]{Key: key, Text: text, of: of}
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

// Order is the order of a table. The template "heads" of table.html shows the heads of its columns.
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

// addTo writes the order into the query of a URL.
func (o Order) addTo(q url.Values) {
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
			next.addTo(q)
			h.URL = "?" + q.Encode()
		}
		o.Heads = append(o.Heads, h)
	}
	return o
}

// Sort sorts rows in the Order that a URL asks for. Rows with equal values stay as they are.
func (all Columns[R]) Sort(in *language.Language, q url.Values, first string, rows []R) Order {
	o := all.Order(q, first)
	for _, c := range all {
		switch {
		case c.Key == "" || c.Key != o.Key:
		case c.of != nil:
			sortTexts(in, rows, c.of, o.Down)
		case c.Compare != nil:
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

// sortTexts sorts rows by a text of each.
func sortTexts[R any](in *language.Language, rows []R, of func(*R) string, down bool) {
	type keyed struct {
		row R
		key []byte
	}
	texts, sorted := make([]string, len(rows)), make([]keyed, len(rows))
	for i := range rows {
		texts[i] = of(&rows[i])
	}
	for i, key := range in.SortKeys(texts) {
		sorted[i] = keyed{rows[i], key}
	}
	slices.SortStableFunc(sorted, func(a, b keyed) int {
		if down {
			a, b = b, a
		}
		return bytes.Compare(a.key, b.key)
	})
	for i := range sorted {
		rows[i] = sorted[i].row
	}
}

// Find is a form that leaves only some rows of a table.
type Find struct {
	Form    Form
	IsShown bool
	Text    string     // that FindRows has looked for
	Kept    url.Values // what else the URL says
	Links   []Action   // beside the button
}

// NewFind returns the Find of a table whose rows the service finds and sorts. It reads the form.
func NewFind(r *Request, f Form, o Order) Find {
	f.Read(r)
	kept := without(r.URL.Query(), "page", "sort", "order")
	f.each(func(in *Input) { kept.Del(in.Name) })
	o.addTo(kept)
	return Find{Form: f, IsShown: true, Kept: kept}
}

// fewRows is the number of rows that a user reads without a search.
const fewRows = 20

// FindRows keeps the rows whose names have the text that a URL asks for, without regard to letter case. The form is
// shown if the table is long, or if there is a text.
func FindRows[R any](r *Request, rows []R, name func(*R) string) ([]R, Find) {
	q := r.URL.Query()
	text := strings.TrimSpace(q.Get("find"))
	f := Find{Form: Form{{Name: "find", Label: r.Text("ui.find"), Kind: InputSearch, Value: text}}, Text: text,
		IsShown: text != "" || len(rows) > fewRows, Kept: without(q, "find", "page")}
	text = strings.ToLower(text)
	return slices.DeleteFunc(rows, func(row R) bool {
		return !strings.Contains(strings.ToLower(name(&row)), text)
	}), f
}

// Page returns the URL of a page of the rows that the form leaves.
func (f Find) Page(page int64) string {
	q := maps.Clone(f.Kept)
	f.Form.each(func(in *Input) {
		if in.Value != "" {
			q.Set(in.Name, in.Value)
		}
	})
	return pageOf(q, ofTable)(page)
}

// All returns the URL of all rows.
func (f Find) All() string { return "?" + f.Kept.Encode() }

// Rows keeps the rows of a search. It implements enlist.RowWriter.
type Rows[R any] struct{ All []R }

// Begin implements enlist.RowWriter.
func (w *Rows[R]) Begin(bool) error {
	w.All = nil
	return nil
}

// Row implements enlist.RowWriter.
func (w *Rows[R]) Row(r *R) error {
	w.All = append(w.All, *r)
	return nil
}

// without returns a copy of a query without some parameters, and without what the last request has done.
func without(q url.Values, names ...string) url.Values {
	q = maps.Clone(q)
	for _, name := range append(names, DoneParameter) {
		q.Del(name)
	}
	return q
}
