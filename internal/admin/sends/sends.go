// Package sends has the page of all Batches, and the report of one. People call a Batch a send.
package sends

import (
	"cmp"
	"embed"
	"math"
	"net/url"
	"slices"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/reports"
)

//go:embed *.html
var files embed.FS

// Pages returns the pages.
func Pages() []ui.Page {
	p := &pages{ui.Parse(files, "sends.html"), ui.Parse(files, "report.html", "lists.html"),
		ui.Parse(files, "compose.html"), ui.Parse(files, "check.html", "lists.html"), ui.Parse(files, "people.html"),
		ui.Parse(files, "cancel.html"), ui.Parse(files, "waiting.html", "lists.html")}
	return []ui.Page{
		{Pattern: "GET /admin/sends", Level: enlist.Read, Serve: p.list},
		{Pattern: "GET /admin/sends/new", Level: enlist.Standard, Serve: p.compose},
		{Pattern: "GET /admin/sends/check", Level: enlist.Standard, Serve: p.check},
		{Pattern: "POST /admin/sends/check", Level: enlist.Standard, Serve: p.test},
		{Pattern: "POST /admin/sends", Level: enlist.Standard, Serve: p.send},
		{Pattern: "GET /admin/sends/{batch}", Level: enlist.Read, Serve: p.report},
		{Pattern: "GET /admin/sends/{batch}/figures.csv", Level: enlist.Read, File: true, Serve: figuresFile},
		{Pattern: "GET /admin/sends/{batch}/people/{kind}", Level: enlist.Standard, Serve: p.people},
		{Pattern: "GET /admin/sends/{batch}/people.csv", Level: enlist.Standard, File: true, Serve: peopleFile},
		{Pattern: "GET /admin/sends/{batch}/cancel", Level: enlist.Standard, Serve: p.cancel},
		{Pattern: "POST /admin/sends/{batch}/{command}", Level: enlist.Standard, Serve: p.edit},
	}
}

type pages struct{ listPage, reportPage, composePage, checkPage, peoplePage, cancelPage, waitingPage *ui.Template }

// perPage is the number of Batches on a page.
const perPage = 25

// Row is a Batch as the pages list it.
type Row struct {
	ID                             enlist.BatchID
	Name, List, When, Status, Kind string
	Done, All                      int64 // mails
	Opened, Clicked                string
	Running                        bool
	Commands                       []command
}

// listData is the data of the page of all Batches.
type listData struct {
	Rows     []Row
	Order    ui.Order
	All      int64
	Pager    ui.Pager
	Text     string // part of a name
	Status   string
	Statuses []status
	Filtered bool
	Here     string // URL of this page
}

// status is a filter of the page.
type status struct {
	Name, Text string
	of         []batches.BatchStatus
}

var statuses = []status{
	{"running", "sends.status_running",
		[]batches.BatchStatus{batches.BatchInitialising, batches.BatchPending, batches.BatchSending}},
	{"paused", "sends.status_paused", []batches.BatchStatus{batches.BatchPaused}},
	{"completed", "sends.status_completed", []batches.BatchStatus{batches.BatchCompleted}},
	{"cancelled", "sends.status_cancelled", []batches.BatchStatus{batches.BatchCancelled}},
	{"failed", "sends.status_failed", []batches.BatchStatus{batches.BatchFailed}},
}

// columnsOf returns the columns of the page. Opens and clicks are read only for the Batches that it shows.
func columnsOf(names ui.Names) ui.Columns[batches.Batch] {
	return ui.Columns[batches.Batch]{
		ui.TextColumn("name", "sends.message_label", func(b *batches.Batch) string { return nameOf(b, names) }),
		ui.TextColumn("list", "sends.list", func(b *batches.Batch) string { return names.Lists[b.ListID] }),
		ui.TimeColumn("when", "sends.when", func(b *batches.Batch) int64 { return b.SendTime }),
		{Text: "sends.status_column"},
		ui.NumberColumn("mails", "sends.mails", (*batches.Batch).ToSend),
		{Text: "sends.opened_mails", Number: true}, {Text: "sends.clicked_mails", Number: true},
	}
}

