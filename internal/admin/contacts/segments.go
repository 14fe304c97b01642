package contacts

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file has the pages of Segments: the conditions of a search, kept under a name.

// save keeps the conditions of a search as a Segment: the one whose conditions are shown, or another one.
func (p *pages) save(r *ui.Request) (*ui.View, error) {
	v := read(r.PostForm)
	name := r.PostForm.Get("name")
	b, err := newBuilder(r, v.list)
	if err != nil {
		return nil, err
	}
	request := contacts.SegmentRequest{List: v.list, Name: name, Criteria: b.criteria(v)}
	if r.PostForm.Has("replace") {
		request.ID = v.segment
	} else if slices.ContainsFunc(b.segments, func(s contacts.Segment) bool {
		return strings.EqualFold(s.Name, name)
	}) {
		return p.showView(r, v, name, r.Text("contacts.list_has_segment_name_open"))
	}
	if request.Criteria == nil {
		return p.showView(r, v, name, r.Text("contacts.segment_needs_conditions"))
	}
	id, err := r.App.Contacts.SetSegment(r.Context(), r.Caller, request)
	var wrong *enlist.Error
	if errors.As(err, &wrong) && (wrong.Kind == enlist.InvalidParameters || wrong.Kind == enlist.InvalidSearch) {
		return p.showView(r, v, name, wrong.Detail)
	}
	if err != nil {
		return nil, err
	}
	return ui.GoTo(openPath(v.list, id), r.Text("contacts.segment_was_saved")), nil
}

// openPath is the path of the page with the conditions of a Segment.
func openPath(list enlist.ListID, id enlist.SegmentID) string {
	return "/admin/contacts?open=1&list=" + ui.Plain(int64(list)) + "&segment=" + ui.Plain(int64(id))
}

// segmentRow is a Segment in the list of all.
type segmentRow struct {
	contacts.Segment
	List    string
	Open    string // path of its Contacts; "": the user may not see them
	Delete  string // path of the page that deletes it; "": the user may not
	Text    string // its conditions
	Count   int64
	Slow    bool   // there was no time to count
	Wrong   string // why its conditions no longer fit the List
	Changed string
}

var segmentColumns = ui.Columns[segmentRow]{
	ui.TextColumn("name", "contacts.segment", func(s *segmentRow) string { return s.Name }),
	ui.TextColumn("list", "contacts.list", func(s *segmentRow) string { return s.List }),
	{Text: "contacts.who"},
	ui.NumberColumn("contacts", "contacts.contacts", func(s *segmentRow) int64 { return s.Count }),
	ui.TimeColumn("changed", "contacts.changed", func(s *segmentRow) int64 { return s.LastModifiedTime }), {},
}

func (p *pages) segments(r *ui.Request) (*ui.View, error) {
	all, err := r.App.Contacts.AllSegments(r.Context(), r.Caller)
	if err != nil {
		return nil, err
	}
	ofList := make(map[enlist.ListID][]contacts.Segment)
	for i := range all {
		ofList[all[i].ListID] = append(ofList[all[i].ListID], all[i])
	}
	all, find := ui.FindRows(r, all, func(s *contacts.Segment) string { return s.Name })
	var mails []key
	if len(all) > 0 {
		if mails, err = mailKeys(r); err != nil {
			return nil, err
		}
	}
	until := time.Now().Add(ui.SearchWait) // for all counts
	var b *builder                         // of the List of the row before
	var rows []segmentRow
	for i := range all {
		list, id := all[i].ListID, all[i].ID
		if b == nil || b.list.ID != list {
			if b, err = newBuilderWith(r, list, mails, ofList[list]); err != nil {
				return nil, err
			}
		}
		row := segmentRow{Segment: all[i], List: b.list.Name, Text: b.sentenceOf(all[i].Criteria),
			Changed: r.Day(all[i].LastModifiedTime)}
		if r.Caller.Key.Level >= enlist.Standard {
			row.Open = openPath(list, id)
		}
		if r.Caller.Key.Level >= enlist.Full {
			row.Delete = "/admin/segments/" + ui.Plain(int64(list)) + "/" + ui.Plain(int64(id)) + "/delete"
		}
		row.Slow, err = ui.Within(r.Context(), b.list.ContactCount, time.Until(until),
			func(ctx context.Context) (err error) {
				row.Count, err = r.App.Contacts.CountContacts(ctx, r.Caller, list, enlist.InSegment(id))
				return err
			})
		var wrong *enlist.Error
		switch {
		case err == nil:
		case errors.As(err, &wrong) && wrong.Kind == enlist.InvalidSearch:
			row.Wrong = wrong.Detail
		default:
			return nil, err
		}
		rows = append(rows, row)
	}
	return &ui.View{Title: r.Text("contacts.segments"), Place: "/admin/segments", Content: p.all,
		Data: segmentColumns.Table(r, "", rows, find)}, nil
}

// found returns the Segment in the path. Errors: ui.ErrNotFound.
func found(r *ui.Request) (*contacts.Segment, error) {
	s, err := r.App.Contacts.Segment(r.Context(), r.Caller, enlist.ListID(r.ID("list")),
		enlist.SegmentID(r.ID("segment")))
	if enlist.KindOf(err) == enlist.InvalidParameters {
		err = ui.ErrNotFound
	}
	return s, err
}

func deleteSegment(r *ui.Request) (*ui.View, error) {
	s, err := found(r)
	if err != nil {
		return nil, err
	}
	c := ui.FormCard{Texts: []string{r.Text("contacts.delete_segment_note")}, Button: r.Text("contacts.delete_segment"),
		Danger: true, Back: ui.Action{Text: r.Text("contacts.keep"), Path: "/admin/segments"}}
	title := r.Text("contacts.delete_segment_title", "segment", s.Name)
	return r.FormPage(title, "/admin/segments", &c, func() (*ui.View, error) {
		err := r.App.Contacts.DeleteSegment(r.Context(), r.Caller, s.ListID, s.ID)
		return ui.GoTo("/admin/segments", r.Text("contacts.segment_was_deleted")), err
	})
}
