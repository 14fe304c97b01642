package api

// Query says which records a search returns. The zero Query returns the first
// 100 by ID.
type Query struct {
	Criteria  Criteria
	Limit     int64 // 0: the server's default, 100; NoLimit: all
	Offset    int64
	SortBy    string // any key of the record; "": by ID, ascending
	SortOrder Order  // "": Descending, when SortBy is given
}

// NoLimit is the Limit of a Query for everything that matches.
const NoLimit = -1

// Order is the direction of a sort.
type Order string

// The directions.
const (
	Ascending  Order = "ASC"
	Descending Order = "DESC"
)

// Criteria are Tests, Or, And and nested Criteria, which are groups. Tests that
// follow one another must all match; And binds more tightly than Or.
//
//	api.Criteria{api.Test{"State", "exactly", "NSW"}, api.Or, api.Test{"Age", "greater_than", 30}}
type Criteria []any

// Test is one criterion: key, operator and value. The operators are exactly,
// not, greater_than, less_than, in, starts_with, ends_with and contains.
type Test [3]any

// The connectors that may stand between Tests.
const (
	Or  = "OR"
	And = "AND"
)

// params are the query's positions in a call, after the parameters before.
func (q Query) params(before ...any) []any {
	var limit any // null: the default
	switch {
	case q.Limit == NoLimit:
		limit = 0
	case q.Limit != 0:
		limit = q.Limit
	}
	return append(before, q.Criteria.param(), limit, q.Offset, q.SortBy, q.SortOrder)
}

// param is an array even when there are none: null is no criteria array.
func (c Criteria) param() any {
	if c == nil {
		return Criteria{}
	}
	return c
}
