package storetest

import (
	"strconv"
	"testing"

	"enlist/internal/enlist"
	"enlist/internal/search"
	"enlist/internal/search/advisor"
)

// This file tests the indexes for parts of texts, for searches with contains, ends_with and starts_with.

// PostgreSQL with pg_trgm has indexes for parts of texts. SQLite has none.
func indexesOfParts(t *testing.T, e Engine) {
	l := newListWithThreeFields(t, e)
	if !l.store.FindsParts() {
		_, err := l.advisor.Create(t.Context(), l.list, "City", true)
		l.refused(err, enlist.InvalidParameters, "pg_trgm")
		return
	}
	rules := advisor.DefaultRules()
	rules.Contacts, rules.Parts = 10, true
	l.advise(rules)
	for _, c := range []*enlist.Criteria{
		triple("City", "contains", "y1"), // too short for an entry of the index
		triple("Note", "contains", "n1x"), triple("Amount", "contains", "123"), triple("subscribed_via", "contains", "api"),
		{Any: []enlist.Criteria{*triple("City", "contains", "ity"), *triple("Note", "contains", "n1x")}},
	} {
		l.countSlowly(c)
	}
	same(t, "after searches that such an index does not help", l.indexes(), states{})

	end := triple("City", "ends_with", "ty1")
	n := l.countSlowly(end)
	x := l.index("City")
	if key := "field_" + strconv.FormatInt(int64(l.schema().FieldNamed("City").ID), 10) + ":parts"; x.Key != key {
		t.Errorf("after a search with ends_with there is an index of %s, want %s", x.Key, key)
	}
	l.build(x.ID)
	l.countSlowly(triple("City", "starts_with", "city")) // uses the index, so it needs no other
	for _, c := range []*enlist.Criteria{end, triple("City", "contains", "TY1"), triple("City", "starts_with", "city1")} {
		found, err := l.service.Contacts.CountContacts(t.Context(), l.caller, l.list, c)
		if err != nil || found != n || n == 0 {
			t.Errorf("%s counts %d Contacts, error %v; want %d", c.Operator, found, err, n)
		}
	}
	if found := l.count(l.list, "City", "contains", "_ty%"); found != 0 {
		t.Errorf("contains treats a character as a wildcard: it finds %d Contacts, want 0", found)
	}
	l.must(l.advisor.WriteUse(t.Context()))
	if x = l.index("City"); x.LastUsed != l.now.Unix() {
		t.Errorf("the index was last used at %d, want %d", x.LastUsed, l.now.Unix())
	}
	same(t, "after all searches", l.indexes(), states{"City": indexReady})

	_, err := l.advisor.Create(t.Context(), l.list, "Amount", true)
	l.refused(err, enlist.InvalidParameters, "texts")
	if y, err := l.advisor.Create(t.Context(), l.list, "City", true); err != nil || y.ID != x.ID || !y.Manual {
		t.Errorf("Create: index %+v, error %v; want index %d, manual", y, err, x.ID)
	}
	l.must(l.service.Lists.DeleteField(t.Context(), l.caller, l.list, l.schema().FieldNamed("City").ID))
	l.must(l.advisor.Drop(t.Context(), search.DropIndex{Index: x.ID}))
	same(t, "after its Field was deleted", l.built(), noIndexes)
}
