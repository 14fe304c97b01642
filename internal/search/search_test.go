package search_test

import (
	"testing"

	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/search/searchtest"
)

// The tests search random Contacts with random criteria and compare the results with a simple model.
//
// covers: spec op.exactly, op.not, op.greater_than, op.less_than, op.in, op.starts_with, op.ends_with, op.contains
// covers: spec compare.batch, decision 61
// covers: spec compare.int, compare.bool, compare.number, compare.date, compare.email, compare.mobile, compare.text
// covers: spec search.connectors, op.in, compare, sort.by, page.limit, searchContacts.rule.1
func TestSearchesFindTheSameAsAModel(t *testing.T) {
	dbtest.EachParallel(t, func(t *testing.T, e dbtest.Engine) {
		searchtest.Search(t, func(t *testing.T) db.Engine { return e.Shared(t) }, nil)
	})
}
