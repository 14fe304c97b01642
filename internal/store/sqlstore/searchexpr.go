package sqlstore

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"enlist/internal/audience"

	"github.com/go-json-experiment/json/jsontext"
)

// Expressions for a key's value. An absent value is NULL in all of them; a
// system key is never absent. Names of system keys are names of columns.

// dateLength is the length of a date without its time.
const dateLength = len("2026-01-31")

func isID(k *audience.SearchKey) bool { return k.Field == nil && k.Name == "id" }

func fieldID(k *audience.SearchKey) string { return strconv.FormatInt(int64(k.Field.ID), 10) }

// stored is the value as the database holds it: a number or a text.
func (q *searchQuery) stored(k *audience.SearchKey) string {
	if k.Field == nil {
		return k.Name
	}
	return q.sql.FieldText(fieldID(k))
}

// compared is the value in the form in which it is compared whole: lower()
// changes A to Z only, in all engines.
func (q *searchQuery) compared(k *audience.SearchKey) string {
	switch k.Type {
	case audience.KeyInt, audience.KeyBool, audience.KeyDate:
		return q.stored(k)
	case audience.KeyNumber:
		return q.sql.FieldNumber(fieldID(k))
	}
	return "lower(" + q.stored(k) + ")"
}

// ordered is the value in the form that sorting, greater_than and less_than go by.
func (q *searchQuery) ordered(k *audience.SearchKey) string {
	switch k.Type {
	case audience.KeyText, audience.KeyEmail, audience.KeyMobile:
		return "substr(" + q.compared(k) + ", 1, 200)"
	}
	return q.compared(k)
}

// shown is the value as replies have it, lower-cased. A number's JSON text has
// the decimals that were sent.
func (q *searchQuery) shown(k *audience.SearchKey) string {
	switch k.Type {
	case audience.KeyInt:
		return "CAST(" + k.Name + " AS TEXT)"
	case audience.KeyNumber:
		return q.sql.FieldShown(fieldID(k))
	}
	return q.compared(k)
}

// test writes the comparison of one key.
func (q *searchQuery) test(c *audience.Condition) {
	switch c.Operator {
	case audience.Exactly:
		q.equal(c.Key, c.Operands[0])
	case audience.Not:
		q.differ(c.Key, c.Operands[0])
	case audience.In:
		q.in(c.Key, c.Operands)
	case audience.GreaterThan:
		q.compare(c.Key, " > ?", c.Operands[0])
	case audience.LessThan:
		q.compare(c.Key, " < ?", c.Operands[0])
	case audience.StartsWith, audience.EndsWith, audience.Contains:
		q.part(c.Key, c.Operator, c.Operands[0].Text)
	default:
		panic(fmt.Sprintf("operator %d", c.Operator))
	}
}

// operand is what the database compares an expression of the key with.
func (q *searchQuery) operand(k *audience.SearchKey, o audience.Operand) any {
	switch k.Type {
	case audience.KeyInt, audience.KeyBool:
		return o.Int
	case audience.KeyNumber:
		if !q.sql.NumbersAsText {
			return o.Number
		}
	}
	return o.Text
}

// never reports whether the operand equals no value: a system key always has one.
func never(k *audience.SearchKey, o audience.Operand) bool {
	return o.Impossible || o.Absent && k.Field == nil
}

// expression is what an operand is compared with: for a date without a time
// the date part of the value.
func (q *searchQuery) expression(k *audience.SearchKey, o audience.Operand) string {
	if k.Type == audience.KeyDate && len(o.Text) == dateLength {
		return "substr(" + q.compared(k) + ", 1, 10)"
	}
	return q.compared(k)
}

func (q *searchQuery) equal(k *audience.SearchKey, o audience.Operand) {
	switch {
	case never(k, o):
		q.add("FALSE")
	case o.Absent:
		q.add(q.stored(k) + " IS NULL")
	case k.Type == audience.KeyEmail:
		q.add("(dedupe_key = ? OR duplicate_key = ?)", o.Text, o.Text)
	case k.Type == audience.KeyMobile:
		q.add("mobile_key = ?", o.Text)
	default:
		q.add(q.expression(k, o)+" = ?", q.operand(k, o))
	}
}

