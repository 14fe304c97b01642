// Package unsubscribers has the page of the Unsubscriber List, the only place where a person takes an address off it.
package unsubscribers

import (
	"cmp"
	"context"
	"embed"
	"net/http"
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
	p := &pages{ui.Parse(files, "unsubscribers.html")}
	return []ui.Page{
		{Pattern: "GET /admin/unsubscribers", Needs: enlist.SeeContacts, Serve: p.all},
		{Pattern: "GET /admin/unsubscribers/remove", IsForm: true, Needs: enlist.Manage, Serve: remove},
	}
}

type pages struct{ content *ui.Template }

const perPage = 50

// row is an entry.
type row struct {
	Address, List, When string
	Erased              bool
	Remove              string // path of the page that removes it; "": the person may not
	Contact             string // path of its Contact; "": none
}

// columns are those of the page. The service has an index of the times.
var columns = ui.Columns[row]{{Text: "unsubscribers.address"}, {Text: "unsubscribers.from"},
	{Key: "time", Text: "unsubscribers.when", Falls: true}, {}}

// data is the data of the page.
type data struct {
	ui.Table[row]
	Empty string // key of what to say without Rows
}

// mayRemove reports whether the person may take an address off the List.
func mayRemove(r *ui.Request) bool {
	return r.Caller.MayInAll(enlist.Manage)
}

func (p *pages) all(r *ui.Request) (*ui.View, error) {
	lists, err := r.ListOptions()
	if err != nil {
		return nil, err
	}
	d, q := data{Empty: "unsubscribers.no_match"}, r.URL.Query()
	d.Order, d.Foot = columns.Order(q, "time"), r.Text("unsubscribers.what")
	d.Find = ui.NewFind(r, ui.Form{{Name: "q", Label: r.Text("unsubscribers.find")},
		{Name: "list", Label: r.Text("unsubscribers.list"), Kind: ui.InputChoice, Picker: true,
			Options: append(ui.Choices("", r.Text("unsubscribers.any_list")), lists...)}}, d.Order)
	if d.Find.Form.IsEmpty() {
		d.Empty = "unsubscribers.none"
	}
	list, page := enlist.ListID(ui.Int(d.Find.Form.Value("list"))), ui.PageNumber(q)
	criteria := criteriaOf(strings.TrimSpace(d.Find.Form.Value("q")))
	query := enlist.Query{Criteria: criteria, SortBy: "time", Descending: d.Order.Down, Limit: perPage + 1,
		Offset: (page - 1) * perPage}
	names, err := r.ListNames()
	if err != nil {
		return nil, err
	}
	entries, err := r.App.Contacts.CountUnsubscribers(r.Context(), r.Caller, list, nil)
	if err != nil {
		return nil, err
	}
	var found ui.Rows[contacts.Unsubscriber]
	late, err := ui.Within(r.Context(), entries, ui.SearchWait, func(ctx context.Context) error {
		return r.App.Contacts.SearchUnsubscribers(ctx, r.Caller, list, query, &found)
	})
	if err != nil {
		return nil, err
	}
	isLast := len(found.All) <= perPage
	found.All, d.Pager = ui.FoundPage(q, found.All, perPage)
	for i := range found.All {
		d.Rows = append(d.Rows, rowOf(r, &found.All[i], names))
	}
	switch {
	case late: // the rows are those that it had found
		d.Note = r.Text("unsubscribers.late")
	case isLast && (len(d.Rows) > 0 || page == 1):
		d.Pager.All = query.Offset + int64(len(d.Rows)) // the search has read all entries, so they need not be counted
	case criteria == nil:
		d.Pager.All = entries
	default:
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
	return &ui.View{Title: r.Text("unsubscribers.title"), Place: "/admin/unsubscribers", Content: p.content, Data: &d,
		Sub: r.Text("unsubscribers.about")}, nil
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

// rowOf returns an entry in words.
func rowOf(r *ui.Request, u *contacts.Unsubscriber, names map[enlist.ListID]string) row {
	one := row{Address: u.Address, List: r.Text("unsubscribers.all_lists"), When: r.Date(u.Time),
		Erased: strings.HasPrefix(u.AddressKey, contacts.ErasedPrefix)}
	if one.Erased {
		one.Address = r.Text("unsubscribers.erased")
	}
	if u.ListID != 0 {
		one.List = listName(r, names, u.ListID)
	}
	if mayRemove(r) && !one.Erased {
		one.Remove = "/admin/unsubscribers/remove?" + url.Values{"list": {ui.Plain(int64(u.ListID))},
			"address": {u.AddressKey}}.Encode()
	}
	if u.ContactID != 0 && u.ListID != 0 && !one.Erased {
		one.Contact = "/admin/contacts?list=" + ui.Plain(int64(u.ListID)) + "&key=id&op=exactly&value=" +
			ui.Plain(int64(u.ContactID))
	}
	return one
}

// listName returns the name of a List, also of one that was deleted.
func listName(r *ui.Request, names map[enlist.ListID]string, id enlist.ListID) string {
	return cmp.Or(names[id], r.Text("unsubscribers.deleted_list"))
}

// remove asks before it takes an address off the List.
func remove(r *ui.Request) (*ui.View, error) {
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
	if n == 0 && r.Method == http.MethodGet || address == "" || strings.HasPrefix(address, contacts.ErasedPrefix) {
		return nil, ui.ErrNotFound
	}
	names, err := r.ListNames()
	if err != nil {
		return nil, err
	}
	risk := r.Text("unsubscribers.remove_from_all")
	if list != 0 {
		risk = r.Text("unsubscribers.remove_from_list", "list", listName(r, names, list))
	}
	c := ui.FormCard{Texts: []string{risk, r.Text("unsubscribers.remove_keeps")}, Form: ui.Form{ui.Typed(address)},
		Danger: true, Button: r.Text("unsubscribers.remove_button"),
		Back: ui.Action{Text: r.Text("unsubscribers.keep"), Path: "/admin/unsubscribers"}}
	title := r.Text("unsubscribers.remove_title", "address", address)
	return r.FormPage(title, "/admin/unsubscribers", &c, func() (*ui.View, error) {
		n, err := r.App.Contacts.RemoveUnsubscriber(r.Context(), r.Caller, list, address)
		return ui.GoTo("/admin/unsubscribers", r.Text("unsubscribers.removed", "n", n)), err
	})
}
