package reports_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/recipients"
	"enlist/internal/reports"
)

// This file tests the rows of a Batch: its recipients by kind of event.

// The tests read the recipients of Batches by kind of event, in pages and at once.
//
// covers: spec batch.rows, batch.keyset, batch.fields, decision 61
func TestRowsOfABatch(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewSentBatch(6), []apptest.Rule[*apptest.SentBatch]{
		{Name: "each kind has the recipients with its event", Test: kindsOfRows},
		{Name: "rows are in order of Contact, and a page begins at its offset or its contact_id", Test: pagesOfRows},
		{Name: "rows are sorted by any of their keys", Test: sortedRows},
		{Name: "criteria and sort_by may name Fields of the Lists", Test: rowsByField},
	})
}

func TestRowsNotOpened(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewSentBatch(12), []apptest.Rule[*apptest.SentBatch]{
		{Name: "not_opened_count and the number of delivered mails are those of the rows of a Batch, after any reports", Test: notOpenedOfBatches},
		{Name: "not_opened_count and the number of delivered mails are those of the rows of an autoresponder, after any reports", Test: notOpenedOfAutoresponder},
	})
}

func TestRowsAreSortedByEachKey(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewSentBatch(11), []apptest.Rule[*apptest.SentBatch]{
		{Name: "rows of each kind are sorted by each of their keys", Test: rowsSortedByEachKey},
	})
}

func TestRowsAreReadInChunks(t *testing.T) {
	apptest.Run(t, apptest.Slow, apptest.NewSentBatch(2100), []apptest.Rule[*apptest.SentBatch]{
		{Name: "the rows of many recipients are read in chunks", Test: chunksOfRows},
	})
}

func TestRowsOfSeveralLists(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewSentBatch(2), []apptest.Rule[*apptest.SentBatch]{
		{Name: "limit and offset count through all Lists", Test: rowsOfLists},
	})
}

func TestValuesOfRows(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewSentBatch(3), []apptest.Rule[*apptest.SentBatch]{
		{Name: "rows have the values of their kind", Test: valuesOfRows},
		{Name: "the links of a recipient and the recipients of a link are found", Test: linkRows},
	})
}

func kindsOfRows(f *apptest.SentBatch) {
	f.Open(f.Contacts[0], apptest.PersonAgent)
	f.Click(f.Contacts[1], f.Links[0], apptest.PersonAgent)
	changed, err := f.App.Sending.Bounced(f.Context(), f.Mail(f.Contacts[2]), "smtp; 550 5.1.1 no such user")
	if err != nil || !changed {
		f.Fatalf("the report changed something: %v, %v", changed, err)
	}
	_, err = f.App.Sending.Complained(f.Context(), f.Mail(f.Contacts[3]), "spam")
	f.Must(err)
	_, err = f.App.Sending.UnsubscribeByLink(f.Context(), f.Mail(f.Contacts[4]), "")
	f.Must(err)
	all := enlist.Query{}
	f.WantRows(recipients.RowsSent, all, "a0", "a1", "a2", "a3", "a4", "a5")
	f.WantRows(recipients.RowsDelivered, all, "a0", "a1", "a3", "a4", "a5")
	f.WantRows(recipients.EventOpened, all, "a0", "a1")
	f.WantRows(recipients.RowsNotOpened, all, "a3", "a4", "a5")
	f.WantRows(recipients.EventClicked, all, "a1")
	f.WantRows(recipients.EventBounced, all, "a2")
	f.WantRows(recipients.EventComplained, all, "a3")
	f.WantRows(recipients.EventUnsubscribed, all, "a3", "a4")
	f.WantRows(recipients.EventDeactivated, all)
	f.WantRows(recipients.RowsUpdated, all)
	if r := f.Report(); r.NotOpened() != 3 || r.Bounced != 1 || r.Complained != 1 || r.Unsubscribed != 2 {
		f.Errorf("the report is %+v, want 3 not opened, 1 bounced, 1 complained, 2 unsubscribed", r.Counts)
	}
}

