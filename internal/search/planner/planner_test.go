package planner

import (
	"fmt"
	"slices"
	"testing"

	"enlist/internal/enlist"
)

// These tests plan searches without a database. The type data contains the statistics.
// search/shapes_test.go checks the plans of searches on real databases.

// data implements Statistics with fixed numbers, and records the questions of the planner.
type data struct {
	contacts int64
	counts   map[string]int64 // number of matches of a predicate, by the name of its index
	share    float64          // result of Sample
	span     Span
	asked    []string
}

func (d *data) Contacts() (int64, error) { return d.contacts, nil }
func (d *data) Span() (Span, error)      { return d.span, nil }

func (d *data) Count(p *Predicate, most int64) (n int64, exact bool, err error) {
	index := p.Scans[0].Index
	d.asked = append(d.asked, fmt.Sprint(index, " ", most))
	n = d.counts[index]
	return min(n, most+1), n <= most, nil
}

func (d *data) Sample(*Predicate) (share float64, err error) {
	d.asked = append(d.asked, "sample")
	return d.share, nil
}

var test = []*enlist.Condition{{Key: &enlist.SearchKey{Name: "key"}}}

// exactly returns a predicate that finds one value by an index.
func exactly(index string) Predicate {
	return Predicate{Tests: test, Scans: []Scan{{Index: index, Ordered: true}}}
}

// between returns a predicate that finds a range of values by an index.
func between(index string) Predicate { return Predicate{Tests: test, Scans: []Scan{{Index: index}}} }

// unindexed returns a predicate whose test reads the row.
func unindexed() Predicate { return Predicate{Tests: test} }

// covered returns a predicate whose test needs only the entries of an index.
func covered(index string) Predicate { return Predicate{Tests: test, Covering: index} }

// million returns the statistics of a List of 1,000,000 Contacts. Between its first and last ID are
// as many Contacts of other Lists.
func million() *data {
	return &data{contacts: 1_000_000, span: Span{1, 2_000_000},
		counts: map[string]int64{"name": 100, "city": 4000, "state": 125_000, "region": 170_000, "member": 500_000,
			"born": 800_000}}
}

func choose(t *testing.T, q Query, d *data) *Plan {
	t.Helper()
	made, err := Choose(&q, d)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// byCreation is a search for a page of 100 Contacts in the order of creation_time.
func byCreation(predicates ...Predicate) Query {
	return Query{Predicates: predicates, Order: "contact_created", Chronological: true, Limit: 100}
}

// byBorn is a search for a page of 100 Contacts in the order of an indexed Field.
func byBorn(predicates ...Predicate) Query {
	return Query{Predicates: predicates, Order: "born", Limit: 100}
}

// byID is a search for a page of 100 Contacts in the order of IDs.
func byID(predicates ...Predicate) Query {
	return Query{Predicates: predicates, Order: ListIndex, ByID: true, Limit: 100}
}

// counted is a search that counts the Contacts that match.
func counted(predicates ...Predicate) Query {
	return Query{Predicates: predicates, Order: ListIndex, ByID: true, Counted: true}
}

func TestCheapestPathIsChosen(t *testing.T) {
	address := Predicate{Tests: test, Scans: []Scan{{Index: "contact_dedupe", Selective: true}}}
	for _, c := range []struct {
		name string
		q    Query
		want Path
	}{
		{"an address uses its index", byBorn(exactly("member"), address), Path{Index: "contact_dedupe", Driving: 1}},
		{"a page without criteria uses the index of its order", byBorn(), Path{Index: "born", Driving: -1, Ordered: true}},
		{"a range of the sort key bounds the index of the order", byBorn(between("born")),
			Path{Index: "born", Driving: 0, Ordered: true}},
		{"the index entries of one value are in the order of IDs", byID(exactly("member")),
			Path{Index: "member", Driving: 0, Ordered: true}},
		{"the scan uses the index of the predicate with the fewest matches", byCreation(exactly("member"), exactly("name")),
			Path{Index: "name", Driving: 1, Residual: ByLookup}},
		{"few matches are read and sorted", byCreation(exactly("state"), exactly("city")),
			Path{Index: "city", Driving: 1, Residual: ByLookup}},
		{"with many matches, the index in the requested order is scanned", byCreation(exactly("state"), exactly("member")),
			Path{Index: "contact_created", Driving: -1, Ordered: true, Residual: ByLookup}},
		{"a scan looks up each ID in a set of IDs and does not test the row", byBorn(exactly("city")),
			Path{Index: "born", Driving: -1, Ordered: true, Residual: InSet}},
		{"a count with few matches looks each match up in the other index", counted(exactly("state"), exactly("city")),
			Path{Index: "city", Driving: 1, Ordered: true, Residual: ByLookup}},
		{"a count with many matches intersects sets of IDs", counted(exactly("state"), exactly("region")),
			Path{Index: "state", Driving: 0, Ordered: true, Residual: Intersect}},
		{"if a test with few matches has no index, the table is scanned", byBorn(unindexed()),
			Path{Index: PrimaryKey, Driving: -1}},
		{"an index that covers the test is scanned instead of the table", byBorn(covered("city")),
			Path{Index: "city", Driving: 0, Covering: true}},
		{"an indexed test with few matches is used before an unindexed test", byBorn(unindexed(), exactly("city")),
			Path{Index: "city", Driving: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if made := choose(t, c.q, million()); made.Path != c.want {
				t.Errorf("got %+v, want %+v", made.Path, c.want)
			}
		})
	}
}

// A page of 100 Contacts in the order of creation_time, of 1,000,000 with State = NSW (a quarter is assumed) and another
// test. With City = Albury (4,000 match), the index of City costs 4,000 entries, 8 for each look-up in the index of State,
// and 48 to read and sort each of 1,000 matches; the order of creation_time would read over 200,000 entries. With
// Member = yes, the order needs 1,600 entries with two look-ups for each, and caution doubles that.
func TestPlannerComputesTheCostsOfTheExample(t *testing.T) {
	for _, c := range []struct {
		name  string
		other string
		path  Path
		want  float64
	}{
		{"the index of City", "city", Path{Index: "city", Driving: 1, Residual: ByLookup}, 84_000},
		{"the index of creation_time, with Member instead of City", "member",
			Path{Index: "contact_created", Driving: -1, Ordered: true, Residual: ByLookup}, 54_400},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := byCreation(exactly("state"), exactly(c.other))
			p := &planner{Query: &q, db: million()}
			if err := p.estimate(); err != nil {
				t.Fatal(err)
			}
			if best := p.cheapest(); best != c.path || p.cost(best) != c.want {
				t.Errorf("the cheapest path is %+v with the cost %.0f, want %+v with %.0f", best, p.cost(best), c.path, c.want)
			}
		})
	}
}

