package enlist

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// sample is a record with a key of each type. Criteria may not test the key hidden.
type sample struct {
	id     int64
	name   string
	flag   bool
	hidden string
}

var sampleAttributes = []Attribute[sample]{
	Searchable(ReadOnlyInt("id", func(p *sample) int64 { return p.id })),
	Searchable(ReadOnlyText("name", func(p *sample) string { return p.name })),
	Searchable(ReadOnlyFlag("flag", func(p *sample) bool { return p.flag })),
	ReadOnlyText("hidden", func(p *sample) string { return p.hidden }),
}

var samples = []sample{
	{id: 3, name: "rex", flag: true, hidden: "b"},
	{id: 1, name: "Ada", hidden: "B"},
	{id: 4, name: "", flag: true},
	{id: 2, name: "É", hidden: "a"},
}

// covers: spec op.in, compare, sort.by, page.limit, decision 32
func TestRecordsAreFilteredSortedAndPaged(t *testing.T) {
	shown := func(q Query) string {
		name := fmt.Sprint(q.SortBy, " ", q.Descending, " ", q.Limit, " ", q.Offset)
		if q.Criteria != nil {
			name = fmt.Sprint(q.Criteria.Key, " ", q.Criteria.Operator, " ", q.Criteria.Value)
		}
		return name
	}
	where := func(key, operator string, value any) Query {
		c := test(key, operator, value)
		return Query{Criteria: &c}
	}
	for _, c := range []struct {
		q    Query
		want []int64
	}{
		{Query{}, []int64{1, 2, 3, 4}},
		{Query{Descending: true}, []int64{1, 2, 3, 4}},
		{Query{SortBy: "name"}, []int64{4, 1, 3, 2}},
		{Query{SortBy: "NAME", Descending: true}, []int64{2, 3, 1, 4}},
		{Query{SortBy: "hidden"}, []int64{4, 2, 1, 3}},
		{Query{SortBy: "hidden", Descending: true}, []int64{3, 1, 2, 4}},
		{Query{SortBy: "flag"}, []int64{1, 2, 3, 4}},
		{Query{SortBy: "flag", Descending: true}, []int64{4, 3, 2, 1}},
		{Query{Limit: 2, Offset: 1}, []int64{2, 3}},
		{Query{Limit: 2, Offset: math.MaxInt64}, nil},
		{Query{Limit: math.MaxInt64, Offset: 3}, []int64{4}},
		{where("name", "exactly", "ADA"), []int64{1}},
		{where("name", "exactly", "é"), nil},
		{where("name", "not", "ada"), []int64{2, 3, 4}},
		{where("name", "exactly", ""), []int64{4}},
		{where("name", "not", ""), []int64{1, 2, 3}},
		{where("name", "in", "rex, ada"), []int64{1, 3}},
		{where("name", "in", []any{"", "REX"}), []int64{3, 4}},
		{where("name", "in", ""), nil},
		{where("name", "in", "zoe,REX,,b,ADA"), []int64{1, 3, 4}},
		{where("id", "in", "9,4,5.5,2.0,,-1"), []int64{2, 4}},
		{where("flag", "in", "1,1"), []int64{3, 4}},
		{where("name", "greater_than", "ADA"), []int64{2, 3}},
		{where("name", "less_than", "s"), []int64{1, 3}},
		{where("name", "starts_with", "A"), []int64{1}},
		{where("name", "ends_with", "X"), []int64{3}},
		{where("name", "contains", ""), []int64{1, 2, 3, 4}},
		{where("id", "exactly", "3"), []int64{3}},
		{where("id", "exactly", "2.5"), nil},
		{where("id", "not", ""), []int64{1, 2, 3, 4}},
		{where("id", "greater_than", num("2.5")), []int64{3, 4}},
		{where("id", "less_than", num("2.5")), []int64{1, 2}},
		{where("id", "starts_with", "3"), []int64{3}},
		{where("flag", "exactly", "1"), []int64{3, 4}},
		{where("flag", "not", true), []int64{1, 2}},
		{Query{Criteria: &Criteria{Any: []Criteria{test("id", "exactly", "4"), {All: []Criteria{test("flag", "exactly", "0"), test("name", "contains", "d")}}}}}, []int64{1, 4}},
	} {
		t.Run(shown(c.q), func(t *testing.T) {
			rows, err := SearchRecords(sampleAttributes, samples, c.q)
			var got []int64
			for _, p := range rows {
				got = append(got, p.id)
			}
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%+v: got %v, %v; want %v", c.q, got, err, c.want)
			}
		})
	}
	for _, q := range []Query{{Limit: -1}, {Offset: -1}, {SortBy: "colour"}, where("colour", "exactly", "x"), where("hidden", "exactly", "x"), where("name", "like", "x")} {
		t.Run("refused "+shown(q), func(t *testing.T) {
			if rows, err := SearchRecords(sampleAttributes, samples, q); KindOf(err) != InvalidSearch {
				t.Errorf("%+v: got %v, error %v; want an error of kind InvalidSearch", q, rows, err)
			}
		})
	}
}

// covers: spec compare
func TestLongTextsAreComparedByTheirBeginning(t *testing.T) {
	long := strings.Repeat("Ä", MaxComparedCharacters)
	rows := []sample{{id: 1, name: long + "b"}, {id: 2, name: long + "a"}, {id: 3, name: long[2:] + "z"}}
	found, err := SearchRecords(sampleAttributes, rows, Query{SortBy: "name"})
	if err != nil || found[0].id != 3 || found[1].id != 1 {
		t.Errorf("sorted: got %v, error %v; want the IDs 3, 1, 2", found, err)
	}
	more := test("name", "greater_than", long+"a")
	if found, err = SearchRecords(sampleAttributes, rows, Query{Criteria: &more}); err != nil || len(found) != 0 {
		t.Errorf("greater_than: got %v, error %v; want no record", found, err)
	}
}
