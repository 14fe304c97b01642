package searchtest

import (
	"strconv"

	"enlist/internal/enlist"

	"pgregory.net/rapid"
)

// This file draws random criteria for the List that data.go draws.

// criteria draws a tree of valid criteria.
func (l *list) criteria(t *rapid.T, depth int) enlist.Criteria {
	kind := rapid.IntRange(0, 3).Draw(t, "node")
	if depth == 0 || kind > 1 {
		return l.oneTest(t)
	}
	parts := make([]enlist.Criteria, rapid.IntRange(1, 3).Draw(t, "parts"))
	for i := range parts {
		parts[i] = l.criteria(t, depth-1)
	}
	if kind == 0 {
		return enlist.Criteria{All: parts}
	}
	return enlist.Criteria{Any: parts}
}

// oneTest draws a criterion that tests one key.
func (l *list) oneTest(t *rapid.T) enlist.Criteria {
	if rapid.IntRange(0, 5).Draw(t, "about Batches") == 0 {
		return l.batchTest(t)
	}
	if rapid.IntRange(0, 5).Draw(t, "about preferences") == 0 {
		return l.preferenceTest(t)
	}
	c := enlist.Criteria{Key: rapid.SampledFrom(l.names).Draw(t, "key")}
	kind := l.kinds[c.Key]
	operators := []string{"exactly", "equal", "equals", "not", "in"}
	if kind != "bool" {
		operators = append(operators, "greater_than", "less_than", "starts_with", "ends_with", "contains")
	}
	c.Operator = rapid.SampledFrom(operators).Draw(t, "operator")
	switch c.Operator {
	case "greater_than", "less_than":
		c.Value = l.value(t, kind)
	case "starts_with", "ends_with", "contains":
		c.Value = enlist.TextInput(l.part(t, kind))
	case "in":
		c.Value = l.items(t, kind)
	default:
		c.Value = l.orNothing(t, kind)
	}
	return c
}

// value draws an operand for keys of a kind. Its JSON type is one that the kind accepts.
func (l *list) value(t *rapid.T, kind string) enlist.Input {
	pool := l.pools[kind]
	if kind == "int" {
		pool = append([]string{"-1", "1.5", "0.5", "1700000000.0", "1700000000.5"}, pool...)
		for _, r := range l.records {
			pool = append(pool, strconv.FormatInt(r.id, 10))
		}
	}
	in := enlist.TextInput(rapid.SampledFrom(pool).Draw(t, "operand"))
	switch kind {
	case "bool":
		return rapid.SampledFrom([]enlist.Input{in, {Kind: enlist.InputNumber, Text: in.Text},
			{Kind: enlist.InputTrue}, {Kind: enlist.InputFalse}}).Draw(t, "shape")
	case "int", "number":
		if rapid.Bool().Draw(t, "literal") {
			in.Kind = enlist.InputNumber
		}
	case "text":
		in.Text = changeCase(t, in.Text)
	}
	return in
}

// orNothing draws an operand. In some draws the operand is empty.
func (l *list) orNothing(t *rapid.T, kind string) enlist.Input {
	switch rapid.IntRange(0, 5).Draw(t, "nothing") {
	case 0:
		return enlist.TextInput("")
	case 1:
		return enlist.Input{}
	}
	if kind == "email" && rapid.IntRange(0, 5).Draw(t, "no address") == 0 {
		return enlist.TextInput("no address")
	}
	return l.value(t, kind)
}

// items draws an operand for the operator "in". It is an array or a text with commas.
func (l *list) items(t *rapid.T, kind string) enlist.Input {
	items := make([]enlist.Input, rapid.IntRange(0, 4).Draw(t, "items"))
	joined := ""
	for i := range items {
		items[i] = l.orNothing(t, kind)
		if i > 0 {
			joined += rapid.SampledFrom([]string{",", " , "}).Draw(t, "comma")
		}
		joined += inputText(items[i])
	}
	// If an item contains a comma, the joined text has other items than the array. These items must
	// still be valid for the kind. So dates and addresses are never joined.
	if kind == "text" || kind == "int" || kind == "number" || kind == "bool" {
		if rapid.Bool().Draw(t, "joined") {
			return enlist.TextInput(joined)
		}
	}
	return enlist.Input{Kind: enlist.InputArray, Items: items}
}

// part draws a part of a value, or a random text that is perhaps in no value.
func (l *list) part(t *rapid.T, kind string) string {
	if rapid.IntRange(0, 9).Draw(t, "other") == 0 {
		return rapid.SampledFrom([]string{"", "%", "_", `\`, "'", "É", "@", "zzz"}).Draw(t, "part")
	}
	runes := []rune(l.value(t, kind).Text)
	if len(runes) == 0 {
		return ""
	}
	from := rapid.IntRange(0, len(runes)-1).Draw(t, "from")
	if rapid.Bool().Draw(t, "from the start") {
		from = 0
	}
	to := rapid.IntRange(from, len(runes)).Draw(t, "to")
	if rapid.Bool().Draw(t, "to the end") {
		to = len(runes)
	}
	return changeCase(t, string(runes[from:to]))
}

// changeCase returns s, or s with the case of its ASCII letters inverted.
func changeCase(t *rapid.T, s string) string {
	if rapid.Bool().Draw(t, "same case") {
		return s
	}
	b := []byte(s)
	for i, c := range b {
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
			b[i] = c ^ 0x20
		}
	}
	return string(b)
}
