package reports_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/pace"
	"enlist/internal/recipients"
	"enlist/internal/reports"
)

// This file compares sorted rows of a Batch with a plain sort in memory.

// rowsSortedByEachKey tests each kind with each of its keys, in both directions: all rows, and pages. The texts differ in
// letter case, are not all ASCII, and one pair differs behind the characters that are compared. Many values are equal.
func rowsSortedByEachKey(f *apptest.SentBatch) {
	other := f.AddList("track_opens", true)
	for i := range 7 {
		f.Subscribe(other, "Email", fmt.Sprintf("b%d@example.com", i))
	}
	f.ID = f.Add(apptest.Whole(f.News), apptest.Whole(other))
	f.SendAll(nil)
	f.Pass(time.Minute)
	for _, list := range []enlist.ListID{f.News, other} {
		f.Must(f.Store.Update(f.Context(), func(tx *db.Tx) error { return giveEvents(f, tx, list) }))
	}
	f.Analyze()
	for _, kind := range []recipients.EventKind{recipients.RowsSent, recipients.RowsAccepted, recipients.RowsDelivered, recipients.RowsNotOpened, recipients.EventOpened, recipients.EventClicked,
		recipients.EventLink, recipients.EventBounced, recipients.EventComplained, recipients.EventUnsubscribed, recipients.EventDeactivated} {
		r := reports.RowsRequest{Kind: kind}
		if kind == recipients.EventLink {
			r.URL = "https://a.example/"
		}
		all := f.Rows(r, enlist.Query{}).All
		if len(all) < 4 {
			f.Fatalf("%s has %d rows, want more", kind, len(all))
		}
		attributes := reports.BatchRowAttributes(kind)
		for i := range attributes {
			f.Run(fmt.Sprint(kind, " by ", attributes[i].Name), func(t *testing.T) { compareSorted(f, t, r, all, &attributes[i]) })
		}
	}
}

// giveEvents stores events of each kind for most recipients of a List.
func giveEvents(f *apptest.SentBatch, tx *db.Tx, list enlist.ListID) error {
	found, err := contacts.Candidates(tx, list, 0, 1<<40, 100)
	if err != nil {
		return err
	}
	texts := []string{"b 5.1.2", "Ä", "A 5.1.10", strings.Repeat("x", 200) + "b", strings.Repeat("x", 200) + "A", "\U0001f600", "z 550", "Z", "ä", "_"}
	kinds := []recipients.EventKind{recipients.EventOpened, recipients.EventClicked, recipients.EventLink, recipients.EventComplained,
		recipients.EventUnsubscribed, recipients.EventDeactivated, recipients.EventBounced}
	for i, c := range found {
		r, err := recipients.Load(tx, list, f.ID, c.ID)
		if err != nil {
			return err
		}
		text := texts[(3*i+int(list))%len(texts)]
		r.Address, r.Detail = strings.TrimSuffix(text, "@")+"@example.com", text
		if err := r.Save(tx); err != nil {
			return err
		}
		for k, kind := range kinds {
			if (i+k)%4 == 0 {
				continue
			}
			e := &recipients.Event{List: list, Batch: f.ID, Contact: c.ID, Kind: kind, Time: int64(5 * i % 7), LastTime: 9,
				Count: int64(1 + i%3), Human: int64(i % 2), Device: []pace.Device{"mobile", "desktop", "unknown"}[i%3],
				Client: []string{"outlook", "later", "apple_mail", "lotus_notes"}[i%4]}
			if kind == recipients.EventLink {
				e.Link = f.Links[0]
			}
			if err := e.Put(tx); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareSorted compares the rows sorted by a key with those of a plain sort. Rows sorted by Contact are in order of List
// first, in both directions. If the key is the address, it also compares the rows that match criteria. With -short it
// reads fewer pages by the other keys, and each criterion in one page and one direction.
func compareSorted(f *apptest.SentBatch, t *testing.T, r reports.RowsRequest, all []recipients.Row, key *enlist.Attribute[recipients.Row]) {
	byContact := key.Name == "contact_id" || key.Name == "send_id"
	byList := func(a, b recipients.Row) int { return cmp.Compare(a.List, b.List) }
	m := apptest.RecordModel[recipients.Row]{Attributes: reports.BatchRowAttributes(r.Kind), Records: all, ByID: func(a, b recipients.Row) int {
		return cmp.Or(byList(a, b), cmp.Compare(a.Contact, b.Contact))
	}}
	pages := []enlist.Query{{}, {Limit: 100}, {Limit: 3}, {Limit: 4, Offset: 3}, {Limit: 5, Offset: 90}}
	if testing.Short() && key.Name != "contact_email" {
		pages = []enlist.Query{{}, {Limit: 4, Offset: 3}}
	}
	pages = upAndDown(pages)
	if key.Name == "contact_email" {
		for i, c := range m.Criteria("a%", "5.1.10", "2", "1", "desktop", "outlook", "") {
			all := upAndDown([]enlist.Query{{Criteria: c, Limit: 3}, {Criteria: c, Limit: 100, Offset: 2}})
			if testing.Short() {
				all = all[i%4 : i%4+1]
			}
			pages = append(pages, all...)
		}
	}
	for _, q := range pages {
		q.SortBy = key.Name
		want := m.Search(enlist.Query{Criteria: q.Criteria, SortBy: q.SortBy, Descending: q.Descending})
		if byContact {
			slices.SortStableFunc(want, byList)
		}
		want = apptest.PageOf(want, q)
		slices.SortStableFunc(want, byList)
		if got := f.Rows(r, q).All; !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", apptest.Show(q), idsOfRows(got), idsOfRows(want))
		}
	}
}

// upAndDown returns each query in both directions.
func upAndDown(queries []enlist.Query) (both []enlist.Query) {
	for _, q := range queries {
		for _, q.Descending = range []bool{false, true} {
			both = append(both, q)
		}
	}
	return both
}

func idsOfRows(rows []recipients.Row) (ids []enlist.ContactID) {
	for i := range rows {
		ids = append(ids, rows[i].Contact)
	}
	return ids
}
