package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/reports"
)

// This file tests the rows of a Batch: its recipients by kind of event.

// rowsOf collects rows as texts: the ID of the List, and the contact_email.
type rowsOf struct {
	long      bool // the reply is too long to be buffered
	streaming bool
	rows      []string
	all       []reports.BatchRow
}

func (w *rowsOf) Begin(streaming bool) error {
	w.streaming, w.rows, w.all = streaming, nil, nil
	return nil
}

func (w *rowsOf) Row(r *reports.BatchRow) error {
	w.rows = append(w.rows, fmt.Sprint(r.List, " ", strings.TrimSuffix(r.Address, "@example.com")))
	w.all = append(w.all, *r)
	if w.long && !w.streaming {
		return enlist.ErrReplyTooLong
	}
	return nil
}

func (f *eventFixture) rows(r reports.RowsRequest, q enlist.Query) *rowsOf {
	f.Helper()
	r.Batch = f.batch
	w := &rowsOf{long: q.Limit == 0}
	f.must(f.service.Reports.BatchRows(f.Context(), f.caller, r, q, w))
	return w
}

// wantRows checks the addresses of the rows of a kind. All are in the List news.
func (f *eventFixture) wantRows(kind batches.EventKind, q enlist.Query, want ...string) {
	f.Helper()
	for i := range want {
		want[i] = fmt.Sprint(f.news, " ", want[i])
	}
	if got := f.rows(reports.RowsRequest{Kind: kind}, q).rows; !slices.Equal(got, want) {
		f.Errorf("%s, %s: got %v, want %v", kind, show(q), got, want)
	}
}

// runBatchRows tests the rows of a Batch.
func runBatchRows(t *testing.T, open func(t *testing.T) db.Engine) {
	for _, test := range []struct {
		rule       string
		recipients int
		run        func(*eventFixture)
	}{
		{"each kind has the recipients with its event", 6, kindsOfRows},
		{"not_opened_count is the number of rows of a Batch, after any reports", 12, notOpenedOfBatches},
		{"not_opened_count is the number of rows of an autoresponder, after any reports", 12, notOpenedOfAutoresponder},
		{"rows are in order of Contact, and a page begins at its offset or its contact_id", 6, pagesOfRows},
		{"rows are sorted by any of their keys", 6, sortedRows},
		{"rows of each kind are sorted by each of their keys", 11, rowsSortedByEachKey},
		{"the rows of many recipients are read in chunks", 2100, chunksOfRows},
		{"limit and offset count through all Lists", 2, rowsOfLists},
		{"rows have the values of their kind", 3, valuesOfRows},
		{"the links of a recipient and the recipients of a link are found", 3, linkRows},
	} {
		t.Run(test.rule, func(t *testing.T) {
			t.Parallel()
			test.run(newEventFixture(t, open, test.recipients))
		})
	}
}

func kindsOfRows(f *eventFixture) {
	f.open(f.contacts[0], personAgent)
	f.click(f.contacts[1], f.links[0], personAgent)
	changed, err := f.service.Sending.Bounced(f.Context(), f.mail(f.contacts[2]), "smtp; 550 5.1.1 no such user")
	if err != nil || !changed {
		f.Fatalf("the report changed something: %v, %v", changed, err)
	}
	_, err = f.service.Sending.Complained(f.Context(), f.mail(f.contacts[3]), "spam")
	f.must(err)
	_, err = f.service.Sending.UnsubscribeByLink(f.Context(), f.mail(f.contacts[4]), "")
	f.must(err)
	all := enlist.Query{}
	f.wantRows(reports.RowsSent, all, "a0", "a1", "a2", "a3", "a4", "a5")
	f.wantRows(batches.EventOpened, all, "a0", "a1")
	f.wantRows(batches.RowsNotOpened, all, "a3", "a4", "a5")
	f.wantRows(batches.EventClicked, all, "a1")
	f.wantRows(batches.EventBounced, all, "a2")
	f.wantRows(batches.EventComplained, all, "a3")
	f.wantRows(batches.EventUnsubscribed, all, "a3", "a4")
	f.wantRows(batches.EventDeactivated, all)
	f.wantRows(reports.RowsUpdated, all)
	if r := f.report(); r.NotOpened() != 3 || r.Bounced != 1 || r.Complained != 1 || r.Unsubscribed != 2 {
		f.Errorf("the report is %+v, want 3 not opened, 1 bounced, 1 complained, 2 unsubscribed", r.BatchCounts)
	}
}

