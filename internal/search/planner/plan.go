package planner

import "enlist/internal/enlist"

// This file contains the input of the planner (type Query) and its output (type Plan).

// Names of indexes that every List has. PrimaryKey stands for a scan of the table in the order of
// IDs.
const (
	ListIndex  = "contact_list"
	PrimaryKey = "contact"
)

// Query describes a search to the planner.
type Query struct {
	Predicates    []Predicate
	Order         string // index with the List's Contacts in the requested order; "": no index has this order
	ByID          bool   // the requested order is the order of IDs
	Chronological bool   // the search sorts by creation_time or last_modified_time, which is nearly the order of IDs
	Counted       bool   // the search counts its matches
	Limit, Offset int64  // 0: no limit, no offset
}

// limited reports whether the search has a limit or an offset. Otherwise it asks for all matches.
func (q *Query) limited() bool { return q.Limit > 0 || q.Offset > 0 }

// Predicate is one operand of the AND that forms a search's condition.
type Predicate struct {
	Tests    []*enlist.Condition
	Scans    []Scan // together the scans find exactly the Contacts that match; empty: no index can find these Contacts
	Covering string // index whose entries contain the value that the test needs; only set if Scans is empty
	As       residual

	count int64 // number of Contacts that match, counted or estimated from a sample
	exact bool  // true: the planner uses count as the number of matches; false: count is only a lower bound
}

// Scan is a scan of one index. It finds the IDs of all Contacts that match the tests.
type Scan struct {
	Index     string
	Tests     []*enlist.Condition
	Column    string // address column that the first test compares; "": the test compares the column of its key
	Days      bool   // the first test has the operator In, and its operands are days
	Ordered   bool   // the scan finds the IDs in ascending order
	Selective bool   // the scan finds about as many Contacts as the test has operands
}

// direct reports whether the main query of a search can scan the index with the tests as bounds.
// Otherwise the scan is a subquery that returns IDs.
func (s *Scan) direct() bool { return s.Column == "" && !s.Days }

// Direct reports whether the predicate bounds the scan of a single index.
func (p *Predicate) Direct() bool { return len(p.Scans) == 1 && p.Scans[0].direct() }

// selective reports whether the predicate has scans and all of them are Selective.
func (p *Predicate) selective() bool {
	return p.all(func(s *Scan) bool { return s.Selective })
}

// ordered reports whether the predicate has scans and all of them are Ordered.
func (p *Predicate) ordered() bool {
	return p.all(func(s *Scan) bool { return s.Ordered })
}

// all reports whether the predicate has scans and condition returns true for all of them.
func (p *Predicate) all(condition func(*Scan) bool) bool {
	for i := range p.Scans {
		if !condition(&p.Scans[i]) {
			return false
		}
	}
	return len(p.Scans) > 0
}

// residual is the way to test a predicate that does not bound the scan.
type residual int

const (
	OnRow     residual = iota // the test reads the Contact's row, or the entry of a covering index
	InSet                     // one predicate's scans first find a set of IDs, and the test looks for each Contact's ID in this set
	ByLookup                  // for each Contact, the test looks up the ID in the predicate's own index
	Intersect                 // the statement intersects the IDs of all predicates; only for counts
)

// Path is an access path. It states which index is scanned, and how to test the predicates that do
// not bound the scan.
type Path struct {
	Index    string // index that is scanned; "": the scans of the driving predicate find the IDs
	Driving  int    // position in Predicates of the driving predicate, which bounds or filters the scan; -1: none
	Ordered  bool   // the scan finds the Contacts in the requested order
	Covering bool   // the scan reads all entries of the index and uses the driving predicate as a filter
	Residual residual
	Set      int // for InSet: position in Predicates of the predicate whose IDs are the set
}

// Plan is the chosen access path. The member As of each predicate states how the predicate is tested.
type Plan struct {
	Path
	Predicates []Predicate
	IDsFirst   bool  // a subquery finds and sorts the IDs of the page before the rows are read
	Span       *Span // not nil: the table is scanned between these IDs
	Quick      bool  // the search reads few Contacts
	Selective  bool  // an address or an ID finds the Contacts; only Delegate sets it
	BoundsOnly bool  // the search scans one index in the requested order and tests nothing else
}

// Merged reports whether the plan merges ordered scans into a page.
func (p *Plan) Merged() bool { return p.Ordered && p.Index == "" && p.Driving >= 0 }

// Span is the first and the last ID of a List.
type Span struct{ First, Last int64 }
