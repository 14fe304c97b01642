package autoresponders

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
)

// This file makes, changes and deletes autoresponders.

// whatForm returns the inputs that say what an autoresponder sends, to whom, and after what.
func whatForm(r *ui.Request, a *enlist.Autoresponder) (ui.Form, error) {
	message := ui.Input{Name: "message_id", Label: r.Text("autoresponders.message"), Kind: ui.InputChoice, Picker: true,
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
		Help: r.Text("autoresponders.to_whom_help"), Kind: ui.InputChoice, Picker: true, Value: ui.Plain(int64(a.SegmentID)),
		Options: ui.Choices("0", r.Text("autoresponders.to_all"))}
	segments, err := r.App.Contacts.SearchSegments(r.Context(), r.Caller, a.ListID, enlist.Query{SortBy: "name"})
	for i := range segments {
		segment.Options = append(segment.Options, ui.Option{Value: ui.Plain(int64(segments[i].ID)),
			Text: r.Text("autoresponders.only_segment", "segment", segments[i].Name)})
	}
	return ui.Form{message, {Name: "event_type", Label: r.Text("autoresponders.after_person"), Kind: ui.InputChoice,
		Value: string(a.Event), Options: eventTexts(r)}, segment,
		ui.Check("is_active", r.Text("autoresponders.is_active"), a.IsActive),
		ui.Check("track", r.Text("autoresponders.track"), !a.Untracked)}, err
}

