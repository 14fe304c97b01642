package search

import (
	"strconv"

	"enlist/internal/enlist"

	"github.com/go-json-experiment/json/jsontext"
)

// This file converts the operands of the operator In to arguments. A list of operands is one argument, so
// that lists of all lengths use the same prepared statement.

// operandGroups splits the operands of the operator In into three groups. absent is true if one operand
// means "no value". days are the dates without a time; each of them equals a range of values. values are
// all other operands. Operands that no value can equal are in no group.
func operandGroups(k *enlist.SearchKey, operands []enlist.Operand) (absent bool, values, days []enlist.Operand) {
	for _, o := range operands {
		switch {
		case never(k, o):
		case o.Absent:
			absent = true
		case isDay(k, o):
			days = append(days, o)
		default:
			values = append(values, o)
		}
	}
	return absent, values, days
}

// operandList returns the operands as one argument. The comparison that inItems returns has a
// parameter for this argument.
func (q *Query) operandList(k *enlist.SearchKey, operands []enlist.Operand) any {
	if q.asArray(k) {
		return operandArray(k, operands)
	}
	list := []byte{'['}
	for i, o := range operands {
		if i > 0 {
			list = append(list, ',')
		}
		list = appendItem(list, q.operand(k, o))
	}
	return string(append(list, ']'))
}

// operandArray returns operands as a Go slice, which the driver sends to PostgreSQL as an array.
func operandArray(k *enlist.SearchKey, operands []enlist.Operand) any {
	var texts []string
	var numbers []int64
	for _, o := range operands {
		texts, numbers = append(texts, o.Text), append(numbers, o.Int)
	}
	switch k.Type {
	case enlist.KeyInt, enlist.KeyBool, enlist.KeyTracking, enlist.KeyBatch:
		return numbers
	}
	return texts
}

// appendItem appends a value to a JSON array.
func appendItem(list []byte, value any) []byte {
	switch value := value.(type) {
	case int64:
		return strconv.AppendInt(list, value, 10)
	case float64:
		return strconv.AppendFloat(list, value, 'g', -1, 64)
	case string:
		list, _ = jsontext.AppendQuote(list, value) // fails only for invalid UTF-8, which it replaces with U+FFFD
	}
	return list
}
