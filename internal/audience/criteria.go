// This file holds a search as it was sent: criteria whose keys and values no
// List has checked yet. rpc builds them; condition_type.go checks them and
// makes a Condition, which the store and condition_match.go carry out.

package audience

// Limits of search criteria. rpc counts while it reads, and condition_type.go
// counts for every other caller. decisions.md: 33
const (
	MaxCriteriaTests  = 100 // tests, which callers send as triples
	MaxCriteriaLevels = 10  // of groups in groups

	// maxOperands bounds the values of all tests together. Reading a mobile
	// number costs 4 µs, so this many take most of a second.
	maxOperands = 200_000

	// MaxComparedCharacters is how many characters of a text greater_than,
	// less_than and sorting compare. decisions.md: 36
	MaxComparedCharacters = 200
)

// Operator compares a key of a record with a value. specification: Search criteria; decisions.md: 32
type Operator uint8

// The operators.
const (
	Exactly Operator = iota + 1
	Not
	GreaterThan
	LessThan
	In
	StartsWith
	EndsWith
	Contains
)

// operators maps each operator's names in a request to it. decisions.md: 32
var operators = map[string]Operator{
	"exactly": Exactly, "equal": Exactly, "equals": Exactly, "not": Not,
	"greater_than": GreaterThan, "less_than": LessThan, "in": In,
	"starts_with": StartsWith, "ends_with": EndsWith, "contains": Contains,
}

// Criteria is a node of the tree that a caller sent. Exactly one of three is
// set: All, Any, or the test of Key, Operator and Value.
type Criteria struct {
	All []Criteria // matches when each part does
	Any []Criteria // matches when at least one does

	Key      string
	Operator string // as it was sent
	Value    Input
}

// Query is what a search asks for.
type Query struct {
	Criteria   *Criteria // nil: every record
	Limit      int64     // records at most; 0: no limit
	Offset     int64     // records to skip
	SortBy     string    // "": by ID, ascending
	Descending bool
}
