package lists

import (
	"cmp"
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
	manages := r.Caller.May(enlist.Manage)
	d := listData{List: list, Settings: settingsOf(r, list), MayEdit: manages, MayCopy: mayAdd(r)}
	for i := range fields {
		f := &fields[i]
		d.Fields = append(d.Fields, field{f.ID, f.Name, typeOf(f), rulesOf(r, f), i == 0 || f.DisplayOrder < 0})
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
	view := &ui.View{Title: list.Name, Place: "/admin/lists", Content: p.list, Data: d,
		Sub: r.Text("lists.sub", "n", list.ContactCount, "day", r.Day(list.CreationTime))}
	if r.Caller.May(enlist.SeeContacts) {
		view.Actions = []ui.Action{{Text: r.Text("lists.contacts"), Path: peopleOf(list.ID), Main: true}}
	}
	if manages {
		view.Actions = append(view.Actions, ui.Action{Text: r.Text("lists.settings"),
			Path: path(list.ID) + "/settings"})
	}
	return view, nil
}

// load returns the List in the path.
func load(r *ui.Request) (*enlist.List, error) {
	return r.App.Lists.List(r.Context(), r.Caller, enlist.ListID(r.ID("list")))
}

// place is the page of all Lists.
const place = "/admin/lists"

// path returns the path of the page of a List.
func path(id enlist.ListID) string { return place + "/" + ui.Plain(int64(id)) }

// backTo leads back to the page of a List.
func backTo(r *ui.Request, l *enlist.List) ui.Action {
	return ui.Action{Text: r.Text("lists.back"), Path: path(l.ID)}
}

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
	changes := &ui.Chart{Language: r.Language, Title: r.Text("lists.changes_chart"),
		Series: []string{r.Text("lists.added"), r.Text("lists.lost"), r.Text("lists.net")}}
	each := &ui.Chart{Language: r.Language, Series: []string{r.Text("lists.added"), r.Text("lists.day_confirmed"),
		r.Text("lists.day_unsubscribed"), r.Text("lists.day_bounced"), r.Text("lists.day_complained"),
		r.Text("lists.day_removed"), r.Text("lists.net")}}
	size := &ui.Chart{Language: r.Language, Title: r.Text("lists.size_chart"), Series: []string{r.Text("lists.contacts")}}
	for i := range days {
		n, label := days[i].Counts, r.Language.Time("day", days[i].Day)
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
	receiving := figure{r.Text("lists.receiving"), r.Language.Number(f.Receiving), r.Language.Percent(f.Receiving, d.ContactCount),
		stayed}
	second := figure{r.Text("lists.confirmed"), r.Language.Number(f.Confirmed), r.Language.Percent(f.Confirmed, f.Receiving),
		confirmed}
	if d.DoubleOptIn {
		receiving.Path = confirmed
		second = figure{r.Text("lists.unconfirmed"), r.Language.Number(f.Unconfirmed), r.Language.Percent(f.Unconfirmed,
			d.ContactCount),
			unconfirmedOf(d.ID)}
	}
	d.Figures = []figure{receiving, second,
		{r.Text("lists.provable"), r.Language.Number(f.Provable), r.Language.Percent(f.Provable, f.Receiving), ""}}
	if !r.Caller.May(enlist.SeeContacts) {
		for i := range d.Figures {
			d.Figures[i].Path = ""
		}
	}
	return err
}

// counted says whose opens or clicks a List records.
func counted(r *ui.Request, is bool, p enlist.TrackingPolicy) string {
	switch p = cmp.Or(p, r.Caller.Account.TrackingPolicy); {
	case !is || p == enlist.TrackNobody:
		return r.Text("lists.not_counted")
	case p == enlist.TrackWhoAgreed:
		return r.Text("lists.counted_if_agreed")
	}
	return r.Text("lists.counted")
}

func settingsOf(r *ui.Request, l *enlist.List) []setting {
	all := []setting{
		{r.Text("lists.who_subscribes"), either(l.DoubleOptIn, r.Text("lists.by_link"), r.Text("lists.by_itself"))},
		{r.Text("lists.proof"), either(l.GDPR, r.Text("lists.proof_required"), r.Text("lists.proof_kept"))},
		{r.Text("lists.twice"), either(l.DisallowDuplicates, r.Text("lists.twice_refused"),
			r.Text("lists.twice_allowed"))},
		{r.Text("lists.opens"), counted(r, l.TrackOpens, l.OpenPolicy)},
		{r.Text("lists.clicks"), counted(r, l.TrackClicks, l.ClickPolicy)},
		{r.Text("lists.numbers"), r.Text("lists.numbers_of", "code", ui.Plain(l.CountryCode))},
		{r.Text("lists.others"), either(l.Public,
			r.Text("lists.others_join"), r.Text("lists.others_hidden"))},
	}
	if !l.DisallowDuplicates {
		all = append(all, setting{r.Text("lists.duplicates"),
			either(l.SendToDuplicates, r.Text("lists.mail_each"), r.Text("lists.mail_one"))})
	}
	for _, s := range []setting{{r.Text("lists.sender"), senderOf(l)}, {r.Text("lists.language"), l.Language},
		{r.Text("lists.folder"), l.FolderName},
		{r.Text("lists.confirm_subject"), l.ConfirmSubject}, {r.Text("lists.confirm_text"), l.ConfirmText},
		{r.Text("lists.agrees_to"), l.ConsentText},
		{r.Text("lists.notified_subscribe"), spaced(l.OnRegister)}, {r.Text("lists.notified_change"),
			spaced(l.OnUpdate)},
		{r.Text("lists.notified_unsubscribe"), spaced(l.OnUnsubscribe)}, {r.Text("lists.imprint"), l.Imprint},
		{r.Text("lists.for_readers"), l.Description}, {r.Text("lists.farewell"), l.FarewellText},
		{r.Text("lists.above_settings"), l.PreferencesText}} {
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

func rulesOf(r *ui.Request, f *enlist.Field) string {
	var rules []string
	if f.Mandatory {
		rules = append(rules, r.Text("lists.rule_mandatory"))
	}
	if f.Length > 0 {
		rules = append(rules, r.Text("lists.rule_length", "n", f.Length))
	}
	if f.Values != "" {
		rules = append(rules, r.Text("lists.rule_values", "values", spaced(f.Values)))
	}
	if f.DefaultValue+f.Defaults != "" {
		rules = append(rules, r.Text("lists.rule_default", "value", spaced(f.DefaultValue+f.Defaults)))
	}
	if f.AllowUpdate {
		rules = append(rules, r.Text("lists.rule_update"))
	}
	if f.DisplayOrder < 0 {
		rules = append(rules, r.Text("lists.rule_hidden"))
	}
	return r.Language.Clauses(rules)
}
