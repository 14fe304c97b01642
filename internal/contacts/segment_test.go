package contacts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"

	"github.com/google/go-cmp/cmp"
)

// This file tests Segments: named criteria of a List.

// covers: spec segment.use, segment.record, segment.criteria, segment.limits, compare.segment, auth.restricted, decision 129
func TestSegments(t *testing.T) {
	apptest.Run(t, apptest.Shared, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "setSegment adds a Segment, and replaces the one with the name or the ID", Test: setSegment},
		{Name: "setSegment refuses what no search could use", Test: setSegmentRefuses},
		{Name: "criteria find the Contacts of Segments", Test: criteriaNameSegments},
		{Name: "a test of a Segment takes only exactly and in, with IDs of the List's Segments", Test: segmentTestsAreChecked},
		{Name: "the tests of Segments count for the limit of the criteria", Test: testsOfSegmentsCount},
		{Name: "a Field with the name segment_id takes precedence", Test: fieldTakesPrecedence},
		{Name: "criteria that no longer fit the Fields are refused until they are changed", Test: segmentOfDeletedField},
		{Name: "a List has at most 1,000 Segments", Test: segmentLimit},
		{Name: "a key uses only the Segments of its Lists", Test: segmentAccess},
		{Name: "a List is deleted with its Segments", Test: segmentsOfDeletedList},
		{Name: "the audit log has the changes of Segments", Test: segmentsAreAudited},
	})
}

func emailContains(text string) *enlist.Criteria { return apptest.Criterion("Email", "contains", text) }

// segmentsOf returns the Segments of a List by ID.
func segmentsOf(o *apptest.Account, list enlist.ListID, q enlist.Query) []contacts.Segment {
	o.Helper()
	all, err := o.App.Contacts.SearchSegments(o.Context(), o.Caller, list, q)
	o.Must(err)
	return all
}

func trySegment(o *apptest.Account, r contacts.SegmentRequest) error {
	_, err := o.App.Contacts.SetSegment(o.Context(), o.Caller, r)
	return err
}

func setSegment(o *apptest.Account) {
	list, began := o.AddList(), o.Now.Unix()
	id := o.SetSegment(list, " Readers ", emailContains("a"))
	second := o.SetSegment(list, "Others", emailContains("x"))
	o.SetSegment(o.AddList(), "Readers", emailContains("b"))
	o.Now = o.Now.Add(60e9)
	if again := o.SetSegment(list, "READERS", emailContains("b")); again != id {
		o.Errorf("the name in another letter case is the Segment %d, want %d", again, id)
	}
	o.Must(trySegment(o, contacts.SegmentRequest{List: list, ID: second, Name: "Ömer", Criteria: emailContains("y")}))
	o.Refused(trySegment(o, contacts.SegmentRequest{List: list, ID: second, Name: "readers", Criteria: emailContains("y")}),
		enlist.InvalidParameters, "name: the List has a Segment of this name")
	o.Refused(trySegment(o, contacts.SegmentRequest{List: list, ID: id, Name: "ÖMER", Criteria: emailContains("y")}),
		enlist.InvalidParameters, "name: the List has a Segment of this name")
	account := o.Caller.Account.ID
	want := []contacts.Segment{
		{ID: id, AccountID: account, ListID: list, Name: "READERS", Criteria: emailContains("b"), CreationTime: began, LastModifiedTime: began + 60},
		{ID: second, AccountID: account, ListID: list, Name: "Ömer", Criteria: emailContains("y"), CreationTime: began, LastModifiedTime: began + 60}}
	if diff := cmp.Diff(want, segmentsOf(o, list, enlist.Query{})); diff != "" {
		o.Errorf("(-want +got):\n%s", diff)
	}
	if found := segmentsOf(o, list, enlist.Query{Criteria: apptest.Criterion("name", "starts_with", "read")}); len(found) != 1 || found[0].ID != id {
		o.Errorf("the search by name found %v, want the Segment %d", found, id)
	}
	o.Must(o.App.Contacts.DeleteSegment(o.Context(), o.Caller, list, id))
	o.Refused(o.App.Contacts.DeleteSegment(o.Context(), o.Caller, list, id), enlist.InvalidParameters, "segment_id")
	if added := o.SetSegment(list, "Readers", emailContains("a")); added <= second {
		o.Errorf("the ID %d was used before", added)
	}
}

