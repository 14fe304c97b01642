package sends

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/batches"
	"enlist/internal/enlist"
)

// This file has the first page of a new send: what to send to whom and when.

// composeData is the data of the first page.
type composeData struct {
	Card     ui.FormCard
	Messages bool // there is a Message
	MayWrite bool // a Message
}

func (p *pages) compose(r *ui.Request) (*ui.View, error) {
	if err := enlist.RequireSending(r.Caller); err != nil {
		return nil, err
	}
	chosen := planOf(r)
	if id := enlist.BatchID(ui.Int(r.FormValue("copy"))); id != 0 {
		b, err := r.App.Batches.Copy(r.Context(), r.Caller, id)
		if err != nil {
			return nil, err
		}
		chosen, _ = copied(id, b)
	} else if err := chosen.takeSubjects(r); err != nil {
		return nil, err
	}
	return p.showCompose(r, &chosen, nil)
}

// takeSubjects begins with a test of the other subjects of the Message, once for each Message that the user chooses. A test
// of what the user has typed stays.
func (p *plan) takeSubjects(r *ui.Request) error {
	if p.Message == 0 || p.Message == p.SubjectsOf {
		return nil
	}
	now, err := subjectsOf(r, p.Message)
	if err != nil {
		return enlist.IgnoreKind(enlist.NoMessage, err) // the form says so
	}
	before, err := subjectsOf(r, p.SubjectsOf)
	if enlist.IgnoreKind(enlist.NoMessage, err) != nil {
		return err
	}
	if p.SubjectsOf != 0 && p.Variants == variantsOf(before) {
		p.Test, p.Variants = false, variantsOf(nil) // they were those of another Message
	}
	if !p.Test && p.Variants == variantsOf(nil) {
		p.Test, p.Variants = len(now) > 0, variantsOf(now)
	}
	p.SubjectsOf = p.Message
	p.sent = maps.Clone(p.sent)
	p.sent["subjects_of"], p.sent["test"], p.sent["variant"], p.sent["subject"] = []string{ui.Plain(int64(p.Message))}, nil, nil, nil
	if p.Test {
		p.sent.Set("test", "1")
	}
	for _, v := range p.Variants {
		p.sent.Add("variant", ui.Plain(int64(v.Message)))
		p.sent.Add("subject", v.Subject)
	}
	return nil
}

// subjectsOf returns the other subjects of a Message. Errors: NoMessage.
func subjectsOf(r *ui.Request, id enlist.MessageID) ([]string, error) {
	if id == 0 {
		return nil, nil
	}
	m, err := r.App.Messages.Message(r.Context(), r.Caller, id)
	if err != nil {
		return nil, err
	}
	return m.Subjects(), nil
}

// variantsOf returns the variants of a test of other subjects.
func variantsOf(subjects []string) (all [variants]variant) {
	for i, subject := range subjects[:min(len(subjects), variants-1)] {
		all[i+1].Subject = subject
	}
	return all
}

// showCompose shows the page. wrong is what is wrong with the plan, by input of the form.
func (p *pages) showCompose(r *ui.Request, chosen *plan, wrong map[string]string) (*ui.View, error) {
	what, err := whatCard(r, chosen)
	if err != nil {
		return nil, err
	}
	whom, err := whomCard(r, chosen)
	if err != nil {
		return nil, err
	}
	when, err := whenCard(r, chosen, wrong["zone"] != "")
	if err != nil {
		return nil, err
	}
	d := composeData{Messages: len(what.Parts.In("message").Options) > 0, MayWrite: r.MayWrite(), Card: ui.FormCard{
		Method: "get", Action: checkPath, Form: ui.Form{what, whom, when}, Button: r.Text("sends.look_at_what_will_happen")}}
	view := &ui.View{Title: r.Text("sends.new_campaign"), Sub: r.Text("sends.step_1"), Place: "/admin/sends",
		Content: p.composePage, Data: d}
	for name, text := range wrong {
		view.Problem = r.Text(text)
		d.Card.Form.Refused(name, view.Problem)
	}
	if len(wrong) > 1 {
		view.Problem = r.Text("sends.mistakes", "n", len(wrong))
	}
	return view, nil
}

