// Package unsubscribers has the page of the Unsubscriber List, the only place where a person takes an address off it.
package unsubscribers

import (
	"context"
	"embed"
	"net/url"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

//go:embed *.html
var files embed.FS

// Pages returns the pages.
func Pages() []ui.Page {
	p := &pages{ui.Parse(files, "unsubscribers.html"), ui.Parse(files, "remove.html")}
	return []ui.Page{
		{Pattern: "GET /admin/unsubscribers", Level: enlist.Standard, Serve: p.all},
		{Pattern: "GET /admin/unsubscribers/remove", Level: enlist.Full, Serve: p.ask},
		{Pattern: "POST /admin/unsubscribers/remove", Level: enlist.Full, Serve: p.remove},
	}
}

type pages struct{ all_, remove_ *ui.Template }

const perPage = 50

// row is an entry.
type row struct {
	Address, List, When string
	Erased              bool
	Remove              string // path of the page that removes it; "": the person may not
	Contact             string // path of its Contact; "": none
}

// columns are those of the page. The service has an index of the times.
var columns = ui.Columns[row]{{Text: "Address"}, {Text: "Unsubscribed from"}, {Key: "time", Text: "When", Falls: true}}

// data is the data of the page.
type data struct {
	Query, List string
	Lists       []enlist.List
	Rows        []row
	Order       ui.Order
	Pager       ui.Pager
	Late        bool // the search was given up: Rows are those that it had found
}

// mayRemove reports whether the person may take an address off the List.
func mayRemove(r *ui.Request) bool {
	return r.Caller.Key.Level >= enlist.Full && r.Caller.Key.Lists == nil
}

func (p *pages) all(r *ui.Request) (*ui.View, error) {
	q := r.URL.Query()
	d := data{Query: strings.TrimSpace(q.Get("q")), List: q.Get("list"), Order: columns.Order(q, "time")}
	list, page := enlist.ListID(ui.Int(d.List)), ui.PageNumber(q)
	var err error
	if d.Lists, err = r.Lists(); err != nil {
		return nil, err
	}
	criteria := criteriaOf(d.Query)
	query := enlist.Query{Criteria: criteria, SortBy: "time", Descending: d.Order.Down, Limit: perPage + 1,
		Offset: (page - 1) * perPage}
	entries, err := r.App.Contacts.CountUnsubscribers(r.Context(), r.Caller, list, nil)
	if err != nil {
		return nil, err
	}
	d.Late, err = ui.Within(r.Context(), entries, ui.SearchWait, func(ctx context.Context) error {
		return r.App.Contacts.SearchUnsubscribers(ctx, r.Caller, list, query, &rows{r: r, d: &d})
	})
	if err != nil {
		return nil, err
	}
	found, last := query.Offset+int64(len(d.Rows)), len(d.Rows) <= perPage // found has one more if there is a next page
	d.Rows = d.Rows[:min(len(d.Rows), perPage)]
	d.Pager = ui.NewPager(page, perPage, len(d.Rows), found, ui.PageOf(q))
	d.Pager.All = entries
	switch {
	case d.Late:
		d.Pager.All = -1
	case last && (len(d.Rows) > 0 || page == 1):
		d.Pager.All = found // the search has read all entries, so they need not be counted
	case criteria != nil:
		late, err := ui.Within(r.Context(), entries, ui.CountWait, func(ctx context.Context) (err error) {
			d.Pager.All, err = r.App.Contacts.CountUnsubscribers(ctx, r.Caller, list, criteria)
			return err
		})
		if late {
			d.Pager.All = -1
		}
		if err != nil {
			return nil, err
		}
	}
	return &ui.View{Title: "Unsubscriber List", Place: "Unsubscriber List", Content: p.all_, Data: &d,
		Sub: "Addresses that unsubscribed or complained"}, nil
}

// criteriaOf returns the search for a text: a whole address is found by its index.
func criteriaOf(text string) *enlist.Criteria {
	switch {
	case text == "":
		return nil
	case strings.Contains(strings.Trim(text, "@"), "@"):
		return &enlist.Criteria{Key: "address", Operator: "exactly", Value: enlist.TextInput(text)}
	}
	return &enlist.Criteria{Key: "address", Operator: "contains", Value: enlist.TextInput(text)}
}

// rows collects the entries of a search.
type rows struct {
	r *ui.Request
	d *data
}

// Begin implements enlist.RowWriter.
func (w *rows) Begin(bool) error {
	w.d.Rows = nil
	return nil
}

// Row implements enlist.RowWriter.
func (w *rows) Row(u *contacts.Unsubscriber) error {
	one := row{Address: u.Address, List: "all Lists", When: w.r.Date(u.Time),
		Erased: strings.HasPrefix(u.AddressKey, contacts.ErasedPrefix)}
	if one.Erased {
		one.Address = "an erased person"
	}
	if u.ListID != 0 {
		one.List = listName(w.d.Lists, u.ListID)
	}
	if mayRemove(w.r) && !one.Erased {
		one.Remove = "/admin/unsubscribers/remove?" + url.Values{"list": {ui.Plain(int64(u.ListID))},
			"address": {u.AddressKey}}.Encode()
	}
	if u.ContactID != 0 && u.ListID != 0 && !one.Erased {
		one.Contact = "/admin/contacts?list=" + ui.Plain(int64(u.ListID)) + "&key=id&op=exactly&value=" +
			ui.Plain(int64(u.ContactID))
	}
	w.d.Rows = append(w.d.Rows, one)
	return nil
}

// listName returns the name of a List, also of one that was deleted.
func listName(all []enlist.List, id enlist.ListID) string {
	for i := range all {
		if all[i].ID == id {
			return all[i].Name
		}
	}
	return "a List that was deleted"
}

// removeData is the data of the page that asks before an address is removed.
type removeData struct {
	Name  string // the address, which is to be typed
	List  string
	Typed string
	Wrong string
}

func (p *pages) ask(r *ui.Request) (*ui.View, error) { return p.showAsk(r, "") }

func (p *pages) showAsk(r *ui.Request, wrong string) (*ui.View, error) {
	address, list := r.URL.Query().Get("address"), enlist.ListID(ui.Int(r.URL.Query().Get("list")))
	if !mayRemove(r) {
		return nil, ui.ErrNotFound
	}
	n, err := r.App.Contacts.CountUnsubscribers(r.Context(), r.Caller, 0, &enlist.Criteria{All: []enlist.Criteria{
		{Key: "address", Operator: "exactly", Value: enlist.TextInput(address)},
		{Key: "list_id", Operator: "exactly",
			Value: enlist.Input{Kind: enlist.InputNumber, Text: ui.Plain(int64(list))}}}})
	if err != nil {
		return nil, err
	}
	if n == 0 || address == "" || strings.HasPrefix(address, contacts.ErasedPrefix) {
		return nil, ui.ErrNotFound
	}
	all, err := r.Lists()
	if err != nil {
		return nil, err
	}
	d := removeData{Name: address, Typed: r.PostForm.Get("typed"), Wrong: wrong}
	if list != 0 {
		d.List = listName(all, list)
	}
	v := &ui.View{Title: "Take " + address + " off the Unsubscriber List?", Place: "Unsubscriber List",
		Content: p.remove_, Data: d}
	if wrong != "" {
		v.Problem = "Nothing was removed."
	}
	return v, nil
}

func (p *pages) remove(r *ui.Request) (*ui.View, error) {
	address := r.URL.Query().Get("address")
	if !strings.EqualFold(strings.TrimSpace(r.PostForm.Get("typed")), address) {
		return p.showAsk(r, "this is not the address")
	}
	n, err := r.App.Contacts.RemoveUnsubscriber(r.Context(), r.Caller, enlist.ListID(ui.Int(r.URL.Query().Get("list"))),
		address)
	if err != nil {
		return nil, err
	}
	entries := "The entry was"
	if n != 1 {
		entries = ui.Number(n) + " entries were"
	}
	return ui.GoTo("/admin/unsubscribers", entries+" removed. The audit log says by whom."), nil
}