func pagesOfRows(f *eventFixture) {
	for _, id := range f.contacts[1:] {
		f.open(id, personAgent)
	}
	id := func(i int) string { return fmt.Sprint(f.contacts[i]) }
	sorted := func(q enlist.Query) enlist.Query { q.SortBy, q.Descending = "contact_id", true; return q }
	for _, kind := range []batches.EventKind{batches.EventOpened, reports.RowsSent} {
		first := 1
		if kind == reports.RowsSent {
			first = 0
		}
		f.wantRows(kind, enlist.Query{Limit: 2, Offset: int64(2 - first)}, "a2", "a3")
		f.wantRows(kind, enlist.Query{Limit: 9, Offset: int64(5 - first)}, "a5")
		f.wantRows(kind, enlist.Query{Limit: 9, Offset: 6})
		f.wantRows(kind, sorted(enlist.Query{Limit: 2, Offset: 1}), "a4", "a3")
		f.wantRows(kind, enlist.Query{Limit: 2, Criteria: triple("contact_id", "greater_than", id(3))}, "a4", "a5")
		f.wantRows(kind, sorted(enlist.Query{Limit: 2, Criteria: triple("send_id", "less_than", id(3))}), "a2", "a1")
		f.wantRows(kind, enlist.Query{Limit: 2, Criteria: triple("contact_id", "exactly", id(3))}, "a3")
		f.wantRows(kind, enlist.Query{Limit: 1, Offset: 1, Criteria: triple("contact_email", "in", "a1@example.com,a4@example.com")}, "a4")
	}
	f.wantRows(batches.RowsNotOpened, enlist.Query{Limit: 2}, "a0")
	err := f.service.Reports.BatchRows(f.Context(), f.caller, reports.RowsRequest{Batch: f.batch, Kind: batches.EventOpened},
		enlist.Query{SortBy: "links_clicked"}, &rowsOf{})
	f.refused(err, enlist.InvalidSearch, "links_clicked")
}

// sortedRows opens the mails of a0 to a5 in the order a3, a1, a5 and a0, and a1 twice.
func sortedRows(f *eventFixture) {
	for _, i := range []int{3, 1, 5, 0, 1} {
		f.open(f.contacts[i], personAgent)
		f.pass(time.Minute)
	}
	by := func(key string, descending bool, limit, offset int64) enlist.Query {
		return enlist.Query{SortBy: key, Descending: descending, Limit: limit, Offset: offset}
	}
	opened := batches.EventOpened
	f.wantRows(opened, by("time", false, 0, 0), "a3", "a1", "a5", "a0")
	f.wantRows(opened, by("time", true, 0, 0), "a0", "a5", "a1", "a3")
	f.wantRows(opened, by("time", true, 2, 1), "a5", "a1")
	f.wantRows(opened, by("time", false, 9, 3), "a0")
	f.wantRows(opened, by("time", false, 9, 4))
	f.wantRows(opened, by("open_count", true, 2, 0), "a1", "a5") // equal values are in order of Contact
	f.wantRows(opened, by("open_count", false, 3, 0), "a0", "a3", "a5")
	f.wantRows(reports.RowsSent, by("contact_email", true, 2, 0), "a5", "a4")
	f.wantRows(batches.RowsNotOpened, by("contact_email", true, 0, 0), "a4", "a2")
	some := by("time", false, 2, 0)
	some.Criteria = triple("contact_email", "not", "a1@example.com")
	f.wantRows(opened, some, "a3", "a5")
}