func setSegmentRefuses(o *apptest.Account) {
	list := o.AddList()
	id := o.SetSegment(list, "Readers", emailContains("a"))
	foreign := o.SetSegment(o.AddList(), "Foreign", emailContains("a"))
	nested := apptest.Criterion("id", "exactly", 1)
	for range 10 {
		nested = &enlist.Criteria{All: []enlist.Criteria{{Any: []enlist.Criteria{*nested, *emailContains("a")}}, *emailContains("a")}}
	}
	for _, c := range []struct {
		rule     string
		request  contacts.SegmentRequest
		kind     enlist.Kind
		contains string
	}{
		{"an empty name", contacts.SegmentRequest{Name: " ", Criteria: emailContains("a")}, enlist.InvalidParameters, "name"},
		{"a name of 256 characters", contacts.SegmentRequest{Name: strings.Repeat("é", 256), Criteria: emailContains("a")}, enlist.InvalidParameters, "name"},
		{"no criteria", contacts.SegmentRequest{Name: "x"}, enlist.InvalidSearch, "needs criteria"},
		{"empty criteria", contacts.SegmentRequest{Name: "x", Criteria: &enlist.Criteria{All: []enlist.Criteria{}}}, enlist.InvalidSearch, "needs criteria"},
		{"an unknown key", contacts.SegmentRequest{Name: "x", Criteria: apptest.Criterion("City", "exactly", "x")}, enlist.InvalidSearch, "City"},
		{"a test that all Contacts pass", contacts.SegmentRequest{Name: "x", Criteria: emailContains("")}, enlist.InvalidSearch, "Email"},
		{"too many levels", contacts.SegmentRequest{Name: "x", Criteria: nested}, enlist.InvalidSearch, "levels"},
		{"long criteria", contacts.SegmentRequest{Name: "x", Criteria: emailContains(strings.Repeat("x", 33000))}, enlist.InvalidParameters, "search_criteria"},
		{"another Segment", contacts.SegmentRequest{Name: "x", Criteria: &enlist.Criteria{Any: []enlist.Criteria{*emailContains("a"), *enlist.InSegment(id)}}}, enlist.InvalidSearch, "another Segment"},
		{"an unknown ID", contacts.SegmentRequest{ID: 1 << 40, Name: "x", Criteria: emailContains("a")}, enlist.InvalidParameters, "segment_id"},
		{"a negative ID", contacts.SegmentRequest{ID: -1, Name: "x", Criteria: emailContains("a")}, enlist.InvalidParameters, "segment_id"},
		{"the ID of another List", contacts.SegmentRequest{ID: foreign, Name: "x", Criteria: emailContains("a")}, enlist.InvalidParameters, "segment_id"},
	} {
		o.Case(c.rule, func() {
			c.request.List = list
			o.Refused(trySegment(o, c.request), c.kind, c.contains)
		})
	}
	if all := segmentsOf(o, list, enlist.Query{}); len(all) != 1 || all[0].Name != "Readers" {
		o.Errorf("the List has the Segments %v, want only the first", all)
	}
	o.Must(trySegment(o, contacts.SegmentRequest{List: list, Name: strings.Repeat("é", 255), Criteria: emailContains("a")}))
}

