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
		if now := b.overwrites(&v, &request); now != nil {
			v.seen = versionOf(now) // a second press replaces it
			view, err := p.showView(r, v, name, r.Text("ui.value_now", "value", b.sentenceOf(now.Criteria)))
			if err == nil {
				view.Problem = ui.Changed
			}
			return view, err
		}
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

// versionOf returns the version of what a user changes of a Segment.
func versionOf(s *contacts.Segment) string { return enlist.VersionOfTexts(s.Name, s.Criteria.JSON()) }

// overwrites returns the stored Segment, if a request would set back what another user or tab has changed since the Segment
// was opened; otherwise nil.
func (b *builder) overwrites(v *view, request *contacts.SegmentRequest) *contacts.Segment {
	i := slices.IndexFunc(b.segments, func(s contacts.Segment) bool { return s.ID == request.ID })
	if i < 0 || request.Criteria == nil || v.seen == "" || v.seen == versionOf(&b.segments[i]) {
		return nil
	}
	if sent := (contacts.Segment{Name: request.Name, Criteria: request.Criteria}); versionOf(&sent) == versionOf(&b.segments[i]) {
		return nil
	}
	return &b.segments[i]
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
	w := segmentWriter{Request: r, until: time.Now().Add(ui.SearchWait), ofList: make(map[enlist.ListID][]contacts.Segment)}
	for i := range all {
		w.ofList[all[i].ListID] = append(w.ofList[all[i].ListID], all[i])
	}
	all, find := ui.FindRows(r, all, func(s *contacts.Segment) string { return s.Name })
	if w.names, err = r.ListNames(); err != nil {
		return nil, err
	}
	if len(all) > 0 {
		if w.mails, err = mailKeys(r); err != nil {
			return nil, err
		}
	}
	rows := make([]segmentRow, len(all))
	for i := range all {
		rows[i] = segmentRow{Segment: all[i], List: w.names[all[i].ListID]}
	}
	if r.URL.Query().Get("sort") == "contacts" { // otherwise only those of the page are counted
		if err := w.write(rows); err != nil {
			return nil, err
		}
	}
	t := segmentColumns.Table(r, "", rows, find)
	if t.Cut(r); t.Order.Key != "contacts" {
		err = w.write(t.Rows)
	}
	return &ui.View{Title: r.Text("contacts.segments"), Place: "/admin/segments", Content: p.all, Data: t}, err
}

// segmentWriter writes rows of Segments.
type segmentWriter struct {
	*ui.Request
	until  time.Time // for all counts
	names  map[enlist.ListID]string
	ofList map[enlist.ListID][]contacts.Segment
	mails  []key
	last   *builder // of the List of the row before
}

// write adds what a row shows beside names.
func (w *segmentWriter) write(rows []segmentRow) (err error) {
	for i := range rows {
		if err := w.writeOne(&rows[i]); err != nil {
			return err
		}
	}
	return nil
}

func (w *segmentWriter) writeOne(row *segmentRow) (err error) {
	list, id := row.ListID, row.ID
	if w.last == nil || w.last.list.ID != list {
		if w.last, err = newBuilderWith(w.Request, list, w.mails, w.ofList[list]); err != nil {
			return err
		}
	}
	row.Text, row.Changed = w.last.sentenceOf(row.Criteria), w.Day(row.LastModifiedTime)
	if w.Caller.May(enlist.SeeContacts) {
		row.Open = openPath(list, id)
	}
	if w.Caller.May(enlist.Manage) {
		row.Delete = "/admin/segments/" + ui.Plain(int64(list)) + "/" + ui.Plain(int64(id)) + "/delete"
	}
	row.Slow, err = ui.Within(w.Context(), w.last.list.ContactCount, time.Until(w.until), func(ctx context.Context) (err error) {
		row.Count, err = w.App.Contacts.CountContacts(ctx, w.Caller, list, enlist.InSegment(id))
		return err
	})
	wrong := new(enlist.Error)
	if errors.As(err, &wrong) && wrong.Kind == enlist.InvalidSearch {
		row.Wrong, err = wrong.Detail, nil
	}
	return err
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
