package ui

import "net/url"

// This file leads through lists that are too long for one page.

// Pager is the part of a list that a page shows. The template "pager" of table.html shows it, with links to its
// neighbours.
type Pager struct {
	First, Last int64 // numbers of the rows, from 1
	All         int64 // rows of the list; -1: not known
	Back, Next  string
}

// maxPage is the greatest number of a page. Its rows have numbers that do not overflow.
const maxPage = 1 << 20

// ofTable is the parameter of a URL with the number of the page.
const ofTable = "page"

// PageNumber returns the number of the page that a URL asks for, from 1.
func PageNumber(query url.Values) int64 { return pageNumber(query, ofTable) }

func pageNumber(query url.Values, name string) int64 {
	return min(max(1, Int(query.Get(name))), maxPage)
}

// pageOf returns a function for NewPager: the URL of a page with the rest of a query. name is the parameter of the page.
func pageOf(q url.Values, name string) func(page int64) string {
	q = without(q)
	return func(page int64) string {
		q.Del(name)
		if page > 1 {
			q.Set(name, Plain(page))
		}
		return "?" + q.Encode()
	}
}

// NewPager returns the Pager of a page with some rows of all. A full page has perPage rows. at returns the URL of a page.
func NewPager(page, perPage int64, rows int, all int64, at func(page int64) string) Pager {
	p := Pager{First: (page-1)*perPage + 1, Last: (page-1)*perPage + int64(rows), All: all}
	if page > 1 {
		p.Back = at(page - 1)
	}
	if p.Last < all {
		p.Next = at(page + 1)
	}
	return p
}

// PageRows returns the rows of the page that a URL asks for, or else of the last one.
func PageRows[R any](q url.Values, rows []R, perPage int64) ([]R, Pager) {
	return SecondRows(q, ofTable, rows, perPage)
}

// SecondRows is PageRows for the second list of a page, with a parameter of its own.
func SecondRows[R any](q url.Values, name string, rows []R, perPage int64) ([]R, Pager) {
	all := int64(len(rows))
	page := min(pageNumber(q, name), max(1, (all+perPage-1)/perPage))
	first := (page - 1) * perPage
	rows = rows[first:min(first+perPage, all)]
	return rows, NewPager(page, perPage, len(rows), all, pageOf(q, name))
}

// FoundPage returns the rows of the page that a URL asks for. The service has returned one row more if there is a next
// page. It has not counted all rows.
func FoundPage[R any](q url.Values, rows []R, perPage int64) ([]R, Pager) {
	page := PageNumber(q)
	shown := rows[:min(len(rows), int(perPage))]
	p := NewPager(page, perPage, len(shown), (page-1)*perPage+int64(len(rows)), pageOf(q, ofTable))
	p.All = -1
	return shown, p
}
