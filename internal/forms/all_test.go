package forms_test

import (
	"slices"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file tests what the pages read of all Lists at once.

// ofAllLists compares it with what callers read of one List after the other.
func ofAllLists(o *apptest.Account) {
	news, club := o.AddList("name", "News"), o.AddList("name", "Club")
	gone := o.AddList("name", "Gone")
	field, other := o.AddField(news, "name", "Time Zone", "type", "text"), o.AddField(club, "name", "Time Zone", "type", "text")
	if field == other {
		o.Fatal("two Fields have one ID")
	}
	for _, list := range []enlist.ListID{club, news, gone} {
		newForm(o, list)
		o.SetSegment(list, "Readers", apptest.Criterion("Email", "contains", "a"))
		id := o.Subscribe(list, "Email", "ann@x.io")
		o.Must(o.Store.Update(o.Context(), func(tx *db.Tx) error {
			c, err := contacts.ByID(tx, list, id)
			if err != nil {
				return err
			}
			c.IsUnsubscribed = true
			return contacts.SetDeparture(tx, c, "other", "", o.Now.Unix())
		}))
	}
	o.Must(o.Store.Update(o.Context(), func(tx *db.Tx) error { return lists.MarkListDeleted(tx, gone) }))
	stranger := o.NewCaller()
	for _, c := range []struct {
		rule   string
		caller *enlist.Caller
		want   []enlist.ListID
	}{
		{"a key sees all Lists that are not deleted", o.Caller, []enlist.ListID{news, club}},
		{"a restricted key sees its Lists", o.Restricted(club), []enlist.ListID{club}},
		{"another Account sees none", stranger, nil},
	} {
		o.Case(c.rule, func() { sameAsOneByOne(o, c.caller, c.want) })
	}
}

func sameAsOneByOne(o *apptest.Account, c *enlist.Caller, want []enlist.ListID) {
	o.Helper()
	names, err := o.App.Lists.Names(o.Context(), c)
	o.Must(err)
	forms, err := o.App.Forms.AllForms(o.Context(), c)
	o.Must(err)
	segments, err := o.App.Contacts.AllSegments(o.Context(), c)
	o.Must(err)
	left, err := o.App.Contacts.AllDepartures(o.Context(), c)
	o.Must(err)
	fields, err := o.App.Lists.FieldNames(o.Context(), c, "ZONE")
	o.Must(err)
	var ofForms, ofSegments []enlist.ListID
	for i := range forms {
		ofForms = append(ofForms, forms[i].ListID)
	}
	for i := range segments {
		ofSegments = append(ofSegments, segments[i].ListID)
	}
	slices.Sort(ofForms)
	slices.Sort(ofSegments)
	if len(names) != len(want) || len(left) != len(want) || !slices.Equal(ofForms, want) || !slices.Equal(ofSegments, want) {
		o.Errorf("the Lists are %v, %v, %v and %v, want %v", names, ofForms, ofSegments, left, want)
	}
	for _, list := range want {
		one, err := o.App.Contacts.Departures(o.Context(), c, list)
		o.Must(err)
		sum := int64(0)
		for _, n := range one.Counts {
			sum += n
		}
		if left[list] != sum || sum == 0 {
			o.Errorf("%d Contacts of the List %d have given a reason, want %d", left[list], list, sum)
		}
		if names[list] == "" {
			o.Errorf("the List %d has no name", list)
		}
	}
	if len(want) > 0 && !slices.Equal(fields, []string{"Time Zone"}) || len(want) == 0 && len(fields) > 0 {
		o.Errorf("the names of Fields are %q", fields)
	}
}
