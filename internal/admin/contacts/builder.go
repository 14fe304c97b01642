package contacts

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
)

// This file makes criteria of a search from conditions, and conditions from the criteria of a Segment.

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
			parts = append(parts, together(v.either[c.Group], []enlist.Criteria{one}))
		case v.either[c.Group]:
			parts[at].Any = append(parts[at].Any, one)
		default:
			parts[at].All = append(parts[at].All, one)
		}
	}
	if parts == nil {
		return nil
	}
	all := together(v.either[0], parts)
	return &all
}

func together(either bool, parts []enlist.Criteria) enlist.Criteria {
	if either {
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
	t := enlist.Criteria{Key: c.Key, Operator: c.Operator, Value: enlist.TextInput(c.Value),
		NotField: c.Key == enlist.KeySegment || enlist.IsBatchKey(c.Key)}
	if c.Operator == "in" {
		t.Value = ui.Texts(c.Value)
	}
	if b.key(c.Key).Kind == moment && !slices.Contains(relative, c.Operator) {
		if day, err := enlist.ParseClock(time.DateOnly, c.Value, b.zone); err == nil {
			at := day.Unix()
			if c.Operator == "greater_than" { // after the last second of the day
				at = enlist.StartOfDay(day, 1, b.zone).Unix() - 1
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
					Value: enlist.TextInput(word)})
			}
		}
		all = append(all, enlist.Criteria{Any: either})
	}
	return all
}

// show sets the conditions of a view to criteria. It returns false if the form cannot show them.
func (b *builder) show(v *view, c *enlist.Criteria) bool {
	v.conditions, v.either = nil, map[int]bool{0: c.Any != nil}
	parts := slices.Concat(c.All, c.Any)
	if c.Key != "" {
		parts = []enlist.Criteria{*c}
	}
	for i, part := range parts {
		inner, group := []enlist.Criteria{part}, 0
		if part.Key == "" {
			inner, group = slices.Concat(part.All, part.Any), i+1
			v.either[group] = part.Any != nil
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
	if _, known := operatorTexts[one.Operator]; !known || c.Key == "" {
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
	if slices.Contains(relative, one.Operator) {
		period, ok := enlist.ParsePeriod(one.Value)
		one.Value = period.String()
		return one, ok
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
	if !t.Equal(enlist.StartOfDay(t, 0, b.zone)) {
		return c.Value
	}
	if c.Operator == "greater_than" {
		t = enlist.StartOfDay(t, -1, b.zone)
	}
	return t.Format(time.DateOnly)
}
