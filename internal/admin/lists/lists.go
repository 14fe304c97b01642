// Package lists has the page of all Lists, and the page of one with its Fields and preferences.
package lists

import (
	"embed"
	"html/template"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
)

//go:embed *.html
var files embed.FS

// Pages returns the pages.
func Pages() []ui.Page {
	p := &pages{ui.Parse(files, "lists.html"), ui.Parse(files, "list.html")}
	return []ui.Page{
		{Pattern: "GET /admin/lists", Level: enlist.Read, Serve: p.all},
		{Pattern: "GET /admin/lists/{list}", Level: enlist.Read, Serve: p.one},
	}
}

type pages struct{ all_, one_ *template.Template }

// row is a List on the page of all Lists.
type row struct {
	enlist.List
	Since string
}

func (p *pages) all(r *ui.Request) (*ui.View, error) {
	all, err := r.App.Lists.SearchLists(r.Context(), r.Caller, enlist.Query{SortBy: "name"})
	if err != nil {
		return nil, err
	}
	rows := make([]row, len(all))
	for i := range all {
		if all[i].ContactCount, err = r.App.Contacts.CountContacts(r.Context(), r.Caller, all[i].ID, nil); err != nil {
			return nil, err
		}
		rows[i] = row{all[i], r.Day(all[i].CreationTime)}
	}
	return &ui.View{Title: "Lists", Place: "Lists", Content: p.all_, Data: rows}, nil
}

// listData is the data of the page of one List.
type listData struct {
	*enlist.List
	Settings    []setting
	Fields      []field
	Preferences []enlist.Preference
	SeesPeople  bool // the person may see Contacts
}

// setting is an attribute of the List in words.
type setting struct{ Name, Value string }

// field is a Field in words.
type field struct{ Name, Type, Rules string }

func (p *pages) one(r *ui.Request) (*ui.View, error) {
	list, err := r.App.Lists.List(r.Context(), r.Caller, enlist.ListID(r.ID("list")))
	if err != nil {
		return nil, err
	}
	fields, err := r.App.Lists.SearchFields(r.Context(), r.Caller, list.ID, enlist.Query{})
	if err != nil {
		return nil, err
	}
	d := listData{List: list, Settings: settingsOf(list), SeesPeople: r.Caller.Key.Level >= enlist.Standard}
	for i := range fields {
		d.Fields = append(d.Fields, field{fields[i].Name, string(fields[i].Type), rulesOf(&fields[i])})
	}
	if d.Preferences, err = r.App.Lists.SearchPreferences(r.Context(), r.Caller, list.ID, enlist.Query{}); err != nil {
		return nil, err
	}
	view := &ui.View{Title: list.Name, Place: "Lists", Content: p.one_, Data: d,
		Sub: ui.Count(list.ContactCount, "Contact") + " · since " + r.Day(list.CreationTime)}
	if d.SeesPeople {
		view.Actions = []ui.Action{{Text: "Contacts", Path: "/admin/contacts?list=" + ui.Plain(int64(list.ID)),
			Main: true}}
	}
	return view, nil
}

func settingsOf(l *enlist.List) []setting {
	all := []setting{
		{"Who subscribes", either(l.DoubleOptIn, "confirms by a link in a mail", "is subscribed at once")},
		{"Proof of consent", either(l.GDPR, "is required", "is kept when a program sends it")},
		{"The same address twice", either(l.DisallowDuplicates, "is refused", "is allowed")},
		{"Opens", either(l.TrackOpens, "are counted", "are not counted")},
		{"Clicks", either(l.TrackClicks, "are counted", "are not counted")},
	}
	for _, s := range []setting{{"Mails come from", senderOf(l)}, {"Language", l.Language}, {"Folder", l.FolderName},
		{"Told of each subscription", l.OnRegister}, {"Told of each change", l.OnUpdate},
		{"Told of each departure", l.OnUnsubscribe}, {"Imprint", l.Imprint}} {
		if s.Value != "" {
			all = append(all, s)
		}
	}
	return all
}

func either(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

func senderOf(l *enlist.List) string {
	if l.FromName == "" || l.FromAddress == "" {
		return l.FromName + l.FromAddress
	}
	return l.FromName + " <" + l.FromAddress + ">"
}

func rulesOf(f *enlist.Field) string {
	var rules []string
	if f.Mandatory {
		rules = append(rules, "must have a value")
	}
	if f.Length > 0 {
		rules = append(rules, "at most "+ui.Count(f.Length, "letter"))
	}
	if f.Values != "" {
		rules = append(rules, "one of "+strings.ReplaceAll(f.Values, ",", ", "))
	}
	if f.AllowUpdate {
		rules = append(rules, "subscribers may change it")
	}
	return strings.Join(rules, "; ")
}
