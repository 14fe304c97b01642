package autoresponders

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
)

// This file makes, changes and deletes autoresponders.

// editData is the data of the form.
type editData struct {
	ID       enlist.AutoresponderID // 0: a new one
	List     string
	Action   string
	Back     string
	First    ui.Form // what, to whom, after what
	Kind     string  // when: immediate, delay, clock or date
	Offset   string
	Period   string
	Clock    string
	At       string
	stored   int64 // the time that At showed
	Zone     string
	Active   bool
	Wrong    map[string]string // what is wrong with the time, by input
	Messages bool              // there is a Message
	MayWrite bool              // a Message
}

// formOf returns the inputs of an autoresponder of a List.
func formOf(r *ui.Request, a *enlist.Autoresponder) (*editData, error) {
	list, err := r.App.Lists.List(r.Context(), r.Caller, a.ListID)
	if err != nil {
		return nil, err
	}
	message := ui.Input{Name: "message_id", Label: r.Text("autoresponders.message"), Kind: ui.InputChoice,
		Value: ui.Plain(int64(a.MessageID))}
	names, err := r.Names()
	if err != nil {
		return nil, err
	}
	for id, name := range names.Messages {
		message.Options = append(message.Options, ui.Option{Value: ui.Plain(int64(id)), Text: name})
	}
	if a.MessageID != 0 && names.Messages[a.MessageID] == "" { // the person does not see it, and may keep it
		message.Options = append(message.Options, ui.Option{Value: message.Value,
			Text: r.Text("autoresponders.as_it_is")})
	}
	slices.SortFunc(message.Options, func(a, b ui.Option) int { return strings.Compare(a.Text, b.Text) })
	segment := ui.Input{Name: "segment_id", Label: r.Text("autoresponders.to_whom"),
		Help: r.Text("autoresponders.to_whom_help"),
		Kind: ui.InputChoice, Value: ui.Plain(int64(a.SegmentID)),
		Options: ui.Choices("0", r.Text("autoresponders.to_all"))}
	segments, err := r.App.Contacts.SearchSegments(r.Context(), r.Caller, a.ListID, enlist.Query{SortBy: "name"})
	if err != nil {
		return nil, err
	}
	for i := range segments {
		segment.Options = append(segment.Options, ui.Option{Value: ui.Plain(int64(segments[i].ID)),
			Text: r.Text("autoresponders.only_segment", "segment", segments[i].Name)})
	}
	d := &editData{ID: a.ID, List: list.Name, Active: a.IsActive, Offset: ui.Plain(a.OffsetValue),
		Period: a.OffsetPeriod, At: r.InputTime(a.Timestamp), stored: a.Timestamp, Zone: r.Zone(), Kind: kindOf(a),
		Messages: len(message.Options) > 0, MayWrite: r.MayWrite(),
		Clock:  time.Date(2000, 1, 1, int(a.SpecificHour), int(a.SpecificMinute), 0, 0, time.UTC).Format("15:04"),
		Action: "/admin/autoresponders?list=" + ui.Plain(int64(a.ListID)),
		Back:   "/admin/autoresponders?list=" + ui.Plain(int64(a.ListID))}
	if a.ID != 0 {
		d.Action = "/admin/autoresponders/" + ui.Plain(int64(a.ID))
	}
	d.First = ui.Form{message, {Name: "event_type", Label: r.Text("autoresponders.after_person"),
		Kind:  ui.InputChoice,
		Value: string(a.Event), Options: eventTexts(r)}, segment}
	return d, nil
}

// kindOf returns how the form says when an autoresponder sends.
func kindOf(a *enlist.Autoresponder) string {
	switch {
	case a.CriteriaType == enlist.CriteriaSpecific && a.Timestamp != 0:
		return "date"
	case a.CriteriaType == enlist.CriteriaSpecific:
		return "clock"
	case a.CriteriaType == enlist.CriteriaDelay:
		return "delay"
	}
	return "immediate"
}

// unused returns the mistakes of a time that was typed beside a choice that does not use it: a mail would leave at
// another time than the person has typed. shown is the form as the page had it.
func (d *editData) unused(r *ui.Request, shown *editData) (wrong []*enlist.Error) {
	for _, in := range []struct{ name, typed, shown, uses string }{{"offset", d.Offset, shown.Offset, "delay,clock"},
		{"clock", d.Clock, shown.Clock, "clock"}, {"at", d.At, shown.At, "date"}} {
		if in.typed != "" && in.typed != in.shown && !strings.Contains(in.uses, d.Kind) {
			wrong = append(wrong, enlist.Invalid(in.name, r.Text("autoresponders.unused")))
		}
	}
	return wrong
}

