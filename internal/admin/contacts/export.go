package contacts

import (
	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/exports"
)

// This file sends the Contacts of a search as a file.

func askExport(r *ui.Request) (*ui.View, error) {
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
	f := v.inputs()
	for _, c := range t.shown {
		f = append(f, ui.Input{Name: "column", Kind: ui.InputHidden, Value: c.Name})
	}
	f = append(f, ui.Input{Name: "which", Label: r.Text("contacts.columns_heading"), Kind: ui.InputRadio, Value: "shown",
		Options: ui.Choices("shown", r.Text("contacts.those_table", "n", len(t.shown)), "all", r.Text("contacts.all"))},
		ui.Input{Name: "for", Label: r.Text("contacts.for"), Kind: ui.InputRadio, Value: "sheet",
			Options: ui.Choices("sheet", r.Text("contacts.export_spreadsheet"),
				"import", r.Text("contacts.import_all_values_as_they"))})
	view := ui.FormPage(r.Text("contacts.export_title", "n", n), "/admin/contacts", "", ui.FormCard{
		Texts: []string{r.Text("contacts.as_csv", "n", n)}, Form: f, Action: "/admin/contacts/export",
		Button: r.Text("contacts.download"), Back: ui.Action{Text: r.Text("contacts.back"), Path: v.url()}})
	view.Sub = r.Text("contacts.of_list", "list", b.list.Name)
	return view, nil
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
