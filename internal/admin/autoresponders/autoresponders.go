// Package autoresponders has the pages of autoresponders, which send a Message after an event of a Contact.
//
//	autoresponders.go   all of a List, on a line of time
//	edit.go             makes, changes and deletes one
package autoresponders

import (
	"cmp"
	"embed"
	"fmt"
	"slices"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/reports"
)

//go:embed *.html
var files embed.FS

// Pages returns the pages.
func Pages() []ui.Page {
	p := &pages{ui.Parse(files, "autoresponders.html"), ui.Parse(files, "edit.html")}
	const one = "/admin/autoresponders/{autoresponder}"
	return []ui.Page{
		{Pattern: "GET /admin/autoresponders", Needs: enlist.See, Serve: p.all},
		{Pattern: "GET /admin/autoresponders/new", IsForm: true, Needs: enlist.Manage | enlist.Send, Serve: p.add},
		{Pattern: "GET " + one, IsForm: true, Needs: enlist.Manage | enlist.Send, Serve: p.edit},
		{Pattern: "POST " + one + "/{command}", Needs: enlist.Manage | enlist.Send, Serve: command},
		{Pattern: "GET " + one + "/delete", IsForm: true, Needs: enlist.Manage | enlist.Send, Serve: remove},
	}
}

type pages struct{ lines, editor *ui.Template }

// eventTexts returns the events in words, in the order of the page.
func eventTexts(r *ui.Request) []ui.Option {
	return ui.Choices(
		string(enlist.EventSubscribe), r.Text("autoresponders.subscribes"),
		string(enlist.EventConfirm), r.Text("autoresponders.confirms"),
		string(enlist.EventAPIUpload), r.Text("autoresponders.is_added"),
		string(enlist.EventUpdateProfile), r.Text("autoresponders.changes"),
		string(enlist.EventUnsubscribe), r.Text("autoresponders.unsubscribes"),
	)
}

// lineTexts say after which event a line of autoresponders is; "": on a date.
var lineTexts = map[string]string{
	string(enlist.EventSubscribe):     "autoresponders.after_subscribe",
	string(enlist.EventConfirm):       "autoresponders.after_confirm",
	string(enlist.EventAPIUpload):     "autoresponders.after_upload",
	string(enlist.EventUpdateProfile): "autoresponders.after_change",
	string(enlist.EventUnsubscribe):   "autoresponders.after_unsubscribe",
	"":                                "autoresponders.on_date",
}

// line is the autoresponders of one event, in the order of their time.
type line struct {
	Event string // in words
	Marks []mark
}

// mark is an autoresponder on the line.
type mark struct {
	ID                    enlist.AutoresponderID
	When, Message, To     string
	Active                bool
	after                 int64 // seconds after the event; on a date: that time
	Sent, Opened, Clicked string
	Report                string // path; "": no mail was sent yet
}

// allData is the data of the page of all autoresponders.
type allData struct {
	List    enlist.ListID
	Lists   ui.Input // chooses one
	Lines   []line
	Pager   ui.Pager
	MayEdit bool
}

// perPage is the number of autoresponders on a page.
const perPage = 100

// mayEdit reports whether the person may change autoresponders, which send mails.
func mayEdit(r *ui.Request) bool { return r.Caller.May(enlist.Manage | enlist.Send) }

func (p *pages) all(r *ui.Request) (*ui.View, error) {
	d := allData{List: enlist.ListID(ui.Int(r.FormValue("list"))), MayEdit: mayEdit(r)}
	lists, err := r.Lists()
	if err != nil {
		return nil, err
	}
	all, err := r.App.Batches.SearchAutoresponders(r.Context(), r.Caller, enlist.Query{})
	if err != nil {
		return nil, err
	}
	switch {
	case d.List != 0:
		if _, err := r.App.Lists.List(r.Context(), r.Caller, d.List); err != nil {
			return nil, err
		}
	case len(all) > 0:
		d.List = all[0].ListID
	case len(lists) > 0:
		d.List = lists[0].ID
	}
	if d.Lists, err = listInput(r, d.List); err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(a enlist.Autoresponder) bool { return a.ListID != d.List })
	if len(all) > 0 {
		all, d.Pager = ui.PageRows(r.URL.Query(), all, perPage)
		if d.Lines, err = linesOf(r, d.List, all); err != nil {
			return nil, err
		}
	}
	view := &ui.View{Title: r.Text("autoresponders.title"), Place: "/admin/autoresponders", Content: p.lines, Data: d,
		Sub: r.Text("autoresponders.about")}
	if d.MayEdit && d.List != 0 {
		view.Actions = []ui.Action{{Text: r.Text("autoresponders.new"), Main: true,
			Path: "/admin/autoresponders/new?list=" + ui.Plain(int64(d.List))}}
	}
	return view, nil
}

