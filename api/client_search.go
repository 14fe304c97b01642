// This file has the parameters that all searches share.

package api

// Query says which records a search returns. The zero Query returns the first 100
// records by ID. specification: Search criteria
type Query struct {
	Criteria  Criteria
	Limit     int64  // records at most; 0: the server's default, 100; NoLimit: all
	Offset    int64  // records to skip
	SortBy    string // any key of the record; "": by ID, ascending
	SortOrder Order  // "": Descending, when SortBy is given
}

// NoLimit as the Limit of a Query returns every record that matches.
const NoLimit = -1

// Order is the direction of a sort.
type Order string

// The directions.
const (
	Ascending  Order = "ASC"
	Descending Order = "DESC"
)

// Criteria hold Tests, Or, And, and Criteria as groups: at most 100 Tests in 10
// levels. Tests without a connector are joined by And, which binds tighter than
// Or. specification: Search criteria
//
//	api.Criteria{api.Test{"State", "exactly", "NSW"}, api.Or, api.Test{"Age", "greater_than", 30}}
type Criteria []any

// Test is one criterion: key, operator and value. The operators are exactly,
// not, greater_than, less_than, in, starts_with, ends_with and contains.
type Test [3]any

// The connectors between Tests.
const (
	Or  = "OR"
	And = "AND"
)

// params appends the five positional parameters of a search to those before.
func (q Query) params(before ...any) []any {
	var limit any // null asks for the default
	switch {
	case q.Limit == NoLimit:
		limit = 0
	case q.Limit != 0:
		limit = q.Limit
	}
	return append(before, q.Criteria.param(), limit, q.Offset, q.SortBy, q.SortOrder)
}

// param returns an empty array instead of null.
func (c Criteria) param() any {
	if c == nil {
		return Criteria{}
	}
	return c
}
