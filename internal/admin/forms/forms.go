// Package forms has the pages of Forms: all of them with their counts, the editor of one, and the texts with which a
// List greets new subscribers.
package forms

import (
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"slices"

	"enlist/internal/admin/ui"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/forms"
	"enlist/internal/language"
)

//go:embed *.html
var files embed.FS

// Pages returns the pages. s is what a page shows in a frame.
func Pages(s SettingsPage) []ui.Page {
	p := &pages{ui.Parse(files, "forms.html"), ui.Parse(files, "form.html", "shown.html"),
		ui.Parse(files, "language.html", "shown.html"), ui.Parse(files, "texts.html"),
		template.Must(template.ParseFS(files, "snippet.html")), language.New(), s}
	const one = "/admin/forms/{list}/{form}"
	return []ui.Page{
		{Pattern: "GET /admin/forms", Needs: enlist.See, Serve: p.list},
		{Pattern: "POST /admin/forms", Needs: enlist.Manage, Serve: p.list},
		{Pattern: "GET " + one, Needs: enlist.See, Serve: p.edit},
		{Pattern: "POST " + one, MaxForm: ui.TextForm, Needs: enlist.Manage, Serve: p.edit},
		{Pattern: "GET " + one + "/language", Needs: enlist.See, Serve: p.language},
		{Pattern: "POST " + one + "/language", MaxForm: ui.TextForm, Needs: enlist.Manage, Serve: p.language},
		{Pattern: "GET " + one + "/delete", IsForm: true, Needs: enlist.Manage, Serve: remove},
		{Pattern: "GET /admin/forms/{list}/texts", Needs: enlist.See, Serve: p.listTexts},
		{Pattern: "GET /admin/forms/{list}/texts/settings/mail", Needs: enlist.See, Serve: p.settings},
		{Pattern: "POST /admin/forms/{list}/texts", MaxForm: ui.TextForm, Needs: enlist.Manage, Serve: p.listTexts},
	}
}

type pages struct {
	forms, form, translation, listPage *ui.Template
	snippet                            *template.Template // the HTML for a page of another site
	texts                              *language.Texts
	settingsPage                       SettingsPage
}

// row is a Form in the list.
type row struct {
	forms.Form
	List     string
	Confirms bool   // the List asks to confirm
	URL      string // of its page
	Who      string // path of the Contacts who sent it; "": the person may not see them
}

var columns = ui.Columns[row]{
	ui.TextColumn("name", "forms.form_column", func(f *row) string { return f.Name }),
	{Text: "forms.page_column"},
	ui.NumberColumn("shown", "forms.shown", func(f *row) int64 { return f.Shown }),
	ui.NumberColumn("sent", "forms.sent", func(f *row) int64 { return f.Sent }),
	ui.NumberColumn("confirmed", "forms.confirmed", func(f *row) int64 { return f.Confirmed }),
}

// left is why people have left a List.
type left struct {
	enlist.List
	Reasons []reason
	Words   []words
}

// reason is a reason in words, with its count.
type reason struct {
	Text  string
	Count int64
}

type words struct{ Day, Text string }

// listData is the data of the list.
type listData struct {
	ui.Table[row]
	New       *ui.FormCard  // of a Form to add; nil: the person may not, or there is no List
	Lists     []enlist.List // whose texts can be changed: those of the page
	More      ui.Pager
	Left      []left // the Lists with most reasons
	MoreLeft  int64  // others with reasons
	PublicURL string
}

// newForm returns the form that adds a Form.
func newForm(r *ui.Request) (ui.Form, error) {
	lists, err := r.ListOptions()
	return ui.Form{{Kind: ui.InputRow, Parts: ui.Form{
		{Name: "list_id", Label: r.Text("forms.list"), Kind: ui.InputChoice, Options: lists, Picker: true},
		{Name: "name", Label: r.Text("forms.name"), Required: true, Most: 255},
		{Name: "consent_text", Label: r.Text("forms.consent"), Most: 255}}}}, err
}

// list shows all Forms, or adds one and leads to its editor.
func (p *pages) list(r *ui.Request) (*ui.View, error) {
	f, err := newForm(r)
	if err != nil {
		return nil, err
	}
	page := func(problem string) (*ui.View, error) { return p.showList(r, f, problem) }
	return r.Submit(f, page, func() (*ui.View, error) {
		list, name := enlist.ListID(ui.Int(f.Value("list_id"))), f.Value("name")
		all, err := r.App.Forms.SearchForms(r.Context(), r.Caller, list, enlist.Query{})
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(all, func(one forms.Form) bool { return one.Name == name }) {
			return nil, enlist.Invalid("name", r.Text("forms.name_taken")) // setForm would change this one
		}
		details := []enlist.Detail{ui.Text("name", name)}
		if consent := f.Value("consent_text"); consent != "" {
			details = append(details, ui.Text("consent_text", consent))
		}
		id, err := r.App.Forms.SetForm(r.Context(), r.Caller, list, 0, details)
		return ui.GoTo(path(list, id), r.Text("forms.added")), err
	})
}

// perPage is the number of Lists whose texts the page shows.
const perPage = 50