// listInput returns the input that chooses the List of the page.
func listInput(r *ui.Request, list enlist.ListID) (in ui.Input, err error) {
	in = ui.Input{Name: "list", Label: r.Text("autoresponders.list"), Kind: ui.InputChoice, Value: ui.Plain(int64(list)),
		Picker: true}
	in.Find = r.FormValue(in.FindName())
	in.Options, err = r.ListOptions()
	return in, err
}

// linesOf returns the autoresponders of a List by event, and those on a date last.
func linesOf(r *ui.Request, list enlist.ListID, all []enlist.Autoresponder) (lines []line, err error) {
	names, err := r.Names()
	if err != nil {
		return nil, err
	}
	segments, err := segmentNames(r, list)
	if err != nil {
		return nil, err
	}
	figures, err := r.App.Reports.AutoresponderFigures(r.Context(), r.Caller, list)
	if err != nil {
		return nil, err
	}
	for _, event := range append(eventTexts(r), ui.Option{}) {
		l := line{Event: r.Text(lineTexts[event.Value])}
		for i := range all {
			a := &all[i]
			if onDate := a.CriteriaType == enlist.CriteriaSpecific && a.Timestamp != 0; onDate != (event.Value == "") ||
				!onDate && string(a.Event) != event.Value {
				continue
			}
			m := mark{ID: a.ID, Active: a.IsActive, Message: messageName(r, names, a), To: segments[a.SegmentID]}
			m.When, m.after = when(r, a)
			if f, found := figures[a.ID]; found {
				m.count(r, &f)
			}
			l.Marks = append(l.Marks, m)
		}
		slices.SortStableFunc(l.Marks, func(a, b mark) int { return cmp.Compare(a.after, b.after) })
		if len(l.Marks) > 0 {
			lines = append(lines, l)
		}
	}
	return lines, nil
}

// segmentNames returns the names of the Segments of a List.
func segmentNames(r *ui.Request, list enlist.ListID) (map[enlist.SegmentID]string, error) {
	found, err := r.App.Contacts.SearchSegments(r.Context(), r.Caller, list, enlist.Query{})
	names := make(map[enlist.SegmentID]string, len(found))
	for i := range found {
		names[found[i].ID] = found[i].Name
	}
	return names, err
}

func messageName(r *ui.Request, names ui.Names, a *enlist.Autoresponder) string {
	return cmp.Or(names.Messages[a.MessageID], r.Text("autoresponders.message_number", "number",
		ui.Plain(int64(a.MessageID))))
}

// count sets the figures of an autoresponder.
func (m *mark) count(r *ui.Request, f *reports.AutoresponderFigures) {
	m.Sent, m.Opened = r.Language.Number(f.Sent), r.Rate(f.Opened, f.MeasuredOpens, f.Delivered).String()
	m.Clicked = r.Rate(f.Clicked, f.MeasuredClicks, f.Delivered).String()
	if f.Sent > 0 {
		m.Report = "/admin/sends/" + ui.Plain(int64(f.Batch))
	}
}

// when says when an autoresponder sends, and returns its place on the line.
func when(r *ui.Request, a *enlist.Autoresponder) (text string, after int64) {
	seconds := map[string]int64{enlist.PeriodMinute: 60, enlist.PeriodHour: enlist.Hour,
		enlist.PeriodDay: 24 * enlist.Hour, enlist.PeriodWeek: 7 * 24 * enlist.Hour}[a.OffsetPeriod] * a.OffsetValue
	clock := fmt.Sprintf("%d:%02d", a.SpecificHour, a.SpecificMinute)
	if a.TimeZone != "" {
		clock += " " + a.TimeZone
	}
	switch {
	case a.CriteriaType == enlist.CriteriaSpecific && a.Timestamp != 0:
		return r.Date(a.Timestamp), a.Timestamp
	case a.CriteriaType == enlist.CriteriaSpecific && seconds == 0:
		return r.Text("autoresponders.next_clock", "time", clock), 60
	case a.CriteriaType == enlist.CriteriaSpecific:
		return r.Text("autoresponders.then_at", "offset", offsetText(r, a), "time", clock), seconds + 60
	case a.CriteriaType == enlist.CriteriaDelay && seconds > 0:
		return offsetText(r, a), seconds
	}
	return r.Text("autoresponders.at_once_day"), 0
}

// offsetText writes an offset: day 7, or after 3 hours.
func offsetText(r *ui.Request, a *enlist.Autoresponder) string {
	switch a.OffsetPeriod {
	case enlist.PeriodDay:
		return r.Text("autoresponders.day", "number", a.OffsetValue)
	case enlist.PeriodWeek:
		return r.Text("autoresponders.day", "number", 7*a.OffsetValue)
	}
	if a.OffsetPeriod == enlist.PeriodHour {
		return r.Text("autoresponders.after_hours", "n", a.OffsetValue)
	}
	return r.Text("autoresponders.after_minutes", "n", a.OffsetValue)
}
