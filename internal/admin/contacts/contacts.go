// Package contacts has the page of a List's Contacts: a table with chosen columns, and conditions that choose them.
package contacts

import (
	"embed"
	"errors"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
)

//go:embed *.html
var files embed.FS

// Pages returns the pages.
func Pages() []ui.Page {
	p := &pages{ui.Parse(files, "contacts.html"), ui.Parse(files, "segments.html"), ui.Parse(files, "delete.html")}
	return []ui.Page{
		{Pattern: "GET /admin/contacts", Level: enlist.Standard, Serve: p.show},
		{Pattern: "POST /admin/contacts/segments", Level: enlist.Full, Serve: p.save},
		{Pattern: "GET /admin/segments", Level: enlist.Read, Serve: p.segments},
		{Pattern: "GET /admin/segments/{list}/{segment}/delete", Level: enlist.Full, Serve: p.askDelete},
		{Pattern: "POST /admin/segments/{list}/{segment}/delete", Level: enlist.Full, Serve: remove},
	}
}

type pages struct{ content, all, delete_ *template.Template }

// perPage is the number of Contacts on a page.
const perPage = 50

// view is what the URL says.
type view struct {
	list       enlist.ListID
	conditions []condition
	any        bool // one condition is enough
	columns    []string
	sort       string
	descending bool
	page       int64
}

// condition is a row of the form.
type condition struct{ Key, Operator, Value string }

// operators are the operators in words, in the order of the form.
var operators = []struct{ Name, Text string }{
	{"exactly", "is"}, {"not", "is not"}, {"contains", "contains"}, {"starts_with", "begins with"},
	{"ends_with", "ends with"}, {"greater_than", "is more than, or after"}, {"less_than", "is less than, or before"},
	{"in", "is one of (commas)"},
}

// read reads the URL. Rows without a key or without a value are left out, and so is the row whose × was pressed.
func read(q url.Values) view {
	v := view{list: enlist.ListID(ui.Int(q.Get("list"))), any: q.Get("match") == "any", columns: q["column"],
		sort: q.Get("sort"), descending: q.Get("order") == "down", page: max(1, ui.Int(q.Get("page")))}
	keys, operators, values := q["key"], q["op"], q["value"]
	for i := range min(len(keys), len(operators), len(values)) {
		if keys[i] != "" && q.Get("remove") != strconv.Itoa(i) {
			v.conditions = append(v.conditions, condition{keys[i], operators[i], values[i]})
		}
	}
	return v
}

// url returns the URL of a view.
func (v view) url() string {
	q := url.Values{"list": {ui.Plain(int64(v.list))}}
	for _, c := range v.conditions {
		q["key"], q["op"], q["value"] = append(q["key"], c.Key), append(q["op"], c.Operator), append(q["value"],
			c.Value)
	}
	if v.any {
		q.Set("match", "any")
	}
	if len(v.columns) > 0 {
		q["column"] = v.columns
	}
	if v.sort != "" {
		q.Set("sort", v.sort)
	}
	if v.descending {
		q.Set("order", "down")
	}
	if v.page > 1 {
		q.Set("page", ui.Plain(v.page))
	}
	return "/admin/contacts?" + q.Encode()
}

// criteria returns the conditions as a search has them, or nil if there are none.
func (v view) criteria() *enlist.Criteria {
	var parts []enlist.Criteria
	for _, c := range v.conditions {
		value := enlist.Input{Kind: enlist.InputText, Text: c.Value}
		if c.Operator == "in" {
			value = ui.Texts(c.Value)
		}
		parts = append(parts, enlist.Criteria{Key: c.Key, Operator: c.Operator, Value: value})
	}
	switch {
	case parts == nil:
		return nil
	case v.any:
		return &enlist.Criteria{Any: parts}
	}
	return &enlist.Criteria{All: parts}
}