func TestPlannerReadsOnlyTheStatisticsThatItNeeds(t *testing.T) {
	many := make([]Predicate, 20)
	for i := range many {
		many[i] = exactly("name")
	}
	var eight []string
	for range maxEstimated {
		eight = append(eight, "name 1000")
	}
	for _, c := range []struct {
		name string
		q    Query
		want []string
	}{
		{"all predicates bound the scan in the requested order", byBorn(between("born")), nil},
		{"only one path exists", byID(unindexed()), nil},
		{"a selective predicate ends the counting", byCreation(exactly("member"), exactly("name")),
			[]string{"member 1000", "name 1000"}},
		{"an exact count is not repeated", byCreation(exactly("city"), exactly("state")),
			[]string{"city 1000", "state 1000", "city 20000", "state 20000"}},
		{"an unindexed predicate is sampled", byBorn(unindexed()), []string{"sample"}},
		{"slow searches are counted up to half of the List", counted(exactly("state"), exactly("member")),
			[]string{"state 1000", "member 1000", "state 20000", "member 20000", "state 500000", "member 500000"}},
		{"at most eight predicates are counted", byCreation(many...), eight},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := million()
			choose(t, c.q, d)
			if !slices.Equal(d.asked, c.want) {
				t.Errorf("the planner asked for %q, want %q", d.asked, c.want)
			}
		})
	}
}

func TestTableIsScannedIfAQuarterOfItsRowsBelongToTheList(t *testing.T) {
	for _, c := range []struct {
		name string
		span Span
		want string
	}{
		{"half of the rows belong to the List", Span{1, 2_000_000}, PrimaryKey},
		{"a tenth of the rows belongs to the List", Span{1, 10_000_000}, ListIndex},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := million()
			d.span = c.span
			made := choose(t, byID(unindexed()), d)
			if made.Index != c.want || (made.Span != nil) != (c.want == PrimaryKey) {
				t.Errorf("the plan scans %s, span %v, want %s and a span only for the table", made.Index, made.Span, c.want)
			}
		})
	}
}

func TestPlanIsQuickIfItReadsFewContacts(t *testing.T) {
	deep := byBorn()
	deep.Offset = maxQuickOffset + 1
	for _, c := range []struct {
		name string
		q    Query
		want bool
	}{
		{"a selective predicate", byCreation(exactly("member"), exactly("name")), true},
		{"a scan in order without another test", byID(exactly("member")), true},
		{"a scan in order with another test", byCreation(exactly("member"), exactly("state")), false},
		{"a large offset", deep, false},
		{"a count with many matches", counted(exactly("member")), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if made := choose(t, c.q, million()); made.Quick != c.want {
				t.Errorf("Quick is %v, want %v, path %+v", made.Quick, c.want, made.Path)
			}
		})
	}
}

// PostgreSQL chooses its indexes itself. The plan states only that an address and days are tested as
// sets of IDs.
func TestDelegateChoosesSetsOnlyForAddressesAndDays(t *testing.T) {
	days := Predicate{Tests: test, Scans: []Scan{{Index: "born", Days: true}}}
	address := Predicate{Tests: test, Scans: []Scan{{Index: "contact_dedupe", Column: "dedupe_key", Selective: true}}}
	q := byCreation(days, address, exactly("state"))
	made := Delegate(&q)
	var as []residual
	for _, p := range made.Predicates {
		as = append(as, p.As)
	}
	if made.Index != "" || made.Driving >= 0 || !made.Quick || !slices.Equal(as, []residual{InSet, InSet, OnRow}) {
		t.Errorf("got the plan %+v with residuals %v, want InSet, InSet, OnRow and a quick plan without an index", made, as)
	}
}
