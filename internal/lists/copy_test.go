package lists_test

import (
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/enlist"

	"github.com/google/go-cmp/cmp"
)

// This file tests what the pages need of Lists and the API does not have.

func TestListsOfPages(t *testing.T) {
	apptest.Run(t, apptest.Shared, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "a copy of a List has its settings, Fields and preferences, and no Contacts", Test: copyList},
		{Name: "a preference gets another name, which no other one may have", Test: renamePreference},
		{Name: "the values that would not fit are counted before a Field changes", Test: misfits},
		{Name: "the growth of all Lists is the sum of their days", Test: growth},
	})
}

func copyList(o *apptest.Account) {
	from := o.AddList("name", "News", "double_opt_in_required", true, "imprint", "Us", "on_register_address", "a@x.io", "is_public", true)
	o.AddField(from, "name", "State", "type", "dropdown", "values_array", []any{"NSW", "VIC"})
	_, err := o.App.Lists.AddPreference(o.Context(), o.Caller, from, "Weekly")
	o.Must(err)
	o.Subscribe(from, "Email", "ann@x.io")
	id, err := o.App.Lists.CopyList(o.Context(), o.Caller, from, " Copy ")
	o.Must(err)
	want, got := *o.List(from), *o.List(id)
	want.ID, want.Name, want.ContactCount, want.Public = id, "Copy", 0, false
	if diff := cmp.Diff(want, got); diff != "" {
		o.Errorf("the copy differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(o.Fields(from, enlist.Query{}), o.Fields(id, enlist.Query{})); diff != "" {
		o.Errorf("the Fields differ:\n%s", diff)
	}
	if all, err := o.App.Lists.SearchPreferences(o.Context(), o.Caller, id, enlist.Query{}); err != nil || len(all) != 1 {
		o.Errorf("the copy has the preferences %v, %v; want one", all, err)
	}
	o.Subscribe(id, "Email", "bob@x.io", "State", "VIC")
	_, err = o.App.Lists.CopyList(o.Context(), o.Restricted(from), from, "x")
	o.Refused(err, enlist.Denied, "")
	_, err = o.App.Lists.CopyList(o.Context(), o.NewCaller(), from, "x")
	o.Refused(err, enlist.NoList, "")
	_, err = o.App.Lists.CopyList(o.Context(), o.Caller, from, "a\tb")
	o.Refused(err, enlist.InvalidParameters, "name")
}

func renamePreference(o *apptest.Account) {
	list := o.AddList()
	weekly, err := o.App.Lists.AddPreference(o.Context(), o.Caller, list, "Weekly")
	o.Must(err)
	_, err = o.App.Lists.AddPreference(o.Context(), o.Caller, list, "Daily")
	o.Must(err)
	rename := func(id enlist.PreferenceID, name string) error {
		return o.App.Lists.RenamePreference(o.Context(), o.Caller, list, id, name)
	}
	o.Must(rename(weekly, " Each week "))
	o.Must(rename(weekly, "Each week"))
	all, err := o.App.Lists.SearchPreferences(o.Context(), o.Caller, list, enlist.Query{})
	o.Must(err)
	if len(all) != 2 || all[0].Name != "Each week" || all[0].ID != weekly {
		o.Errorf("the preferences are %v", all)
	}
	for _, name := range []string{"Daily", "", "a\tb"} {
		o.Refused(rename(weekly, name), enlist.InvalidParameters, "name")
	}
	o.Refused(rename(99999, "x"), enlist.InvalidParameters, "")
	o.Refused(o.App.Lists.RenamePreference(o.Context(), o.NewCaller(), list, weekly, "x"), enlist.NoList, "")
}

func misfits(o *apptest.Account) {
	list := o.AddList()
	id := o.AddField(list, "name", "Age", "type", "text", "length", 10)
	for i, value := range []string{"12.50", "twelve", "äöüß", ""} {
		o.Subscribe(list, "Email", string(rune('a'+i))+"@x.io", "Age", value)
	}
	for _, c := range []struct {
		details []any
		count   int64
		refused bool
	}{
		{[]any{"type", "decimal"}, 2, true},
		{[]any{"type", "comment"}, 0, false},
		{[]any{"length", 4}, 2, false}, // characters, not bytes
		{[]any{"length", 5}, 1, false},
		{[]any{"length", 0}, 0, false},
		{[]any{"length", 11}, 0, false},
		{[]any{"address_type", "mobile"}, 3, true},
		{[]any{"name", "Years"}, 0, false},
	} {
		m, err := o.App.Lists.FieldMisfits(o.Context(), o.Caller, list, id, apptest.Details(c.details...))
		if err != nil || m.Count != c.count || m.Refused != c.refused {
			o.Errorf("%v: %+v, %v; want %d, refused %t", c.details, m, err, c.count, c.refused)
		}
	}
	_, err := o.App.Lists.FieldMisfits(o.Context(), o.NewCaller(), list, id, nil)
	o.Refused(err, enlist.NoList, "")
}

func growth(o *apptest.Account) {
	first, second := o.AddList("name", "B"), o.AddList("name", "A")
	o.Now = o.Now.AddDate(0, 0, -2)
	o.Subscribe(first, "Email", "ann@x.io")
	o.Now = o.Now.AddDate(0, 0, 2)
	o.Subscribe(first, "Email", "bob@x.io")
	o.Subscribe(second, "Email", "ann@x.io")
	g, err := o.App.Lists.Growth(o.Context(), o.Caller, 2)
	o.Must(err)
	if len(g.Lists) != 2 || g.Lists[0].ID != second || g.Lists[1].ContactCount != 2 || len(g.Days) != 2 || g.Days[1].Counts[enlist.DayAdded] != 2 || g.Days[0].Contacts != 1 || g.Days[1].Contacts != 3 {
		o.Errorf("the growth is %+v", g)
	}
	o.Subscribe(first, "Email", "cyd@x.io") // the past day is kept, and today is read again
	g, err = o.App.Lists.Growth(o.Context(), o.Caller, 2)
	o.Must(err)
	if len(g.Days) != 2 || g.Days[1].Counts[enlist.DayAdded] != 3 || g.Days[0].Contacts != 1 || g.Days[1].Contacts != 4 {
		o.Errorf("after one more Contact, the growth is %+v", g)
	}
	o.Now = o.Now.AddDate(0, 0, -1) // the clock was wrong
	o.Subscribe(second, "Email", "dan@x.io")
	o.Now = o.Now.AddDate(0, 0, 1).Add(10 * time.Minute)
	if g, err = o.App.Lists.Growth(o.Context(), o.Caller, 2); err != nil || g.Days[0].Counts[enlist.DayAdded] != 1 || g.Days[1].Counts[enlist.DayAdded] != 3 {
		o.Errorf("after ten minutes, the growth is %+v, %v", g, err)
	}
	all, sums, err := o.App.Lists.Changes(o.Context(), o.Caller, 2)
	o.Must(err)
	if len(all) != 2 || all[0].ID != second || sums[first][enlist.DayAdded] != 2 || sums[second][enlist.DayAdded] != 2 {
		o.Errorf("the changes of %+v are %+v", all, sums)
	}
	days, err := o.App.Lists.DaysOfLists(o.Context(), o.Restricted(first), []enlist.ListID{first, second}, 90)
	o.Must(err)
	one, err := o.App.Lists.ListDays(o.Context(), o.Caller, first, "", "")
	o.Must(err)
	if diff := cmp.Diff(one, days[first]); diff != "" || len(days) != 1 {
		o.Errorf("the days of %d Lists (-ListDays +DaysOfLists):\n%s", len(days), diff)
	}
	if g, err := o.App.Lists.Growth(o.Context(), o.Restricted(), 30); err != nil || len(g.Lists) != 0 || len(g.Days) != 30 {
		o.Errorf("without Lists, the growth is %+v, %v", g, err)
	}
}