func chunksOfRows(f *eventFixture) {
	for i := 0; i < len(f.contacts); i += 7 {
		f.open(f.contacts[i], personAgent)
	}
	f.analyze()
	check := func(kind batches.EventKind, n int) {
		f.Helper()
		whole := f.rows(reports.RowsRequest{Kind: kind}, enlist.Query{}).rows
		var pages []string
		for offset := int64(0); ; offset += 500 {
			page := f.rows(reports.RowsRequest{Kind: kind}, enlist.Query{Limit: 500, Offset: offset}).rows
			pages = append(pages, page...)
			if len(page) < 500 {
				break
			}
		}
		back := f.rows(reports.RowsRequest{Kind: kind}, enlist.Query{SortBy: "contact_id", Descending: true}).rows
		slices.Reverse(back)
		if len(whole) != n || !slices.Equal(pages, whole) || !slices.Equal(back, whole) {
			f.Errorf("%s: %d rows at once, %d in pages, %d backwards, want the same %d", kind, len(whole), len(pages), len(back), n)
		}
	}
	check(reports.RowsSent, 2100)
	check(batches.RowsNotOpened, 1800)
	check(batches.EventOpened, 300)
	opened := func(ids []enlist.ContactID) {
		f.Helper()
		f.must(f.store.Update(f.Context(), func(tx *db.Tx) error {
			for _, id := range ids {
				e := &batches.RecipientEvent{List: f.news, Batch: f.batch, Contact: id, Kind: batches.EventOpened, Time: 1, LastTime: 1, Count: 1}
				if err := batches.PutRecipientEvent(tx, e); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	opened(f.contacts[:1049]) // all in the first range, which is not scanned
	check(batches.RowsNotOpened, 901)
	opened(f.contacts[1051:]) // all in the first range of a scan backwards; 1050 is open already
	check(batches.RowsNotOpened, 1)
	opened(f.contacts[1049:1050])
	check(batches.RowsNotOpened, 0)
}

func rowsOfLists(f *eventFixture) {
	other := f.addList("track_opens", true)
	third := f.subscribe(other, "Email", "b0@example.com")
	f.subscribe(other, "Email", "b1@example.com")
	f.created = f.now.Unix()
	f.batch = f.add(whole(f.news), whole(other))
	f.sendAll(nil)
	f.pass(time.Minute)
	f.open(f.contacts[1], personAgent)
	f.must(f.service.Sending.Opened(f.Context(), enlist.Link{Kind: enlist.LinkOpen, DeliveryKey: enlist.DeliveryKey{List: other, Contact: third,
		Time: f.created, Cause: batches.CauseBatch(f.batch)}}, personAgent))
	a1, b0 := fmt.Sprint(f.news, " a1"), fmt.Sprint(other, " b0")
	for _, test := range []struct {
		q    enlist.Query
		want []string
	}{
		{enlist.Query{}, []string{a1, b0}},
		{enlist.Query{Limit: 1}, []string{a1}},
		{enlist.Query{Limit: 1, Offset: 1}, []string{b0}},
		{enlist.Query{Limit: 1, Offset: 2}, nil},
	} {
		if got := f.rows(reports.RowsRequest{Kind: batches.EventOpened}, test.q).rows; !slices.Equal(got, test.want) {
			f.Errorf("%s: got %v, want %v", show(test.q), got, test.want)
		}
	}
	denied := f.restricted(f.news)
	_, err := f.service.Reports.BatchReport(f.Context(), denied, f.batch)
	f.refused(err, enlist.Denied, "")
	err = f.service.Reports.BatchRows(f.Context(), denied, reports.RowsRequest{Batch: f.batch, Kind: batches.EventOpened}, enlist.Query{}, &rowsOf{})
	f.refused(err, enlist.Denied, "")
}

// values returns a row as it is shown.
func (w *rowsOf) values(kind batches.EventKind, row int) string {
	var texts []string
	for _, a := range reports.BatchRowAttributes(kind) {
		v := a.Get(&w.all[row])
		if v.Kind == enlist.KeyText {
			texts = append(texts, a.Name+"="+v.Text)
		} else {
			texts = append(texts, fmt.Sprint(a.Name, "=", v.Int))
		}
	}
	return strings.Join(texts, " ")
}

func valuesOfRows(f *eventFixture) {
	f.open(f.contacts[0], phoneAgent)
	opened := f.now.Unix()
	f.pass(time.Minute)
	f.open(f.contacts[0], personAgent)
	_, err := f.service.Sending.Bounced(f.Context(), f.mail(f.contacts[1]), "smtp; 550 5.1.1 no such user")
	f.must(err)
	_, err = f.service.Sending.Complained(f.Context(), f.mail(f.contacts[2]), "spam")
	f.must(err)
	who := func(i int) string {
		return fmt.Sprintf("send_id=%d contact_id=%[1]d contact_email=a%d@example.com", f.contacts[i], i)
	}
	for kind, want := range map[batches.EventKind]string{
		batches.EventOpened:     who(0) + fmt.Sprintf(" time=%d device=mobile mail_client=Apple Mail open_count=2 is_human=1", opened),
		batches.EventBounced:    who(1) + fmt.Sprintf(" type=hard code=5.1.1 text=smtp; 550 5.1.1 no such user time=%d", f.now.Unix()),
		batches.EventComplained: who(2) + fmt.Sprintf(" complaint_timestamp=%d complaint_provider_type=feedback_loop is_complaint=1", f.now.Unix()),
	} {
		w := f.rows(reports.RowsRequest{Kind: kind}, enlist.Query{Limit: 10})
		if len(w.all) != 1 || w.values(kind, 0) != want {
			f.Errorf("%s: got %v, want one row: %s", kind, w.all, want)
		}
	}
}

func linkRows(f *eventFixture) {
	f.click(f.contacts[0], f.links[0], personAgent)
	f.click(f.contacts[1], f.links[2], personAgent)
	f.pass(time.Minute)
	f.click(f.contacts[0], f.links[0], personAgent)
	f.click(f.contacts[1], f.links[0], personAgent)
	w := f.rows(reports.RowsRequest{Kind: batches.EventLink, URL: "https://a.example/"}, enlist.Query{Limit: 10})
	if len(w.all) != 2 || !strings.HasSuffix(w.values(batches.EventLink, 0), "contact_email=a0@example.com link_name=https://a.example/ link_url=https://a.example/ links_clicked=2") {
		f.Errorf("the recipients of the link are %+v", w.all)
	}
	rows, err := f.service.Reports.ContactLinks(f.Context(), f.caller, f.batch, f.contacts[1], enlist.Query{})
	f.must(err)
	if len(rows) != 2 || rows[0].Event.Link != f.links[0] || rows[1].LinkURL != "https://c.example/?for={{Email}}" {
		f.Errorf("the links of the recipient are %+v", rows)
	}
}
