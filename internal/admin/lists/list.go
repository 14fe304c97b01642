package lists

import (
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
)

// This file has the page of a List.

// listData is the data of the page of one List.
type listData struct {
	*enlist.List
	Figures     []figure
	CountURL    string // counts the figures of consent of a large List, or after Busy; "": they are shown
	Busy        bool   // the server was too busy to count them
	Changes     ui.Plot
	Size        ui.Plot
	Settings    []setting
	Fields      []field
	Preferences []enlist.Preference
	MayEdit     bool
	MayCopy     bool
}

// figure is a number with its part of the whole, and the people whom it counts.
type figure struct{ Name, Value, Part, Path string }

// setting is an attribute of the List in words.
type setting struct{ Name, Value string }

// field is a Field in words.
type field struct {
	ID                enlist.FieldID
	Name, Type, Rules string
	First             bool // on forms, or on none: no Field is above it
}

func (p *pages) one(r *ui.Request) (*ui.View, error) {
	list, err := load(r)
	if err != nil {
		return nil, err
	}
	fields, err := r.App.Lists.SearchFields(r.Context(), r.Caller, list.ID, enlist.Query{})
	if err != nil {
		return nil, err
	}
	enlist.SortFields(fields)
	full := r.Caller.Key.Level >= enlist.Full
	d := listData{List: list, Settings: settingsOf(list), MayEdit: full, MayCopy: mayAdd(r)}
	for i := range fields {
		f := &fields[i]
		d.Fields = append(d.Fields, field{f.ID, f.Name, typeOf(f), rulesOf(f), i == 0 || f.DisplayOrder < 0})
	}
	if d.Preferences, err = r.App.Lists.SearchPreferences(r.Context(), r.Caller, list.ID, enlist.Query{}); err != nil {
		return nil, err
	}
	if err := d.plot(r); err != nil {
		return nil, err
	}
	if err := d.count(r); err != nil {
		return nil, err
	}
	view := &ui.View{Title: list.Name, Place: "/admin/lists", Content: p.one_, Data: d,
		Sub: ui.Count(list.ContactCount, "Contact") + " · since " + r.Day(list.CreationTime)}
	if r.Caller.Key.Level >= enlist.Standard {
		view.Actions = []ui.Action{{Text: "Contacts", Path: peopleOf(list.ID), Main: true}}
	}
	if full {
		view.Actions = append(view.Actions, ui.Action{Text: "Settings", Path: path(list.ID) + "/settings"})
	}
	return view, nil
}

// load returns the List in the path.
func load(r *ui.Request) (*enlist.List, error) {
	return r.App.Lists.List(r.Context(), r.Caller, enlist.ListID(r.ID("list")))
}

// path returns the path of the page of a List.
func path(id enlist.ListID) string { return "/admin/lists/" + ui.Plain(int64(id)) }

// peopleOf returns the path of the Contacts of a List that satisfy tests: a key and its value, each.
func peopleOf(id enlist.ListID, tests ...string) string {
	q := "/admin/contacts?list=" + ui.Plain(int64(id))
	for i := 0; i+1 < len(tests); i += 2 {
		q += "&key=" + tests[i] + "&op=exactly&value=" + tests[i+1]
	}
	return q
}

// unconfirmedOf returns the path of the Contacts of a List that would get mail if they had confirmed.
func unconfirmedOf(id enlist.ListID) string {
	return peopleOf(id, "is_active", "1", "is_unsubscribed", "0", "double_opt_in", "0")
}

// plot draws the last days. The table beside the drawing of changes has what is drawn as lost one by one.
func (d *listData) plot(r *ui.Request) error {
	days, err := r.App.Lists.ListDays(r.Context(), r.Caller, d.ID,
		r.Now.AddDate(0, 0, 1-lineDays).Format("2006-01-02"), "")
	if err != nil {
		return err
	}
	changes := &ui.Chart{Title: "People who were added and lost on each day",
		Series: []string{"added", "lost", "net"}}
	each := &ui.Chart{Series: []string{"added", "confirmed", "unsubscribed", "bounced", "complained", "removed", "net"}}
	size := &ui.Chart{Title: "Contacts at the end of each day", Series: []string{"Contacts"}}
	for i := range days {
		n, label := days[i].Counts, days[i].Day.Format("2 Jan")
		changes.Points = append(changes.Points,
			ui.Point{Label: label, Values: []int64{n[enlist.DayAdded], LostOf(n), netOf(n)}})
		each.Points = append(each.Points, ui.Point{Label: label, Values: []int64{n[enlist.DayAdded],
			n[enlist.DayConfirmed], n[enlist.DayLeft], n[enlist.DayBounced], n[enlist.DayComplained],
			n[enlist.DayRemoved], netOf(n)}})
		size.Points = append(size.Points, ui.Point{Label: label, Values: []int64{days[i].Contacts}})
	}
	d.Changes = ui.Plot{Chart: each, Drawing: changes.UpDown()}
	d.Size = size.Plot((*ui.Chart).Lines)
	return nil
}