// whenForm returns the inputs that say when an autoresponder sends. The keys of the record depend on the choice.
func whenForm(r *ui.Request, a *enlist.Autoresponder) ui.Form {
	offset := ui.Input{Name: "offset", Also: []string{"time_criteria_offset_value", "time_criteria_offset_period"},
		Label: r.Text("autoresponders.offset"), Kind: ui.InputNumber, Value: ui.Plain(a.OffsetValue)}
	period := ui.Input{Name: "period", Label: r.Text("autoresponders.unit"), Kind: ui.InputChoice, Value: a.OffsetPeriod,
		Options: ui.Choices(enlist.PeriodMinute, r.Text("autoresponders.minutes"),
			enlist.PeriodHour, r.Text("autoresponders.hours"),
			enlist.PeriodDay, r.Text("autoresponders.days"),
			enlist.PeriodWeek, r.Text("autoresponders.weeks"))}
	clock := ui.Input{Name: "clock", Label: r.Text("autoresponders.clock"), Kind: ui.InputClock, Chooses: "when-clock",
		Value: fmt.Sprintf("%02d:%02d", a.SpecificHour, a.SpecificMinute)}
	at := ui.Input{Name: "at", Also: []string{"time_criteria_timestamp"}, Kind: ui.InputTime, Chooses: "when-date",
		Label: r.Text("autoresponders.at", "zone", r.Zone()), Value: r.InputTime(a.Timestamp)}
	return ui.Form{{Name: "when", Kind: ui.InputRadio, Value: kindOf(a), Options: []ui.Option{
		{Value: "immediate", Text: r.Text("autoresponders.at_once")},
		{Value: "delay", Text: r.Text("autoresponders.after_time")},
		{Value: "clock", Text: r.Text("autoresponders.after_time_clock"), ID: "when-clock",
			Parts: ui.Form{{Kind: ui.InputRow, Parts: ui.Form{offset, period, clock}}}},
		{Value: "date", Text: r.Text("autoresponders.on_this_date"), ID: "when-date", Parts: ui.Form{at}}}}}
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
func unused(r *ui.Request, when, shown ui.Form) (wrong []*enlist.Error) {
	for _, in := range []struct{ name, uses string }{{"offset", "delay,clock"}, {"clock", "clock"}, {"at", "date"}} {
		typed := when.Value(in.name)
		if typed != "" && typed != shown.Value(in.name) && !strings.Contains(in.uses, when.Value("when")) {
			wrong = append(wrong, enlist.Invalid(in.name, r.Text("autoresponders.unused")))
		}
	}
	return wrong
}

// detailsOf returns the details of forms that were sent. a is what they have shown. Errors: InvalidParameters about the
// Message and the time.
func detailsOf(r *ui.Request, what, when ui.Form, a *enlist.Autoresponder) ([]enlist.Detail, error) {
	wrong := unused(r, when, whenForm(r, a))
	if ui.Int(what.Value("message_id")) == 0 {
		wrong = append(wrong, enlist.Invalid("message_id", r.Text("autoresponders.choose_message")))
	}
	details, kind := what.Details(), when.Value("when")
	set := func(name, value string) { details = append(details, ui.Text(name, value)) }
	if kind == "delay" || kind == "clock" {
		set("time_criteria_offset_value", cmp.Or(strings.TrimSpace(when.Value("offset")), "0"))
		set("time_criteria_offset_period", when.Value("period"))
	}
	switch kind {
	case "delay":
		set("time_criteria_type", enlist.CriteriaDelay)
	case "clock":
		clock, err := time.Parse("15:04", when.Value("clock"))
		if err != nil {
			wrong = append(wrong, enlist.Invalid("clock", r.Text("autoresponders.choose_clock")))
		}
		set("time_criteria_type", enlist.CriteriaSpecific)
		set("time_criteria_timestamp", "0")
		set("time_criteria_specific_hour", ui.Plain(int64(clock.Hour())))
		set("time_criteria_specific_minute", ui.Plain(int64(clock.Minute())))
	case "date":
		at, ok := r.ReadTime(when.Value("at"), a.Timestamp)
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

// editData is the data of the page with the form.
type editData struct {
	Card     ui.FormCard
	Messages bool // there is a Message
	MayWrite bool // a Message
}

// add adds an autoresponder to the List of the URL.
func (p *pages) add(r *ui.Request) (*ui.View, error) {
	list := enlist.ListID(ui.Int(r.URL.Query().Get("list")))
	a := &enlist.Autoresponder{ListID: list, IsActive: true, Event: enlist.EventSubscribe, OffsetValue: 1,
		OffsetPeriod: enlist.PeriodDay, SpecificHour: 9}
	return p.form(r, a, "autoresponders.new_of", func(details []enlist.Detail) (string, error) {
		_, err := r.App.Batches.AddAutoresponder(r.Context(), r.Caller,
			append(details, ui.Text("list_id", ui.Plain(int64(list)))))
		return "autoresponders.added", err
	})
}

func (p *pages) edit(r *ui.Request) (*ui.View, error) {
	a, err := load(r)
	if err != nil {
		return nil, err
	}
	return p.form(r, a, "autoresponders.one_of", func(details []enlist.Detail) (string, error) {
		_, err := r.App.Batches.EditAutoresponder(r.Context(), r.Caller, a.ID, details)
		return "autoresponders.saved", err
	})
}

// form answers the page with the form. title is the key of its title. store stores the details, and returns the key of
// what was done.
func (p *pages) form(r *ui.Request, a *enlist.Autoresponder, title string,
	store func([]enlist.Detail) (done string, err error)) (*ui.View, error) {
	if err := enlist.RequireSending(r.Caller); err != nil {
		return nil, err
	}
	list, err := r.App.Lists.List(r.Context(), r.Caller, a.ListID)
	if err != nil {
		return nil, err
	}
	what, err := whatForm(r, a)
	if err != nil {
		return nil, err
	}
	when := whenForm(r, a)
	d := editData{Messages: len(what.In("message_id").Options) > 0, MayWrite: r.MayWrite(), Card: ui.FormCard{
		Form: ui.Form{{Kind: ui.InputCard, Label: r.Text("autoresponders.what"), Parts: what},
			{Kind: ui.InputCard, Label: r.Text("autoresponders.when"), Parts: when}},
		Button: r.Text("autoresponders.save"), Back: ui.Action{Text: r.Text("autoresponders.back"), Path: pathOf(a.ListID)},
		After: r.Text("autoresponders.from_now_on")}}
	return r.Submit(d.Card.Form, func(problem string) (*ui.View, error) {
		return &ui.View{Title: r.Text(title, "list", list.Name), Place: "/admin/autoresponders", Content: p.editor,
			Data: d, Problem: problem}, nil
	}, func() (*ui.View, error) {
		details, err := detailsOf(r, what, when, a)
		done := ""
		if err == nil {
			done, err = store(details)
		}
		if enlist.KindOf(err) == enlist.NoMessage {
			err = enlist.Invalid("message_id", r.Text("autoresponders.choose_message"))
		}
		if err != nil {
			return nil, err
		}
		return ui.GoTo(pathOf(a.ListID), r.Text(done)), nil
	})
}

// pathOf returns the path of the page with the autoresponders of a List.
func pathOf(list enlist.ListID) string { return "/admin/autoresponders?list=" + ui.Plain(int64(list)) }

// load returns the autoresponder in the path.
func load(r *ui.Request) (*enlist.Autoresponder, error) {
	return r.App.Batches.Autoresponder(r.Context(), r.Caller, enlist.AutoresponderID(r.ID("autoresponder")))
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
	return ui.GoTo(pathOf(a.ListID), done), nil
}

func remove(r *ui.Request) (*ui.View, error) {
	if err := enlist.RequireSending(r.Caller); err != nil {
		return nil, err
	}
	a, err := load(r)
	if err != nil {
		return nil, err
	}
	names, err := r.Names()
	if err != nil {
		return nil, err
	}
	figures, err := r.App.Reports.AutoresponderFigures(r.Context(), r.Caller, a.ListID)
	if err != nil {
		return nil, err
	}
	name := messageName(r, names, a)
	at, _ := when(r, a)
	c := ui.FormCard{Texts: []string{r.Text("autoresponders.delete_about", "message", name, "time", at)},
		Form: ui.Form{ui.Typed(name)}, Button: r.Text("autoresponders.delete_button"), Danger: true,
		Back: ui.Action{Text: r.Text("autoresponders.keep"), Path: pathOf(a.ListID)}}
	if f, found := figures[a.ID]; found {
		c.Texts = append(c.Texts, r.Text("autoresponders.delete_figures", "n", f.Sent))
	}
	title := r.Text("autoresponders.delete_title", "message", name)
	return r.FormPage(title, "/admin/autoresponders", &c, func() (*ui.View, error) {
		err := r.App.Batches.DeleteAutoresponder(r.Context(), r.Caller, a.ID)
		return ui.GoTo(pathOf(a.ListID), r.Text("autoresponders.deleted")), err
	})
}
