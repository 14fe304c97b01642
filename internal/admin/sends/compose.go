package sends

import (
	"errors"
	"slices"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file has the first page of a new send: what to send to whom and when.

// composeData is the data of the first page.
type composeData struct {
	plan
	Messages    []messages.Choice
	MayWrite    bool // a Message
	AllLists    []enlist.List
	Segments    []segment
	Fields      []string // that can have a time zone
	Earlier     []earlierSend
	AgainName   string
	NotOpened   int64
	LikeName    string
	ZoneOfTimes string
	Letters     [variants]string
	Wrong       map[string]string // what is wrong, by input of the form
}

// Unknown reports whether the plan has a Message that the person does not see, as the copy of a Batch can have.
func (d *composeData) Unknown() bool {
	return d.Message != 0 && !slices.ContainsFunc(d.Messages, func(c messages.Choice) bool { return c.ID == d.Message })
}

// segment is a Segment that can be chosen.
type segment struct {
	Part           part
	Name, ListName string
}

// Value returns the value of the input of the form.
func (s segment) Value() string { return s.Part.String() }

// earlierSend is a Batch whose recipients can be left out.
type earlierSend struct {
	ID         enlist.BatchID
	Name, When string
}

func (p *pages) compose(r *ui.Request) (*ui.View, error) {
	if err := enlist.RequireSending(r.Caller); err != nil {
		return nil, err
	}
	d := composeData{plan: planOf(r)}
	if id := enlist.BatchID(ui.Int(r.FormValue("copy"))); id != 0 {
		b, err := r.App.Batches.Copy(r.Context(), r.Caller, id)
		if err != nil {
			return nil, err
		}
		d.plan, _ = copied(id, b)
	}
	return p.showCompose(r, &d)
}

func (p *pages) showCompose(r *ui.Request, d *composeData) (*ui.View, error) {
	d.ZoneOfTimes, d.Letters, d.MayWrite = r.Zone(), [variants]string{"A", "B", "C", "D"}, r.MayWrite()
	var err error
	d.Messages, err = r.App.Messages.Choices(r.Context(), r.Caller)
	if err != nil {
		return nil, err
	}
	if err := d.readLists(r); err != nil {
		return nil, err
	}
	if err := d.readEarlier(r); err != nil {
		return nil, err
	}
	if d.When == "" {
		d.When = "now"
	}
	view := &ui.View{Title: r.Text("sends.new_campaign"), Sub: r.Text("sends.step_1"), Place: "/admin/sends", Content: p.composePage,
		Data: d}
	for _, what := range d.Wrong {
		view.Problem = what
	}
	if len(d.Wrong) > 1 {
		view.Problem = r.Text("sends.mistakes", "n", len(d.Wrong))
	}
	return view, nil
}

// readLists reads the Lists with their Segments and the Fields that can have time zones.
func (d *composeData) readLists(r *ui.Request) (err error) {
	d.AllLists, err = r.Lists()
	if err != nil {
		return err
	}
	names, err := r.ListNames()
	if err != nil {
		return err
	}
	all, err := r.App.Contacts.AllSegments(r.Context(), r.Caller)
	if err != nil {
		return err
	}
	for i := range all {
		s := &all[i]
		d.Segments = append(d.Segments, segment{part{s.ListID, s.ID}, s.Name, names[s.ListID]})
	}
	d.Fields, err = r.App.Lists.FieldNames(r.Context(), r.Caller, "zone")
	return err
}

// earlierShown is the number of Batches whose recipients can be left out by a tick.
const earlierShown = 20

// readEarlier reads the last Batches, and those that the plan names.
func (d *composeData) readEarlier(r *ui.Request) error {
	all, err := r.App.Batches.SearchBatches(r.Context(), r.Caller,
		enlist.Query{SortBy: "id", Descending: true, Limit: earlierShown})
	if err != nil {
		return err
	}
	names, err := r.Names()
	if err != nil {
		return err
	}
	for _, id := range d.Without {
		if !slices.ContainsFunc(all, func(b batches.Batch) bool { return b.ID == id }) {
			b, err := r.App.Batches.Batch(r.Context(), r.Caller, id)
			if err != nil {
				return err
			}
			all = append(all, *b)
		}
	}
	for i := range all {
		d.Earlier = append(d.Earlier, earlierSend{all[i].ID, nameOf(&all[i], names), r.Date(all[i].SendTime)})
	}
	if d.Again != 0 {
		report, err := r.App.Reports.BatchReport(r.Context(), r.Caller, d.Again)
		if err != nil {
			return err
		}
		d.AgainName, d.NotOpened = nameOf(&report.Batch, names), report.NotOpened()
	}
	if d.Like != 0 {
		b, err := r.App.Batches.Batch(r.Context(), r.Caller, d.Like)
		if err != nil {
			return err
		}
		d.LikeName = nameOf(b, names)
	}
	return nil
}

// inputs has the inputs of the form by the names that errors of addBatch begin with.
var inputs = map[string]string{"rate": "rate", "name": "name", "local_time": "zone", "variants": "test",
	"test_share": "test", "winner": "test", "winner_hours": "test", "exclude": "without", "populations": "list",
	"message_id": "message", "send_time": "at"}

// mistakes returns what is wrong with the form, by input, or nil for an error that is no mistake of the form.
func mistakes(err error) map[string]string {
	known, ok := errors.AsType[*enlist.Error](err)
	if !ok {
		return nil
	}
	all := make(map[string]string)
	for _, one := range append([]*enlist.Error{known}, known.Also...) {
		input, what, ok := mistake(one)
		if !ok {
			return nil
		}
		if all[input] == "" {
			all[input] = what
		}
	}
	return all
}

// mistake returns the input that an error is about, or "", and what is wrong. ok is false for errors that are no
// mistake of the form.
func mistake(known *enlist.Error) (input, what string, ok bool) {
	switch known.Kind {
	case enlist.NoMessage:
		return "message", "sends.no_such_message", true
	case enlist.InvalidSearch:
		return "", known.Error(), true
	case enlist.InvalidParameters:
	default:
		return "", "", false
	}
	name, text, found := strings.Cut(known.Detail, ": ")
	if known.Field == "options" && found && inputs[name] != "" {
		return inputs[name], text, true
	}
	if known.Field == "options" && strings.HasPrefix(known.Detail, "variants") {
		return "test", known.Detail, true
	}
	input = known.Field
	if inputs[input] != "" {
		input = inputs[input]
	}
	return input, known.Detail, true
}
