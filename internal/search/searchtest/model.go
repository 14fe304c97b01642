package searchtest

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"enlist/internal/address"
	"enlist/internal/enlist"
)

// This file implements searches on records in memory, as doc/decisions.md describes them. It uses no
// code of the product that checks criteria or writes SQL. So a mistake in the product is not repeated
// here.

// record is a Contact with its values. The keys of the maps are system keys, Field names and
// field_<id>.
type record struct {
	id     int64
	values map[string]string // the values in the form of replies; "" if the Contact has no value
	forms  map[string]string // the normalised addresses of the address Fields

	answers map[string]string // to preferences, by key: "1" for yes, "0" for no
}

// kinds has the kind of each key: "int", "bool", "number", "date", "email", "mobile" or "text". The
// model compares the values of a key by this kind.
type kinds map[string]string

// model is a List with its Contacts.
type model struct {
	kinds   kinds
	records []record
	country int64
}

// find returns the IDs of the records that match a query. The order and the page are those of the
// query.
func (m *model) find(q enlist.Query, sortKey string) []int64 {
	var found []record
	for _, r := range m.records {
		if q.Criteria == nil || m.matches(q.Criteria, r) {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, func(a, b record) int {
		order := 0
		if sortKey != "" {
			order = m.order(sortKey, a.values[sortKey], b.values[sortKey])
		}
		order = cmp.Or(order, cmp.Compare(a.id, b.id))
		if q.Descending && sortKey != "" {
			return -order
		}
		return order
	})
	ids := []int64{}
	for i, r := range found {
		if int64(i) >= q.Offset && (q.Limit == 0 || int64(i)-q.Offset < q.Limit) {
			ids = append(ids, r.id)
		}
	}
	return ids
}

// order compares two values for sorting. A missing value is the smallest.
func (m *model) order(key, a, b string) int {
	if a == "" || b == "" {
		return cmp.Compare(min(len(a), 1), min(len(b), 1))
	}
	switch m.kinds[key] {
	case "int", "bool", "number":
		return rational(a).Cmp(rational(b))
	case "date":
		return cmp.Compare(a, b)
	}
	return slices.Compare(first200(a), first200(b))
}

func (m *model) matches(c *enlist.Criteria, r record) bool {
	if c.All == nil && c.Any == nil {
		return m.test(c, r)
	}
	parts := append(slices.Clone(c.All), c.Any...)
	matching := 0
	for i := range parts {
		if m.matches(&parts[i], r) {
			matching++
		}
	}
	return c.All != nil && matching == len(parts) || c.Any != nil && matching > 0
}

func (m *model) test(c *enlist.Criteria, r record) bool {
	value, operand := r.values[c.Key], inputText(c.Value)
	switch c.Operator {
	case "exactly", "equal", "equals":
		return m.equal(c.Key, r, operand)
	case "not":
		return !m.equal(c.Key, r, operand)
	case "in":
		items := strings.Split(operand, ",")
		if c.Value.Kind == enlist.InputArray {
			items = nil
			for _, item := range c.Value.Items {
				items = append(items, inputText(item))
			}
		} else if strings.Trim(operand, " ") == "" {
			items = nil
		}
		return slices.ContainsFunc(items, func(item string) bool {
			if c.Value.Kind != enlist.InputArray {
				item = strings.Trim(item, " ")
			}
			return m.equal(c.Key, r, item)
		})
	case "starts_with":
		return strings.HasPrefix(asciiLower(value), asciiLower(operand))
	case "ends_with":
		return strings.HasSuffix(asciiLower(value), asciiLower(operand))
	case "contains":
		return strings.Contains(asciiLower(value), asciiLower(operand))
	}
	if value == "" {
		return false
	}
	if m.kinds[c.Key] == "date" && len(operand) == 10 {
		value = value[:10]
	}
	order := m.order(c.Key, value, operand)
	if operand == "" {
		order = 1
	}
	return c.Operator == "greater_than" && order > 0 || c.Operator == "less_than" && order < 0
}

func (m *model) equal(key string, r record, operand string) bool {
	value := r.values[key]
	if strings.HasPrefix(key, preferencePrefix) {
		return r.answers[key] == operand
	}
	if slices.Contains(batchKeys, key) {
		return operand != "" && strings.Contains(value, ","+operand+",")
	}
	if value == "" || operand == "" {
		return value == operand
	}
	switch m.kinds[key] {
	case "int", "bool", "number":
		return rational(value).Cmp(rational(operand)) == 0
	case "date":
		if len(operand) == 10 {
			value = value[:10]
		}
		return value == operand
	case "email":
		_, form, ok := address.ParseEmail(operand)
		return ok && form == r.forms[key]
	case "mobile":
		form := address.NormaliseMobile(operand, m.country)
		return form != "" && form == r.forms[key]
	}
	return asciiLower(value) == asciiLower(operand)
}

func inputText(in enlist.Input) string {
	switch in.Kind {
	case enlist.InputTrue:
		return "1"
	case enlist.InputFalse:
		return "0"
	case enlist.InputText, enlist.InputNumber:
		return in.Text
	}
	return ""
}

// rational returns the exact value of a number. The text true is 1, and false is 0.
func rational(text string) *big.Rat {
	switch text {
	case "true":
		text = "1"
	case "false":
		text = "0"
	}
	n, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("the model expected a number, but found " + strconv.Quote(text))
	}
	return n
}

func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 32
		}
		return r
	}, s)
}

func first200(s string) []rune {
	runes := []rune(asciiLower(s))
	return runes[:min(200, len(runes))]
}
