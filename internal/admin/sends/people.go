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
func (k *kind) columns(r *ui.Request, b *batches.Batch) ui.Columns[recipients.Row] {
	then := func(n int, a, b *recipients.Row) int {
		return cmp.Or(n, cmp.Compare(a.List, b.List), cmp.Compare(a.Contact, b.Contact),
			cmp.Compare(a.Event.Link, b.Event.Link))
	}
	email := ui.Column[recipients.Row]{Key: "contact_email", Text: "sends.email",
		Compare: func(a, b *recipients.Row) int {
			return then(strings.Compare(address.LowerASCII(a.Address), address.LowerASCII(b.Address)), a, b)
		}}
	when := ui.Column[recipients.Row]{Key: k.time, Text: r.Text("sends.when_zone", "zone", r.Zone()), Falls: true,
		Compare: func(a, b *recipients.Row) int { return then(cmp.Compare(a.Event.Time, b.Event.Time), a, b) }}
	if b.Recipients > mostSorted {
		email.Key, when.Key = "", ""
	}
	return ui.Columns[recipients.Row]{email, when, {Text: r.Text("sends.what")}}
}

var kinds = []kind{
	{"recipients", "sends.kind_recipients", recipients.RowsSent, enlist.InputNull, ""},
	{"accepted", "sends.kind_accepted", recipients.RowsAccepted, enlist.InputNull, ""},
	{"deferred", "sends.kind_deferred", recipients.RowsDeferred, enlist.InputNull, ""},
	{"repeated", "sends.kind_repeated", recipients.EventRepeated, enlist.InputNull, "time"},
	{"delivered", "sends.kind_delivered", recipients.RowsDelivered, enlist.InputNull, ""},
	{"all-opened", "sends.kind_all_opened", recipients.EventOpened, enlist.InputNull, "time"},
	{"opened", "sends.kind_opened", recipients.RowsOpens, enlist.InputTrue, "time"},
	{"machines", "sends.kind_machines", recipients.RowsOpens, enlist.InputFalse, "time"},
	{"not-opened", "sends.kind_not_opened", recipients.RowsNotOpened, enlist.InputNull, ""},
	{"not-measured", "sends.kind_not_measured", recipients.RowsDelivered, enlist.InputNull, ""},
	{"clicked", "sends.kind_clicked", recipients.EventClicked, enlist.InputTrue, "time"},
	{"clicked-machines", "sends.kind_clicked_machines", recipients.EventClicked, enlist.InputFalse, "time"},
	{"link", "sends.kind_link", recipients.EventLink, enlist.InputNull, ""},
	{"bounced", "sends.kind_bounced", recipients.EventBounced, enlist.InputNull, "time"},
	{"failed", "sends.kind_failed", recipients.RowsFailed, enlist.InputNull, ""},
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
		Part: recipients.Part{Group: r.FormValue("provider"), Reason: recipients.BounceReason(r.FormValue("reason"))}}
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

// measure leaves the people whose mails were not measured out of the people who did not open a Batch, or finds them.
func (k *kind) measure(b *batches.Batch, part *recipients.Part) {
	switch {
	case k.name == "not-measured":
		part.Opens = recipients.OpensNotMeasured
	case k.name == "not-opened" && b.Unmeasured.Opens > 0: // otherwise the rows can be read page by page
		part.Opens = recipients.OpensMeasured
	}
}

// peoplePage is the number of people on a page.
const peoplePage = 100

// peopleData is the data of a page of people.
type peopleData struct {
	ui.Table[person]
	Only []string // the page has only the people of these parts of the report
}