func pagesOfRows(f *apptest.SentBatch) {
	for _, id := range f.Contacts[1:] {
		f.Open(id, apptest.PersonAgent)
	}
	id := func(i int) string { return fmt.Sprint(f.Contacts[i]) }
	sorted := func(q enlist.Query) enlist.Query { q.SortBy, q.Descending = "contact_id", true; return q }
	for _, kind := range []recipients.EventKind{recipients.EventOpened, recipients.RowsSent} {
		first := 1
		if kind == recipients.RowsSent {
			first = 0
		}
		f.WantRows(kind, enlist.Query{Limit: 2, Offset: int64(2 - first)}, "a2", "a3")
		f.WantRows(kind, enlist.Query{Limit: 9, Offset: int64(5 - first)}, "a5")
		f.WantRows(kind, enlist.Query{Limit: 9, Offset: 6})
		f.WantRows(kind, sorted(enlist.Query{Limit: 2, Offset: 1}), "a4", "a3")
		f.WantRows(kind, enlist.Query{Limit: 2, Criteria: apptest.Criterion("contact_id", "greater_than", id(3))}, "a4", "a5")
		f.WantRows(kind, sorted(enlist.Query{Limit: 2, Criteria: apptest.Criterion("send_id", "less_than", id(3))}), "a2", "a1")
		f.WantRows(kind, enlist.Query{Limit: 2, Criteria: apptest.Criterion("contact_id", "exactly", id(3))}, "a3")
		f.WantRows(kind, enlist.Query{Limit: 1, Offset: 1, Criteria: apptest.Criterion("contact_email", "in", "a1@example.com,a4@example.com")}, "a4")
	}
	f.WantRows(recipients.RowsNotOpened, enlist.Query{Limit: 2}, "a0")
	err := f.App.Reports.BatchRows(f.Context(), f.Caller, reports.RowsRequest{Batch: f.ID, Kind: recipients.EventOpened},
		enlist.Query{SortBy: "links_clicked"}, &apptest.RowsOf{})
	f.Refused(err, enlist.InvalidSearch, "links_clicked")
}

// sortedRows opens the mails of a0 to a5 in the order a3, a1, a5 and a0, and a1 twice.
func sortedRows(f *apptest.SentBatch) {
	for _, i := range []int{3, 1, 5, 0, 1} {
		f.Open(f.Contacts[i], apptest.PersonAgent)
		f.Pass(time.Minute)
	}
	by := func(key string, descending bool, limit, offset int64) enlist.Query {
		return enlist.Query{SortBy: key, Descending: descending, Limit: limit, Offset: offset}
	}
	opened := recipients.EventOpened
	f.WantRows(opened, by("time", false, 0, 0), "a3", "a1", "a5", "a0")
	f.WantRows(opened, by("time", true, 0, 0), "a0", "a5", "a1", "a3")
	f.WantRows(opened, by("time", true, 2, 1), "a5", "a1")
	f.WantRows(opened, by("time", false, 9, 3), "a0")
	f.WantRows(opened, by("time", false, 9, 4))
	f.WantRows(recipients.RowsOpens, by("open_count", true, 2, 0), "a1", "a5") // equal values are in order of Contact
	f.WantRows(recipients.RowsOpens, by("open_count", false, 3, 0), "a0", "a3", "a5")
	f.WantRows(recipients.RowsSent, by("contact_email", true, 2, 0), "a5", "a4")
	f.WantRows(recipients.RowsNotOpened, by("contact_email", true, 0, 0), "a4", "a2")
	some := by("time", false, 2, 0)
	some.Criteria = apptest.Criterion("contact_email", "not", "a1@example.com")
	f.WantRows(opened, some, "a3", "a5")
}

