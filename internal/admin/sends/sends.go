// Package sends has the page of all Batches, and the report of one. People call a Batch a send.
package sends

import (
	"embed"
	"math"
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
		ui.Parse(files, "compose.html"), ui.Parse(files, "check.html", "lists.html", "mails.html"), ui.Parse(files, "people.html"),
		ui.Parse(files, "cancel.html"), ui.Parse(files, "waiting.html", "lists.html"),
		ui.Parse(files, "approve.html", "lists.html", "mails.html")}
	return []ui.Page{
		{Pattern: "GET /admin/sends", Needs: enlist.See, Serve: p.list},
		{Pattern: "GET /admin/sends/new", Needs: enlist.Send, Serve: p.compose},
		{Pattern: "GET /admin/sends/check", Needs: enlist.Send, Serve: p.check},
		{Pattern: "POST /admin/sends/check", Needs: enlist.Send, Serve: p.test},
		{Pattern: "POST /admin/sends", Needs: enlist.Send, Serve: p.send},
		{Pattern: "GET /admin/sends/{batch}", Needs: enlist.See, Serve: p.report},
		{Pattern: "GET /admin/sends/{batch}/figures.csv", Needs: enlist.See, File: true, Serve: figuresFile},
		{Pattern: "GET /admin/sends/{batch}/people/{kind}", Needs: enlist.SeeContacts, Serve: p.people},
		{Pattern: "GET /admin/sends/{batch}/people.csv", Needs: enlist.SeeContacts, File: true, Serve: peopleFile},
		{Pattern: "GET /admin/sends/{batch}/cancel", IsForm: true, Needs: enlist.Send, Serve: p.cancel},
		{Pattern: "GET /admin/sends/{batch}/approve", IsForm: true, Needs: enlist.Send, Serve: p.approve},
		{Pattern: "POST /admin/sends/{batch}/{command}", Needs: enlist.Send, Serve: p.edit},
	}
}

type pages struct{ listPage, reportPage, composePage, checkPage, peoplePage, cancelPage, waitingPage, approvePage *ui.Template }

// perPage is the number of Batches on a page.
const perPage = 25

// Row is a Batch as the pages list it.
type Row struct {
	ID                             enlist.BatchID
	Name, List, When, Status, Kind string
	Done, All                      int64 // mails
	Opened, Clicked                ui.Rate
	Running                        bool
	Commands                       []command
	Back                           string // URL of the page, to which a command returns
}

// status is a filter of the page.
type status struct {
	name, text string
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
		ui.TextColumn("name", "sends.message_label", func(b *batches.Batch) string { return names.Batch(b) }),
		ui.TextColumn("list", "sends.list", func(b *batches.Batch) string { return names.Lists[b.ListID] }),
		ui.TimeColumn("when", "sends.when", func(b *batches.Batch) int64 { return b.SendTime }),
		{Text: "sends.status_column"},
		ui.NumberColumn("mails", "sends.mails", (*batches.Batch).ToSend),
		{Text: "sends.opened_mails", Number: true}, {Text: "sends.clicked_mails", Number: true}, {},
	}
}

func (p *pages) list(r *ui.Request) (*ui.View, error) {
	q := r.URL.Query()
	names, err := r.Names()
	if err != nil {
		return nil, err
	}
	columns := columnsOf(names)
	t := ui.Table[Row]{Order: columns.Order(q, "")}
	status := ui.Input{Name: "status", Label: r.Text("sends.status"), Kind: ui.InputChoice,
		Options: ui.Choices("", r.Text("sends.all"))}
	for _, s := range statuses {
		status.Options = append(status.Options, ui.Option{Value: s.name, Text: r.Text(s.text)})
	}
	t.Find = ui.NewFind(r, ui.Form{{Name: "q", Label: r.Text("sends.name"), Kind: ui.InputSearch}, status}, t.Order)
	found, all, err := find(r, t.Find.Form, t.Order)
	if err != nil {
		return nil, err
	}
	if t.Order.Key != "" { // found has all that match
		columns.Sort(r.Language, q, "", found)
		found, t.Pager = ui.PageRows(q, found, perPage)
	} else {
		t.Pager = ui.NewPager(ui.PageNumber(q), perPage, len(found), all, t.Find.Page)
	}
	t.Find.IsShown = all > 0 || !t.Find.Form.IsEmpty()
	if t.Rows, err = rowsOf(r, found, names); err != nil {
		return nil, err
	}
	view := &ui.View{Title: r.Text("sends.campaigns"), Place: "/admin/sends", Content: p.listPage, Data: t}
	if r.MaySend() {
		view.Actions = []ui.Action{{Text: r.Text("sends.new_campaign"), Path: "/admin/sends/new", Main: true}}
	}
	for i := range found {
		t.Rows[i].Back = strings.TrimSuffix("/admin/sends"+t.Find.Page(ui.PageNumber(q)), "?")
		if !found[i].Ended() && found[i].Status != batches.BatchPaused {
			view.Refresh = 15
		}
	}
	return view, nil
}

