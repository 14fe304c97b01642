package sqlstore

import "enlist/internal/audience"

// PageStatement is the statement that reads a search's Contacts.
func PageStatement(s *audience.Search) (text string, args []any) {
	q := newSearchQuery(s)
	q.page(s)
	return q.text.String(), q.args
}