func chunksOfRows(f *apptest.SentBatch) {
	for i := 0; i < len(f.Contacts); i += 7 {
		f.Open(f.Contacts[i], apptest.PersonAgent)
	}
	f.Analyze()
	check := func(kind recipients.EventKind, n int) {
		f.Helper()
		whole := f.Rows(reports.RowsRequest{Kind: kind}, enlist.Query{}).Rows
		var pages []string
		for offset := int64(0); ; offset += 500 {
			page := f.Rows(reports.RowsRequest{Kind: kind}, enlist.Query{Limit: 500, Offset: offset}).Rows
			pages = append(pages, page...)
			if len(page) < 500 {
				break
			}
		}
		back := f.Rows(reports.RowsRequest{Kind: kind}, enlist.Query{SortBy: "contact_id", Descending: true}).Rows
		slices.Reverse(back)
		if len(whole) != n || !slices.Equal(pages, whole) || !slices.Equal(back, whole) {
			f.Errorf("%s: %d rows at once, %d in pages, %d backwards, want the same %d", kind, len(whole), len(pages), len(back), n)
		}
	}
	check(recipients.RowsSent, 2100)
	check(recipients.RowsDelivered, 2100)
	check(recipients.RowsNotOpened, 1800)
	check(recipients.EventOpened, 300)
	opened := func(ids []enlist.ContactID) {
		f.Helper()
		f.Must(f.Store.Update(f.Context(), func(tx *db.Tx) error {
			for _, id := range ids {
				e := &recipients.Event{List: f.News, Batch: f.ID, Contact: id, Kind: recipients.EventOpened, Time: 1, LastTime: 1, Count: 1}
				if err := e.Put(tx); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	opened(f.Contacts[:1049]) // all in the first range, which is not scanned
	check(recipients.RowsNotOpened, 901)
	opened(f.Contacts[1051:]) // all in the first range of a scan backwards; 1050 is open already
	check(recipients.RowsNotOpened, 1)
	opened(f.Contacts[1049:1050])
	check(recipients.RowsNotOpened, 0)
}

func rowsOfLists(f *apptest.SentBatch) {
	other := f.AddList("track_opens", true)
	third := f.Subscribe(other, "Email", "b0@example.com")
	f.Subscribe(other, "Email", "b1@example.com")
	f.Created = f.Now.Unix()
	f.ID = f.Add(apptest.Whole(f.News), apptest.Whole(other))
	f.SendAll(nil)
	f.Pass(time.Minute)
	f.Open(f.Contacts[1], apptest.PersonAgent)
	f.Must(f.App.Sending.Opened(f.Context(), enlist.Link{Kind: enlist.LinkOpen, DeliveryKey: enlist.DeliveryKey{List: other, Contact: third,
		Time: f.Created, Cause: batches.CauseBatch(f.ID)}}, apptest.PersonAgent))
	a1, b0 := fmt.Sprint(f.News, " a1"), fmt.Sprint(other, " b0")
	for _, test := range []struct {
		q    enlist.Query
		want []string
	}{
		{enlist.Query{}, []string{a1, b0}},
		{enlist.Query{Limit: 1}, []string{a1}},
		{enlist.Query{Limit: 1, Offset: 1}, []string{b0}},
		{enlist.Query{Limit: 1, Offset: 2}, nil},
	} {
		if got := f.Rows(reports.RowsRequest{Kind: recipients.EventOpened}, test.q).Rows; !slices.Equal(got, test.want) {
			f.Errorf("%s: got %v, want %v", apptest.Show(test.q), got, test.want)
		}
	}
	denied := f.Restricted(f.News)
	_, err := f.App.Reports.BatchReport(f.Context(), denied, f.ID)
	f.Refused(err, enlist.Denied, "")
	err = f.App.Reports.BatchRows(f.Context(), denied, reports.RowsRequest{Batch: f.ID, Kind: recipients.EventOpened}, enlist.Query{}, &apptest.RowsOf{})
	f.Refused(err, enlist.Denied, "")
}

func valuesOfRows(f *apptest.SentBatch) {
	f.Open(f.Contacts[0], apptest.PhoneAgent)
	opened := f.Now.Unix()
	f.Pass(time.Minute)
	f.Open(f.Contacts[0], apptest.PersonAgent)
	_, err := f.App.Sending.Bounced(f.Context(), f.Mail(f.Contacts[1]), "smtp; 550 5.1.1 no such user")
	f.Must(err)
	_, err = f.App.Sending.Complained(f.Context(), f.Mail(f.Contacts[2]), "spam")
	f.Must(err)
	who := func(i int) string {
		return fmt.Sprintf("send_id=%d contact_id=%[1]d contact_email=a%d@example.com", f.Contacts[i], i)
	}
	for kind, want := range map[recipients.EventKind]string{
		recipients.EventOpened:     who(0) + fmt.Sprintf(" time=%d device=mobile mail_client=Apple Mail", opened),
		recipients.RowsOpens:       who(0) + fmt.Sprintf(" time=%d open_count=2 is_human=1", opened),
		recipients.EventBounced:    who(1) + fmt.Sprintf(" type=hard code=5.1.1 text=smtp; 550 5.1.1 no such user time=%d", f.Now.Unix()),
		recipients.EventComplained: who(2) + fmt.Sprintf(" complaint_timestamp=%d complaint_provider_type=feedback_loop is_complaint=1", f.Now.Unix()),
	} {
		w := f.Rows(reports.RowsRequest{Kind: kind}, enlist.Query{Limit: 10})
		if len(w.All) != 1 || w.Values(kind, 0) != want {
			f.Errorf("%s: got %v, want one row: %s", kind, w.All, want)
		}
	}
}

func linkRows(f *apptest.SentBatch) {
	f.Click(f.Contacts[0], f.Links[0], apptest.PersonAgent)
	f.Click(f.Contacts[1], f.Links[2], apptest.PersonAgent)
	f.Pass(time.Minute)
	f.Click(f.Contacts[0], f.Links[0], apptest.PersonAgent)
	f.Click(f.Contacts[1], f.Links[0], apptest.PersonAgent)
	w := f.Rows(reports.RowsRequest{Kind: recipients.EventLink, URL: "https://a.example/"}, enlist.Query{Limit: 10})
	if len(w.All) != 2 || !strings.HasSuffix(w.Values(recipients.EventLink, 0), "contact_email=a0@example.com link_name=https://a.example/ link_url=https://a.example/ links_clicked=2") {
		f.Errorf("the recipients of the link are %+v", w.All)
	}
	rows, err := f.App.Reports.ContactLinks(f.Context(), f.Caller, f.ID, f.Contacts[1], enlist.Query{})
	f.Must(err)
	if len(rows) != 2 || rows[0].Event.Link != f.Links[0] || rows[1].LinkURL != "https://c.example/?for={{Email}}" {
		f.Errorf("the links of the recipient are %+v", rows)
	}
}

// Two Lists have the Fields City and Age, in another order. All recipients have opened the mail, a1 and b1 on a phone.
func rowsByField(f *apptest.SentBatch) {
	other := f.AddList("track_opens", true)
	f.AddField(f.News, "name", "City", "type", "text")
	f.AddField(f.News, "name", "Age", "type", "decimal")
	f.AddField(other, "name", "Age", "type", "decimal")
	f.AddField(other, "name", "City", "type", "text")
	for _, list := range []enlist.ListID{f.News, other} {
		_, err := f.App.Lists.AddPreference(f.Context(), f.Caller, list, "Tips")
		f.Must(err)
	}
	ages := []any{"9", "10.5", "", "-2", "9.0", "100"}
	for i := range 6 {
		f.Subscribe(f.News, "Email", fmt.Sprintf("a%d@example.com", i), "City", []string{"Rome", "oslo"}[i%2], "Age", ages[i])
		f.Subscribe(other, "Email", fmt.Sprintf("b%d@example.com", i), "City", []string{"Bern", "ROME", ""}[i%3], "Age", ages[5-i])
	}
	first := f.All(other)[0]
	_, err := f.App.Contacts.Resubscribe(f.Context(), f.Caller, contacts.ResubscribeRequest{List: other, Contact: first,
		Consent: contacts.Consent{Type: contacts.ConsentDirect,
			Preferences: []enlist.PreferenceChoice{{Name: "Tips", Agree: true}}}})
	f.Must(err)
	f.Created = f.Now.Unix()
	f.ID = f.Add(apptest.Whole(f.News), apptest.Whole(other))
	f.SendAll(nil)
	f.Pass(time.Minute)
	var ids []enlist.ContactID
	for _, list := range []enlist.ListID{f.News, other} {
		f.Update(func(tx *db.Tx) error {
			found, err := contacts.Candidates(tx, list, 0, 1<<40, 100)
			for i, c := range found {
				ids = append(ids, c.ID)
				e := &recipients.Event{List: list, Batch: f.ID, Contact: c.ID, Kind: recipients.EventOpened, Time: 7, Count: 1, Device: "desktop"}
				if i == 1 {
					e.Device = "mobile"
				}
				err = cmp.Or(err, e.Put(tx))
			}
			return err
		})
	}
	triple := apptest.Criterion
	all := func(parts ...*enlist.Criteria) *enlist.Criteria { return joined(parts, false) }
	either := func(parts ...*enlist.Criteria) *enlist.Criteria { return joined(parts, true) }
	for _, test := range []struct {
		q    enlist.Query
		want string
	}{
		{enlist.Query{Criteria: triple("Email", "contains", "A3@")}, "a3"},
		{enlist.Query{Criteria: triple("City", "exactly", "rome")}, "a0 a2 a4 b1 b4"},
		{enlist.Query{Criteria: triple("City", "exactly", "rome"), Limit: 2, Offset: 2}, "a4 b1"},
		{enlist.Query{Criteria: triple("City", "exactly", "")}, "b2 b5"},
		{enlist.Query{Criteria: triple("Age", "less_than", "10")}, "a0 a3 a4 b1 b2 b5"},
		{enlist.Query{Criteria: all(triple("City", "not", "oslo"), triple("device", "exactly", "mobile"))}, "b1"},
		{enlist.Query{Criteria: all(triple("City", "exactly", "oslo"), triple("time", "contains", "7"))}, "a1 a3 a5"},
		{enlist.Query{Criteria: either(triple("City", "exactly", "bern"), triple("device", "exactly", "mobile"))}, "a1 b0 b1 b3"},
		{enlist.Query{Criteria: all(triple("City", "exactly", "rome"), triple("contact_id", "greater_than", int(ids[2])))}, "a4 b1 b4"},
		{enlist.Query{Criteria: triple("preference:Tips", "exactly", true)}, "b0"},
		{enlist.Query{Criteria: either(triple("preference:Tips", "not", ""), triple("City", "exactly", "bern"))}, "b0 b3"},
		{enlist.Query{SortBy: "Age", Limit: 5}, "a2 a3 a0 b3 b2"},
		{enlist.Query{SortBy: "age", Descending: true, Limit: 4}, "a5 a1 b0 b4"},
		{enlist.Query{SortBy: "Email", Descending: true, Limit: 3, Offset: 5}, "a5 a4 b0"},
		{enlist.Query{Criteria: triple("device", "exactly", "desktop"), SortBy: "City", Limit: 4}, "b2 b5 b0 b3"},
		{enlist.Query{Criteria: triple("time", "contains", "7"), SortBy: "City", Limit: 3}, "b2 b5 b0"},
	} {
		for _, kind := range []recipients.EventKind{recipients.EventOpened, recipients.RowsOpens, recipients.RowsSent} {
			if text := apptest.Show(test.q); kind != recipients.EventOpened && (strings.Contains(text, "device") || strings.Contains(text, "time")) {
				continue
			}
			var got []string
			for _, r := range f.Rows(reports.RowsRequest{Kind: kind}, test.q).All {
				got = append(got, strings.TrimSuffix(r.Address, "@example.com"))
			}
			if text := strings.Join(got, " "); text != test.want {
				f.Errorf("%s, %s: got %s, want %s", kind, apptest.Show(test.q), text, test.want)
			}
		}
	}
	f.AddField(other, "name", "Zip", "type", "text")
	for about, q := range map[string]enlist.Query{"Zip": {Criteria: triple("Zip", "exactly", "1")}, "sort_by": {SortBy: "Zip"}, "colour": {Criteria: triple("colour", "exactly", "1")},
		"\"time\"": {Criteria: either(triple("time", "contains", "7"), triple("City", "exactly", "Rome"))}} {
		r := reports.RowsRequest{Batch: f.ID, Kind: recipients.EventOpened}
		f.Refused(f.App.Reports.BatchRows(f.Context(), f.Caller, r, q, new(apptest.RowsOf)), enlist.InvalidSearch, about)
	}
}

func joined(parts []*enlist.Criteria, byOr bool) *enlist.Criteria {
	var items []enlist.Criteria
	for _, p := range parts {
		items = append(items, *p)
	}
	if byOr {
		return &enlist.Criteria{Any: items}
	}
	return &enlist.Criteria{All: items}
}
