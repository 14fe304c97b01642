package storetest

import (
	"context"
	"slices"
	"strings"

	"enlist/internal/audience"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// bulkAsTheModel runs random calls on a List and on a plain model of it. After each call
// both must have the same Contacts, addresses, primary Contacts and counters.
// decisions.md: 23, 24, 53
func bulkAsTheModel(o *accountFixture) {
	rapid.Check(o.T, func(t *rapid.T) {
		o.caller = o.newCaller()
		m := &bulkModel{accountFixture: o, unsubscribed: make(map[string]bool), unique: true}
		m.id = o.addList()
		o.addField(m.id, "name", "State", "type", "text", "default_value", "none", "length", 5)
		t.Repeat(map[string]func(*rapid.T){
			"add": m.add, "edit": m.edit, "delete": m.deleteIDs, "delete where": m.deleteWhere,
			"subscribe": m.subscribeOne, "unsubscribe": m.unsubscribe, "allow": m.allow, "": m.check,
		})
	})
}

// bulkModel is the expected state of a List.
type bulkModel struct {
	*accountFixture
	id           audience.ListID
	unique       bool               // duplicates are disallowed
	people       []*person          // by ID
	last         audience.ContactID // the highest ID given out
	unsubscribed map[string]bool    // by normalised address
}

// person is an expected Contact. Of the Contacts with one Key, exactly one is First.
type person struct {
	ID                   audience.ContactID
	Email, Mobile, State string
	Key                  string
	First, Unsubscribed  bool
}

// sentRow holds the values that a call sends; nil values are not sent.
type sentRow struct{ email, mobile, state *string }

// drawRow draws a row from few values, so that rows often have the same address. The email without an @
// is an invalid address, and "too long" exceeds the Field's length.
func drawRow(t *rapid.T) sentRow {
	of := func(what string, values ...string) *string {
		return rapid.OneOf(rapid.Just[*string](nil), rapid.Ptr(rapid.SampledFrom(values), false)).Draw(t, what)
	}
	return sentRow{
		email:  of("email", "a@example.com", "A@Example.COM", "b@example.com", "c@example.com", "", "nobody"),
		mobile: of("mobile", "0400000001", "+61 400 000 001", "0400000002", ""),
		state:  of("state", "x", "y", "", "too long"),
	}
}

func (r sentRow) details() []audience.Detail {
	var pairs []any
	for _, v := range []struct {
		name string
		text *string
	}{{"State", r.state}, {"Email", r.email}, {"Mobile Phone", r.mobile}} {
		if v.text != nil {
			pairs = append(pairs, v.name, *v.text)
		}
	}
	return details(pairs...)
}

// valid reports whether the Service accepts all values.
func (r sentRow) valid() bool {
	return (r.email == nil || *r.email != "nobody") && (r.state == nil || *r.state != "too long")
}

// appliedTo returns the person with the values that the row sends.
func (r sentRow) appliedTo(p person) person {
	for _, v := range []struct {
		into *string
		text *string
	}{{&p.Email, r.email}, {&p.Mobile, r.mobile}, {&p.State, r.state}} {
		if v.text != nil {
			*v.into = *v.text
		}
	}
	if p.Key = strings.ToLower(p.Email); p.Key == "" {
		p.Key = mobileKey(p.Mobile)
	}
	return p
}

// mobileKey returns the normalised address of an Australian number.
func mobileKey(mobile string) string {
	mobile = strings.ReplaceAll(mobile, " ", "")
	if rest, national := strings.CutPrefix(mobile, "0"); national {
		return "+61" + rest
	}
	return mobile
}

// first returns the first Contact with an address, or nil.
func (m *bulkModel) first(key string) *person {
	for _, p := range m.people {
		if p.First && p.Key == key {
			return p
		}
	}
	return nil
}

// find returns the Contact with an ID, or nil.
func (m *bulkModel) find(id audience.ContactID) *person {
	for _, p := range m.people {
		if p.ID == id {
			return p
		}
	}
	return nil
}

// promote marks the Contact with the lowest ID as the first with its address, if none is.
func (m *bulkModel) promote(key string) {
	if m.first(key) != nil {
		return
	}
	for _, p := range m.people { // by ID
		if p.Key == key {
			p.First = true
			return
		}
	}
}

// insert adds a Contact. got sets its ID.
func (m *bulkModel) insert(p person) *person {
	p.First = m.first(p.Key) == nil
	m.people = append(m.people, &p)
	return &p
}

// got checks the ID that a call returned for p. nil expects ID 0. A new Contact must get a higher ID
// than all before, and got stores it.
func (m *bulkModel) got(t *rapid.T, p *person, id audience.ContactID) {
	switch {
	case p == nil && id == 0:
	case p != nil && p.ID == 0 && id > m.last:
		p.ID, m.last = id, id
	case p == nil || p.ID != id:
		t.Fatalf("ID %d, expected %+v after %d", id, p, m.last)
	}
}

func (m *bulkModel) add(t *rapid.T) {
	r := audience.AddRequest{List: m.id, Overwrite: rapid.Bool().Draw(t, "overwrite"), Skip: rapid.Int64Range(0, 2).Draw(t, "skip")}
	rows := rapid.SliceOfN(rapid.Custom(drawRow), 0, 6).Draw(t, "rows")
	for _, row := range rows {
		r.Contacts = append(r.Contacts, row.details())
	}
	ids, err := m.service.AddContacts(context.Background(), m.caller, r)
	if err != nil || len(ids) != len(rows) {
		t.Fatal(len(ids), err)
	}
	for i, row := range rows {
		m.got(t, m.put(row, r), ids[i])
	}
}

// put applies one row of addContacts. It returns nil if addContacts skips the row.
func (m *bulkModel) put(row sentRow, r audience.AddRequest) *person {
	fresh := row.appliedTo(person{State: "none"})
	if !row.valid() || fresh.Key == "" || r.Skip > 0 && (m.unsubscribed[fresh.Key] || m.unsubscribed[mobileKey(fresh.Mobile)]) {
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
	id, err := m.service.Subscribe(context.Background(), m.caller, audience.SubscribeRequest{List: m.id, Details: row.details()})
	fresh := row.appliedTo(person{State: "none"})
	if !row.valid() || fresh.Key == "" {
		if err == nil {
			t.Fatal("an invalid row was subscribed")
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
func (m *bulkModel) anyID(t *rapid.T) audience.ContactID {
	if len(m.people) > 0 && rapid.IntRange(0, 4).Draw(t, "known") > 0 {
		return rapid.SampledFrom(m.people).Draw(t, "person").ID
	}
	return m.last + audience.ContactID(rapid.IntRange(-3, 3).Draw(t, "id"))
}

func (m *bulkModel) edit(t *rapid.T) {
	r := audience.EditRequest{List: m.id, Trigger: rapid.Bool().Draw(t, "trigger")}
	want := make(map[audience.ContactID]bool)
	some := false
	for range rapid.IntRange(0, 5).Draw(t, "rows") {
		row, id := drawRow(t), m.anyID(t)
		r.Contacts = append(r.Contacts, audience.EditRow{ID: id, Details: row.details()})
		done := m.change(row, id)
		if before, again := want[id]; again {
			want[id] = before && done
		} else {
			want[id] = done
		}
		some = some || done
	}
	outcomes, err := m.service.EditContacts(context.Background(), m.caller, r)
	if len(r.Contacts) > 0 && !some {
		if audience.KindOf(err) != audience.NothingUpdated {
			t.Fatalf("nothing could be edited, and the error is %v", err)
		}
		return
	}
	m.same(t, outcomes, want, err)
}

// change applies one row of editContacts and reports whether the Service accepts it.
func (m *bulkModel) change(row sentRow, id audience.ContactID) (done bool) {
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

// same compares the outcomes of a call with those of the model.
func (m *bulkModel) same(t *rapid.T, outcomes []audience.Outcome, want map[audience.ContactID]bool, err error) {
	got := make(map[audience.ContactID]bool)
	for _, o := range outcomes {
		got[o.Contact] = o.Done
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" || len(got) != len(outcomes) {
		t.Fatalf("%d outcomes, %v\n%s", len(outcomes), err, diff)
	}
}

// remove deletes a Contact and reports whether it existed.
func (m *bulkModel) remove(id audience.ContactID) bool {
	p := m.find(id)
	if p == nil {
		return false
	}
	m.people = slices.DeleteFunc(m.people, func(q *person) bool { return q == p })
	return true
}

func (m *bulkModel) deleteIDs(t *rapid.T) {
	r := audience.DeleteRequest{List: m.id}
	for range rapid.IntRange(0, 3).Draw(t, "ids") {
		r.Contacts = append(r.Contacts, m.anyID(t))
	}
	want := make(map[audience.ContactID]bool)
	for _, id := range r.Contacts {
		want[id] = m.remove(id) || want[id]
	}
	m.promoteAll()
	outcomes, err := m.service.DeleteContacts(context.Background(), m.caller, r)
	m.same(t, outcomes, want, err)
}

func (m *bulkModel) deleteWhere(t *rapid.T) {
	state := rapid.SampledFrom([]string{"x", "y", "none"}).Draw(t, "state")
	q := audience.Query{Criteria: &audience.Criteria{Key: "State", Operator: "exactly", Value: input(state)},
		Limit: rapid.Int64Range(0, 2).Draw(t, "limit"), SortBy: "id", Descending: rapid.Bool().Draw(t, "descending")}
	var ids []audience.ContactID
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
	want := make(map[audience.ContactID]bool)
	for _, id := range ids {
		want[id] = m.remove(id)
	}
	m.promoteAll()
	outcomes, err := m.service.DeleteContacts(context.Background(), m.caller, audience.DeleteRequest{List: m.id, Contacts: []audience.ContactID{m.last}, Query: q})
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
	_, err := m.service.UnsubscribeByID(context.Background(), m.caller, m.id, id)
	if (err == nil) != (p != nil) {
		t.Fatal(err)
	}
	if p != nil && !p.Unsubscribed {
		p.Unsubscribed, m.unsubscribed[p.Key] = true, true
	}
}

// allow allows or disallows duplicates. The Service refuses to disallow them while there are some.
func (m *bulkModel) allow(t *rapid.T) {
	unique := rapid.Bool().Draw(t, "unique")
	_, err := m.service.EditList(context.Background(), m.caller, m.id, details("disallow_duplicate_contacts", unique))
	refused := unique && !m.unique && slices.ContainsFunc(m.people, func(p *person) bool { return !p.First })
	if (err != nil) != refused {
		t.Fatal(err)
	}
	if !refused {
		m.unique = unique
	}
}

// check compares the List with the model.
func (m *bulkModel) check(t *rapid.T) {
	want := make([]person, len(m.people))
	for i, p := range m.people {
		want[i] = *p
	}
	err := m.store.View(context.Background(), func(tx audience.Tx) error {
		schema, err := tx.Schema(m.id)
		if err != nil {
			return err
		}
		var got []person
		err = tx.SearchContacts(&audience.Search{Schema: schema}, func(c *audience.Contact) error {
			got = append(got, person{ID: c.ID})
			return nil
		})
		if err != nil {
			return err
		}
		for i := range got {
			c, err := tx.Contact(m.id, got[i].ID)
			if err != nil {
				return err
			}
			got[i] = person{c.ID, c.Values.Get(schema.Email().ID), c.Values.Get(schema.Mobile().ID), c.Values.Get(schema.FieldNamed("State").ID),
				c.Key, c.IsFirst, c.IsUnsubscribed}
			if c.Mobile != mobileKey(got[i].Mobile) {
				t.Errorf("Contact %d is found by the number %q", c.ID, c.Mobile)
			}
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("the List (-want +got)\n%s", diff)
		}
		n, err := tx.ContactCount(m.id)
		if err != nil {
			return err
		}
		all, err := tx.AccountContacts(m.caller.Account.ID)
		if n != int64(len(want)) || all != n {
			t.Errorf("counted %d in the List and %d in the Account, want %d", n, all, len(want))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
