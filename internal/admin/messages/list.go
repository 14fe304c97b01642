package messages

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/reports"
)

// This file has the list of Messages.

// row is a Message in the list.
type row struct {
	messages.Message
	Edited, Used string
	LastRate     string // opened of the last use
	KB           int64  // size of the contents
	MayCopy      bool
	HasDraft     bool
	Uses         []use // the last ones, the oldest first
	Opens        template.HTML
	last         int64 // time of the last use
}

// use is a Batch of a Message.
type use struct {
	reports.Use
	When, Rate string
}

var columns = ui.Columns[row]{
	ui.TextColumn("name", "messages.message", func(m *row) string { return m.Name }),
	ui.TextColumn("subject", "messages.subject", func(m *row) string { return m.Subject }),
	ui.NumberColumn("size", "messages.kilobytes", func(m *row) int64 { return m.Size() }),
	ui.TimeColumn("changed", "messages.changed", func(m *row) int64 { return m.LastModifiedTime }),
	ui.TimeColumn("used", "messages.last_used", func(m *row) int64 { return m.last }),
	{Text: "messages.opened_use_by_use"}, {},
}

// listData is the data of the list.
type listData struct {
	ui.Table[row]
}

const (
	perPage  = 25
	maxUses  = 10 // that the list shows of a Message
	leastBar = 1  // height of the bar of a use without opens, of 18
)

func (p *pages) list(r *ui.Request) (*ui.View, error) {
	all, err := r.App.Messages.SearchMessages(r.Context(), r.Caller,
		enlist.Query{SortBy: "id", Descending: true}) // the newest of equal ones is first
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(m messages.Message) bool { return m.IsTemplate })
	all, find := ui.FindRows(r, all, func(m *messages.Message) string { return m.Name + "\n" + m.Subject })
	uses, err := r.App.Reports.MessageUses(r.Context(), r.Caller)
	if err != nil {
		return nil, err
	}
	drafts, err := r.App.Messages.Drafts(r.Context(), r.Caller)
	if err != nil {
		return nil, err
	}
	var rows []row
	for i := range all {
		rows = append(rows, newRow(r, &all[i], uses[all[i].ID]))
		rows[i].HasDraft = drafts[all[i].ID] != 0
	}
	d := listData{columns.Table(r, "changed", rows, find)}
	d.Rows, d.Pager = ui.PageRows(r.URL.Query(), d.Rows, perPage)
	drawBars(r, d.Rows)
	v := &ui.View{Title: r.Text("messages.messages"), Place: "/admin/messages", Content: p.listPage, Data: d,
		Actions: []ui.Action{{Text: r.Text("messages.saved_title"), Path: "/admin/blocks"}}}
	if r.MayWrite() {
		v.Actions = append(v.Actions, ui.Action{Text: r.Text("messages.write_new_one"), Path: "/admin/messages/new", Main: true})
	}
	return v, nil
}

func newRow(r *ui.Request, m *messages.Message, uses []reports.Use) row {
	one := row{Message: *m, Edited: r.Day(m.LastModifiedTime), Used: r.Text("messages.never"),
		KB: (m.Size() + 1023) >> 10, MayCopy: r.MayWrite()}
	for _, u := range uses {
		if u.Time > r.Now.Unix() {
			one.Used = r.Text("messages.planned_for", "day", r.Day(u.Time))
			continue
		}
		one.last = max(one.last, u.Time)
		one.Uses = append(one.Uses, use{u, r.Day(u.Time), r.Rate(u.Opened, u.Measured, u.Delivered).String()})
	}
	if n := len(one.Uses); n > 0 {
		one.Used, one.LastRate = r.Day(one.last), one.Uses[n-1].Rate
		if n > 1 {
			one.LastRate = r.Text("messages.last_one", "rate", one.LastRate)
		}
		one.Uses = one.Uses[max(0, n-maxUses):]
	}
	return one
}

// share is the share of opened mails in thousandths.
func (u *use) share() int64 { return min(1000, 1000*u.Opened/max(1, u.Measured)) }

// bars draws the share of opened mails of each use, if there are several. most is the one of the highest bar.
func bars(r *ui.Request, uses []use, most int64) template.HTML {
	if len(uses) < 2 {
		return ""
	}
	var b strings.Builder
	b.WriteString(`<svg class="spark" viewBox="0 0 92 18" role="img"><title>`)
	template.HTMLEscape(&b, []byte(r.Text("messages.opened_use_by_use")))
	b.WriteString("</title>")
	for i, u := range uses {
		height := max(leastBar, 18*float64(u.share())/float64(max(1, most)))
		fmt.Fprintf(&b, `<rect class="up" x="%d" y="%.1f" width="7" height="%.1f"><title>%s</title></rect>`, 1+9*i,
			18-height, height, template.HTMLEscapeString(r.Text("ui.part", "part", u.When, "count", u.Rate)))
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// drawBars draws the uses of the rows of a page. The highest bar is as high as the column.
func drawBars(r *ui.Request, rows []row) {
	var most int64
	for i := range rows {
		for j := range rows[i].Uses {
			most = max(most, rows[i].Uses[j].share())
		}
	}
	for i := range rows {
		rows[i].Opens = bars(r, rows[i].Uses, most)
	}
}
