package enlist

import (
	"encoding/json"
	"strings"
)

// This file shows stored criteria as a caller may send them.

// JSON returns the criteria as an array of triples and groups, as a parameter search_criteria has them. A caller that
// sends it gets the same criteria. reference.md: Search
func (c *Criteria) JSON() string {
	if c.All == nil && c.Any == nil {
		c = &Criteria{All: []Criteria{*c}}
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(c.shown()) // texts, and numbers as the caller sent them in JSON: no error
	return strings.TrimSuffix(text.String(), "\n")
}

// shown returns a node as an array: a triple or a group. AND has precedence, so an All in an Any needs no array of its
// own.
func (c *Criteria) shown() []any {
	if c.All == nil && c.Any == nil {
		return []any{c.Key, c.Operator, c.Value.plain()}
	}
	parts := shownParts(c.All)
	for i := range c.Any {
		if i > 0 {
			parts = append(parts, "OR")
		}
		if together := c.Any[i].All; together != nil {
			parts = append(parts, shownParts(together)...)
		} else {
			parts = append(parts, c.Any[i].shown())
		}
	}
	return parts
}

// shownParts returns nodes that are joined by AND.
func shownParts(all []Criteria) []any {
	parts := make([]any, len(all))
	for i := range all {
		parts[i] = all[i].shown()
	}
	return parts
}

// JSON returns the value in JSON. Members of objects are in alphabetical order.
func (in Input) JSON() string {
	b, err := json.Marshal(in.plain())
	if err != nil {
		return "null" // of a number that JSON cannot have
	}
	return string(b)
}

// plain returns a value as encoding/json has it.
func (in Input) plain() any {
	switch in.Kind {
	case InputText:
		return in.Text
	case InputNumber:
		return json.Number(in.Text)
	case InputTrue, InputFalse:
		return in.Kind == InputTrue
	case InputArray:
		items := make([]any, len(in.Items))
		for i := range in.Items {
			items[i] = in.Items[i].plain()
		}
		return items
	case InputObject:
		members := make(map[string]any, len(in.Items))
		for i := range in.Items {
			members[in.Items[i].Name] = in.Items[i].plain()
		}
		return members
	}
	return nil
}