func (p *pages) list(r *ui.Request) (*ui.View, error) {
	page := ui.PageNumber(r.URL.Query())
	d := listData{Text: strings.TrimSpace(r.FormValue("q")), Status: r.FormValue("status"), Statuses: statuses}
	d.Filtered = d.Text != "" || d.Status != ""
	names, err := r.Names()
	if err != nil {
		return nil, err
	}
	columns := columnsOf(names)
	d.Order = columns.Order(r.URL.Query(), "")
	found, err := d.find(r, page)
	if err != nil {
		return nil, err
	}
	if d.Order.Key != "" { // found has all that match
		columns.Sort(r.URL.Query(), "", found)
		from := min((page-1)*perPage, d.All)
		found = found[from:min(from+perPage, d.All)]
	}
	d.Pager, d.Here = ui.NewPager(page, perPage, len(found), d.All, d.path), d.path(page)
	if d.Rows, err = rowsOf(r, found, names); err != nil {
		return nil, err
	}
	view := &ui.View{Title: r.Text("sends.campaigns"), Place: "/admin/sends", Content: p.listPage, Data: d}
	if r.MaySend() {
		view.Actions = []ui.Action{{Text: r.Text("sends.new_campaign"), Path: "/admin/sends/new", Main: true}}
	}
	for i := range found {
		if !found[i].Ended() && found[i].Status != batches.BatchPaused {
			view.Refresh = 15
		}
	}
	return view, nil
}

// path returns the URL of a page of the list.
func (d *listData) path(page int64) string {
	v := url.Values{}
	if d.Text != "" {
		v.Set("q", d.Text)
	}
	if d.Status != "" {
		v.Set("status", d.Status)
	}
	d.Order.AddTo(v)
	if page > 1 {
		v.Set("page", ui.Plain(page))
	}
	return strings.TrimSuffix("/admin/sends?"+v.Encode(), "?")
}

// find returns the Batches of a page, or all that match for another order, and sets the number of all.
func (d *listData) find(r *ui.Request, page int64) (found []batches.Batch, err error) {
	if d.Filtered || d.Order.Key != "" {
		q := batches.NameSearch{Text: d.Text, Limit: perPage, Offset: (page - 1) * perPage}
		if i := slices.IndexFunc(statuses, func(s status) bool { return s.Name == d.Status }); i >= 0 {
			q.Statuses = statuses[i].of
		}
		if d.Order.Key != "" {
			q.Limit, q.Offset = math.MaxInt64, 0
		}
		found, d.All, err = r.App.Batches.SearchByName(r.Context(), r.Caller, q)
		return found, err
	}
	d.All, err = r.App.Batches.CountBatches(r.Context(), r.Caller, nil)
	if err != nil {
		return nil, err
	}
	return r.App.Batches.SearchBatches(r.Context(), r.Caller, enlist.Query{SortBy: "id", Descending: true,
		Limit: perPage, Offset: (page - 1) * perPage})
}

// Rows returns Batches as the pages list them.
func Rows(r *ui.Request, all []batches.Batch) ([]Row, error) {
	names, err := r.Names()
	if err != nil {
		return nil, err
	}
	return rowsOf(r, all, names)
}

