package sends

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"enlist/internal/address"
	"enlist/internal/admin/ui"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/pace"
	"enlist/internal/recipients"
	"enlist/internal/reports"
)

// This file has the people behind the numbers of a report, as pages and as files.

// kind is a list of people.
type kind struct {
	name, title string
	rows        recipients.EventKind
	human       enlist.InputKind // InputTrue: only events of persons; InputFalse: only of machines; InputNull: all
	time        string           // key by which the service sorts the rows by their time; "": none
}

// mostSorted is the largest number of recipients of a Batch whose people can be sorted. The service has no index for
// another order, and sorts at most so many rows.
const mostSorted = 10_000

// columns are those of a page of people of a Batch. The service sorts all rows, and then groups those of a page by
// List, so the page sorts them again, in the order of the service: otherwise the row that is one too many would be
// another one.
func (k *kind) columns(r *ui.Request, b *batches.Batch) ui.Columns[reports.BatchRow] {
	then := func(n int, a, b *reports.BatchRow) int {
		return cmp.Or(n, cmp.Compare(a.List, b.List), cmp.Compare(a.Contact, b.Contact),
			cmp.Compare(a.Event.Link, b.Event.Link))
	}
	email := ui.Column[reports.BatchRow]{Key: "contact_email", Text: "sends.email",
		Compare: func(a, b *reports.BatchRow) int {
			return then(strings.Compare(address.LowerASCII(a.Address), address.LowerASCII(b.Address)), a, b)
		}}
	when := ui.Column[reports.BatchRow]{Key: k.time, Text: r.Text("sends.when_zone", "zone", r.Zone()), Falls: true,
		Compare: func(a, b *reports.BatchRow) int { return then(cmp.Compare(a.Event.Time, b.Event.Time), a, b) }}
	if b.Recipients > mostSorted {
		email.Key, when.Key = "", ""
	}
	return ui.Columns[reports.BatchRow]{email, when, {Text: r.Text("sends.what")}}
}

var kinds = []kind{
	{"recipients", "sends.kind_recipients", reports.RowsSent, enlist.InputNull, ""},
	{"accepted", "sends.kind_accepted", reports.RowsAccepted, enlist.InputNull, ""},
	{"deferred", "sends.kind_deferred", reports.RowsDeferred, enlist.InputNull, ""},
	{"delivered", "sends.kind_delivered", reports.RowsDelivered, enlist.InputNull, ""},
	{"all-opened", "sends.kind_all_opened", recipients.EventOpened, enlist.InputNull, "time"},
	{"opened", "sends.kind_opened", reports.RowsOpens, enlist.InputTrue, "time"},
	{"machines", "sends.kind_machines", reports.RowsOpens, enlist.InputFalse, "time"},
	{"not-opened", "sends.kind_not_opened", recipients.RowsNotOpened, enlist.InputNull, ""},
	{"clicked", "sends.kind_clicked", recipients.EventClicked, enlist.InputTrue, "time"},
	{"clicked-machines", "sends.kind_clicked_machines", recipients.EventClicked, enlist.InputFalse, "time"},
	{"link", "sends.kind_link", recipients.EventLink, enlist.InputNull, ""},
	{"bounced", "sends.kind_bounced", recipients.EventBounced, enlist.InputNull, "time"},
	{"left", "sends.kind_left", recipients.EventUnsubscribed, enlist.InputNull, "time"},
	{"complained", "sends.kind_complained", recipients.EventComplained, enlist.InputNull, "complaint_timestamp"},
	{"deactivated", "sends.kind_deactivated", recipients.EventDeactivated, enlist.InputNull, "time"},
}

func kindCalled(name string) (*kind, error) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		return nil, ui.ErrNotFound
	}
	return &kinds[i], nil
}

