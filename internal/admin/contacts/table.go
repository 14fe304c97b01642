package contacts

import (
	"context"
	"slices"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
)

// This file has the table of Contacts.

// table is a page of the Contacts that match.
type table struct {
	Columns ui.Input  // chooses those that are shown
	Heads   []ui.Head // of the columns that are shown
	Rows    []row
	Pager   ui.Pager
	Late    string // why the search was given up, and what to do; "": it has ended
	builder *builder
	request *ui.Request
	read    []enlist.Column
	shown   []key
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

// Label names the row for screen readers.
func (r row) Label() string {
	if len(r.Values) == 0 {
		return ""
	}
	return r.Values[0].Text
}

// newTable finds the Contacts of a page.
func newTable(r *ui.Request, b *builder, v view, n *count) (*table, error) {
	t := &table{builder: b, request: r}
	t.addColumns(v)
	q := enlist.Query{Criteria: b.criteria(v), Limit: perPage + 1, Offset: (v.page - 1) * perPage, SortBy: v.sort,
		Descending: v.descending}
	names := slices.Clone(statusKeys)
	for _, c := range t.shown {
		names = append(names, c.Name)
	}
	search := func(ctx context.Context) error {
		return r.App.Contacts.SearchContacts(ctx, r.Caller, v.list, q, names, t)
	}
	wait := max(ui.SearchWait-n.spent, ui.SearchWait/2) // the counts have used a part of the time
	late, err := ui.Within(r.Context(), b.list.ContactCount, wait, search)
	if late && v.sort != "" {
		t.Late = r.Text("contacts.sort_too_long", "key", b.key(v.sort).Text)
		q.SortBy, q.Descending, v.sort, v.descending = "", false, "", false
		t.addColumns(v)
		late, err = ui.Within(r.Context(), b.list.ContactCount, ui.SearchWait, search)
	}
	if err != nil {
		return nil, err
	}
	if late { // the rows that it had found are the first ones
		t.Late = r.Text("contacts.search_too_long")
	}
	found := q.Offset + int64(len(t.Rows)) // one more than the page shows, if there is a next one
	t.Rows = t.Rows[:min(len(t.Rows), perPage)]
	t.Pager = ui.NewPager(v.page, perPage, len(t.Rows), found, func(page int64) string {
		other := v
		other.page = page
		return other.url()
	})
	switch {
	case n.Slow && t.Pager.Next == "" && !late:
		n.Match, n.Slow = found, false
	case n.Slow:
		n.AtLeast = max(0, found-1)
	}
	t.Pager.All = n.Match
	if n.Slow {
		t.Pager.All = -1
	}
	return t, nil
}

// addColumns sets the columns: those of the URL, or else the first Fields.
func (t *table) addColumns(v view) {
	names := v.columns
	if len(names) == 0 {
		for i := range t.builder.fields {
			if f := &t.builder.fields[i]; f.AddressType != enlist.AddressMobile && len(names) < 4 {
				names = append(names, keyOf(f).Name)
			}
		}
		names = append(names, "last_open_time")
	}
	t.Columns, t.shown = ui.Input{Name: "column", Kind: ui.InputBoxes, Chosen: names}, nil
	var shown ui.Columns[row]
	for _, k := range t.builder.keys {
		if k.Kind == answer || k.Kind == batch || k.Kind == segment {
			continue // a Contact has no single value of it
		}
		t.Columns.Options = append(t.Columns.Options, ui.Option{Value: k.Name, Text: k.Text})
		if slices.Contains(names, k.Name) {
			t.shown = append(t.shown, k)
			shown = append(shown, ui.Column[row]{Key: k.Name, Text: k.Text, Number: k.Kind.isNumber(), Falls: k.Kind.isNumber()})
		}
	}
	t.Heads = shown.Order(v.query(), "").Heads
	for i := range t.Heads {
		t.Heads[i].URL = "/admin/contacts" + t.Heads[i].URL // after a form was refused, the page has another path
	}
}

// Begin implements contacts.ContactWriter.
func (t *table) Begin(columns []enlist.Column, _ bool) error {
	t.read, t.Rows = columns, nil
	return nil
}

// Contact implements contacts.ContactWriter.
func (t *table) Contact(c *enlist.Contact) error {
	one := row{ID: c.ID}
	status, class := statusOf(c, t.builder.list)
	one.Status, one.Kind = t.request.Text(status), class
	for _, shown := range t.shown {
		i := slices.IndexFunc(t.read, func(k enlist.Column) bool { return k.Name == shown.Name })
		if i < 0 {
			continue
		}
		one.Values = append(one.Values, cell{t.text(&t.read[i], c), shown.Kind.isNumber()})
	}
	t.Rows = append(t.Rows, one)
	return nil
}

// text returns a value of a Contact as people read it.
func (t *table) text(k *enlist.Column, c *enlist.Contact) string {
	if k.Field != nil {
		return shown(k.Field, c.Values.Get(k.Field.ID))
	}
	value := k.System.Get(c)
	known := t.builder.key(k.Name)
	switch {
	case known.Kind == moment:
		return t.request.Day(value.Int)
	case known.Kind == flag:
		return yesOrNo(t.request, value.Int != 0)
	case value.Kind == enlist.KeyInt:
		return ui.Plain(value.Int)
	}
	for _, o := range known.Choices {
		if o.Value == value.Text {
			return t.request.Text("contacts.joined_by", "way", o.Text)
		}
	}
	return value.Text
}

// statusKeys are the keys of which statusOf needs the values.
var statusKeys = []string{"id", "is_active", "is_unsubscribed", "is_bounce_deactivated", "double_opt_in"}

// statusOf returns the key of the state of a Contact in words, and the class of its mark.
func statusOf(c *enlist.Contact, list *enlist.List) (key, class string) {
	switch {
	case c.IsUnsubscribed:
		return "contacts.status_unsubscribed", "off"
	case c.IsBounceDeactivated:
		return "contacts.status_bounced", "warn"
	case !c.IsActive:
		return "contacts.status_deactivated", "off"
	case list.DoubleOptIn && !c.DoubleOptIn:
		return "contacts.status_not_confirmed", "off"
	}
	return "contacts.status_subscribed", ""
}

// shown writes a value of a Field as people read it.
func shown(f *enlist.Field, text string) string {
	if f.Type == enlist.Checkbox {
		return strings.ReplaceAll(text, ",", ", ")
	}
	return text
}
