// Package contacts has the pages of a List's Contacts: a table with chosen columns, conditions that choose them,
// Segments, exports, changes of many Contacts, and the page of one person.
//
//	view.go      what the URL says
//	key.go, operator.go, builder.go, sentence.go   keys and conditions, their criteria and sentences
//	conditions.go   the form of conditions on pages of other subjects
//	contacts.go, form.go, count.go, table.go   the page of all Contacts
//	segments.go  conditions with a name
//	export.go, change.go, copy.go   the Contacts as a file, and changes of many
//	new.go       adds one person
//	person*.go, timeline.go, edit.go, privacy.go   one person, what happened, and what the person may ask for
package contacts

import (
	"embed"
	"html/template"
	"slices"

	"enlist/internal/admin/ui"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

//go:embed *.html
var files embed.FS

// Pages returns the pages.
func Pages() []ui.Page {
	p := &pages{}
	for name, t := range map[string]**ui.Template{"contacts.html": &p.content, "segments.html": &p.all,
		"person.html": &p.personPage, "erase.html": &p.erasePage, "change.html": &p.changePage,
		"progress.html": &p.progressPage} {
		*t = ui.Parse(files, name)
	}
	return []ui.Page{
		{Pattern: "GET /admin/contacts", Needs: enlist.SeeContacts, Serve: p.show},
		{Pattern: "GET /admin/contacts/new", IsForm: true, MaxForm: ui.TextForm, Needs: enlist.SeeContacts, Serve: newContact},
		{Pattern: "GET /admin/contacts/export", Needs: enlist.SeeContacts, Serve: askExport},
		{Pattern: "POST /admin/contacts/export", MaxForm: ui.TextForm, Needs: enlist.SeeContacts, Serve: export},
		{Pattern: "GET /admin/contacts/change", Needs: enlist.SeeContacts, Serve: p.many},
		{Pattern: "POST /admin/contacts/change", MaxForm: ui.TextForm, Needs: enlist.SeeContacts, Serve: p.startMany},
		{Pattern: "GET /admin/contacts/copy", Needs: enlist.SeeContacts, Serve: askCopy},
		{Pattern: "GET /admin/contacts/changes/{change}", Needs: enlist.SeeContacts, Serve: p.progress},
		{Pattern: "POST /admin/contacts/changes/{change}/cancel", Needs: enlist.SeeContacts, Serve: cancelMany},
		{Pattern: "GET /admin/contacts/person", Needs: enlist.SeeContacts, Serve: p.person},
		{Pattern: "POST /admin/contacts/person", Needs: enlist.SeeContacts, Serve: p.change},
		{Pattern: "GET /admin/contacts/person/edit", IsForm: true, MaxForm: ui.TextForm, Needs: enlist.SeeContacts, Serve: edit},
		{Pattern: "POST /admin/contacts/person/tracking", Needs: enlist.SeeContacts, Serve: p.decideTracking},
		{Pattern: "POST /admin/contacts/person/proof", Needs: enlist.SeeContacts, Serve: proofOfConsent},
		{Pattern: "POST /admin/contacts/person/export", Needs: enlist.Manage, Serve: exportPerson},
		{Pattern: "GET /admin/contacts/person/erase", IsForm: true, Needs: enlist.Manage, Serve: p.erase},
		{Pattern: "POST /admin/contacts/segments", MaxForm: ui.TextForm, Needs: enlist.Manage, Serve: p.save},
		{Pattern: "GET /admin/segments", Needs: enlist.See, Serve: p.segments},
		{Pattern: "GET /admin/segments/{list}/{segment}/delete", IsForm: true, Needs: enlist.Manage, Serve: deleteSegment},
	}
}

type pages struct {
	content, all, personPage, erasePage, changePage, progressPage *ui.Template
}

const perPage = 50 // Contacts on a page

// data is the data of the page.
type data struct {
	List        *enlist.List
	ListInput   ui.Input
	Keys        []keyGroup
	Rows        []part // of the form
	Any         bool
	Search      string
	Count       count
	Table       *table
	Segments    ui.Input          // chooses one of them
	Segment     *contacts.Segment // whose conditions are shown
	Seen        string            // its version when it was opened
	Deeper      bool              // the form cannot show the conditions of the Segment
	Clear       string            // URL of all Contacts; "": they are shown
	Kept        ui.Form
	HasCriteria bool
	Call        string // the search as a call of the API
	MayEdit     bool
	Name        ui.Input // of a Segment to save
	Sort        string
	Descending  bool
	TopField    ui.Input // chooses the Field of which Top has the values
	TopName     string
	Top         []topValue
	Days        *ui.Plot // nil: the search does not work
}

func (p *pages) show(r *ui.Request) (*ui.View, error) {
	q := r.URL.Query()
	v := read(q)
	if !r.IsPicking() && v.edit(q) && !r.Fragment() {
		return ui.GoTo(v.url(), ""), nil
	}
	return p.showView(r, v, "", "")
}

// showView shows a view. name is the name of a Segment that could not be saved, and wrong says why.
func (p *pages) showView(r *ui.Request, v view, name, wrong string) (*ui.View, error) {
	all, err := r.Lists()
	if err != nil {
		return nil, err
	}
	d := data{MayEdit: r.Caller.May(enlist.Manage), Name: ui.Input{Name: "name", Label: r.Text("contacts.keep_segment"), Value: name,
		Required: true, Most: enlist.MaxName, Wrong: wrong}}
	page := &ui.View{Title: r.Text("contacts.contacts"), Place: "/admin/contacts", Content: p.content, Data: &d}
	if v.list == 0 && len(all) > 0 {
		v.list = all[0].ID
	}
	if v.list == 0 {
		return page, nil
	}
	b, err := newBuilder(r, v.list)
	if err != nil {
		return nil, err
	}
	lists, err := r.ListOptions()
	if err != nil {
		return nil, err
	}
	d.ListInput = ui.Input{Name: "list", Label: r.Text("contacts.list"), Kind: ui.InputChoice,
		Value: ui.Plain(int64(v.list)), Options: lists, Picker: true}
	d.ListInput.Find = r.FormValue(d.ListInput.FindName())
	d.fill(r, b, &v)
	if err := d.Count.read(r, b, v); err != nil {
		return nil, err
	}
	if r.Fragment() {
		page.Fragment, page.Data = "count", &d.Count
		return page, nil
	}
	page.Title, page.Sub = r.Text("contacts.title", "list", b.list.Name), r.Text("contacts.size", "n", d.Count.All)
	if d.HasCriteria && d.Count.Wrong == "" && !d.Count.Slow {
		page.Sub = r.Text("contacts.size_and_match", "contacts", page.Sub, "n", d.Count.Match)
	}
	if d.Count.Wrong != "" {
		page.Problem = r.Text("contacts.search_refused", "reason", d.Count.Wrong)
		return page, nil
	}
	if wrong != "" {
		page.Problem = r.Text("contacts.segment_was_not_saved")
	}
	if d.Table, err = newTable(r, b, v, &d.Count); err != nil {
		return nil, err
	}
	page.Actions = d.actions(r, &v)
	if err := d.addTop(r, b, v); err != nil {
		return nil, err
	}
	return page, d.addDays(r)
}

// actions returns the buttons at the top of the page.
func (d *data) actions(r *ui.Request, v *view) []ui.Action {
	n := d.Count.Match
	toExport, toChange := r.Text("contacts.export_n", "n", n), r.Text("contacts.change_n", "n", n)
	if d.Count.Slow { // the number is not known
		toExport, toChange = r.Text("contacts.export"), r.Text("contacts.change_button")
	}
	actions := []ui.Action{{Text: r.Text("contacts.add_contact"), Path: "/admin/contacts/new?list=" + ui.Plain(int64(v.list))},
		{Text: toExport, Path: v.at("/admin/contacts/export")}}
	if d.HasCriteria {
		actions = append(actions, ui.Action{Text: toChange, Path: v.at("/admin/contacts/change")})
	}
	return actions
}

// fill sets what the form shows.
func (d *data) fill(r *ui.Request, b *builder, v *view) {
	d.List = b.list
	d.Segments = ui.Input{Name: "segment", Label: r.Text("contacts.show_segment"), Kind: ui.InputChoice,
		Value: ui.Plain(int64(v.segment)), Options: b.key(enlist.KeySegment).Choices, Picker: true}
	d.Segments.Find = r.FormValue(d.Segments.FindName())
	if i := slices.IndexFunc(b.segments, func(s contacts.Segment) bool { return s.ID == v.segment }); i >= 0 {
		d.Segment = &b.segments[i]
		if v.seen == "" || r.URL.Query().Has("open") {
			v.seen = versionOf(d.Segment)
		}
		if r.URL.Query().Has("open") && !r.IsPicking() && !b.show(v, d.Segment.Criteria) {
			d.Segment, d.Deeper = nil, true
			v.conditions = []condition{{Key: enlist.KeySegment, Operator: "in", Value: ui.Plain(int64(v.segment))}}
			v.either = map[int]bool{}
		}
	}
	d.Seen = v.seen
	if d.Segment == nil {
		v.segment = 0
	} else if d.Name.Value == "" {
		d.Name.Value = d.Segment.Name
	}
	d.TopField = ui.Input{Name: "top", Label: r.Text("contacts.most_frequent_values"), Kind: ui.InputChoice, Value: v.top,
		Options: ui.Choices("", r.Text("contacts.choose"))}
	for _, k := range b.keys {
		if k.About == aboutFields {
			d.TopField.Options = append(d.TopField.Options, ui.Option{Value: k.Name, Text: k.Text})
		}
	}
	if !slices.ContainsFunc(b.keys, func(k key) bool { return k.Name == v.sort }) { // of another List, or an old one
		v.sort, v.descending = "", false
	}
	d.Count.Unused = len(v.conditions) - len(b.complete(v))
	d.Keys, d.Any, d.Search, d.Sort, d.Descending = b.headings(), v.either[0], v.search, v.sort, v.descending
	d.Rows = b.parts(*v)
	d.Kept = v.inputs()
	criteria := b.criteria(*v)
	d.HasCriteria, d.Call = criteria != nil, b.call(*v, criteria)
	if criteria != nil || len(v.conditions) > 0 {
		d.Clear = view{list: v.list, columns: v.columns, sort: v.sort, descending: v.descending}.url()
	}
}

// topValue is one of the most frequent values of a Field.
type topValue struct {
	Text, Share string
	Count       int64
	Bar         template.HTML
	URL         string // of the Contacts that have it
}

// topValues is the number of values that the page shows.
const topValues = 10

// addTop adds the most frequent values of the chosen Field among the Contacts that match.
func (d *data) addTop(r *ui.Request, b *builder, v view) error {
	if v.top == "" {
		return nil
	}
	d.TopName = b.key(v.top).Text
	all, err := r.App.Contacts.TopValues(r.Context(), r.Caller, v.list, b.criteria(v), v.top, topValues)
	if err != nil {
		return err
	}
	for _, one := range all {
		with := v
		c := condition{Key: v.top, Operator: "exactly", Value: one.Text}
		if one.Text == "" {
			c.Operator = "empty"
		}
		if k := b.key(v.top); k.Kind == choice && one.Text != "" {
			c.Operator = "in"
		}
		with.conditions, with.page = append(slices.Clone(v.conditions), c), 1
		d.Top = append(d.Top, topValue{Text: one.Text, Count: one.Contacts, URL: with.url(),
			Share: r.Language.Percent(one.Contacts, d.Count.Match), Bar: r.Stack(one.Text, []ui.Part{
				{Name: one.Text, Class: "s2", Count: one.Contacts}, {Name: r.Text("contacts.less_than_most_frequent"),
					Class: "s3", Count: all[0].Contacts - one.Contacts}})})
	}
	return nil
}

// addDays adds the chart of the List's size.
func (d *data) addDays(r *ui.Request) error {
	days, err := r.App.Lists.ListDays(r.Context(), r.Caller, d.List.ID, "", "")
	if err != nil {
		return err
	}
	c := &ui.Chart{Language: r.Language, Title: r.Text("contacts.contacts_list_90_days"), Series: []string{r.Text("contacts.contacts")}}
	for _, day := range days {
		c.Points = append(c.Points, ui.Point{Label: r.Language.Time("day", day.Day), Values: []int64{day.Contacts}})
	}
	plot := c.Plot((*ui.Chart).Lines)
	d.Days = &plot
	return nil
}
