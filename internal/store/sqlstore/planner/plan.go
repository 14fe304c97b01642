package planner

import "enlist/internal/audience"

// This file has what goes into the planner and what comes out of it.

// Names of the indexes that every List has. PrimaryKey is the table itself, in the order
// of IDs.
const (
	ListIndex  = "contact_list"
	PrimaryKey = "contact"
)

// Query is what the planner knows of a search.
type Query struct {
	Predicates    []Predicate
	Order         string // index that has the List's Contacts in the requested order; "": none has
	ByID          bool   // the requested order is that of IDs
	Chronological bool   // it is that of a system time, which is nearly the order of IDs
	Counted       bool   // the search counts its matches
	Limit, Offset int64  // 0: none
}

// limited reports whether the search asks for a page rather than for all matches.
func (q *Query) limited() bool { return q.Limit > 0 || q.Offset > 0 }

// Predicate is one operand of the AND that forms a search's condition.
type Predicate struct {
	Tests    []*audience.Condition
	Scans    []Scan // together they find exactly the matching Contacts; none: no index can
	Covering string // index whose entries hold all that the test needs, for a predicate without scans
	As       Residual

	count int64 // estimate of the Contacts that match
	exact bool  // false: at least count match
}

// Scan is an index scan. It finds through one index the IDs of all Contacts that match its
// tests.
type Scan struct {
	Index     string
	Tests     []*audience.Condition
	Column    string // the address column that the first test compares; "": the test has no column of its own
	Days      bool   // the first test is an In of days
	Ordered   bool   // it yields IDs in order
	Selective bool   // it finds hardly more Contacts than it has operands
}

// Direct reports whether the tests bound a scan of the index in the search's own
// statement. Otherwise the scan is a subquery of IDs.
func (s *Scan) Direct() bool { return s.Column == "" && !s.Days }

// Direct reports whether the predicate bounds the scan of a single index.
func (p *Predicate) Direct() bool { return len(p.Scans) == 1 && p.Scans[0].Direct() }

// selective reports whether all scans find hardly more Contacts than they have operands.
func (p *Predicate) selective() bool {
	return p.all(func(s *Scan) bool { return s.Selective })
}

// ordered reports whether each scan yields its IDs in order.
func (p *Predicate) ordered() bool {
	return p.all(func(s *Scan) bool { return s.Ordered })
}

// all reports whether the predicate has scans and is is true for each of them.
func (p *Predicate) all(is func(*Scan) bool) bool {
	for i := range p.Scans {
		if !is(&p.Scans[i]) {
			return false
		}
	}
	return len(p.Scans) > 0
}

// Residual is how a predicate is tested that does not bound the scan.
type Residual int

const (
	OnRow     Residual = iota // on the Contact's row, or on the entry of a covering index
	InSet                     // by its ID in the set that the predicate's scans found before
	ByLookup                  // by a look-up in the predicate's own index for each Contact
	Intersect                 // by the intersection of the IDs of all predicates; counts only
)

// Path is an access path: the index that is scanned, and how the other predicates are
// tested, which do not bound the scan.
type Path struct {
	Index    string // "": the scans of the driving predicate find IDs
	Driving  int    // place of the predicate that bounds the scan; -1: none
	Ordered  bool   // it yields the Contacts in the requested order
	Covering bool   // a covering filter: the driving predicate is tested on all entries of the index
	Residual Residual
	Set      int // with InSet: place of the predicate whose IDs are the set
}

// Plan is the chosen access path, with each predicate's way to be tested.
type Plan struct {
	Path
	Predicates []Predicate
	IDsFirst   bool  // a subquery finds and sorts the page's IDs before rows are read
	Span       *Span // the table is scanned in the order of IDs, between these
	Quick      bool  // it reads few Contacts
}

// Merged reports whether the page is a merge of ordered scans.
func (p *Plan) Merged() bool { return p.Ordered && p.Index == "" && p.Driving >= 0 }

// Span is the first and the last ID of a List.
type Span struct{ First, Last int64 }
