package contacts

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file has the keys that a condition can test, the operators of each kind of key, and how conditions become
// criteria of a search and back.

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
	"filled": {Operator: "not", Value: ui.Text("", "").Value},
	"empty":  {Operator: "exactly", Value: ui.Text("", "").Value},
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
	{Name: "webform_id", Text: "Number of the form", Kind: whole},
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

func newBuilder(r *ui.Request, list enlist.ListID) (b *builder, err error) {
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
		k.About = "The Contact"
		b.keys = append(b.keys, k)
	}
	preferences, err := r.App.Lists.SearchPreferences(r.Context(), r.Caller, list, enlist.Query{})
	if err != nil {
		return nil, err
	}
	for _, p := range preferences {
		b.keys = append(b.keys, key{Name: "preference:" + p.Name, Text: p.Name, About: "Preferences", Kind: answer,
			Choices: yesNo})
	}
	if err := b.addBatches(r); err != nil {
		return nil, err
	}
	b.segments, err = r.App.Contacts.SearchSegments(r.Context(), r.Caller, list, enlist.Query{SortBy: "name"})
	if len(b.segments) > 0 {
		k := key{Name: enlist.KeySegment, Text: "Segment", About: "Segments", Kind: segment}
		for i := range b.segments {
			k.Choices = append(k.Choices, option{Value: ui.Plain(int64(b.segments[i].ID)), Text: b.segments[i].Name})
		}
		b.keys = append(b.keys, k)
	}
	return b, err
}

// addBatches adds the keys of mails that were sent, with the newest Batches to choose from.
func (b *builder) addBatches(r *ui.Request) error {
	all, err := r.App.Batches.SearchBatches(r.Context(), r.Caller, enlist.Query{SortBy: "id", Descending: true,
		Limit: shownBatches})
	if enlist.KindOf(err) == enlist.Denied || err == nil && len(all) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	names, err := r.Names()
	if err != nil {
		return err
	}
	var sent []option
	for i := range all {
		sent = append(sent, option{Value: ui.Plain(int64(all[i].ID)), Text: nameOf(&all[i], names) + ", " +
			r.Day(all[i].SendTime)})
	}
	for _, k := range []key{{Name: enlist.KeyBatchSent, Text: "Got the mail"}, {Name: enlist.KeyBatchOpened,
		Text: "Opened the mail"}, {Name: enlist.KeyBatchClicked, Text: "Clicked in the mail"}} {
		k.About, k.Kind, k.Choices = "Mails", batch, sent
		b.keys = append(b.keys, k)
	}
	return nil
}