// search returns what a list of people asks for.
func (k *kind) search(r *ui.Request) (reports.RowsRequest, enlist.Query) {
	request := reports.RowsRequest{Batch: enlist.BatchID(r.ID("batch")), Kind: k.rows, URL: r.FormValue("url"),
		Part: reports.Part{Group: r.FormValue("provider"), Reason: recipients.BounceReason(r.FormValue("reason"))}}
	var parts []enlist.Criteria
	if k.human != enlist.InputNull {
		parts = append(parts, enlist.Criteria{Key: "is_human", Operator: "exactly", Value: enlist.Input{Kind: k.human}})
	}
	if device := r.FormValue("device"); device != "" {
		parts = append(parts,
			enlist.Criteria{Key: "device", Operator: "exactly", Value: enlist.TextInput(device)})
	}
	if text := strings.TrimSpace(r.FormValue("q")); text != "" {
		parts = append(parts,
			enlist.Criteria{Key: "contact_email", Operator: "contains", Value: enlist.TextInput(text)})
	}
	var q enlist.Query
	if parts != nil {
		q.Criteria = &enlist.Criteria{All: parts}
	}
	return request, q
}

// peoplePage is the number of people on a page.
const peoplePage = 100

// peopleData is the data of a page of people.
type peopleData struct {
	Batch      enlist.BatchID
	Kind       string
	Text, Link string
	Only       []only // the page has only these people
	People     []person
	Pager      ui.Pager
	Order      ui.Order
	File       string // URL of all as CSV
	Late       bool   // the search was given up: People are those that it had found
}

// only is a value of a table of the report to which people belong.
type only struct{ Name, Value, Text string }

// onlyOf returns the values that a page of people asks for.
func onlyOf(r *ui.Request) (all []only) {
	add := func(name string, text func(value string) string) {
		if value := r.FormValue(name); value != "" {
			all = append(all, only{name, value, cmp.Or(text(value), value)})
		}
	}
	add("provider", func(v string) string { return r.Text("sends.only_provider", "name", providerText(r, v)) })
	add("reason", func(v string) string { return r.Text(cmp.Or(reasonTexts[recipients.BounceReason(v)], v)) })
	add("device", func(v string) string { return r.Text("sends.only_device", "name", r.Text(deviceText(pace.Device(v)))) })
	return all
}

// person is a row of a page of people.
type person struct{ Address, Path, When, What string }

func (p *pages) people(r *ui.Request) (*ui.View, error) {
	k, err := kindCalled(r.PathValue("kind"))
	if err != nil {
		return nil, err
	}
	b, err := r.App.Batches.Batch(r.Context(), r.Caller, enlist.BatchID(r.ID("batch")))
	if err != nil {
		return nil, err
	}
	names, err := r.Names()
	if err != nil {
		return nil, err
	}
	request, q := k.search(r)
	page := ui.PageNumber(r.URL.Query())
	columns := k.columns(r, b)
	order := columns.Order(r.URL.Query(), "")
	q.SortBy, q.Descending = order.Key, order.Down
	q.Limit, q.Offset = peoplePage+1, (page-1)*peoplePage // one more, to see whether there is a next page
	var rows rowList
	late, err := ui.Within(r.Context(), b.Recipients, ui.SearchWait, func(ctx context.Context) error {
		return r.App.Reports.BatchRows(ctx, r.Caller, request, q, &rows)
	})
	if err != nil {
		return nil, err
	}
	d := peopleData{Batch: b.ID, Kind: k.name, Text: strings.TrimSpace(r.FormValue("q")), Link: request.URL,
		Only: onlyOf(r), Order: order, Late: late}
	columns.Sort(r.URL.Query(), "", rows.all)
	more := len(rows.all) > peoplePage
	rows.all = rows.all[:min(len(rows.all), peoplePage)]
	at := func(page int64) string { return d.path("people/"+k.name, page) }
	d.Pager = ui.NewPager(page, peoplePage, len(rows.all), -1, at)
	if more {
		d.Pager.Next = at(page + 1)
	}
	d.File = d.path("people.csv", 0)
	for i := range rows.all {
		row := &rows.all[i]
		when, what := fate(r, row)
		d.People = append(d.People, person{row.Address, contactPath(row), r.Date(when), what})
	}
	return &ui.View{Title: r.Text(k.title), Sub: nameOf(b, names), Place: "/admin/sends", Content: p.peoplePage, Data: d}, nil
}