// showList shows all Forms, and the form of a new one.
func (p *pages) showList(r *ui.Request, f ui.Form, problem string) (*ui.View, error) {
	d := &listData{PublicURL: r.PublicURL}
	lists, err := r.Lists()
	if err != nil {
		return nil, err
	}
	if r.Caller.May(enlist.Manage) && len(lists) > 0 {
		d.New = &ui.FormCard{Heading: r.Text("forms.add"), Form: f, Button: r.Text("forms.add_button"),
			Action: "/admin/forms"}
	}
	all, err := r.App.Forms.AllForms(r.Context(), r.Caller)
	if err != nil {
		return nil, err
	}
	rows := rowsOfForms(r, lists, all)
	rows, find := ui.FindRows(r, rows, func(f *row) string { return f.Name })
	d.Table = columns.Table(r, "", rows, find)
	d.Cut(r)
	if err := d.addLeft(r, lists); err != nil {
		return nil, err
	}
	d.Lists, d.More = ui.SecondRows(r.URL.Query(), "lists", lists, perPage)
	return &ui.View{Title: r.Text("forms.title"), Place: "/admin/forms", Content: p.forms, Data: d, Problem: problem}, nil
}

// rowsOfForms returns the rows of Forms, in the order of their Lists and then of their names.
func rowsOfForms(r *ui.Request, lists []enlist.List, all []forms.Form) (rows []row) {
	slices.SortStableFunc(all, func(a, b forms.Form) int { return cmp.Compare(a.Name, b.Name) })
	of := make(map[enlist.ListID][]forms.Form)
	for _, f := range all {
		of[f.ListID] = append(of[f.ListID], f)
	}
	for _, l := range lists {
		for _, f := range of[l.ID] {
			one := row{Form: f, List: l.Name, Confirms: l.DoubleOptIn, URL: r.PublicURL + "/s/" + ui.Plain(int64(f.ID))}
			if r.Caller.May(enlist.SeeContacts) {
				one.Who = fmt.Sprintf("/admin/contacts?list=%d&key=webform_id&op=exactly&value=%d", l.ID, f.ID)
			}
			rows = append(rows, one)
		}
	}
	return rows
}

// shownLeft is the number of Lists of which the page shows the reasons. They are those with the most.
const shownLeft = 20

// addLeft adds why people have left.
func (d *listData) addLeft(r *ui.Request, lists []enlist.List) error {
	sums, err := r.App.Contacts.AllDepartures(r.Context(), r.Caller)
	if err != nil {
		return err
	}
	with := slices.DeleteFunc(slices.Clone(lists), func(l enlist.List) bool { return sums[l.ID] == 0 })
	slices.SortStableFunc(with, func(a, b enlist.List) int { return cmp.Compare(sums[b.ID], sums[a.ID]) })
	d.MoreLeft = int64(max(0, len(with)-shownLeft))
	for _, l := range with[:min(len(with), shownLeft)] {
		why, err := r.App.Contacts.Departures(r.Context(), r.Caller, l.ID)
		if err != nil {
			return err
		}
		d.Left = append(d.Left, leftOf(r, &l, why))
	}
	return nil
}

func leftOf(r *ui.Request, l *enlist.List, why *contacts.Departures) left {
	texts := map[contacts.DepartureReason]string{"too_many": r.Text("forms.too_many"),
		"other":           r.Text("forms.other_reason"),
		"not_interesting": r.Text("forms.not_interesting"), "never_subscribed": r.Text("forms.never_subscribed")}
	of := left{List: *l}
	for _, key := range contacts.DepartureReasons() {
		of.Reasons = append(of.Reasons, reason{texts[key], why.Counts[key]})
	}
	for _, w := range why.Words {
		of.Words = append(of.Words, words{r.Day(w.Time), w.Words})
	}
	return of
}

func path(list enlist.ListID, id enlist.FormID) string {
	return "/admin/forms/" + ui.Plain(int64(list)) + "/" + ui.Plain(int64(id))
}

// find returns the Form in the path. Errors: ui.ErrNotFound.
func find(r *ui.Request) (*forms.Form, error) {
	all, err := r.App.Forms.SearchForms(r.Context(), r.Caller, enlist.ListID(r.ID("list")), enlist.Query{})
	if err != nil {
		return nil, err
	}
	for i := range all {
		if int64(all[i].ID) == r.ID("form") {
			return &all[i], nil
		}
	}
	return nil, ui.ErrNotFound
}

// remove asks before it deletes a Form.
func remove(r *ui.Request) (*ui.View, error) {
	f, err := find(r)
	if err != nil {
		return nil, err
	}
	c := ui.FormCard{Danger: true, Texts: []string{r.Text("forms.delete_about", "n", f.Sent)},
		Button: r.Text("forms.delete_button"), Back: ui.Action{Text: r.Text("forms.keep"), Path: path(f.ListID, f.ID)}}
	return r.FormPage(r.Text("forms.delete_title", "form", f.Name), "/admin/forms", &c, func() (*ui.View, error) {
		err := r.App.Forms.DeleteForm(r.Context(), r.Caller, f.ListID, f.ID)
		return ui.GoTo("/admin/forms", r.Text("forms.deleted")), err
	})
}
