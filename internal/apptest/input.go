package apptest

import (
	"fmt"
	"strconv"
	"strings"

	"enlist/internal/enlist"
)

// Details converts alternating keys and values to details.
func Details(pairs ...any) []enlist.Detail {
	var all []enlist.Detail
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, enlist.Detail{Key: pairs[i].(string), Value: input(pairs[i+1])})
	}
	return all
}

// input converts a Go value to the input that a client would send as JSON.
func input(value any) enlist.Input {
	switch v := value.(type) {
	case string:
		return enlist.TextInput(v)
	case int:
		return enlist.Input{Kind: enlist.InputNumber, Text: strconv.Itoa(v)}
	case enlist.ListID:
		return input(int(v))
	case enlist.SegmentID:
		return input(int(v))
	case float64:
		return enlist.Input{Kind: enlist.InputNumber, Text: strconv.FormatFloat(v, 'g', -1, 64)}
	case bool:
		if v {
			return enlist.Input{Kind: enlist.InputTrue}
		}
		return enlist.Input{Kind: enlist.InputFalse}
	case []any:
		in := enlist.Input{Kind: enlist.InputArray}
		for _, item := range v {
			in.Items = append(in.Items, input(item))
		}
		return in
	case map[string]any:
		return enlist.Input{Kind: enlist.InputObject}
	}
	return enlist.Input{Kind: enlist.InputNull}
}

// Criterion returns the criteria that test one key.
func Criterion(key, operator string, value any) *enlist.Criteria {
	return &enlist.Criteria{Key: key, Operator: operator, Value: input(value)}
}

// Show formats a query for the message of a failed test.
func Show(q enlist.Query) string {
	criteria := "all Contacts"
	if q.Criteria != nil {
		criteria = showCriteria(q.Criteria)
	}
	return fmt.Sprintf("%s sort %q descending %v limit %d offset %d", criteria, q.SortBy, q.Descending, q.Limit,
		q.Offset)
}

func showCriteria(c *enlist.Criteria) string {
	connector, parts := " AND ", c.All
	switch {
	case c.Any != nil:
		connector, parts = " OR ", c.Any
	case c.All == nil:
		return fmt.Sprintf("%q %s %+q", c.Key, c.Operator, c.Value)
	}
	texts := make([]string, len(parts))
	for i := range parts {
		texts[i] = showCriteria(&parts[i])
	}
	return "(" + strings.Join(texts, connector) + ")"
}

// Addresses returns n different addresses, separated by commas.
func Addresses(n int) string {
	var list []string
	for i := range n {
		list = append(list, strconv.Itoa(i)+"@x.io")
	}
	return strings.Join(list, ",")
}
