package contacts

import (
	"slices"
	"strings"
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file has the keys that a condition can test.

// kind is a kind of keys. It has the operators and the inputs of their values.
type kind int

const (
	text   kind = iota
	number      // a Field with numbers
	whole       // a number that every Contact has
	date        // a Field with dates
	moment      // a Unix time; 0: never
	flag
	choice  // a text of a list
	choices // several texts of a list
	answer  // to a preference
	batch
	segment
)

// isNumber reports whether a column with such values is at the right.
func (k kind) isNumber() bool { return k == number || k == whole || k == moment }

// key is a key that a condition may have.
type key struct {
	Name, Text string
	Clause     string // what a sentence calls it; "": Text
	Yes, No    string // of a flag or a mail: keys of the sentence that it holds, and that it does not
	About      string // key of the heading of the keys that belong together
	Kind       kind
	Choices    []ui.Option
}

// aboutFields is the heading of Fields.
const aboutFields = "contacts.values"

// yesNo are the answers to a question, with the keys of their texts.
var yesNo = ui.Choices("1", "contacts.yes", "0", "contacts.no")

// waysToJoin are the values of subscribed_via, with the keys of their texts.
var waysToJoin = ui.Choices("api", "contacts.by_program", "web_form", "contacts.by_form",
	"bulk_upload", "contacts.by_import", "single_addition", "contacts.by_hand", "quick_send", "contacts.by_quick_send",
	"inbound_message", "contacts.by_message", "other", "contacts.by_other")

// systemKeys are keys of a Contact that are no Fields, with the keys of their texts.
var systemKeys = []key{
	{Name: "creation_time", Text: "contacts.key_joined", Clause: "contacts.clause_joined", Kind: moment},
	{Name: "last_open_time", Text: "contacts.key_opened", Clause: "contacts.clause_opened", Kind: moment},
	{Name: "last_click_time", Text: "contacts.key_clicked", Clause: "contacts.clause_clicked", Kind: moment},
	{Name: "last_message_time", Text: "contacts.key_mail", Clause: "contacts.clause_mail", Kind: moment},
	{Name: "double_opt_in_time", Text: "contacts.key_confirmed", Clause: "contacts.clause_confirmed", Kind: moment},
	{Name: "last_modified_time", Text: "contacts.key_changed", Clause: "contacts.clause_changed", Kind: moment},
	{Name: "is_active", Text: "contacts.key_is_active", Yes: "contacts.sentence_is_active",
		No: "contacts.sentence_is_not_active", Kind: flag, Choices: yesNo},
	{Name: "is_unsubscribed", Text: "contacts.key_is_unsubscribed", Yes: "contacts.sentence_is_unsubscribed",
		No: "contacts.sentence_is_not_unsubscribed", Kind: flag, Choices: yesNo},
	{Name: "double_opt_in", Text: "contacts.key_has_confirmed", Yes: "contacts.sentence_has_confirmed",
		No: "contacts.sentence_has_not_confirmed", Kind: flag, Choices: yesNo},
	{Name: "is_bounce_deactivated", Text: "contacts.key_was_deactivated", Yes: "contacts.sentence_was_deactivated",
		No: "contacts.sentence_was_not_deactivated", Kind: flag, Choices: yesNo},
	{Name: "subscribed_via", Text: "contacts.key_joined_by", Clause: "contacts.clause_joined_by", Kind: choice,
		Choices: waysToJoin},
	{Name: "webform_id", Text: "contacts.key_form", Clause: "contacts.clause_form", Kind: whole},
	{Name: "id", Text: "contacts.key_number", Clause: "contacts.clause_number", Kind: whole},
}

// decisions are the words of TrackingConsent, with the keys of their texts.
var decisions = ui.Choices("unknown", "contacts.decision_unknown", "granted", "contacts.decision_granted",
	"denied", "contacts.decision_denied")

// laterKeys are the keys of a Contact's decision about the recording of its opens and clicks, and of its language. A Field
// with such a name takes their place.
var laterKeys = []key{
	{Name: enlist.KeyTrackingConsent, Text: "contacts.key_tracking", Clause: "contacts.clause_tracking", Kind: choice,
		Choices: decisions},
	{Name: enlist.KeyTrackingTime, Text: "contacts.key_tracking_time", Clause: "contacts.clause_tracking_time", Kind: moment},
	{Name: enlist.KeyLanguage, Text: "contacts.language", Clause: "contacts.clause_language", Kind: choice},
}

// mailsOf are the keys of what became of a mail, with the keys of their texts.
var mailsOf = []key{
	{Name: enlist.KeyBatchSent, Text: "contacts.got_mail", Yes: "contacts.sentence_got_mail",
		No: "contacts.sentence_did_not_get_mail"},
	{Name: enlist.KeyBatchOpened, Text: "contacts.opened_mail", Yes: "contacts.sentence_opened_mail",
		No: "contacts.sentence_did_not_open_mail"},
	{Name: enlist.KeyBatchClicked, Text: "contacts.clicked_mail", Yes: "contacts.sentence_clicked_mail",
		No: "contacts.sentence_did_not_click_mail"},
	{Name: enlist.KeyBatchOpensMeasured, Text: "contacts.opens_measured", Yes: "contacts.sentence_opens_measured",
		No: "contacts.sentence_opens_not_measured"},
	{Name: enlist.KeyBatchClicksMeasured, Text: "contacts.clicks_measured", Yes: "contacts.sentence_clicks_measured",
		No: "contacts.sentence_clicks_not_measured"},
}

// inWords returns a key of a table above with its texts.
func (k key) inWords(r *ui.Request) key {
	k.Text = r.Text(k.Text)
	if k.Clause != "" {
		k.Clause = r.Text(k.Clause)
	}
	k.Choices = optionsInWords(r, k.Choices)
	return k
}

func optionsInWords(r *ui.Request, options []ui.Option) []ui.Option {
	options = slices.Clone(options)
	for i := range options {
		options[i].Text = r.Text(options[i].Text)
	}
	return options
}

// builder has the keys of a List.
type builder struct {
	request  *ui.Request
	list     *enlist.List
	fields   []enlist.Field
	segments []contacts.Segment
	keys     []key
	zone     *time.Location
}

// shownBatches is the number of Batches that a condition can name by choice.
const shownBatches = 50

func newBuilder(r *ui.Request, list enlist.ListID) (*builder, error) {
	mails, err := mailKeys(r)
	if err != nil {
		return nil, err
	}
	segments, err := r.App.Contacts.SearchSegments(r.Context(), r.Caller, list, enlist.Query{SortBy: "name"})
	if err != nil {
		return nil, err
	}
	return newBuilderWith(r, list, mails, segments)
}

// newBuilderWith is newBuilder with mailKeys, which are the same for all Lists, and Segments that were read already.
func newBuilderWith(r *ui.Request, list enlist.ListID, mails []key, segments []contacts.Segment) (b *builder, err error) {
	b = &builder{request: r, zone: r.Now.Location(), segments: segments}
	if b.list, err = r.App.Lists.List(r.Context(), r.Caller, list); err != nil {
		return nil, err
	}
	if b.fields, err = r.App.Lists.SearchFields(r.Context(), r.Caller, list, enlist.Query{}); err != nil {
		return nil, err
	}
	for i := range b.fields {
		b.keys = append(b.keys, keyOf(&b.fields[i]))
	}
	for _, k := range slices.Concat(systemKeys, laterKeys) {
		if enlist.IsLaterKey(k.Name) && slices.ContainsFunc(b.fields, func(f enlist.Field) bool { return f.Name == k.Name }) {
			continue
		}
		k = k.inWords(r)
		if k.Name == enlist.KeyLanguage {
			k.Choices = r.LanguageOptions()
		}
		k.About = "contacts.contact"
		b.keys = append(b.keys, k)
	}
	preferences, err := r.App.Lists.SearchPreferences(r.Context(), r.Caller, list, enlist.Query{})
	if err != nil {
		return nil, err
	}
	for _, p := range preferences {
		b.keys = append(b.keys, key{Name: "preference:" + p.Name, Text: p.Name, About: "contacts.preferences",
			Kind: answer, Choices: optionsInWords(r, yesNo)})
	}
	b.keys = append(b.keys, mails...)
	if len(b.segments) > 0 {
		k := key{Name: enlist.KeySegment, Text: r.Text("contacts.segment"), About: "contacts.segments", Kind: segment}
		for i := range b.segments {
			k.Choices = append(k.Choices, ui.Option{Value: ui.Plain(int64(b.segments[i].ID)), Text: b.segments[i].Name})
		}
		b.keys = append(b.keys, k)
	}
	return b, nil
}

// mailKeys returns the keys of mails that were sent, with the newest Batches to choose from.
func mailKeys(r *ui.Request) (keys []key, err error) {
	all, err := r.App.Batches.SearchBatches(r.Context(), r.Caller, enlist.Query{SortBy: "id", Descending: true,
		Limit: shownBatches})
	if enlist.KindOf(err) == enlist.Denied || err == nil && len(all) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	names, err := r.Names()
	if err != nil {
		return nil, err
	}
	var sent []ui.Option
	for i := range all {
		sent = append(sent, ui.Option{Value: ui.Plain(int64(all[i].ID)), Text: r.Text("contacts.mail_of_day",
			"mail", names.Batch(&all[i]), "day", r.Day(all[i].SendTime))})
	}
	for _, k := range mailsOf {
		k.Text, k.About, k.Kind, k.Choices = r.Text(k.Text), "contacts.mails", batch, sent
		keys = append(keys, k)
	}
	return keys, nil
}

// keyOf returns the key of a Field. A name that is also a system key means the system key, so the Field's number is
// the name then.
func keyOf(f *enlist.Field) key {
	k := key{Name: f.Name, Text: f.Name, About: aboutFields}
	if slices.ContainsFunc(enlist.ContactKeys, func(s enlist.SearchKey) bool { return s.Name == f.Name && !enlist.IsLaterKey(s.Name) }) ||
		f.Name == enlist.KeySegment {
		k.Name = "field_" + ui.Plain(int64(f.ID))
	}
	switch {
	case f.Numeric():
		k.Kind = number
	case f.Type == enlist.Date:
		k.Kind = date
	case f.Type == enlist.Dropdown || f.Type == enlist.Radio:
		k.Kind, k.Choices = choice, optionsOf(f.Values)
	case f.Type == enlist.Checkbox:
		k.Kind, k.Choices = choices, optionsOf(f.Values)
	}
	return k
}

func optionsOf(values string) (all []ui.Option) {
	for value := range strings.SplitSeq(values, ",") {
		all = append(all, ui.Option{Value: value, Text: value})
	}
	return all
}

// key returns the key with a name. One that the List does not have has its name as text.
func (b *builder) key(name string) key {
	for _, k := range b.keys {
		if k.Name == name {
			return k
		}
	}
	return key{Name: name, Text: name}
}