// whatCard has the Message and its variants.
func whatCard(r *ui.Request, p *plan) (ui.Input, error) {
	all, err := r.App.Messages.Choices(r.Context(), r.Caller)
	choices := make([]ui.Option, len(all))
	for i, m := range all {
		choices[i] = ui.Option{Value: ui.Plain(int64(m.ID)), Text: m.Name}
	}
	message := picker(r, ui.Input{Name: "message", Label: r.Text("sends.message_label"), Kind: ui.InputChoice,
		Value: ui.Plain(int64(p.Message)), Options: choices})
	if p.Message != 0 && !slices.ContainsFunc(choices, message.Is) { // a copy can have one that the person does not see
		message.Options = append(ui.Choices("", r.Text("sends.choose_one")), choices...)
	}
	test := ui.Input{Kind: ui.InputFold, Label: r.Text("sends.test_variants_first"), IsOpen: p.Test,
		Parts: ui.Form{ui.Check("test", r.Text("sends.send_variants_part_best_one"), p.Test)}}
	others := append(ui.Choices("0", r.Text("sends.one_above")), choices...)
	for i, v := range p.Variants {
		letter := string(rune('A' + i))
		test.Parts = append(test.Parts, ui.Input{Kind: ui.InputRow, Parts: ui.Form{
			picker(r, ui.Input{Name: "variant", ID: "variant-" + letter, Label: r.Text("sends.message_of_variant", "letter", letter),
				Kind: ui.InputChoice, Value: ui.Plain(int64(v.Message)), Options: others}),
			{Name: "subject", Label: r.Text("sends.subject_empty_message", "letter", letter), Value: v.Subject}}})
	}
	test.Parts = append(test.Parts, ui.Input{Kind: ui.InputNote, Label: r.Text("sends.always_counts_b_d_count") + " " +
		r.Text("sends.too_few_measured")},
		ui.Input{Kind: ui.InputRow, Parts: ui.Form{
			{Name: "share", Label: r.Text("sends.test_with_percent"), Kind: ui.InputNumber, Value: p.Share, Example: "20"},
			{Name: "hours", Label: r.Text("sends.choose_after_hours"), Kind: ui.InputNumber, Value: p.Hours, Example: "4"},
			{Name: "winner", Label: r.Text("sends.winner_has_most"), Kind: ui.InputChoice, Value: p.Winner,
				Options: ui.Choices("clicks", r.Text("sends.clicks"), "opens", r.Text("sends.opens"),
					"hand", r.Text("sends.i_choose"))}}})
	return ui.Input{Kind: ui.InputCard, Label: r.Text("sends.what"), Parts: ui.Form{message,
		{Name: "name", Label: r.Text("sends.name_campaign_empty_message"), Value: p.Name}, test,
		{Name: "doubt", Kind: ui.InputHidden, Value: p.Doubt}, {Name: "ticks", Kind: ui.InputHidden, Value: "1"},
		{Name: "subjects_of", Kind: ui.InputHidden, Value: ui.Plain(int64(p.SubjectsOf))},
		trackInput("track", r.Text("sends.track"), r.Text("sends.track_help"), !p.Untracked)}}, err
}

// picker returns an input as a picker of this page: the form itself leads to another one.
func picker(r *ui.Request, in ui.Input) ui.Input {
	in.Picker, in.PickerAt, in.Find = true, "/admin/sends/new", r.FormValue(in.FindName())
	return in
}

// trackInput returns a tick with a text that explains it.
func trackInput(name, text, help string, is bool) ui.Input {
	in := ui.Input{Name: name, Kind: ui.InputBoxes, Options: []ui.Option{{Value: "1", Text: text, Help: help}}}
	if is {
		in.Chosen = []string{"1"}
	}
	return in
}

// whomCard has the Lists, Segments and earlier Batches that a send can have and leave out.
func whomCard(r *ui.Request, p *plan) (ui.Input, error) {
	card := ui.Input{Kind: ui.InputCard, Label: r.Text("sends.whom")}
	lists, err := r.Lists()
	if err != nil {
		return card, err
	}
	names, err := r.ListNames()
	if err != nil {
		return card, err
	}
	segments, err := r.App.Contacts.AllSegments(r.Context(), r.Caller)
	if err != nil {
		return card, err
	}
	if card.Parts, err = copiedInputs(r, p); err != nil {
		return card, err
	}
	list := ui.Input{Name: "list", Label: r.Text("sends.lists_address_on_several_gets"), Kind: ui.InputBoxes,
		Chosen: idTexts(p.Lists)}
	for i := range lists {
		list.Options = append(list.Options, ui.Option{Value: ui.Plain(int64(lists[i].ID)), Text: lists[i].Name,
			Help: r.Language.Number(lists[i].ContactCount)})
	}
	segment, leave := ui.Input{Name: "segment", Kind: ui.InputBoxes}, ui.Input{Name: "leave", Kind: ui.InputBoxes}
	for i := range segments {
		s := &segments[i]
		segment.Options = append(segment.Options, ui.Option{Value: part{s.ListID, s.ID}.String(), Text: s.Name,
			Help: r.Text("sends.segment", "list_name", names[s.ListID])})
	}
	leave.Options = segment.Options
	for _, one := range p.Parts {
		segment.Chosen = append(segment.Chosen, one.String())
	}
	for _, one := range p.Leave {
		leave.Chosen = append(leave.Chosen, one.String())
	}
	card.Parts = append(card.Parts, picker(r, list))
	if len(segments) > 0 {
		segment.Hidden, leave.Hidden = r.Text("sends.segments"), r.Text("sends.leave_out_segments")
		card.Parts = append(card.Parts, picker(r, segment), ui.Input{Kind: ui.InputFold, Label: r.Text("sends.leave_out_segments"),
			IsOpen: len(p.Leave) > 0, Parts: ui.Form{picker(r, leave)}})
	}
	without, err := withoutInput(r, p)
	if len(without.Options) > 0 {
		card.Parts = append(card.Parts, ui.Input{Kind: ui.InputFold, Label: r.Text("sends.leave_out_who_got_earlier"),
			IsOpen: len(p.Without) > 0, Parts: ui.Form{without}})
	}
	return card, err
}