// onlyOf returns the parts of the report that a page of people asks for.
func onlyOf(r *ui.Request) (all []string) {
	if url := r.FormValue("url"); url != "" {
		all = append(all, url)
	}
	if provider := r.FormValue("provider"); provider != "" {
		all = append(all, r.Text("sends.only_provider", "name", providerText(r, provider)))
	}
	if reason := r.FormValue("reason"); reason != "" {
		all = append(all, reasonText(r, recipients.BounceReason(reason)))
	}
	if device := r.FormValue("device"); device != "" {
		all = append(all, r.Text("sends.only_device", "name", r.Text(deviceText(pace.Device(device)))))
	}
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
	k.measure(b, &request.Part)
	values := r.URL.Query()
	columns := k.columns(r, b)
	order := columns.Order(values, "")
	q.SortBy, q.Descending = order.Key, order.Down
	q.Limit, q.Offset = peoplePage+1, (ui.PageNumber(values)-1)*peoplePage
	var rows ui.Rows[recipients.Row]
	late, err := ui.Within(r.Context(), b.Recipients, ui.SearchWait, func(ctx context.Context) error {
		return r.App.Reports.BatchRows(ctx, r.Caller, request, q, &rows)
	})
	if err != nil {
		return nil, err
	}
	columns.Sort(r.Language, values, "", rows.All)
	d := peopleData{Only: onlyOf(r)}
	d.Order, d.Find = order, ui.NewFind(r, ui.Form{{Name: "q", Label: r.Text("sends.e_mail_contains"),
		Kind: ui.InputSearch}}, order)
	rows.All, d.Pager = ui.FoundPage(values, rows.All, peoplePage)
	for i := range rows.All {
		row := &rows.All[i]
		when, what := fate(r, row)
		d.Rows = append(d.Rows, person{row.Address, contactPath(row), r.Date(when), what})
	}
	file := fileOf(b.ID, k, values)
	d.Find.Links = []ui.Action{{Text: r.Text("sends.csv_all"), Path: file},
		{Text: r.Text("sends.report"), Path: "/admin/sends/" + ui.Plain(int64(b.ID))}}
	if late {
		d.Note = r.Language.HTML("sends.late_found", "link", file)
		if len(d.Rows) == 0 {
			d.Note = r.Language.HTML("sends.late_none", "link", file)
		}
	}
	return &ui.View{Title: r.Text(k.title), Sub: names.Batch(b), Place: "/admin/sends", Content: p.peoplePage, Data: d}, nil
}

// fileOf returns the URL of a CSV file with the people of a page and all its neighbours.
func fileOf(id enlist.BatchID, k *kind, page url.Values) string {
	v := url.Values{"kind": {k.name}}
	for _, name := range []string{"q", "url", "provider", "reason", "device"} {
		if value := page.Get(name); value != "" {
			v.Set(name, value)
		}
	}
	return "/admin/sends/" + ui.Plain(int64(id)) + "/people.csv?" + v.Encode()
}

// contactPath returns the page of the Contacts that shows this one.
func contactPath(row *recipients.Row) string {
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
func fate(r *ui.Request, row *recipients.Row) (when int64, what string) {
	e := &row.Event
	switch e.Kind {
	case "":
		when, what = row.Time, r.Text(statusTexts[row.Status])
		if row.Sent != 0 {
			when = row.Sent
		}
		if row.Detail != "" {
			what = r.Language.Named(what, r.Language.Said(row.Detail))
		}
	case recipients.EventOpened:
		when, what = e.Time, r.Text("sends.opened_times", "n", e.Count)
	case recipients.EventLink:
		when, what = e.Time, r.Text("sends.clicked_times", "n", e.Count)
	case recipients.EventClicked:
		when, what = e.Time, r.Text("sends.clicked_links", "n", e.Count)
	default:
		when, what = e.Time, r.Language.Said(row.Detail)
	}
	return when, what
}

// peopleFile sends all people of a kind as CSV.
func peopleFile(r *ui.Request) (*ui.View, error) {
	k, err := kindCalled(r.FormValue("kind"))
	if err != nil {
		return nil, err
	}
	b, err := r.App.Batches.Batch(r.Context(), r.Caller, enlist.BatchID(r.ID("batch")))
	if err != nil {
		return nil, err
	}
	request, q := k.search(r)
	k.measure(b, &request.Part)
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
func (f *rowFile) Row(row *recipients.Row) error {
	when, what := fate(f.request, row)
	at := ""
	if when != 0 {
		at = csvTime(f.request, when)
	}
	return f.Write([]string{ui.Plain(int64(row.List)), ui.Plain(int64(row.Contact)),
		enlist.SpreadsheetText(row.Address), at, enlist.SpreadsheetText(what)})
}
