package contacts_test

import (
	"context"
	"slices"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/enlist"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// This file has the random calls of bulkModel. Each call changes the model and the List, and
// compares the reply of the Service with the model.

func (m *bulkModel) add(t *rapid.T) {
	r := contacts.AddRequest{List: m.id, Overwrite: rapid.Bool().Draw(t, "overwrite"),
		Skip: rapid.Int64Range(0, 2).Draw(t, "skip")}
	rows := rapid.SliceOfN(rapid.Custom(drawRow), 0, 6).Draw(t, "rows")
	for _, row := range rows {
		r.Contacts = append(r.Contacts, row.details())
	}
	ids, err := m.App.Contacts.AddContacts(context.Background(), m.Caller, r)
	if err != nil || len(ids) != len(rows) {
		t.Fatalf("AddContacts returned %d IDs for %d rows, error %v", len(ids), len(rows), err)
	}
	for i, row := range rows {
		m.got(t, m.put(row, r), ids[i])
	}
}

// put applies one row of addContacts to the model. It returns nil if addContacts skips the row.
func (m *bulkModel) put(row sentRow, r contacts.AddRequest) *person {
	fresh := row.appliedTo(person{State: "none"})
	unsubscribed := m.unsubscribed[fresh.Key] || m.unsubscribed[mobileKey(fresh.Mobile)]
	if !row.valid() || fresh.Key == "" || r.Skip > 0 && unsubscribed {
		return nil
	}
	existing := m.first(fresh.Key)
	if existing == nil || !r.Overwrite && !m.unique {
		return m.insert(fresh)
	}
	if !r.Overwrite {
		return nil
	}
	*existing = row.appliedTo(*existing)
	return existing
}

func (m *bulkModel) subscribeOne(t *rapid.T) {
	row := drawRow(t)
	r := contacts.SubscribeRequest{List: m.id, Details: row.details()}
	id, err := m.App.Contacts.Subscribe(context.Background(), m.Caller, r)
	fresh := row.appliedTo(person{State: "none"})
	if !row.valid() || fresh.Key == "" {
		if err == nil {
			t.Fatal("Subscribe returned no error for an invalid row")
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	p := m.first(fresh.Key)
	if p == nil || !m.unique {
		p = m.insert(fresh)
	} else {
		*p = row.appliedTo(*p)
		p.Unsubscribed = false
	}
	m.got(t, p, id)
}

// anyID draws the ID of a current, deleted or unknown Contact.
func (m *bulkModel) anyID(t *rapid.T) enlist.ContactID {
	if len(m.people) > 0 && rapid.IntRange(0, 4).Draw(t, "known") > 0 {
		return rapid.SampledFrom(m.people).Draw(t, "person").ID
	}
	return m.last + enlist.ContactID(rapid.IntRange(-3, 3).Draw(t, "id"))
}

func (m *bulkModel) edit(t *rapid.T) {
	r := contacts.EditRequest{List: m.id, Trigger: rapid.Bool().Draw(t, "trigger")}
	want := make(map[enlist.ContactID]bool)
	some := false
	for range rapid.IntRange(0, 5).Draw(t, "rows") {
		row, id := drawRow(t), m.anyID(t)
		r.Contacts = append(r.Contacts, contacts.EditRow{ID: id, Details: row.details()})
		done := m.change(row, id)
		if before, again := want[id]; again {
			want[id] = before && done
		} else {
			want[id] = done
		}
		some = some || done
	}
	outcomes, err := m.App.Contacts.EditContacts(context.Background(), m.Caller, r)
	if len(r.Contacts) > 0 && !some {
		if enlist.KindOf(err) != enlist.NothingUpdated {
			t.Fatalf("no row could be edited: error %v, want NothingUpdated", err)
		}
		return
	}
	m.same(t, outcomes, want, err)
}

// change applies one row of editContacts to the model and reports whether the Service accepts the
// row.
func (m *bulkModel) change(row sentRow, id enlist.ContactID) (done bool) {
	p := m.find(id)
	if p == nil || !row.valid() {
		return false
	}
	to := row.appliedTo(*p)
	if to.Key == "" || to.Key != p.Key && m.unique && m.first(to.Key) != nil {
		return false
	}
	from := p.Key
	if to.Key != from {
		to.First = m.first(to.Key) == nil
	}
	*p = to
	m.promote(from)
	return true
}

// same compares the outcomes of a call with the outcomes of the model.
func (m *bulkModel) same(t *rapid.T, outcomes []contacts.Outcome, want map[enlist.ContactID]bool, err error) {
	got := make(map[enlist.ContactID]bool)
	for _, o := range outcomes {
		got[o.Contact] = o.Done
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" || len(got) != len(outcomes) {
		t.Fatalf("%d outcomes, error %v (-want +got)\n%s", len(outcomes), err, diff)
	}
}

// remove deletes a Contact of the model and reports whether the Contact existed.
func (m *bulkModel) remove(id enlist.ContactID) bool {
	p := m.find(id)
	if p == nil {
		return false
	}
	m.people = slices.DeleteFunc(m.people, func(q *person) bool { return q == p })
	return true
}

func (m *bulkModel) deleteIDs(t *rapid.T) {
	r := contacts.DeleteRequest{List: m.id}
	for range rapid.IntRange(0, 3).Draw(t, "ids") {
		r.Contacts = append(r.Contacts, m.anyID(t))
	}
	want := make(map[enlist.ContactID]bool)
	for _, id := range r.Contacts {
		want[id] = m.remove(id) || want[id]
	}
	m.promoteAll()
	outcomes, err := m.App.Contacts.DeleteContacts(context.Background(), m.Caller, r)
	m.same(t, outcomes, want, err)
}

func (m *bulkModel) deleteWhere(t *rapid.T) {
	state := rapid.SampledFrom([]string{"x", "y", "none"}).Draw(t, "state")
	q := enlist.Query{Criteria: apptest.Criterion("State", "exactly", state),
		Limit: rapid.Int64Range(0, 2).Draw(t, "limit"), SortBy: "id", Descending: rapid.Bool().Draw(t, "descending")}
	var ids []enlist.ContactID
	for _, p := range m.people {
		if p.State == state {
			ids = append(ids, p.ID)
		}
	}
	if q.Descending {
		slices.Reverse(ids)
	}
	if q.Limit > 0 {
		ids = ids[:min(len(ids), int(q.Limit))]
	}
	want := make(map[enlist.ContactID]bool)
	for _, id := range ids {
		want[id] = m.remove(id)
	}
	m.promoteAll()
	r := contacts.DeleteRequest{List: m.id, Contacts: []enlist.ContactID{m.last}, Query: q}
	outcomes, err := m.App.Contacts.DeleteContacts(context.Background(), m.Caller, r)
	m.same(t, outcomes, want, err)
}

func (m *bulkModel) promoteAll() {
	for _, p := range m.people {
		m.promote(p.Key)
	}
}

func (m *bulkModel) unsubscribe(t *rapid.T) {
	id := m.anyID(t)
	p := m.find(id)
	_, err := m.App.Contacts.UnsubscribeByID(context.Background(), m.Caller, contacts.ContactRequest{List: m.id, Contact: id})
	if (err == nil) != (p != nil) {
		t.Fatal(err)
	}
	if p != nil && !p.Unsubscribed {
		p.Unsubscribed, m.unsubscribed[p.Key] = true, true
	}
}

// allow changes whether the List allows duplicates. While the List has duplicates, the Service
// refuses to disallow them.
func (m *bulkModel) allow(t *rapid.T) {
	unique := rapid.Bool().Draw(t, "unique")
	_, err := m.App.Lists.EditList(context.Background(), m.Caller, m.id, apptest.Details("disallow_duplicate_contacts", unique))
	refused := unique && !m.unique && slices.ContainsFunc(m.people, func(p *person) bool { return !p.First })
	if (err != nil) != refused {
		t.Fatal(err)
	}
	if !refused {
		m.unique = unique
	}
}