// path returns a URL with the search of this page.
func (d *peopleData) path(to string, page int64) string {
	v := url.Values{}
	if d.Text != "" {
		v.Set("q", d.Text)
	}
	if d.Link != "" {
		v.Set("url", d.Link)
	}
	for _, p := range d.Only {
		v.Set(p.Name, p.Value)
	}
	if to == "people.csv" {
		v.Set("kind", d.Kind)
	} else {
		d.Order.AddTo(v)
	}
	if page > 1 {
		v.Set("page", ui.Plain(page))
	}
	return strings.TrimSuffix("/admin/sends/"+ui.Plain(int64(d.Batch))+"/"+to+"?"+v.Encode(), "?")
}

// contactPath returns the page of the Contacts that shows this one.
func contactPath(row *reports.BatchRow) string {
	v := url.Values{"list": {ui.Plain(int64(row.List))}, "key": {"id"}, "op": {"exactly"},
		"value": {ui.Plain(int64(row.Contact))}}
	return "/admin/contacts?" + v.Encode()
}

var statusTexts = map[recipients.Status]string{recipients.StatusWaiting: "sends.fate_waits",
	recipients.StatusSending: "sends.fate_sending", recipients.StatusDeferred: "sends.fate_deferred",
	recipients.StatusDoubtful: "sends.fate_doubtful", recipients.StatusSent: "sends.fate_accepted",
	recipients.StatusBounced: "sends.fate_bounced", recipients.StatusFailed: "sends.fate_failed",
	recipients.StatusComplained: "sends.fate_complained"}

// fate returns when something happened to the mail of a row, and what.
func fate(r *ui.Request, row *reports.BatchRow) (when int64, what string) {
	e := &row.Event
	switch e.Kind {
	case "":
		when, what = row.Time, r.Text(statusTexts[row.Status])
		if row.Sent != 0 {
			when = row.Sent
		}
		if row.Detail != "" {
			what += ": " + row.Detail
		}
	case recipients.EventOpened:
		when, what = e.Time, r.Text("sends.opened_times", "n", e.Count)
	case recipients.EventLink:
		when, what = e.Time, r.Text("sends.clicked_times", "n", e.Count)
	case recipients.EventClicked:
		when, what = e.Time, r.Text("sends.clicked_links", "n", e.Count)
	default:
		when, what = e.Time, row.Detail
	}
	return when, what
}

// rowList keeps the rows of a page.
type rowList struct{ all []reports.BatchRow }

// Begin implements enlist.RowWriter.
func (l *rowList) Begin(bool) error {
	l.all = nil
	return nil
}

// Row implements enlist.RowWriter.
func (l *rowList) Row(r *reports.BatchRow) error {
	l.all = append(l.all, *r)
	return nil
}

// peopleFile sends all people of a kind as CSV.
func peopleFile(r *ui.Request) (*ui.View, error) {
	k, err := kindCalled(r.FormValue("kind"))
	if err != nil {
		return nil, err
	}
	request, q := k.search(r)
	w := &rowFile{csvFile: newFile(r, "send-"+ui.Plain(r.ID("batch"))+"-"+k.name+".csv"), request: r}
	return w.end(r.App.Reports.BatchRows(r.Context(), r.Caller, request, q, w))
}

// rowFile writes rows as CSV.
type rowFile struct {
	*csvFile
	request *ui.Request
}

// Begin implements enlist.RowWriter.
func (f *rowFile) Begin(bool) error {
	if err := f.begin(); err != nil {
		return err
	}
	return f.Write([]string{"list_id", "contact_id", "email", "time", "what"})
}

// Row implements enlist.RowWriter.
func (f *rowFile) Row(row *reports.BatchRow) error {
	when, what := fate(f.request, row)
	at := ""
	if when != 0 {
		at = csvTime(f.request, when)
	}
	return f.Write([]string{ui.Plain(int64(row.List)), ui.Plain(int64(row.Contact)),
		enlist.SpreadsheetText(row.Address), at, enlist.SpreadsheetText(what)})
}
