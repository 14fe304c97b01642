package contacts

import (
	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/exports"
)

// This file sends the Contacts of a search as a file.

// exportData is the data of the page that asks which file.
type exportData struct {
	Kept    []input
	Columns []string // that the table shows
	Count   int64
	Back    string
}

func (p *pages) askExport(r *ui.Request) (*ui.View, error) {
	v := read(r.URL.Query())
	b, err := newBuilder(r, v.list)
	if err != nil {
		return nil, err
	}
	n, err := r.App.Contacts.CountContacts(r.Context(), r.Caller, v.list, b.criteria(v))
	if err != nil {
		return nil, err
	}
	t := &table{builder: b, request: r}
	t.addColumns(v)
	d := exportData{Kept: v.inputs(), Count: n, Back: v.url()}
	for _, c := range t.shown {
		d.Columns = append(d.Columns, c.Name)
	}
	return &ui.View{Title: r.Text("contacts.export_title", "n", n), Place: "/admin/contacts",
		Sub: r.Text("contacts.of_list", "list", b.list.Name), Content: p.exportPage, Data: &d}, nil
}

func export(r *ui.Request) (*ui.View, error) {
	v := read(r.PostForm)
	b, err := newBuilder(r, v.list)
	if err != nil {
		return nil, err
	}
	e := &exports.Export{List: v.list, Format: exports.CSV, Excel: r.PostForm.Get("for") != "import",
		Query: enlist.Query{Criteria: b.criteria(v), SortBy: v.sort, Descending: v.descending}}
	if r.PostForm.Get("which") == "shown" {
		e.Columns = v.columns
	}
	w := r.Download(e.ContentType(), e.Name(fileName(b.list.Name)))
	_, err = e.Write(r.Context(), r.App, r.Caller, w)
	return w.End(err)
}

// fileName keeps the letters and digits of a name that every system accepts in the name of a file.
func fileName(name string) string {
	safe := []rune{}
	for _, c := range name {
		switch {
		case c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c == '-':
			safe = append(safe, c)
		case len(safe) > 0 && safe[len(safe)-1] != '-':
			safe = append(safe, '-')
		}
	}
	if len(safe) == 0 {
		return "contacts"
	}
	return string(safe)
}