// find returns the Batches of a page, or all that match for another order, and the number of all.
func find(r *ui.Request, f ui.Form, o ui.Order) (found []batches.Batch, all int64, err error) {
	skipped := (ui.PageNumber(r.URL.Query()) - 1) * perPage
	if f.IsEmpty() && o.Key == "" {
		if all, err = r.App.Batches.CountBatches(r.Context(), r.Caller, nil); err != nil {
			return nil, 0, err
		}
		found, err = r.App.Batches.SearchBatches(r.Context(), r.Caller, enlist.Query{SortBy: "id", Descending: true,
			Limit: perPage, Offset: skipped})
		return found, all, err
	}
	q := batches.NameSearch{Text: strings.TrimSpace(f.Value("q")), Limit: perPage, Offset: skipped}
	if i := slices.IndexFunc(statuses, func(s status) bool { return s.name == f.Value("status") }); i >= 0 {
		q.Statuses = statuses[i].of
	}
	if o.Key != "" {
		q.Limit, q.Offset = math.MaxInt64, 0
	}
	return r.App.Batches.SearchByName(r.Context(), r.Caller, q)
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
		rows[i] = Row{ID: b.ID, Name: names.Batch(b), List: listsText(names, b, lists[b.ID]), When: r.Date(b.SendTime),
			Status: r.Text(status), Kind: kind, Running: !b.Ended(), Commands: commandsOf(r, b),
			Done: b.Processed(), All: b.ToSend(), Opened: r.Rate(report.HumanOpened, report.MeasuredOpens(), report.Delivered()),
			Clicked: r.Rate(report.HumanClicked, report.MeasuredClicks(), report.Delivered())}
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

// edit pauses, continues or reschedules a Batch, or chooses the winner of its variants.
func (p *pages) edit(r *ui.Request) (*ui.View, error) {
	id, name := enlist.BatchID(r.ID("batch")), r.PathValue("command")
	var err error
	var done string
	switch name {
	case "reschedule":
		return p.reschedule(r)
	case "stop":
		return stop(r, id)
	case "pause":
		done = r.Text("sends.paused_what_has_left_cannot")
		err = r.App.Batches.EditBatch(r.Context(), r.Caller, id, name, 0)
	case "unpause":
		done = r.Text("sends.sending_goes_on")
		err = r.App.Batches.EditBatch(r.Context(), r.Caller, id, name, 0)
	case "winner":
		done = r.Text("sends.chosen_others_get_variant")
		if err = enlist.RequireSending(r.Caller); err == nil {
			err = r.App.Sending.ChooseWinner(r.Context(), r.Caller, id, ui.Int(r.FormValue("variant")))
		}
	default:
		return nil, ui.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return goBack(r, id, done), nil
}

// goBack leads to the page with the button of a command, or else to that of the Batch.
func goBack(r *ui.Request, id enlist.BatchID, done string) *ui.View {
	to := "/admin/sends/" + ui.Plain(int64(id))
	switch back := r.FormValue("back"); {
	case back == "/admin/", back == "/admin/sends", strings.HasPrefix(back, "/admin/sends?"):
		to = back
	}
	return ui.GoTo(to, done)
}

// cancelData is the data of the page that asks before a Batch is cancelled.
type cancelData struct {
	ID     enlist.BatchID
	Card   ui.FormCard
	Paused bool
}

func (p *pages) cancel(r *ui.Request) (*ui.View, error) {
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
	left, rest, last := b.Processed(), r.Text("sends.cancel_no_rest"), r.Text("sends.cancel_or_pause")
	if n := b.ToSend() - left; n > 0 {
		rest = r.Text("sends.cancel_rest", "n", n)
	}
	d := cancelData{ID: b.ID, Paused: b.Status == batches.BatchPaused}
	if d.Paused {
		last = r.Text("sends.cancel_for_ever")
	}
	d.Card = ui.FormCard{Texts: []string{r.Text("sends.cancel_left", "n", left) + " " + rest + " " + last},
		Form:   ui.Form{{Name: "back", Kind: ui.InputHidden, Value: r.FormValue("back")}, ui.Typed("cancel")},
		Button: r.Text("sends.cancel"), Danger: true,
		Back: ui.Action{Text: r.Text("sends.keep"), Path: "/admin/sends/" + ui.Plain(int64(b.ID))}}
	return r.Submit(d.Card.Form, func(problem string) (*ui.View, error) {
		return &ui.View{Title: r.Text("sends.cancel_title", "name", names.Batch(b)), Place: "/admin/sends",
			Content: p.cancelPage, Data: d, Problem: problem}, nil
	}, func() (*ui.View, error) {
		err := r.App.Batches.EditBatch(r.Context(), r.Caller, b.ID, "cancel", 0)
		return goBack(r, b.ID, r.Text("sends.cancelled_nothing_more_will_be")), err
	})
}