// copiedInputs returns the inputs for what a plan has of an earlier Batch.
func copiedInputs(r *ui.Request, p *plan) (f ui.Form, err error) {
	names, err := r.Names()
	if err != nil {
		return nil, err
	}
	add := func(name string, id enlist.BatchID, text, help string) {
		value := ui.Plain(int64(id))
		f = append(f, ui.Input{Name: name, Kind: ui.InputBoxes, Chosen: []string{value},
			Options: []ui.Option{{Value: value, Text: text, Help: help}}})
	}
	if p.Again != 0 {
		report, err := r.App.Reports.BatchReport(r.Context(), r.Caller, p.Again)
		if err != nil {
			return nil, err
		}
		add("again", p.Again, r.Text("sends.who_got_did_not_open", "again_name", names.Batch(&report.Batch)),
			r.Text("sends.opened_by_none", "not_opened", report.MeasuredNotOpened()))
		if n := report.Unmeasured.Opens; n > 0 {
			f = append(f, trackInput("unmeasured", r.Text("sends.again_unmeasured", "n", n), r.Text("sends.again_unmeasured_help"),
				p.Unmeasured))
		}
	}
	if p.Like != 0 {
		b, err := r.App.Batches.Batch(r.Context(), r.Caller, p.Like)
		if err != nil {
			return nil, err
		}
		add("like", p.Like, r.Text("sends.as_its_conditions_which_page", "like_name", names.Batch(b)), "")
	}
	return f, nil
}

// earlierShown is the number of Batches whose recipients can be left out by a tick.
const earlierShown = 20

// withoutInput has the last Batches, and those that the plan names.
func withoutInput(r *ui.Request, p *plan) (ui.Input, error) {
	in := ui.Input{Name: "without", Kind: ui.InputBoxes, Chosen: idTexts(p.Without)}
	all, err := r.App.Batches.SearchBatches(r.Context(), r.Caller,
		enlist.Query{SortBy: "id", Descending: true, Limit: earlierShown})
	if err != nil {
		return in, err
	}
	names, err := r.Names()
	if err != nil {
		return in, err
	}
	for _, id := range p.Without {
		if !slices.ContainsFunc(all, func(b batches.Batch) bool { return b.ID == id }) {
			b, err := r.App.Batches.Batch(r.Context(), r.Caller, id)
			if err != nil {
				return in, err
			}
			all = append(all, *b)
		}
	}
	for i := range all {
		in.Options = append(in.Options, ui.Option{Value: ui.Plain(int64(all[i].ID)), Text: names.Batch(&all[i]),
			Help: r.Date(all[i].SendTime)})
	}
	return in, nil
}

// whenCard has the time and the rate. It always has the input for time zones if hasZone.
func whenCard(r *ui.Request, p *plan, hasZone bool) (ui.Input, error) {
	f := ui.Form{{Name: "when", Kind: ui.InputRadio, Value: cmp.Or(p.When, "now"), Options: []ui.Option{
		{Value: "now", Text: r.Text("sends.now")},
		{Value: "at", Text: r.Text("sends.at_time"), ID: "when-at", Parts: ui.Form{{Name: "at", Kind: ui.InputTime,
			Label: r.Text("sends.day_time", "zone_of_times", r.Zone()), Value: p.At, Chooses: "when-at"}}}}}}
	fields, err := r.App.Lists.FieldNames(r.Context(), r.Caller, "zone")
	if len(fields) > 0 || hasZone {
		zone := ui.Input{Name: "zone", Label: r.Text("sends.whose_time_zone"), Kind: ui.InputChoice, Value: p.Zone,
			Options: ui.Choices("", r.Text("sends.all_at_same_moment"))}
		for _, name := range fields {
			zone.Options = append(zone.Options, ui.Option{Value: name, Text: r.Text("sends.each_contacts_from", "value", name)})
		}
		f = append(f, zone)
	}
	return ui.Input{Kind: ui.InputCard, Label: r.Text("sends.when"), Parts: append(f,
		ui.Input{Name: "rate", Label: r.Text("sends.not_faster_than_such_as"), Value: p.Rate})}, err
}

// inputs has the inputs of the form by the names that errors of addBatch begin with.
var inputs = map[string]string{"rate": "rate", "name": "name", "local_time": "zone", "variants": "test",
	"test_share": "test", "track": "track", "winner": "test", "winner_hours": "test", "exclude": "without", "populations": "list",
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
