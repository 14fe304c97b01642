package contacts

import (
	"slices"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
)

// This file has the operators of each kind of key, in words.

// operatorText has the keys of the texts of an operator.
type operatorText struct {
	word     string // in the choice of operators
	sentence string // about a key and a value
}

// operatorTexts are the operators in words. Those from "filled" to "never" are no operators of a search: they stand for a test with
// an operand that no input would have.
var operatorTexts = map[string]operatorText{
	"exactly":      {"contacts.operator_is", "contacts.sentence_is"},
	"not":          {"contacts.operator_is_not", "contacts.sentence_is_not"},
	"contains":     {"contacts.operator_contains", "contacts.sentence_contains"},
	"starts_with":  {"contacts.operator_begins", "contacts.sentence_begins"},
	"ends_with":    {"contacts.operator_ends", "contacts.sentence_ends"},
	"greater_than": {"contacts.operator_more", "contacts.sentence_more"},
	"less_than":    {"contacts.operator_less", "contacts.sentence_less"},
	"in":           {"contacts.operator_one_of", "contacts.sentence_one_of"},
	"filled":       {"contacts.operator_has_value", "contacts.sentence_has_value"},
	"empty":        {"contacts.operator_has_no_value", "contacts.sentence_has_no_value"},
	"ever":         {"contacts.operator_ever", "contacts.sentence_ever"},
	"never":        {"contacts.operator_never", "contacts.sentence_never"},

	"within_last":        {"contacts.operator_within_last", "contacts.sentence_within_last"},
	"not_within_last":    {"contacts.operator_not_within_last", "contacts.sentence_not_within_last"},
	"longer_ago":         {"contacts.operator_longer_ago", "contacts.sentence_longer_ago"},
	"within_next":        {"contacts.operator_within_next", "contacts.sentence_within_next"},
	"yearly_within_next": {"contacts.operator_yearly", "contacts.sentence_yearly"},
}

// relative are the operators whose value is a period.
var relative = []string{"within_last", "not_within_last", "longer_ago", "within_next", "yearly_within_next"}

// units are the units of a period, with the keys of their texts.
var units = ui.Choices("days", "contacts.unit_days", "weeks", "contacts.unit_weeks", "months", "contacts.unit_months",
	"years", "contacts.unit_years")

// periodTexts are the keys of the texts of periods, by their units.
var periodTexts = map[string]string{"days": "contacts.period_days", "weeks": "contacts.period_weeks",
	"months": "contacts.period_months", "years": "contacts.period_years"}

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
		return slices.Concat([]string{"exactly", "greater_than", "less_than"}, relative, []string{"filled", "empty"})
	case moment:
		return slices.Concat([]string{"greater_than", "less_than"}, relative[:3], []string{"ever", "never"})
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

// texts returns the texts of an operator. One that is not known is its own text.
func (k kind) texts(operator string) operatorText {
	switch {
	case operator == "greater_than" && k == date:
		return operatorText{"contacts.operator_after", "contacts.sentence_date_after"}
	case operator == "less_than" && k == date:
		return operatorText{"contacts.operator_before", "contacts.sentence_date_before"}
	case operator == "greater_than" && k == moment:
		return operatorText{"contacts.operator_after", "contacts.sentence_happened_after"}
	case operator == "less_than" && k == moment:
		return operatorText{"contacts.operator_before", "contacts.sentence_happened_before"}
	case k == answer && operator == "filled":
		return operatorText{"contacts.operator_has_answer", "contacts.sentence_has_answer"}
	case k == answer && operator == "empty":
		return operatorText{"contacts.operator_has_no_answer", "contacts.sentence_has_no_answer"}
	case k == batch && operator == "in":
		return operatorText{"contacts.operator_any_of", "contacts.sentence_one_of"}
	case k == segment && operator == "in":
		return operatorText{"contacts.operator_one_of", "contacts.sentence_in_segment"}
	case operator == "in" && (k == text || k == number || k == whole):
		return operatorText{"contacts.operator_one_of_commas", "contacts.sentence_one_of"}
	}
	if texts, known := operatorTexts[operator]; known {
		return texts
	}
	return operatorText{operator, operator}
}
