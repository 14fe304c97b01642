package contacts

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file has the keys that a condition can test, and the operators of each kind of key.

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

// key is a key that a condition may have.
type key struct {
	Name, Text string
	About      string // heading of the keys that belong together
	Kind       kind
	Choices    []option
}

// option is a choice of an input.
type option struct {
	Value, Text string
	Chosen      bool
}

// operatorTexts are the operators in words. The last four are no operators of a search: they stand for a test with
// an operand that no input would have.
var operatorTexts = map[string]string{"exactly": "is", "not": "is not", "contains": "contains",
	"starts_with": "begins with", "ends_with": "ends with", "greater_than": "is more than", "less_than": "is less than",
	"in": "is one of", "filled": "has a value", "empty": "has no value", "ever": "ever", "never": "never"}

// without are the operators that need no value.
var without = map[string]enlist.Criteria{
	"filled": {Operator: "not", Value: enlist.TextInput("")},
	"empty":  {Operator: "exactly", Value: enlist.TextInput("")},
	"ever":   {Operator: "greater_than", Value: enlist.Input{Kind: enlist.InputNumber, Text: "0"}},
	"never":  {Operator: "exactly", Value: enlist.Input{Kind: enlist.InputNumber, Text: "0"}},
}

// operators returns the operators of a kind, the usual one first.
func (k kind) operators() []string {
	switch k {
	case number:
		return []string{"exactly", "not", "greater_than", "less_than", "in", "filled", "empty"}
	case whole:
		return []string{"exactly", "not", "greater_than", "less_than", "in"}
	case date:
		return []string{"exactly", "greater_than", "less_than", "filled", "empty"}
	case moment:
		return []string{"greater_than", "less_than", "ever", "never"}
	case flag:
		return []string{"exactly"}
	case choice:
		return []string{"in", "not", "filled", "empty"}
	case choices:
		return []string{"contains", "filled", "empty"}
	case answer:
		return []string{"exactly", "filled", "empty"}
	case batch:
		return []string{"in", "not"}
	case segment:
		return []string{"in"}
	}
	return []string{"contains", "exactly", "not", "starts_with", "ends_with", "in", "filled", "empty"}
}

// word returns an operator in words.
func (k kind) word(operator string) string {
	switch {
	case operator == "greater_than" && (k == date || k == moment):
		return "is after"
	case operator == "less_than" && (k == date || k == moment):
		return "is before"
	case k == answer && operator == "filled":
		return "has an answer"
	case k == answer && operator == "empty":
		return "has no answer"
	case k == batch && operator == "in":
		return "is any of"
	case operator == "in" && (k == text || k == number || k == whole):
		return "is one of (with commas)"
	}
	return cmp.Or(operatorTexts[operator], operator)
}

var yesNo = []option{{Value: "1", Text: "yes"}, {Value: "0", Text: "no"}}

// systemKeys are keys of a Contact that are no Fields, in words.
var systemKeys = []key{
	{Name: "creation_time", Text: "Joined", Kind: moment}, {Name: "last_open_time", Text: "Last opened", Kind: moment},
	{Name: "last_click_time", Text: "Last clicked", Kind: moment},
	{Name: "last_message_time", Text: "Last mail", Kind: moment},
	{Name: "double_opt_in_time", Text: "Confirmed on", Kind: moment},
	{Name: "last_modified_time", Text: "Changed", Kind: moment},
	{Name: "is_active", Text: "Is active", Kind: flag, Choices: yesNo},
	{Name: "is_unsubscribed", Text: "Is unsubscribed", Kind: flag, Choices: yesNo},
	{Name: "double_opt_in", Text: "Has confirmed", Kind: flag, Choices: yesNo},
	{Name: "is_bounce_deactivated", Text: "Was deactivated by a bounce", Kind: flag, Choices: yesNo},
	{Name: "subscribed_via", Text: "Joined by", Kind: choice, Choices: []option{
		{Value: "api", Text: "a program"}, {Value: "web_form", Text: "a form"},
		{Value: "bulk_upload", Text: "an import"}, {Value: "single_addition", Text: "hand"},
		{Value: "quick_send", Text: "a quick send"}, {Value: "inbound_message", Text: "a message"},
		{Value: "other", Text: "another way"}}},
	{Name: "webform_id", Text: "Form ID", Kind: whole},
	{Name: "id", Text: "Number of the Contact", Kind: whole},
}

// builder has the keys of a List.
type builder struct {
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
	return newBuilderWith(r, list, mails)
}

// newBuilderWith is newBuilder with mailKeys that were read already. They are the same for all Lists.
func newBuilderWith(r *ui.Request, list enlist.ListID, mails []key) (b *builder, err error) {
	b = &builder{zone: r.Now.Location()}
	if b.list, err = r.App.Lists.List(r.Context(), r.Caller, list); err != nil {
		return nil, err
	}
	if b.fields, err = r.App.Lists.SearchFields(r.Context(), r.Caller, list, enlist.Query{}); err != nil {
		return nil, err
	}
	for i := range b.fields {
		b.keys = append(b.keys, keyOf(&b.fields[i]))
	}
	for _, k := range systemKeys {
		k.About = r.Text("contacts.contact")
		b.keys = append(b.keys, k)
	}
	preferences, err := r.App.Lists.SearchPreferences(r.Context(), r.Caller, list, enlist.Query{})
	if err != nil {
		return nil, err
	}
	for _, p := range preferences {
		b.keys = append(b.keys, key{Name: "preference:" + p.Name, Text: p.Name, About: r.Text("contacts.preferences"), Kind: answer,
			Choices: yesNo})
	}
	b.keys = append(b.keys, mails...)
	b.segments, err = r.App.Contacts.SearchSegments(r.Context(), r.Caller, list, enlist.Query{SortBy: "name"})
	if len(b.segments) > 0 {
		k := key{Name: enlist.KeySegment, Text: r.Text("contacts.segment"), About: r.Text("contacts.segments"), Kind: segment}
		for i := range b.segments {
			k.Choices = append(k.Choices, option{Value: ui.Plain(int64(b.segments[i].ID)), Text: b.segments[i].Name})
		}
		b.keys = append(b.keys, k)
	}
	return b, err
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
	var sent []option
	for i := range all {
		sent = append(sent, option{Value: ui.Plain(int64(all[i].ID)), Text: nameOf(&all[i], names) + ", " +
			r.Day(all[i].SendTime)})
	}
	for _, k := range []key{{Name: enlist.KeyBatchSent, Text: r.Text("contacts.got_mail")}, {Name: enlist.KeyBatchOpened,
		Text: r.Text("contacts.opened_mail")}, {Name: enlist.KeyBatchClicked, Text: r.Text("contacts.clicked_mail")}} {
		k.About, k.Kind, k.Choices = r.Text("contacts.mails"), batch, sent
		keys = append(keys, k)
	}
	return keys, nil
}

func nameOf(b *batches.Batch, names ui.Names) string {
	return cmp.Or(b.Name, names.Messages[b.MessageID], "Campaign "+ui.Number(int64(b.ID)))
}

// keyOf returns the key of a Field. A name that is also a system key means the system key, so the Field's number is
// the name then.
func keyOf(f *enlist.Field) key {
	k := key{Name: f.Name, Text: f.Name, About: "Values"}
	if slices.ContainsFunc(enlist.ContactKeys, func(s enlist.SearchKey) bool { return s.Name == f.Name }) ||
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

func optionsOf(values string) (all []option) {
	for value := range strings.SplitSeq(values, ",") {
		all = append(all, option{Value: value, Text: value})
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