// data is the data of the page.
type data struct {
	List               enlist.ListID
	Lists              []enlist.List
	Keys               []key
	Operators          []struct{ Name, Text string }
	Conditions         []condition
	Any                bool
	Columns            []column
	Rows               []row
	First, Last, Match int64
	All                int64
	Back, Next, Clear  string // URLs; "": none
	Sort               string
	Descending         bool
	Wrong              string // what is wrong with the conditions
	Took               int64  // milliseconds of the count
	Kept               []condition
	MayEdit            bool
	Name, WrongName    string // of a Segment that was not saved, and why
}

// key is a key that a condition may have.
type key struct{ Name, Text string }

// column is a key of the table.
type column struct {
	Name, Text string
	Shown      bool
	URL        string // sorts by it
	Sorted     string // "ascending" or "descending" if the table is sorted by it
	Number     bool
}

// cell is a value in the table.
type cell struct {
	Text   string
	Number bool
}

// row is a Contact.
type row struct {
	ID     enlist.ContactID
	Values []cell
	Status string // in words
	Kind   string // class of its mark
}

func (p *pages) show(r *ui.Request) (*ui.View, error) {
	return p.showView(r, read(r.URL.Query()), "", "")
}

// showView shows a view. name is the name of a Segment that could not be saved, and wrong says why.
func (p *pages) showView(r *ui.Request, v view, name, wrongName string) (*ui.View, error) {
	all, err := r.App.Lists.SearchLists(r.Context(), r.Caller, enlist.Query{SortBy: "name"})
	if err != nil {
		return nil, err
	}
	if v.list == 0 && len(all) > 0 {
		v.list = all[0].ID
	}
	d := data{List: v.list, Lists: all, Operators: operators, Any: v.any, Sort: v.sort, Descending: v.descending,
		Name: name, WrongName: wrongName, Kept: v.conditions, MayEdit: r.Caller.Key.Level >= enlist.Full,
		Conditions: append(slices.Clone(v.conditions), condition{Operator: "contains"})}
	page := &ui.View{Title: "Contacts", Place: "Contacts", Content: p.content, Data: &d}
	if v.list == 0 {
		return page, nil
	}
	list, err := r.App.Lists.List(r.Context(), r.Caller, v.list)
	if err != nil {
		return nil, err
	}
	fields, err := r.App.Lists.SearchFields(r.Context(), r.Caller, v.list, enlist.Query{})
	if err != nil {
		return nil, err
	}
	d.All = list.ContactCount
	d.Keys = keysOf(fields)
	d.columnsOf(&v, fields)
	page.Title = "Contacts of " + list.Name
	err = d.find(r, v)
	var wrong *enlist.Error
	if errors.As(err, &wrong) && wrong.Kind != enlist.Internal {
		d.Wrong, page.Problem, err = wrong.Error(), "This search does not work: "+wrong.Error(), nil
	}
	if wrongName != "" {
		page.Problem = "The Segment was not saved."
	}
	page.Sub = ui.Count(d.All, "Contact")
	if v.conditions != nil && d.Wrong == "" {
		page.Sub += " · " + ui.Number(d.Match) + " match"
		none := v
		none.conditions, none.page = nil, 1
		d.Clear = none.url()
	}
	return page, err
}

// systemKeys are keys of a Contact that are no Fields, in words.
var systemKeys = []key{{"creation_time", "Joined"}, {"last_open_time", "Last opened"},
	{"last_click_time", "Last clicked"},
	{"last_message_time", "Last mail"}, {"subscribed_via", "Subscribed via"}, {"is_active", "Is active"},
	{"is_unsubscribed", "Is unsubscribed"}, {"id", "ID"}}

// times are the system keys with Unix times.
var times = []string{"creation_time", "last_open_time", "last_click_time", "last_message_time"}

func keysOf(fields []enlist.Field) (all []key) {
	for i := range fields {
		all = append(all, key{fields[i].Name, fields[i].Name})
	}
	return append(append(all, systemKeys...), key{enlist.KeySegment, "Segment (its number)"})
}