// differ is the opposite of equal, with no NULL in its result.
func (q *searchQuery) differ(k *audience.SearchKey, o audience.Operand) {
	switch {
	case never(k, o):
		q.add("TRUE")
	case o.Absent:
		q.add(q.stored(k) + " IS NOT NULL")
	case k.Type == audience.KeyEmail:
		q.add("(dedupe_key IS DISTINCT FROM ? AND duplicate_key IS DISTINCT FROM ?)", o.Text, o.Text)
	case k.Type == audience.KeyMobile:
		q.add("mobile_key IS DISTINCT FROM ?", o.Text)
	default:
		q.add(q.expression(k, o)+" IS DISTINCT FROM ?", q.operand(k, o))
	}
}

// inItems compares with a list of any length: it is one argument, a JSON array,
// so that neither the number of arguments nor that of statements grows with it.
func (q *searchQuery) inItems(k *audience.SearchKey) string {
	value := "value"
	switch k.Type {
	case audience.KeyInt, audience.KeyBool:
		value = "CAST(value AS BIGINT)"
	case audience.KeyNumber:
		value = "CAST(value AS NUMERIC)"
	}
	return " IN (SELECT " + value + " FROM " + q.sql.Items("?") + ")"
}

// in compares with each of the operands, dates by their own expressions.
func (q *searchQuery) in(k *audience.SearchKey, operands []audience.Operand) {
	var whole, days []audience.Operand
	absent := false
	for _, o := range operands {
		switch {
		case never(k, o):
		case o.Absent:
			absent = true
		case k.Type == audience.KeyDate && len(o.Text) == dateLength:
			days = append(days, o)
		default:
			whole = append(whole, o)
		}
	}
	connector := "("
	if absent {
		q.add(connector + q.stored(k) + " IS NULL")
		connector = " OR "
	}
	for _, operands := range [][]audience.Operand{whole, days} {
		if len(operands) > 0 {
			q.add(connector)
			q.inList(k, q.expression(k, operands[0]), q.operandList(k, operands))
			connector = " OR "
		}
	}
	if connector == "(" {
		q.add("(FALSE")
	}
	q.add(")")
}

func (q *searchQuery) inList(k *audience.SearchKey, expression, list string) {
	switch k.Type {
	case audience.KeyEmail:
		q.add("dedupe_key"+q.inItems(k)+" OR duplicate_key"+q.inItems(k), list, list)
	case audience.KeyMobile:
		q.add("mobile_key"+q.inItems(k), list)
	default:
		q.add(expression+q.inItems(k), list)
	}
}

// operandList is a JSON array of operands.
func (q *searchQuery) operandList(k *audience.SearchKey, operands []audience.Operand) string {
	list := []byte{'['}
	for i, o := range operands {
		if i > 0 {
			list = append(list, ',')
		}
		list = appendItem(list, q.operand(k, o))
	}
	return string(append(list, ']'))
}

func appendItem(list []byte, value any) []byte {
	switch value := value.(type) {
	case int64:
		return strconv.AppendInt(list, value, 10)
	case float64:
		return strconv.AppendFloat(list, value, 'g', -1, 64)
	case string:
		list, _ = jsontext.AppendQuote(list, value) // fails only for invalid UTF-8, of which it makes U+FFFD
	}
	return list
}

// compare: an absent value is NULL, and NULL is neither more nor less.
func (q *searchQuery) compare(k *audience.SearchKey, operator string, o audience.Operand) {
	e := q.ordered(k)
	if k.Type == audience.KeyDate {
		e = q.expression(k, o)
	}
	q.add(e+operator, q.operand(k, o))
}

// part looks for a text in the value as it is shown. There is no pattern in
// it, so nothing in the text is a wildcard.
func (q *searchQuery) part(k *audience.SearchKey, op audience.Operator, part string) {
	length := int64(utf8.RuneCountInString(part))
	switch {
	case part == "":
		q.add("TRUE")
	case op == audience.StartsWith:
		q.add("substr("+q.shown(k)+", 1, ?) = ?", length, part)
	case op == audience.EndsWith:
		q.add(q.sql.Ending(q.shown(k))+" = ?", length, part)
	default:
		q.add(q.sql.Position+"("+q.shown(k)+", ?) > 0", part)
	}
}
