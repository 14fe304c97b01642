package sqlstore

import "enlist/internal/audience"

// PageStatement is the statement that reads a search's Contacts.
func PageStatement(d *Dialect, s *audience.Search) (text string, args []any) {
	q := newSearchQuery(d, s)
	q.page(s)
	return q.text.String(), q.args
}
