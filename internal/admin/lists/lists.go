// Package lists has the pages of Lists, with their Fields and preferences.
//
//	lists.go          all Lists; makes one
//	trend.go          how Lists have changed lately, also for the page Home
//	list.go           a List: figures, plots, settings in words
//	settings.go       the form of the settings
//	waiting.go        what happens to people who have not confirmed
//	fields.go         Fields
//	preferences.go    preferences
//	remove.go         copies, clears and deletes a List
package lists

import (
	"embed"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
)

//go:embed *.html
var files embed.FS

// Pages returns the pages.
func Pages() []ui.Page {
	p := &pages{ui.Parse(files, "lists.html"), ui.Parse(files, "list.html")}
	const one = "/admin/lists/{list}"
	return []ui.Page{
		{Pattern: "GET /admin/lists", Needs: enlist.See, Serve: p.all},
		{Pattern: "GET /admin/lists/new", IsForm: true, Needs: enlist.Manage, Serve: newList},
		{Pattern: "GET " + one, Needs: enlist.See, Serve: p.one},
		{Pattern: "GET " + one + "/settings", IsForm: true, MaxForm: ui.TextForm, Needs: enlist.Manage, Serve: settings},
		{Pattern: "GET " + one + "/fields/new", IsForm: true, Needs: enlist.Manage, Serve: newField},
		{Pattern: "GET " + one + "/fields/{field}", IsForm: true, Needs: enlist.Manage, Serve: editField},
		{Pattern: "POST " + one + "/fields/{field}/up", Needs: enlist.Manage, Serve: moveUp},
		{Pattern: "GET " + one + "/fields/{field}/delete", IsForm: true, Needs: enlist.Manage, Serve: deleteField},
		{Pattern: "GET " + one + "/preferences/new", IsForm: true, Needs: enlist.Manage, Serve: newPreference},
		{Pattern: "GET " + one + "/preferences/{preference}", IsForm: true, Needs: enlist.Manage, Serve: editPreference},
		{Pattern: "GET " + one + "/preferences/{preference}/delete", IsForm: true, Needs: enlist.Manage,
			Serve: deletePreference},
		{Pattern: "GET " + one + "/copy", IsForm: true, Needs: enlist.Manage, Serve: copyList},
		{Pattern: "GET " + one + "/clear", IsForm: true, Needs: enlist.Manage, Serve: clearList},
		{Pattern: "GET " + one + "/delete", IsForm: true, Needs: enlist.Manage, Serve: deleteList},
	}
}

type pages struct{ lists, list *ui.Template }

const (
	perPage   = 50
	shortDays = 30 // of the change of a List
	lineDays  = 90 // of the plots
)

// row is a List on the page of all Lists.
type row struct {
	enlist.List
	Trend
	Since string
}

// allData is the data of the page of all Lists.
type allData struct {
	ui.Table[row]
	MayAdd bool
}

var columns = ui.Columns[row]{
	ui.TextColumn("name", "lists.list_column", func(l *row) string { return l.Name }),
	ui.NumberColumn("contacts", "lists.contacts", func(l *row) int64 { return l.ContactCount }),
	ui.NumberColumn("change", "lists.change_column", func(l *row) int64 { return l.Change }),
	ui.TimeColumn("since", "lists.since_column", func(l *row) int64 { return l.CreationTime }),
	{Text: "lists.line_column"}, {Text: "lists.subscribing"},
}

// netOf returns how many more people can get mail by the counts of days.
func netOf(n enlist.DayCounts) int64 { return n[enlist.DayAdded] - LostOf(n) }

// LostOf returns how many people can no longer get mail by the counts of days.
func LostOf(n enlist.DayCounts) int64 {
	return n[enlist.DayLeft] + n[enlist.DayBounced] + n[enlist.DayComplained] + n[enlist.DayRemoved]
}

func (p *pages) all(r *ui.Request) (*ui.View, error) {
	q := r.URL.Query()
	all, sums, err := read(r, q.Get("sort"))
	if err != nil {
		return nil, err
	}
	all, find := ui.FindRows(r, all, func(l *enlist.List) string { return l.Name })
	rows := make([]row, len(all))
	for i := range all {
		rows[i] = row{List: all[i], Trend: Trend{Change: netOf(sums[all[i].ID])}}
	}
	d := allData{columns.Table(r, "name", rows, find), mayAdd(r)}
	d.Rows, d.Pager = ui.PageRows(q, d.Rows, perPage)
	if err := addTrends(r, d.Rows); err != nil {
		return nil, err
	}
	view := &ui.View{Title: r.Text("lists.title"), Place: "/admin/lists", Content: p.lists, Data: d}
	if d.MayAdd {
		view.Actions = []ui.Action{{Text: r.Text("lists.new"), Path: "/admin/lists/new", Main: true}}
	}
	return view, nil
}

// read returns all Lists. Only to sort them by their changes, it sums the days of all.
func read(r *ui.Request, sort string) (all []enlist.List, sums map[enlist.ListID]enlist.DayCounts, err error) {
	if sort == "change" {
		return r.App.Lists.Changes(r.Context(), r.Caller, shortDays)
	}
	all, err = r.App.Lists.SearchLists(r.Context(), r.Caller, enlist.Query{SortBy: "name"})
	return all, nil, err
}

// mayAdd reports whether the user may make Lists: a manager without a limit to some Lists.
func mayAdd(r *ui.Request) bool {
	return r.Caller.MayInAll(enlist.Manage)
}

// addTrends reads the days of the rows of a page.
func addTrends(r *ui.Request, rows []row) error {
	ids := make([]enlist.ListID, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	trends, err := Trends(r, ids)
	for i := range rows {
		row := &rows[i]
		row.Trend, row.Since = trends[row.ID], r.Day(row.CreationTime)
	}
	return err
}
