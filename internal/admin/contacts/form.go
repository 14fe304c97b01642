package contacts

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
)

// This file has the conditions as the form shows them.

// part is a condition of the form, or a group of conditions.
type part struct {
	Group int // 0: one condition
	Any   bool
	Rows  []formRow
}

// formRow is a condition of the form.
type formRow struct {
	condition
	Index     int
	Text      string // of its key
	Operators []option
	Input     string // kind of input of the value: "", text, number, date, one or many
	Options   []option
}

// keyGroup are keys under a heading.
type keyGroup struct {
	Heading string // key of its text
	Keys    []key
}

// OfFields reports whether the keys are those of Fields.
func (g keyGroup) OfFields() bool {
	return g.Heading == aboutFields
}

// headings returns the keys by what they are about.
func (b *builder) headings() (all []keyGroup) {
	for _, k := range b.keys {
		if n := len(all); n == 0 || all[n-1].Heading != k.About {
			all = append(all, keyGroup{Heading: k.About})
		}
		all[len(all)-1].Keys = append(all[len(all)-1].Keys, k)
	}
	return all
}

// parts returns the conditions as the form shows them.
func (b *builder) parts(v view) (all []part) {
	places := make(map[int]int)
	for i, c := range v.conditions {
		row := b.row(i, c)
		if at, seen := places[c.Group]; seen && c.Group != 0 {
			all[at].Rows = append(all[at].Rows, row)
			continue
		}
		places[c.Group] = len(all)
		all = append(all, part{c.Group, v.either[c.Group], []formRow{row}})
	}
	return all
}

// row returns a condition as the form shows it.
func (b *builder) row(index int, c condition) formRow {
	k := b.key(c.Key)
	row := formRow{condition: c, Index: index, Text: k.Text, Input: "text"}
	operators := k.Kind.operators()
	if !slices.Contains(operators, c.Operator) {
		operators = append(operators, c.Operator)
	}
	for _, name := range operators {
		row.Operators = append(row.Operators, option{name, b.request.Text(k.Kind.texts(name).word), name == c.Operator})
	}
	_, isDay := time.Parse(time.DateOnly, c.Value)
	_, needsNone := without[c.Operator]
	switch {
	case needsNone:
		row.Input = ""
	case k.Choices != nil && c.Operator == "in":
		row.Input, row.Options = "many", chosen(k.Choices, ui.Texts(c.Value))
	case k.Choices != nil:
		row.Input, row.Options = "one", chosen(k.Choices, ui.Texts(c.Value))
	case k.Kind == date && (c.Value == "" || isDay == nil), k.Kind == moment && (c.Value == "" || isDay == nil):
		row.Input = "date"
	}
	return row
}

// chosen marks the choices that a value has. It adds those that the key no longer has.
func chosen(choices []option, value enlist.Input) []option {
	all := slices.Clone(choices)
	for _, item := range value.Items {
		i := slices.IndexFunc(all, func(o option) bool { return o.Value == item.Text })
		if i < 0 {
			i, all = len(all), append(all, option{Value: item.Text, Text: item.Text})
		}
		all[i].Chosen = true
	}
	return all
}

// call returns a search as a call of the API.
func (b *builder) call(v view, criteria *enlist.Criteria) string {
	shown := json.RawMessage("[]")
	if criteria != nil {
		shown = json.RawMessage(criteria.JSON())
	}
	order := "ASC"
	if v.descending {
		order = "DESC"
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(struct { // texts and numbers: no error
		ID     int    `json:"id"`
		Method string `json:"method"`
		Params []any  `json:"params"`
	}{1, "searchContacts", []any{"KEY", v.list, shown, perPage, 0, v.sort, order}})
	return strings.TrimSpace(text.String())
}