func rowsOf(r *ui.Request, all []batches.Batch, names ui.Names) ([]Row, error) {
	found, err := withSums(r, all)
	if err != nil {
		return nil, err
	}
	ids := make([]enlist.BatchID, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	lists, err := r.App.Batches.CountLists(r.Context(), r.Caller, ids)
	if err != nil {
		return nil, err
	}
	rows := make([]Row, len(all))
	for i := range found {
		report := &found[i]
		b := &report.Batch
		status, kind := statusOf(b)
		rows[i] = Row{ID: b.ID, Name: nameOf(b, names), List: listsText(names, b, lists[b.ID]), When: r.Date(b.SendTime),
			Status: r.Text(status), Kind: kind, Running: !b.Ended(), Commands: commandsOf(r, b),
			Done: b.Processed(), All: b.ToSend(), Opened: ui.Percent(report.HumanOpened, report.Delivered()),
			Clicked: ui.Percent(report.HumanClicked, report.Delivered())}
	}
	return rows, nil
}

// withSums returns Batches with their sums of opens and clicks, which are read at once.
func withSums(r *ui.Request, all []batches.Batch) ([]reports.BatchReport, error) {
	ids := make([]enlist.BatchID, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	sums, err := r.App.Reports.SumsOfBatches(r.Context(), r.Caller, ids)
	if err != nil {
		return nil, err
	}
	withAll := make([]reports.BatchReport, len(all))
	for i := range all {
		withAll[i] = reports.BatchReport{Batch: all[i], Sums: sums[all[i].ID]}
	}
	return withAll, nil
}

// nameOf returns the name of a Batch, or else of its Message.
func nameOf(b *batches.Batch, names ui.Names) string {
	if name := cmp.Or(b.Name, names.Messages[b.MessageID]); name != "" {
		return name
	}
	return names.Text("sends.campaign_number", "id", int64(b.ID))
}

// statusOf returns the status of a Batch in a word, and the class of its mark.
func statusOf(b *batches.Batch) (word, class string) {
	switch b.Status {
	case batches.BatchInitialising:
		return "sends.status_preparing", "off"
	case batches.BatchPending:
		return "sends.status_waiting", "off"
	case batches.BatchSending, batches.BatchRunning:
		return "sends.status_sending", ""
	case batches.BatchPaused:
		return "sends.status_paused", "warn"
	case batches.BatchFailed:
		return "sends.status_failed", "warn"
	}
	return "sends.status_" + string(b.Status), "off"
}

// edit pauses, continues, cancels or reschedules a Batch, or chooses the winner of its variants.
func (p *pages) edit(r *ui.Request) (*ui.View, error) {
	id, name := enlist.BatchID(r.ID("batch")), r.PathValue("command")
	done := map[string]string{"pause": r.Text("sends.paused_what_has_left_cannot"), "unpause": r.Text("sends.sending_goes_on"),
		"cancel": r.Text("sends.cancelled_nothing_more_will_be"), "winner": r.Text("sends.chosen_others_get_variant")}[name]
	switch {
	case name == "reschedule":
		return p.reschedule(r)
	case done == "":
		return nil, ui.ErrNotFound
	case name == "cancel" && strings.TrimSpace(r.FormValue("typed")) != "cancel":
		return p.showCancel(r, r.Text("sends.type_cancel_cancel_campaign"))
	}
	var err error
	if name == "winner" {
		if err = enlist.RequireSending(r.Caller); err == nil {
			err = r.App.Sending.ChooseWinner(r.Context(), r.Caller, id, ui.Int(r.FormValue("variant")))
		}
	} else {
		err = r.App.Batches.EditBatch(r.Context(), r.Caller, id, name, 0)
	}
	if err != nil {
		return nil, err
	}
	to := "/admin/sends/" + ui.Plain(int64(id))
	switch back := r.FormValue("back"); {
	case back == "/admin/", back == "/admin/sends", strings.HasPrefix(back, "/admin/sends?"):
		to = back
	}
	return ui.GoTo(to, done), nil
}

// cancelData is the data of the page that asks before a Batch is cancelled.
type cancelData struct {
	ID         enlist.BatchID
	Name       string
	Left, Rest int64
	Paused     bool
	Typed      string
	Wrong      string
	Back       string
}

func (p *pages) cancel(r *ui.Request) (*ui.View, error) { return p.showCancel(r, "") }

func (p *pages) showCancel(r *ui.Request, wrong string) (*ui.View, error) {
	b, err := r.App.Batches.Batch(r.Context(), r.Caller, enlist.BatchID(r.ID("batch")))
	if err == nil {
		err = enlist.RequireSending(r.Caller)
	}
	if err != nil {
		return nil, err
	}
	names, err := r.Names()
	if err != nil {
		return nil, err
	}
	d := cancelData{ID: b.ID, Name: nameOf(b, names), Left: b.Processed(), Rest: max(0, b.ToSend()-b.Processed()),
		Paused: b.Status == batches.BatchPaused, Typed: r.FormValue("typed"), Wrong: wrong, Back: r.FormValue("back")}
	view := &ui.View{Title: r.Text("sends.cancel_title", "name", d.Name), Place: "/admin/sends", Content: p.cancelPage, Data: d, Problem: wrong}
	return view, nil
}
