package search_test

import (
	"strconv"

	"enlist/internal/apptest"
	"enlist/internal/enlist"
)

// This file tests the indexes for parts of texts, for searches with contains, ends_with and starts_with.

// PostgreSQL with pg_trgm has indexes for parts of texts. SQLite has none.
func indexesOfParts(l *listWithThreeFields) {
	if !l.Store.FindsParts() {
		_, err := l.advisor.Create(l.Context(), l.list, "City", true)
		l.Refused(err, enlist.InvalidParameters, "pg_trgm")
		return
	}
	for _, c := range []*enlist.Criteria{
		apptest.Criterion("City", "contains", "y1"), // too short for an entry of the index
		apptest.Criterion("Note", "contains", "n1x"), apptest.Criterion("Amount", "contains", "123"), apptest.Criterion("subscribed_via", "contains", "api"),
		{Any: []enlist.Criteria{*apptest.Criterion("City", "contains", "ity"), *apptest.Criterion("Note", "contains", "n1x")}},
	} {
		l.countSlowly(c)
	}
	apptest.Same(l.T, "after searches that such an index does not help", l.indexes(), states{})

	end := apptest.Criterion("City", "ends_with", "ty1")
	n := l.countSlowly(end)
	x := l.index("City")
	if key := "field_" + strconv.FormatInt(int64(l.schema().FieldNamed("City").ID), 10) + ":parts"; x.Key != key {
		l.Errorf("after a search with ends_with there is an index of %s, want %s", x.Key, key)
	}
	l.countSlowly(apptest.Criterion("City", "starts_with", "city")) // uses the index, so it needs no other
	for _, c := range []*enlist.Criteria{end, apptest.Criterion("City", "contains", "TY1"), apptest.Criterion("City", "starts_with", "city1")} {
		found, err := l.App.Contacts.CountContacts(l.Context(), l.Caller, l.list, c)
		if err != nil || found != n || n == 0 {
			l.Errorf("%s counts %d Contacts, error %v; want %d", c.Operator, found, err, n)
		}
	}
	if found := l.Count(l.list, "City", "contains", "_ty%"); found != 0 {
		l.Errorf("contains treats a character as a wildcard: it finds %d Contacts, want 0", found)
	}
	l.Must(l.advisor.WriteUse(l.Context()))
	if x = l.index("City"); x.LastUsed != l.Now.Unix() {
		l.Errorf("the index was last used at %d, want %d", x.LastUsed, l.Now.Unix())
	}
	apptest.Same(l.T, "after all searches", l.indexes(), states{"City": indexReady})

	_, err := l.advisor.Create(l.Context(), l.list, "Amount", true)
	l.Refused(err, enlist.InvalidParameters, "texts")
	if y, err := l.advisor.Create(l.Context(), l.list, "City", true); err != nil || y.ID != x.ID || !y.Manual {
		l.Errorf("Create: index %+v, error %v; want index %d, manual", y, err, x.ID)
	}
	l.Must(l.App.Lists.DeleteField(l.Context(), l.Caller, l.list, l.schema().FieldNamed("City").ID))
	l.tend()
	apptest.Same(l.T, "after its Field was deleted", l.built(), noIndexes)
}
