// Package sends has the page of all Batches, and the report of one. People call a Batch a send.
package sends

import (
	"cmp"
	"embed"
	"html/template"

	"enlist/internal/admin/ui"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/reports"
)

//go:embed *.html
var files embed.FS

// Pages returns the pages.
func Pages() []ui.Page {
	p := &pages{ui.Parse(files, "sends.html"), ui.Parse(files, "report.html"), ui.Parse(files, "compose.html"),
		ui.Parse(files, "check.html")}
	return []ui.Page{
		{Pattern: "GET /admin/sends", Level: enlist.Read, Serve: p.list},
		{Pattern: "GET /admin/sends/new", Level: enlist.Standard, Serve: p.compose},
		{Pattern: "GET /admin/sends/check", Level: enlist.Standard, Serve: p.check},
		{Pattern: "POST /admin/sends", Level: enlist.Standard, Serve: p.send},
		{Pattern: "GET /admin/sends/{batch}", Level: enlist.Read, Serve: p.report},
		{Pattern: "POST /admin/sends/{batch}/{command}", Level: enlist.Standard, Serve: edit},
	}
}

type pages struct{ list_, report_, compose_, check_ *template.Template }

// perPage is the number of Batches on a page.
const perPage = 25

// Row is a Batch as the pages list it.
type Row struct {
	ID                             enlist.BatchID
	Name, List, When, Status, Kind string
	Done, All                      int64 // mails
	Opened, Clicked                string
}

// listData is the data of the page of all Batches.
type listData struct {
	Rows        []Row
	First, Last int64
	All         int64
	Back, Next  int64 // numbers of pages; 0: none
}

func (p *pages) list(r *ui.Request) (*ui.View, error) {
	page := max(1, ui.Int(r.FormValue("page")))
	all, err := r.App.Batches.CountBatches(r.Context(), r.Caller, nil)
	if err != nil {
		return nil, err
	}
	found, err := r.App.Batches.SearchBatches(r.Context(), r.Caller, enlist.Query{SortBy: "id", Descending: true,
		Limit: perPage, Offset: (page - 1) * perPage})
	if err != nil {
		return nil, err
	}
	d := listData{First: (page-1)*perPage + 1, Last: (page-1)*perPage + int64(len(found)), All: all, Back: page - 1}
	if d.Last < all {
		d.Next = page + 1
	}
	if d.Rows, err = Rows(r, found); err != nil {
		return nil, err
	}
	view := &ui.View{Title: "Sends", Place: "Sends", Content: p.list_, Data: d}
	if r.MaySend() {
		view.Actions = []ui.Action{{Text: "New send", Path: "/admin/sends/new", Main: true}}
	}
	for i := range found {
		if !found[i].Ended() {
			view.Refresh = 15
		}
	}
	return view, nil
}

// Rows returns Batches as the pages list them.
func Rows(r *ui.Request, all []batches.Batch) ([]Row, error) {
	names, err := r.Names()
	if err != nil {
		return nil, err
	}
	rows := make([]Row, len(all))
	for i := range all {
		b := &all[i]
		report, err := r.App.Reports.BatchReport(r.Context(), r.Caller, b.ID)
		if err != nil {
			return nil, err
		}
		status, kind := statusOf(b)
		rows[i] = Row{ID: b.ID, Name: nameOf(b, names), List: names.Lists[b.ListID], When: r.Date(b.SendTime),
			Status: status, Kind: kind,
			Done: b.Processed(), All: b.ToSend(), Opened: ui.Percent(report.HumanOpened, delivered(report)),
			Clicked: ui.Percent(report.HumanClicked, delivered(report))}
	}
	return rows, nil
}

// nameOf returns the name of a Batch, or else of its Message.
func nameOf(b *batches.Batch, names ui.Names) string {
	if name := cmp.Or(b.Name, names.Messages[b.MessageID]); name != "" {
		return name
	}
	return "Send " + ui.Number(int64(b.ID))
}

// delivered returns the number of mails that arrived, as far as is known.
func delivered(r *reports.BatchReport) int64 { return max(0, r.Sent-(r.Bounced-r.Refused)) }

// statusOf returns the status of a Batch in a word, and the class of its mark.
func statusOf(b *batches.Batch) (word, class string) {
	switch b.Status {
	case batches.BatchInitialising:
		return "is being prepared", "off"
	case batches.BatchPending:
		return "waits for its time", "off"
	case batches.BatchSending, batches.BatchRunning:
		return "is being sent", ""
	case batches.BatchPaused:
		return "paused", "warn"
	case batches.BatchFailed:
		return "failed", "warn"
	}
	return string(b.Status), "off"
}

// edit pauses, continues or cancels a Batch.
func edit(r *ui.Request) (*ui.View, error) {
	done := map[string]string{"pause": "Paused. What has left cannot be called back.", "unpause": "Sending goes on.",
		"cancel": "Cancelled. Nothing more will be sent."}[r.PathValue("command")]
	if done == "" {
		return nil, ui.ErrNotFound
	}
	id := enlist.BatchID(r.ID("batch"))
	if err := r.App.Batches.EditBatch(r.Context(), r.Caller, id, r.PathValue("command"), 0); err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/sends/"+r.PathValue("batch"), done), nil
}