func nameOf(b *batches.Batch, names ui.Names) string {
	return cmp.Or(b.Name, names.Messages[b.MessageID], "Send "+ui.Number(int64(b.ID)))
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

// complete fills in the usual operator of conditions that have none, and returns the conditions that have a value.
func (b *builder) complete(v *view) (ready []condition) {
	for i := range v.conditions {
		c := &v.conditions[i]
		if c.Operator == "" {
			c.Operator = b.key(c.Key).Kind.operators()[0]
		}
		if _, needs := without[c.Operator]; needs || c.Value != "" {
			ready = append(ready, *c)
		}
	}
	return ready
}

// criteria returns the conditions and the search box as a search has them, or nil if there are none.
func (b *builder) criteria(v view) *enlist.Criteria {
	found, whole := b.conditions(v), b.named(v.search)
	switch {
	case found == nil && whole == nil:
		return nil
	case found == nil:
		return &enlist.Criteria{All: whole}
	case whole == nil:
		return found
	case found.All != nil:
		return &enlist.Criteria{All: append(whole, found.All...)}
	}
	return &enlist.Criteria{All: append(whole, *found)}
}

// conditions returns the conditions as a search has them, or nil.
func (b *builder) conditions(v view) *enlist.Criteria {
	v.conditions = slices.Clone(v.conditions)
	var parts []enlist.Criteria
	places := make(map[int]int) // of a group in parts
	for _, c := range b.complete(&v) {
		one := b.test(c)
		at, seen := places[c.Group]
		switch {
		case c.Group == 0:
			parts = append(parts, one)
		case !seen:
			places[c.Group] = len(parts)
			parts = append(parts, together(v.any[c.Group], []enlist.Criteria{one}))
		case v.any[c.Group]:
			parts[at].Any = append(parts[at].Any, one)
		default:
			parts[at].All = append(parts[at].All, one)
		}
	}
	if parts == nil {
		return nil
	}
	all := together(v.any[0], parts)
	return &all
}

func together(any bool, parts []enlist.Criteria) enlist.Criteria {
	if any {
		return enlist.Criteria{Any: parts}
	}
	return enlist.Criteria{All: parts}
}

// test returns a condition as a search has it.
func (b *builder) test(c condition) enlist.Criteria {
	if t, ok := without[c.Operator]; ok {
		t.Key = c.Key
		return t
	}
	t := enlist.Criteria{Key: c.Key, Operator: c.Operator, Value: ui.Text("", c.Value).Value}
	if c.Operator == "in" {
		t.Value = ui.Texts(c.Value)
	}
	if b.key(c.Key).Kind == moment {
		if day, err := time.ParseInLocation(time.DateOnly, c.Value, b.zone); err == nil {
			at := day.Unix()
			if c.Operator == "greater_than" { // after the last second of the day
				at = day.AddDate(0, 0, 1).Unix() - 1
			}
			t.Value = enlist.Input{Kind: enlist.InputNumber, Text: ui.Plain(at)}
		}
	}
	return t
}

// named returns the tests of the search box: each word is a part of an address, or of a value whose Field is a name.
func (b *builder) named(search string) (all []enlist.Criteria) {
	const maxWords = 5
	words := strings.Fields(search)
	for _, word := range words[:min(len(words), maxWords)] {
		var either []enlist.Criteria
		for i := range b.fields {
			f := &b.fields[i]
			if f.AddressType != enlist.AddressNone ||
				f.Type == enlist.Text && strings.Contains(strings.ToLower(f.Name), "name") {
				either = append(either, enlist.Criteria{Key: keyOf(f).Name, Operator: "contains",
					Value: ui.Text("", word).Value})
			}
		}
		all = append(all, enlist.Criteria{Any: either})
	}
	return all
}

// show sets the conditions of a view to criteria. It returns false if the form cannot show them.
func (b *builder) show(v *view, c *enlist.Criteria) bool {
	v.conditions, v.any = nil, map[int]bool{0: c.Any != nil}
	parts := slices.Concat(c.All, c.Any)
	if c.Key != "" {
		parts = []enlist.Criteria{*c}
	}
	for i, part := range parts {
		inner, group := []enlist.Criteria{part}, 0
		if part.Key == "" {
			inner, group = slices.Concat(part.All, part.Any), i+1
			v.any[group] = part.Any != nil
		}
		for k := range inner {
			one, ok := b.shown(&inner[k])
			if !ok {
				return false
			}
			one.Group = group
			v.conditions = append(v.conditions, one)
		}
	}
	return len(v.conditions) <= maxConditions
}

// shown returns a test as a condition.
func (b *builder) shown(c *enlist.Criteria) (one condition, ok bool) {
	one = condition{Key: c.Key, Operator: strings.ToLower(c.Operator)}
	k := b.key(c.Key).Kind
	if operatorTexts[one.Operator] == "" || c.Key == "" {
		return one, false
	}
	if one.Value, ok = shownValue(c.Value); !ok {
		return one, false
	}
	for _, operator := range k.operators() {
		if t, is := without[operator]; is && t.Operator == one.Operator && t.Value.Text == one.Value {
			return condition{Key: c.Key, Operator: operator}, true
		}
	}
	if k == moment {
		one.Value = b.day(one)
	}
	if one.Operator == "exactly" && slices.Contains(k.operators(), "in") && !slices.Contains(k.operators(), "exactly") {
		one.Operator = "in"
	}
	return one, one.Value != "" || one.Operator == "in"
}

// shownValue returns a value as an input has it.
func shownValue(in enlist.Input) (string, bool) {
	if in.Kind != enlist.InputArray {
		return in.ScalarText()
	}
	var all []string
	for _, item := range in.Items {
		text, ok := item.ScalarText()
		if !ok || text == "" || strings.Contains(text, ",") {
			return "", false
		}
		all = append(all, text)
	}
	return strings.Join(all, ","), true
}

// day returns the day of a test of a time, or the number if it is not the limit of a day.
func (b *builder) day(c condition) string {
	at, err := strconv.ParseInt(c.Value, 10, 64)
	if err != nil {
		return c.Value
	}
	t := time.Unix(at, 0).In(b.zone)
	if c.Operator == "greater_than" {
		t = t.Add(time.Second)
	}
	if t.Format(time.TimeOnly) != "00:00:00" {
		return c.Value
	}
	if c.Operator == "greater_than" {
		t = t.AddDate(0, 0, -1)
	}
	return t.Format(time.DateOnly)
}