// found returns the addresses of the Contacts that match, in order of ID.
func found(o *apptest.Account, list enlist.ListID, criteria *enlist.Criteria) (addresses []string) {
	o.Helper()
	var w apptest.ContactRows
	o.Must(o.App.Contacts.SearchContacts(o.Context(), o.Caller, list, enlist.Query{Criteria: criteria}, nil, &w))
	for _, row := range w.Rows {
		addresses = append(addresses, row["Email"])
	}
	n, err := o.App.Contacts.CountContacts(o.Context(), o.Caller, list, criteria)
	o.Must(err)
	if n != int64(len(addresses)) {
		o.Errorf("%d Contacts are counted, %d are found", n, len(addresses))
	}
	return addresses
}

func criteriaNameSegments(o *apptest.Account) {
	list := o.AddList()
	for _, name := range []string{"ann", "bob", "eve"} {
		o.Subscribe(list, "Email", name+"@x.io")
	}
	either := &enlist.Criteria{Any: []enlist.Criteria{*emailContains("ann"), *emailContains("bob")}}
	first, second := o.SetSegment(list, "A or B", either), o.SetSegment(list, "E", emailContains("eve"))
	test := func(operator string, value any) *enlist.Criteria {
		return apptest.Criterion("segment_id", operator, value)
	}
	for _, c := range []struct {
		rule     string
		criteria *enlist.Criteria
		want     []string
	}{
		{"exactly", test("exactly", first), []string{"ann@x.io", "bob@x.io"}},
		{"exactly with a text", test("equals", fmt.Sprint(second)), []string{"eve@x.io"}},
		{"in with an array", test("in", []any{first, second, second}), []string{"ann@x.io", "bob@x.io", "eve@x.io"}},
		{"in with a text", test("In", fmt.Sprintf("%d, %d", second, second)), []string{"eve@x.io"}},
		{"in without an ID", test("in", []any{}), nil},
		{"together with other tests", &enlist.Criteria{All: []enlist.Criteria{*emailContains("b"), *test("exactly", first)}}, []string{"bob@x.io"}},
		{"or", &enlist.Criteria{Any: []enlist.Criteria{*test("exactly", second), *emailContains("ann")}}, []string{"ann@x.io", "eve@x.io"}},
	} {
		o.Case(c.rule, func() {
			if got := found(o, list, c.criteria); !slices.Equal(got, c.want) {
				o.Errorf("found %v, want %v", got, c.want)
			}
		})
	}
	o.SetSegment(list, "E", emailContains("bob"))
	if got := found(o, list, test("exactly", second)); !slices.Equal(got, []string{"bob@x.io"}) {
		o.Errorf("after the change the Segment has %v", got)
	}
	_, err := o.App.Contacts.DeleteContacts(o.Context(), o.Caller, contacts.DeleteRequest{List: list, Query: enlist.Query{Criteria: test("exactly", first)}})
	o.Must(err)
	if got := found(o, list, nil); !slices.Equal(got, []string{"eve@x.io"}) {
		o.Errorf("after the deletion of a Segment's Contacts the List has %v", got)
	}
}

func segmentTestsAreChecked(o *apptest.Account) {
	list := o.AddList()
	id := o.SetSegment(list, "A", emailContains("ann"))
	foreign := o.SetSegment(o.AddList(), "B", emailContains("ann"))
	for _, c := range []struct {
		operator string
		value    any
		contains string
	}{
		{"not", id, "only exactly and in"}, {"greater_than", id, "only exactly and in"}, {"is", id, "only exactly and in"},
		{"exactly", "", "the ID of a Segment"}, {"exactly", 0, "the ID of a Segment"}, {"exactly", 1.5, "the ID of a Segment"},
		{"exactly", -1, "the ID of a Segment"}, {"exactly", "A", "segment_id"}, {"exactly", []any{id}, "segment_id"}, {"exactly", true, "segment_id"},
		{"exactly", foreign, "the List has no Segment"}, {"in", []any{id, foreign}, "the List has no Segment"},
		{"exactly", "999999999999999", "the List has no Segment"}, {"in", strings.Repeat("1,", 200_000), "values"},
	} {
		o.Case(fmt.Sprintf("%s %.20v", c.operator, c.value), func() {
			_, err := o.App.Contacts.CountContacts(o.Context(), o.Caller, list, apptest.Criterion("segment_id", c.operator, c.value))
			o.Refused(err, enlist.InvalidSearch, c.contains)
		})
	}
	err := o.App.Contacts.SearchContacts(o.Context(), o.Caller, list, enlist.Query{SortBy: "segment_id"}, nil, new(apptest.ContactRows))
	o.Refused(err, enlist.InvalidSearch, "sort_by")
	_, err = o.App.Lists.SearchLists(o.Context(), o.Caller, enlist.Query{Criteria: enlist.InSegment(id)})
	o.Refused(err, enlist.InvalidSearch, "segment_id")
}