// countedAtOnce is the largest number of Contacts whose consent is counted each time the page is shown.
const countedAtOnce = 50_000

// count sets the figures of consent. Those of a large List are counted only if the person asks for it.
func (d *listData) count(r *ui.Request) error {
	again := path(d.ID) + "?count=1"
	if d.ContactCount > countedAtOnce && r.FormValue("count") == "" {
		d.CountURL = again
		return nil
	}
	f, err := r.App.Contacts.ConsentFigures(r.Context(), r.Caller, d.ID)
	if enlist.KindOf(err) == enlist.Busy {
		d.CountURL, d.Busy = again, true
		return nil
	}
	stayed := peopleOf(d.ID, "is_active", "1", "is_unsubscribed", "0")
	confirmed := peopleOf(d.ID, "is_active", "1", "is_unsubscribed", "0", "double_opt_in", "1")
	receiving := figure{"Can get mail", ui.Number(f.Receiving), ui.Percent(f.Receiving, d.ContactCount), stayed}
	second := figure{"Of these, confirmed", ui.Number(f.Confirmed), ui.Percent(f.Confirmed, f.Receiving), confirmed}
	if d.DoubleOptIn {
		receiving.Path = confirmed
		second = figure{"Have not confirmed yet", ui.Number(f.Unconfirmed), ui.Percent(f.Unconfirmed, d.ContactCount),
			unconfirmedOf(d.ID)}
	}
	d.Figures = []figure{receiving, second,
		{"With a consent on record", ui.Number(f.Provable), ui.Percent(f.Provable, f.Receiving), ""}}
	if r.Caller.Key.Level < enlist.Standard {
		for i := range d.Figures {
			d.Figures[i].Path = ""
		}
	}
	return err
}

func settingsOf(l *enlist.List) []setting {
	all := []setting{
		{"Who subscribes", either(l.DoubleOptIn, "confirms by a link in a mail", "is subscribed at once")},
		{"Proof of consent", either(l.GDPR, "is required", "is kept when a program sends it")},
		{"The same address twice", either(l.DisallowDuplicates, "is refused", "is allowed")},
		{"Opens", either(l.TrackOpens, "are counted", "are not counted")},
		{"Clicks", either(l.TrackClicks, "are counted", "are not counted")},
		{"Numbers without a country", "are of +" + ui.Plain(l.CountryCode)},
		{"Subscribers of your other Lists", either(l.Public,
			"may see and join this List, and everyone may read its archive", "do not see this List")},
	}
	if !l.DisallowDuplicates {
		all = append(all, setting{"A campaign to one address twice",
			either(l.SendToDuplicates, "is a mail for each Contact", "is one mail")})
	}
	for _, s := range []setting{{"Mails come from", senderOf(l)}, {"Language", l.Language}, {"Folder", l.FolderName},
		{"Subject of the mail that asks to confirm", l.ConfirmSubject}, {"Its text", l.ConfirmText},
		{"Who confirms agrees to", l.ConsentText},
		{"Notified when someone subscribes", spaced(l.OnRegister)}, {"Notified when a Contact changes", spaced(l.OnUpdate)},
		{"Notified when someone unsubscribes", spaced(l.OnUnsubscribe)}, {"Imprint", l.Imprint},
		{"Description for subscribers", l.Description}, {"After unsubscribing, people read", l.FarewellText},
		{"Above their settings, subscribers read", l.PreferencesText}} {
		if s.Value != "" {
			all = append(all, s)
		}
	}
	return all
}

// spaced adds spaces after commas, so that a browser can break the line.
func spaced(text string) string { return strings.ReplaceAll(text, ",", ", ") }

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

func typeOf(f *enlist.Field) string {
	if f.AddressType != enlist.AddressNone {
		return string(f.AddressType)
	}
	return string(f.Type)
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
		rules = append(rules, "one of "+spaced(f.Values))
	}
	if f.DefaultValue+f.Defaults != "" {
		rules = append(rules, "new Contacts have "+spaced(f.DefaultValue+f.Defaults))
	}
	if f.AllowUpdate {
		rules = append(rules, "subscribers may change it")
	}
	if f.DisplayOrder < 0 {
		rules = append(rules, "hidden on forms")
	}
	return strings.Join(rules, "; ")
}