// columnsOf sets the columns: those of the URL, or else the first Fields.
func (d *data) columnsOf(v *view, fields []enlist.Field) {
	if len(v.columns) == 0 {
		for i := range fields[:min(len(fields), 4)] {
			v.columns = append(v.columns, fields[i].Name)
		}
		v.columns = append(v.columns, "last_open_time")
	}
	for _, k := range keysOf(fields) {
		c := column{Name: k.Name, Text: k.Text, Shown: slices.Contains(v.columns, k.Name)}
		sorted := *v
		sorted.sort, sorted.page, sorted.descending = k.Name, 1, v.sort == k.Name && !v.descending
		c.URL = sorted.url()
		if v.sort == k.Name {
			c.Sorted = "ascending"
			if v.descending {
				c.Sorted = "descending"
			}
		}
		i := slices.IndexFunc(fields, func(f enlist.Field) bool { return f.Name == k.Name })
		c.Number = i < 0 && k.Name != "subscribed_via" || i >= 0 && fields[i].Numeric()
		d.Columns = append(d.Columns, c)
	}
}

// find finds the Contacts of the page, and counts those that match.
func (d *data) find(r *ui.Request, v view) (err error) {
	began := time.Now()
	if d.Match, err = r.App.Contacts.CountContacts(r.Context(), r.Caller, v.list, v.criteria()); err != nil {
		return err
	}
	d.Took = time.Since(began).Milliseconds()
	q := enlist.Query{Criteria: v.criteria(), Limit: perPage, Offset: (v.page - 1) * perPage, SortBy: v.sort,
		Descending: v.descending}
	shown := []string{"id", "is_active", "is_unsubscribed", "is_bounce_deactivated", "double_opt_in"}
	for _, c := range d.Columns {
		if c.Shown {
			shown = append(shown, c.Name)
		}
	}
	if err := r.App.Contacts.SearchContacts(r.Context(), r.Caller, v.list, q, shown, &rows{r: r, d: d}); err != nil {
		return err
	}
	d.First, d.Last = q.Offset+1, q.Offset+int64(len(d.Rows))
	if v.page > 1 {
		back := v
		back.page--
		d.Back = back.url()
	}
	if d.Last < d.Match {
		next := v
		next.page++
		d.Next = next.url()
	}
	return nil
}

// rows collects the Contacts of a search.
type rows struct {
	r       *ui.Request
	d       *data
	columns []enlist.Column
}

// Begin implements contacts.ContactWriter.
func (w *rows) Begin(columns []enlist.Column, _ bool) error {
	w.columns, w.d.Rows = columns, nil
	return nil
}

// Contact implements contacts.ContactWriter.
func (w *rows) Contact(c *enlist.ByID) error {
	one := row{ID: c.ID}
	one.Status, one.Kind = statusOf(c)
	for _, shown := range w.d.Columns {
		i := slices.IndexFunc(w.columns, func(k enlist.Column) bool { return k.Name == shown.Name })
		if !shown.Shown || i < 0 {
			continue
		}
		one.Values = append(one.Values, cell{w.text(&w.columns[i], c), shown.Number})
	}
	w.d.Rows = append(w.d.Rows, one)
	return nil
}

// text returns a value of a Contact as people read it.
func (w *rows) text(k *enlist.Column, c *enlist.ByID) string {
	if k.Field != nil {
		return c.Values.Get(k.Field.ID)
	}
	value := k.System.Get(c)
	switch {
	case slices.Contains(times, k.Name):
		return w.r.Day(value.Int)
	case value.Kind == enlist.KeyBool:
		return map[bool]string{true: "yes", false: "no"}[value.Int != 0]
	case value.Kind == enlist.KeyInt:
		return ui.Plain(value.Int)
	}
	return value.Text
}

// statusOf returns the state of a Contact in words, and the class of its mark.
func statusOf(c *enlist.ByID) (word, class string) {
	switch {
	case c.IsUnsubscribed:
		return "unsubscribed", "off"
	case c.IsBounceDeactivated:
		return "bounced", "warn"
	case !c.IsActive:
		return "deactivated", "off"
	}
	return "subscribed", ""
}