func testsOfSegmentsCount(o *apptest.Account) {
	list := o.AddList()
	hundred := &enlist.Criteria{Any: slices.Repeat([]enlist.Criteria{*emailContains("a")}, 100)}
	id := o.SetSegment(list, "Hundred", hundred)
	found(o, list, enlist.InSegment(id))
	more := &enlist.Criteria{All: []enlist.Criteria{*enlist.InSegment(id), *emailContains("a")}}
	_, err := o.App.Contacts.CountContacts(o.Context(), o.Caller, list, more)
	o.Refused(err, enlist.InvalidSearch, "at most 100 tests")
	more.All[0], more.All[1] = more.All[1], more.All[0]
	_, err = o.App.Contacts.CountContacts(o.Context(), o.Caller, list, more)
	o.Refused(err, enlist.InvalidSearch, "at most 100 tests")
}

func fieldTakesPrecedence(o *apptest.Account) {
	list := o.AddList()
	o.AddField(list, "name", "segment_id", "type", "text")
	o.Subscribe(list, "Email", "ann@x.io", "segment_id", "7")
	if got := found(o, list, apptest.Criterion("segment_id", "not", "8")); len(got) != 1 {
		o.Errorf("the test of the Field found %v", got)
	}
}

func segmentOfDeletedField(o *apptest.Account) {
	list := o.AddList()
	city := o.AddField(list, "name", "City", "type", "text")
	id := o.SetSegment(list, "Berlin", apptest.Criterion("City", "exactly", "Berlin"))
	o.Must(o.App.Lists.DeleteField(o.Context(), o.Caller, list, city))
	_, err := o.App.Contacts.CountContacts(o.Context(), o.Caller, list, enlist.InSegment(id))
	o.Refused(err, enlist.InvalidSearch, fmt.Sprintf("in Segment %d: no key \"City\"", id))
	o.SetSegment(list, "Berlin", emailContains("berlin"))
	found(o, list, enlist.InSegment(id))
}

func segmentLimit(o *apptest.Account) {
	list := o.AddList()
	o.Update(func(tx *db.Tx) error {
		for i := range 999 {
			err := tx.Do("INSERT INTO segment (account_id, list_id, name, criteria, creation_time, last_modified_time) VALUES (?, ?, ?, '', 0, 0)",
				int64(o.Caller.Account.ID), int64(list), fmt.Sprint("S", i))
			if err != nil {
				return err
			}
		}
		return nil
	})
	o.SetSegment(list, "last", emailContains("a"))
	o.Refused(trySegment(o, contacts.SegmentRequest{List: list, Name: "more", Criteria: emailContains("a")}), enlist.InvalidParameters, "1000 Segments")
	o.SetSegment(list, "last", emailContains("b"))
	o.SetSegment(o.AddList(), "more", emailContains("a"))
}

