// Package backups has the page about the backups of the database, which all Accounts share. Backups are made on the
// command line or by the server, and not here.
package backups

import (
	"embed"

	"enlist/internal/admin/ui"
	"enlist/internal/backup"
	"enlist/internal/enlist"
)

//go:embed *.html
var files embed.FS

// Pages returns the page.
func Pages() []ui.Page {
	p := &page{ui.Parse(files, "backups.html")}
	return []ui.Page{{Pattern: "GET /admin/backups", Needs: enlist.Manage, Serve: p.show}}
}

type page struct{ content *ui.Template }

// data is the data of the page.
type data struct {
	Known   bool // the database knows of a backup, or of a schedule
	Last    string
	Name    string
	Ago     string
	Every   string
	Problem string // why the last one failed, or that it is old
}

func (p *page) show(r *ui.Request) (*ui.View, error) {
	last, err := backup.Last(r.Context(), r.App.DB)
	if err != nil {
		return nil, err
	}
	alone, err := r.IsAlone()
	if err != nil {
		return nil, err
	}
	var d data
	if last != nil {
		d = data{Known: true, Last: r.Date(last.Time), Name: last.Name, Problem: last.Error}
		if !alone {
			d.hide(r)
		}
		if last.Every > 0 {
			d.Every = r.Span(last.Every)
		}
		if last.Time > 0 {
			d.Ago = r.Ago(r.Now.Unix() - last.Time)
		}
		if d.Problem == "" && last.IsOverdue(r.Now.Unix()) {
			d.Problem = r.Text("backups.overdue")
		}
	}
	return &ui.View{Title: r.Text("backups.title"), Place: "/admin/backups", Content: p.content, Data: d}, nil
}

// hide leaves out what is about the server, because it has other Accounts.
func (d *data) hide(r *ui.Request) {
	d.Name = ""
	if d.Problem != "" {
		d.Problem = r.Text("backups.failed")
	}
}
