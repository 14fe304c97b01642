// Package home has the first page: what needs attention, what is being sent, and how the Lists do.
package home

import (
	"embed"
	"slices"

	"enlist/internal/admin/sends"
	"enlist/internal/admin/ui"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/sending"
)

//go:embed home.html
var files embed.FS

// Pages returns the page.
func Pages(s Server) []ui.Page {
	p := &page{ui.Parse(files, "home.html"), s}
	return []ui.Page{{Pattern: "GET /admin/{$}", Needs: enlist.See, Serve: p.show}}
}

type page struct {
	content *ui.Template
	server  Server
}

// data is the data of the page.
type data struct {
	Attention []attention
	Running   []running
	Last      []sends.Row
	Lists     []list // the largest ones
	AllLists  int64
	Growth    *growth
	Mails     *mails // nil: none was sent
	MayAdd    bool
	Steps     []step // before the first send
}

// running is a send that has not ended.
type running struct {
	sends.Row
	Speed int64  // mails an hour; 0: not known
	Text  string // when it is done, and what slows it
}

// runningOf returns the sends that have not ended. rows begin with theirs.
func runningOf(r *ui.Request, current []sending.RunningBatch, rows []sends.Row) []running {
	all := make([]running, len(current))
	for i := range current {
		b := &current[i]
		all[i] = running{Row: rows[i], Speed: b.Speed, Text: sends.RunningText(r, b)}
	}
	return all
}

func (p *page) show(r *ui.Request) (*ui.View, error) {
	d := data{MayAdd: r.Caller.MayInAll(enlist.Manage)}
	current, err := r.App.Sending.RunningBatches(r.Context(), r.Caller)
	if err != nil {
		return nil, err
	}
	open := make([]batches.Batch, len(current))
	for i := range current {
		open[i] = current[i].Batch
	}
	last, err := lastBatches(r, batches.BatchCompleted)
	if err != nil {
		return nil, err
	}
	failed, err := lastBatches(r, batches.BatchFailed)
	if err != nil {
		return nil, err
	}
	rows, err := sends.Rows(r, slices.Concat(open, last, failed))
	if err != nil {
		return nil, err
	}
	ended := len(open) + len(last)
	d.Running, d.Last = runningOf(r, current, rows), rows[len(open):ended]
	if err := d.attend(r, open, failed, rows[ended:]); err != nil {
		return nil, err
	}
	if err := d.grow(r); err != nil {
		return nil, err
	}
	d.tracking(r)
	if err := d.firstSteps(r); err != nil {
		return nil, err
	}
	if err := d.outcomes(r); err != nil {
		return nil, err
	}
	if err := d.server(r, p.server); err != nil {
		return nil, err
	}
	view := &ui.View{Title: greeting(r), Place: "/admin/", Content: p.content, Data: d,
		Sub: r.Text("home.sub", "account", r.Caller.Account.Name, "time", r.Language.Time("now", r.Now), "zone", r.Zone())}
	if len(d.Running) > 0 {
		view.Refresh = 15
	}
	if r.Caller.May(enlist.SeeContacts) {
		view.Actions = []ui.Action{{Text: r.Text("home.import"), Path: "/admin/imports/new"}}
	}
	if r.MaySend() {
		view.Actions = append(view.Actions, ui.Action{Text: r.Text("home.new_campaign"), Path: "/admin/sends/new", Main: true})
	}
	return view, nil
}

// lastBatches returns the newest Batches with a status.
func lastBatches(r *ui.Request, s batches.BatchStatus) ([]batches.Batch, error) {
	return r.App.Batches.SearchBatches(r.Context(), r.Caller, enlist.Query{SortBy: "id", Descending: true, Limit: 5,
		Criteria: &enlist.Criteria{Key: "send_status", Operator: "exactly", Value: enlist.TextInput(string(s))}})
}

// greeting fits the time of day in the Account's zone.
func greeting(r *ui.Request) string {
	switch h := r.Now.Hour(); {
	case h >= 5 && h < 12:
		return r.Text("home.good_morning", "name", r.User.Name)
	case h >= 12 && h < 18:
		return r.Text("home.good_afternoon", "name", r.User.Name)
	}
	return r.Text("home.good_evening", "name", r.User.Name)
}