func segmentAccess(o *apptest.Account) {
	list, other := o.AddList(), o.AddList()
	id := o.SetSegment(list, "Readers", emailContains("a"))
	for _, c := range []struct {
		rule   string
		caller *enlist.Caller
		list   enlist.ListID
		kind   enlist.Kind
	}{
		{"a restricted key is denied another List", o.Restricted(other), list, enlist.Denied},
		{"a List of another Account is not found", o.NewCaller(), list, enlist.NoList},
		{"an unknown List is not found", o.Caller, 1 << 40, enlist.NoList},
	} {
		o.Case(c.rule, func() {
			_, err := o.App.Contacts.SetSegment(o.Context(), c.caller, contacts.SegmentRequest{List: c.list, ID: id, Name: "Mine", Criteria: emailContains("x")})
			o.Refused(err, c.kind, "")
			o.Refused(o.App.Contacts.DeleteSegment(o.Context(), c.caller, c.list, id), c.kind, "")
			_, err = o.App.Contacts.SearchSegments(o.Context(), c.caller, c.list, enlist.Query{})
			o.Refused(err, c.kind, "")
			_, err = o.App.Contacts.Segment(o.Context(), c.caller, c.list, id)
			o.Refused(err, c.kind, "")
		})
	}
	restricted := o.Restricted(list)
	_, err := o.App.Contacts.SetSegment(o.Context(), restricted, contacts.SegmentRequest{List: list, ID: id, Name: "Mine", Criteria: emailContains("x")})
	o.Must(err)
	s, err := o.App.Contacts.Segment(o.Context(), restricted, list, id)
	o.Must(err)
	if s.ID != id || s.Name != "Mine" {
		o.Errorf("the Segment is %+v", s)
	}
	_, err = o.App.Contacts.Segment(o.Context(), o.Caller, other, id)
	o.Refused(err, enlist.InvalidParameters, "segment_id")
	o.Refused(o.App.Contacts.DeleteSegment(o.Context(), o.Caller, other, id), enlist.InvalidParameters, "segment_id")
	o.Must(o.App.Contacts.DeleteSegment(o.Context(), restricted, list, id))
}

func segmentsOfDeletedList(o *apptest.Account) {
	list, other := o.AddList(), o.AddList()
	o.SetSegment(list, "Readers", emailContains("a"))
	kept := o.SetSegment(other, "Readers", emailContains("a"))
	o.Must(o.App.Contacts.DeleteList(o.Context(), o.Caller, list))
	_, err := o.App.Contacts.RemoveContacts(o.Context(), contacts.RemoveContacts{List: list, Delete: true})
	o.Must(err)
	o.Must(o.Store.View(o.Context(), func(tx *db.Tx) error {
		n, err := tx.Number("SELECT count(*) FROM segment WHERE list_id = ?", int64(list))
		if n != 0 {
			o.Errorf("the deleted List has %d Segments", n)
		}
		return err
	}))
	if all := segmentsOf(o, other, enlist.Query{}); len(all) != 1 || all[0].ID != kept {
		o.Errorf("the other List has the Segments %v", all)
	}
}

func segmentsAreAudited(o *apptest.Account) {
	list := o.AddList()
	id := o.SetSegment(list, "Readers", emailContains("a"))
	o.SetSegment(list, "Readers", emailContains("b"))
	o.Must(o.App.Contacts.DeleteSegment(o.Context(), o.Caller, list, id))
	var got []string
	for _, row := range o.AuditLog(o.Caller.Account.ID) {
		if row.Object == "Segment" && row.ObjectID == int64(id) && row.ListID == list {
			got = append(got, fmt.Sprint(row.Before, row.After))
		}
	}
	slices.Sort(got)
	want := []string{`{"name":"Readers","search_criteria":"Email contains \"b\""}{}`,
		`{"search_criteria":"Email contains \"a\""}{"search_criteria":"Email contains \"b\""}`,
		`{}{"name":"Readers","search_criteria":"Email contains \"a\""}`}
	if diff := cmp.Diff(want, got); diff != "" {
		o.Errorf("(-want +got):\n%s", diff)
	}
}