// read sets what the browser sent, and returns the details. Errors: InvalidParameters about the Message and the time.
func (d *editData) read(r *ui.Request) ([]enlist.Detail, error) {
	d.First.Read(r)
	f, shown := r.PostForm, *d
	d.Kind, d.Offset, d.Period, d.Clock, d.At = f.Get("when"), strings.TrimSpace(f.Get("offset")), f.Get("period"),
		f.Get("clock"), f.Get("at")
	d.Active = f.Get("is_active") != ""
	wrong := d.unused(r, &shown)
	if ui.Int(d.First.Value("message_id")) == 0 {
		wrong = append(wrong, enlist.Invalid("message_id", r.Text("autoresponders.choose_message")))
	}
	details := append(d.First.Details(), ui.Text("is_active", map[bool]string{true: "1", false: "0"}[d.Active]))
	set := func(name, value string) { details = append(details, ui.Text(name, value)) }
	switch d.Kind {
	case "delay", "clock":
		if d.Offset == "" {
			d.Offset = "0"
		}
		set("time_criteria_offset_value", d.Offset)
		set("time_criteria_offset_period", d.Period)
	}
	switch d.Kind {
	case "delay":
		set("time_criteria_type", enlist.CriteriaDelay)
	case "clock":
		clock, err := time.Parse("15:04", d.Clock)
		if err != nil {
			wrong = append(wrong, enlist.Invalid("clock", r.Text("autoresponders.choose_clock")))
		}
		set("time_criteria_type", enlist.CriteriaSpecific)
		set("time_criteria_timestamp", "0")
		set("time_criteria_specific_hour", ui.Plain(int64(clock.Hour())))
		set("time_criteria_specific_minute", ui.Plain(int64(clock.Minute())))
	case "date":
		at, ok := r.ReadTime(d.At, d.stored)
		if !ok {
			wrong = append(wrong, enlist.Invalid("at", r.Text("autoresponders.choose_time")))
		}
		set("time_criteria_type", enlist.CriteriaSpecific)
		set("time_criteria_timestamp", ui.Plain(at))
	default:
		set("time_criteria_type", enlist.CriteriaImmediate)
	}
	return details, enlist.Together(wrong)
}

// show shows the form. refusal is why it was not saved; nil: it was not sent yet.
func (p *pages) show(r *ui.Request, d *editData, refusal error) (*ui.View, error) {
	v := &ui.View{Title: r.Text("autoresponders.new_of", "list", d.List), Place: "/admin/autoresponders",
		Content: p.form, Data: d}
	if d.ID != 0 {
		v.Title = r.Text("autoresponders.one_of", "list", d.List)
	}
	if refusal == nil {
		return v, nil
	}
	known, ok := errors.AsType[*enlist.Error](refusal)
	if ok && known.Kind == enlist.NoMessage {
		refusal = enlist.Invalid("message_id", r.Text("autoresponders.choose_message"))
	}
	var err error
	if v.Problem, err = d.First.Refuse(refusal); err != nil {
		return nil, err
	}
	d.Wrong = make(map[string]string)
	for key, what := range ui.Mistakes(known) {
		d.Wrong[cmp.Or(timeInputs[key], key)] = what
	}
	if d.Wrong["offset"]+d.Wrong["clock"]+d.Wrong["at"] != "" {
		v.Problem = "ui.nothing_changed"
	}
	return v, nil
}

// timeInputs are the inputs of keys.
var timeInputs = map[string]string{"time_criteria_offset_value": "offset", "time_criteria_offset_period": "offset",
	"time_criteria_timestamp": "at"}

// fresh returns what the form of a new autoresponder shows.
func fresh(list enlist.ListID) *enlist.Autoresponder {
	return &enlist.Autoresponder{ListID: list, IsActive: true, Event: enlist.EventSubscribe, OffsetValue: 1,
		OffsetPeriod: enlist.PeriodDay, SpecificHour: 9}
}

// newForm shows the form of a new autoresponder.
func (p *pages) newForm(r *ui.Request) (*ui.View, error) {
	if err := enlist.RequireSending(r.Caller); err != nil {
		return nil, err
	}
	d, err := formOf(r, fresh(enlist.ListID(ui.Int(r.FormValue("list")))))
	if err != nil {
		return nil, err
	}
	return p.show(r, d, nil)
}

