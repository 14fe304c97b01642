package contacts

import (
	"encoding/json"
	"slices"
	"strconv"
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
	Index    int
	Text     string // of its key
	Operator ui.Input
	Value    ui.Input
	Unit     *ui.Input // of the period that the value is; nil: it is none
	Picks    *ui.Input // in place of the value, several of the choices; nil: it has one value
}

// keyGroup are keys under a heading.
type keyGroup struct {
	Heading string // key of its text
	Keys    []key
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
	row := formRow{condition: c, Index: index, Text: k.Text,
		Operator: ui.Input{Name: "op", Kind: ui.InputChoice, Value: c.Operator, Hidden: b.request.Text("contacts.test", "text", k.Text)},
		Value:    ui.Input{Name: "value", Value: c.Value, Hidden: b.request.Text("contacts.value", "text", k.Text)}}
	operators := k.Kind.operators()
	if !slices.Contains(operators, c.Operator) {
		operators = append(operators, c.Operator)
	}
	for _, name := range operators {
		row.Operator.Options = append(row.Operator.Options,
			ui.Option{Value: name, Text: b.request.Text(k.Kind.texts(name).word)})
	}
	_, isDay := time.Parse(time.DateOnly, c.Value)
	_, needsNone := without[c.Operator]
	switch {
	case needsNone:
		row.Value = ui.Input{Name: "value", Kind: ui.InputHidden}
	case slices.Contains(relative, c.Operator):
		row.Unit = b.periodOf(index, &row.Value)
	case k.Choices != nil && c.Operator == "in":
		chosen := strings.Split(c.Value, ",")
		row.Picks = &ui.Input{Name: "pick." + strconv.Itoa(index), Kind: ui.InputBoxes, Chosen: chosen,
			Options: withValues(k.Choices, chosen...), Picker: true, Hidden: row.Value.Hidden}
		row.Picks.Find = b.request.FormValue(row.Picks.FindName())
		row.Value = ui.Input{Name: "value", Kind: ui.InputHidden}
	case k.Choices != nil:
		row.Value.Kind = ui.InputChoice
		row.Value.Options = append(ui.Choices("", b.request.Text("contacts.choose")), withValues(k.Choices, c.Value)...)
	case k.Kind == date && (c.Value == "" || isDay == nil), k.Kind == moment && (c.Value == "" || isDay == nil):
		row.Value.Kind = ui.InputDate
	}
	return row
}

// periodOf makes an input that of the number of a period, and returns the one of its unit.
func (b *builder) periodOf(index int, value *ui.Input) *ui.Input {
	unit := &ui.Input{Name: "unit." + strconv.Itoa(index), Kind: ui.InputChoice, Value: "days", Hidden: b.request.Text("contacts.unit")}
	unit.Options = optionsInWords(b.request, units)
	value.Kind = ui.InputNumber
	if period, ok := enlist.ParsePeriod(value.Value); ok {
		value.Value, unit.Value = strconv.Itoa(period.Number), period.Unit
	} else if _, err := time.Parse(time.DateOnly, value.Value); err == nil { // of the operator before
		value.Value = ""
	}
	return unit
}

// withValues returns choices with values that the key no longer has.
func withValues(choices []ui.Option, values ...string) []ui.Option {
	all := slices.Clone(choices)
	for _, value := range values {
		if value != "" && !slices.ContainsFunc(choices, func(o ui.Option) bool { return o.Value == value }) {
			all = append(all, ui.Option{Value: value, Text: value})
		}
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
