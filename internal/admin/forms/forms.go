// Package forms has the pages of Forms: all of them with their counts, the editor of one, and the texts with which a
// List greets new subscribers.
package forms

import (
	"cmp"
	"embed"
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
		ui.Parse(files, "language.html", "shown.html"), ui.Parse(files, "delete.html"), ui.Parse(files, "texts.html"),
		template.Must(template.ParseFS(files, "snippet.html")), language.New(), s}
	const one = "/admin/forms/{list}/{form}"
	return []ui.Page{
		{Pattern: "GET /admin/forms", Level: enlist.Read, Serve: p.list},
		{Pattern: "POST /admin/forms", Level: enlist.Full, Serve: p.add},
		{Pattern: "GET " + one, Level: enlist.Read, Serve: p.edit},
		{Pattern: "POST " + one, MaxForm: ui.TextForm, Level: enlist.Full, Serve: p.save},
		{Pattern: "GET " + one + "/language", Level: enlist.Read, Serve: p.language},
		{Pattern: "POST " + one + "/language", MaxForm: ui.TextForm, Level: enlist.Full, Serve: p.saveLanguage},
		{Pattern: "GET " + one + "/delete", Level: enlist.Full, Serve: p.askDelete},
		{Pattern: "POST " + one + "/delete", Level: enlist.Full, Serve: remove},
		{Pattern: "GET /admin/forms/{list}/texts", Level: enlist.Read, Serve: p.listTexts},
		{Pattern: "GET /admin/forms/{list}/texts/settings/mail", Level: enlist.Read, Serve: p.settings},
		{Pattern: "POST /admin/forms/{list}/texts", MaxForm: ui.TextForm, Level: enlist.Full, Serve: p.saveTexts},
	}
}

type pages struct {
	forms, form, translation, deletion, listPage *ui.Template
	snippet                                      *template.Template // the HTML for a page of another site
	texts                                        *language.Texts
	settingsPage                                 SettingsPage
}

// row is a Form in the list.
type row struct {
	forms.Form
	List     string
	Confirms bool // the List asks to confirm
}

var columns = ui.Columns[row]{
	ui.TextColumn("name", "forms.form_column", func(f *row) string { return f.Name }),
	{Text: "forms.page_column"},
	ui.NumberColumn("shown", "forms.shown", func(f *row) int64 { return f.Shown }),
	ui.NumberColumn("sent", "forms.sent", func(f *row) int64 { return f.Sent }),
	{},
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
	Rows     []row
	Order    ui.Order
	Find     ui.Find
	Lists    []enlist.List
	Page     []enlist.List // in the table of texts
	Pager    ui.Pager
	Left     []left // the Lists with most reasons
	MoreLeft int64  // others with reasons
	MayEdit  bool
	Sees     bool // the person may see Contacts

	PublicURL string
	// The Form to add, as it was typed, and why it was refused.
	Name, Consent string
	List          enlist.ListID
	Wrong         map[string]string // by the key of the input
}

// WrongWith returns what is wrong with an input. It stands beside the name if the form has no input of its key.
func (d *listData) WrongWith(key string) string {
	for other, what := range d.Wrong {
		if key == "name" && other != "consent_text" {
			return what
		}
	}
	return d.Wrong[key]
}

func (p *pages) list(r *ui.Request) (*ui.View, error) { return p.listView(r, &listData{}) }

func (p *pages) listView(r *ui.Request, d *listData) (*ui.View, error) {
	var err error
	if d.Lists, err = r.Lists(); err != nil {
		return nil, err
	}
	d.PublicURL = r.PublicURL
	d.MayEdit, d.Sees = r.Caller.Key.Level >= enlist.Full, r.Caller.Key.Level >= enlist.Standard
	all, err := r.App.Forms.AllForms(r.Context(), r.Caller)
	if err != nil {
		return nil, err
	}
	byList := make(map[enlist.ListID]*enlist.List, len(d.Lists))
	for i := range d.Lists {
		byList[d.Lists[i].ID] = &d.Lists[i]
	}
	for i := range all {
		l := byList[all[i].ListID]
		if l == nil { // added after the Lists were read
			continue
		}
		d.Rows = append(d.Rows, row{all[i], l.Name, l.DoubleOptIn})
	}
	slices.SortStableFunc(d.Rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.List, b.List), cmp.Compare(a.Name, b.Name))
	})
	d.Rows, d.Find = ui.FindRows(r, d.Rows, func(f *row) string { return f.Name })
	d.Order = columns.Sort(r.URL.Query(), "", d.Rows)
	if err := d.addLeft(r); err != nil {
		return nil, err
	}
	d.pageOf(r)
	view := &ui.View{Title: r.Text("forms.title"), Place: "/admin/forms", Content: p.forms, Data: d}
	if d.Wrong != nil {
		view.Problem = r.Text("forms.not_added")
	}
	return view, nil
}

// shownLeft is the number of Lists of which the page shows the reasons. They are those with the most.
const shownLeft = 20

// addLeft adds why people have left.
func (d *listData) addLeft(r *ui.Request) error {
	sums, err := r.App.Contacts.AllDepartures(r.Context(), r.Caller)
	if err != nil {
		return err
	}
	var with []enlist.List
	for i := range d.Lists {
		if sums[d.Lists[i].ID] > 0 {
			with = append(with, d.Lists[i])
		}
	}
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

// perPage is the number of Lists in the table of texts.
const perPage = 50

// pageOf sets the Lists of the table of texts.
func (d *listData) pageOf(r *ui.Request) {
	q := r.URL.Query()
	page := ui.PageNumber(q)
	first := min((page-1)*perPage, int64(len(d.Lists)))
	d.Page = d.Lists[first:min(first+perPage, int64(len(d.Lists)))]
	d.Pager = ui.NewPager(page, perPage, len(d.Page), int64(len(d.Lists)), ui.PageOf(q))
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

// add adds a Form, and leads to its editor.
func (p *pages) add(r *ui.Request) (*ui.View, error) {
	list := enlist.ListID(ui.Int(r.PostForm.Get("list")))
	typed := listData{Name: r.PostForm.Get("name"), Consent: r.PostForm.Get("consent"), List: list}
	all, err := r.App.Forms.SearchForms(r.Context(), r.Caller, list, enlist.Query{})
	if err != nil {
		return nil, err
	}
	for i := range all { // setForm would change this one
		if all[i].Name == typed.Name {
			typed.Wrong = map[string]string{"name": r.Text("forms.name_taken")}
		}
	}
	if typed.Wrong == nil {
		details := []enlist.Detail{ui.Text("name", typed.Name)}
		if typed.Consent != "" {
			details = append(details, ui.Text("consent_text", typed.Consent))
		}
		id, err := r.App.Forms.SetForm(r.Context(), r.Caller, list, 0, details)
		if err == nil {
			return ui.GoTo(path(list, id), r.Text("forms.added")), nil
		}
		if typed.Wrong, err = wrongInputs(err); err != nil {
			return nil, err
		}
	}
	return p.listView(r, &typed)
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

func (p *pages) askDelete(r *ui.Request) (*ui.View, error) {
	f, err := find(r)
	if err != nil {
		return nil, err
	}
	return &ui.View{Title: r.Text("forms.delete_title", "form", f.Name), Place: "/admin/forms", Content: p.deletion,
		Data: f}, nil
}

func remove(r *ui.Request) (*ui.View, error) {
	f, err := find(r)
	if err == nil {
		err = r.App.Forms.DeleteForm(r.Context(), r.Caller, f.ListID, f.ID)
	}
	if err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/forms", r.Text("forms.deleted")), nil
}
