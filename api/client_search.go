// This file has the parameters that all searches share.

package api

// Query says which records a search returns. The zero Query returns the first 100
// records by ID. specification: Search criteria
type Query struct {
	Criteria  Criteria
	Limit     int64  // largest number of records; 0: 100, the default of the server; NoLimit: all records
	Offset    int64  // number of records to skip
	SortBy    string // a key of the record; "": sort by ID, ascending
	SortOrder Order  // "": Descending if SortBy is set
}

// NoLimit is the Limit of a Query that returns every record that matches.
const NoLimit = -1

// Order is the direction of a sort.
type Order string

// The directions.
const (
	Ascending  Order = "ASC"
	Descending Order = "DESC"
)

// Criteria select records. An item is a Test, a connector (Or or And) or a group. A
// group is a value of type Criteria. Criteria have at most 100 Tests and 10 levels of
// groups. Two Tests without a connector between them are joined by And. And has a
// higher precedence than Or. specification: Search criteria
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

// params appends the five parameters of a search to the slice before.
func (q Query) params(before ...any) []any {
	var limit any // null means the default
	switch {
	case q.Limit == NoLimit:
		limit = 0
	case q.Limit != 0:
		limit = q.Limit
	}
	return append(before, q.Criteria.param(), limit, q.Offset, q.SortBy, q.SortOrder)
}

// param returns the criteria, or an empty array for nil.
func (c Criteria) param() any {
	if c == nil {
		return Criteria{}
	}
	return c
}