func (p *pages) add(r *ui.Request) (*ui.View, error) {
	list := enlist.ListID(ui.Int(r.URL.Query().Get("list")))
	d, err := formOf(r, fresh(list))
	if err != nil {
		return nil, err
	}
	details, err := d.read(r)
	if err == nil {
		_, err = r.App.Batches.AddAutoresponder(r.Context(), r.Caller,
			append(details, ui.Text("list_id", ui.Plain(int64(list)))))
	}
	if err != nil {
		return p.show(r, d, err)
	}
	return ui.GoTo(d.Back, r.Text("autoresponders.added")), nil
}

// load returns the autoresponder in the path.
func load(r *ui.Request) (*enlist.Autoresponder, error) {
	return r.App.Batches.Autoresponder(r.Context(), r.Caller, enlist.AutoresponderID(r.ID("autoresponder")))
}

func (p *pages) edit(r *ui.Request) (*ui.View, error) {
	a, err := load(r)
	if err != nil {
		return nil, err
	}
	if err := enlist.RequireSending(r.Caller); err != nil {
		return nil, err
	}
	d, err := formOf(r, a)
	if err != nil {
		return nil, err
	}
	return p.show(r, d, nil)
}

func (p *pages) save(r *ui.Request) (*ui.View, error) {
	a, err := load(r)
	if err != nil {
		return nil, err
	}
	d, err := formOf(r, a)
	if err != nil {
		return nil, err
	}
	details, err := d.read(r)
	if err == nil {
		_, err = r.App.Batches.EditAutoresponder(r.Context(), r.Caller, a.ID, details)
	}
	if err != nil {
		return p.show(r, d, err)
	}
	return ui.GoTo(d.Back, r.Text("autoresponders.saved")), nil
}

// command activates or deactivates an autoresponder.
func command(r *ui.Request) (*ui.View, error) {
	value, done := "", ""
	switch r.PathValue("command") {
	case "activate":
		value, done = "1", r.Text("autoresponders.activated")
	case "deactivate":
		value, done = "0", r.Text("autoresponders.deactivated")
	default:
		return nil, ui.ErrNotFound
	}
	a, err := load(r)
	if err != nil {
		return nil, err
	}
	_, err = r.App.Batches.EditAutoresponder(r.Context(), r.Caller, a.ID, []enlist.Detail{ui.Text("is_active",
		value)})
	if err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/autoresponders?list="+ui.Plain(int64(a.ListID)), done), nil
}

// deleteData is the data of the page that asks before an autoresponder is deleted.
type deleteData struct{ Name, Sent, When, Back, Typed, Wrong string }

func (p *pages) askDelete(r *ui.Request) (*ui.View, error) {
	a, err := load(r)
	if err != nil {
		return nil, err
	}
	return p.showDelete(r, a, "", "")
}

func (p *pages) showDelete(r *ui.Request, a *enlist.Autoresponder, wrong, problem string) (*ui.View, error) {
	names, err := r.Names()
	if err != nil {
		return nil, err
	}
	figures, err := r.App.Reports.AutoresponderFigures(r.Context(), r.Caller, a.ListID)
	if err != nil {
		return nil, err
	}
	if err := enlist.RequireSending(r.Caller); err != nil {
		return nil, err
	}
	d := deleteData{Name: messageName(r, names, a), Typed: r.PostForm.Get("typed"), Wrong: wrong,
		Back: "/admin/autoresponders?list=" + ui.Plain(int64(a.ListID))}
	if f, found := figures[a.ID]; found {
		d.Sent = ui.Number(f.Sent)
	}
	d.When, _ = when(r, a)
	return &ui.View{Title: r.Text("autoresponders.delete_title", "message", d.Name), Place: "/admin/autoresponders",
		Content: p.deletion,
		Problem: problem, Data: d}, nil
}

func (p *pages) remove(r *ui.Request) (*ui.View, error) {
	a, err := load(r)
	if err != nil {
		return nil, err
	}
	if err := enlist.RequireSending(r.Caller); err != nil {
		return nil, err
	}
	names, err := r.Names()
	if err != nil {
		return nil, err
	}
	if r.PostForm.Get("typed") != messageName(r, names, a) {
		return p.showDelete(r, a, r.Text("autoresponders.not_typed"), r.Text("autoresponders.nothing_deleted"))
	}
	if err := r.App.Batches.DeleteAutoresponder(r.Context(), r.Caller, a.ID); err != nil {
		problem, err := ui.Form(nil).Refuse(err)
		if err != nil {
			return nil, err
		}
		return p.showDelete(r, a, "", problem)
	}
	return ui.GoTo("/admin/autoresponders?list="+ui.Plain(int64(a.ListID)), r.Text("autoresponders.deleted")), nil
}
