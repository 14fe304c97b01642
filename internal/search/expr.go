package search

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"enlist/internal/enlist"
)

// This file writes the SQL expressions that compare the value of a key. If a Contact has no value for
// the key, every expression is NULL. A system key always has a value. The name of a system key is also
// the name of its column, but for the language.
//
// A value has four forms:
//   - stored: as the database stores it
//   - compared: for tests of equality
//   - ordered: for sorting and ranges; an index has this form
//   - shown: for searches for a part of a text

// dateLength is the length of a date without a time.
const dateLength = len("2026-01-31")

// isID reports whether a key is the Contact's ID.
func isID(k *enlist.SearchKey) bool { return k.Field == nil && k.Name == "id" }

func fieldID(k *enlist.SearchKey) string { return strconv.FormatInt(int64(k.Field.ID), 10) }

// stored returns the expression for the stored form of a value, which is a number or a text.
func (q *Query) stored(k *enlist.SearchKey) string {
	switch {
	case k.Field == nil && k.Name == enlist.KeyLanguage:
		return "language"
	case k.Field == nil:
		return cmp.Or(q.columnsOf[k.Name], k.Name)
	}
	return q.SQL.FieldText(fieldID(k))
}

// compared returns the expression for the form that tests of equality compare. lower() changes only the
// letters A to Z on both engines.
func (q *Query) compared(k *enlist.SearchKey) string {
	switch k.Type {
	case enlist.KeyInt, enlist.KeyBool, enlist.KeyTracking, enlist.KeyCode, enlist.KeyDate:
		return q.stored(k)
	case enlist.KeyNumber:
		return q.SQL.FieldNumber(fieldID(k))
	}
	return "lower(" + q.stored(k) + ")"
}

// Ordered returns the expression for the ordered form, which sorting, greater_than and less_than use. A
// text has only its first enlist.MaxComparedCharacters characters in this form. A SearchIndex is an
// index of this expression.
func (q *Query) Ordered(k *enlist.SearchKey) string {
	switch k.Type {
	case enlist.KeyText, enlist.KeyEmail, enlist.KeyMobile:
		return "substr(" + q.compared(k) + ", 1, " + comparedCharacters() + ")"
	}
	return q.compared(k)
}

// comparedCharacters returns the length of the ordered form of a text.
func comparedCharacters() string { return strconv.Itoa(enlist.MaxComparedCharacters) }

// shown returns the expression for the form that replies show, in lower case. A number has the decimals
// that the caller sent.
func (q *Query) shown(k *enlist.SearchKey) string {
	switch k.Type {
	case enlist.KeyInt:
		return "CAST(" + k.Name + " AS TEXT)"
	case enlist.KeyNumber:
		return q.SQL.FieldShown(fieldID(k))
	}
	return q.compared(k)
}

// test writes the test of one key.
func (q *Query) test(c *enlist.Condition) {
	if c.Key.Type == enlist.KeyBatch {
		q.testBatch(c)
		return
	}
	if c.Key.Type == enlist.KeyPreference {
		q.testPreference(c)
		return
	}
	switch c.Operator {
	case enlist.Exactly:
		q.equal(c.Key, c.Operands[0])
	case enlist.Not:
		q.differ(c.Key, c.Operands[0])
	case enlist.In:
		q.in(c.Key, c.Operands)
	case enlist.GreaterThan:
		q.compare(c.Key, " > ?", c.Operands[0])
	case enlist.LessThan:
		q.compare(c.Key, " < ?", c.Operands[0])
	case enlist.StartsWith, enlist.EndsWith, enlist.Contains:
		q.part(c)
	case enlist.OnDays:
		q.Add("substr("+q.Ordered(c.Key)+", 6, 5)"+q.inItems(c.Key), q.operandList(c.Key, c.Operands))
	default:
		panic(fmt.Sprintf("operator %d", c.Operator))
	}
}

// operand returns an operand as the argument that the database compares with the value of the key.
func (q *Query) operand(k *enlist.SearchKey, o enlist.Operand) any {
	switch k.Type {
	case enlist.KeyInt, enlist.KeyBool, enlist.KeyTracking, enlist.KeyBatch:
		return o.Int
	case enlist.KeyNumber:
		if !q.SQL.NumbersAsText {
			return o.Number
		}
	}
	return o.Text
}

// never reports whether no value can equal the operand. A system key always has a value. So an operand
// that means "no value" (Absent) never matches a system key.
func never(k *enlist.SearchKey, o enlist.Operand) bool {
	return o.Impossible || o.Absent && k.Field == nil
}

// maxRune is the last character of Unicode.
const maxRune = "\U0010ffff"

// isDay reports whether an operand is a date without a time. Such an operand equals all times of the day.
func isDay(k *enlist.SearchKey, o enlist.Operand) bool {
	return k.Type == enlist.KeyDate && len(o.Text) == dateLength
}

// afterDay is appended to a day. The result sorts after all times of the day and before the next day.
const afterDay = "~"

// isLong reports whether a text has MaxComparedCharacters characters or more, so that the ordered form
// can be only its beginning.
func isLong(o enlist.Operand) bool {
	return utf8.RuneCountInString(o.Text) >= enlist.MaxComparedCharacters
}

// isBeginning reports whether tests of equality compare only the ordered form of a key, which is the
// beginning of the text. They do this for a text with a SearchIndex.
func (q *Query) isBeginning(k *enlist.SearchKey) bool {
	return k.Type == enlist.KeyText && q.Schema.Indexed(k)
}

// equalityForm returns the expression for a test of equality: the ordered form for a text with a
// SearchIndex, otherwise the compared form. The operand must not be long (isLong).
func (q *Query) equalityForm(k *enlist.SearchKey) string {
	if q.isBeginning(k) {
		return q.Ordered(k)
	}
	return q.compared(k)
}

// equal writes the test for equality. With a SearchIndex it compares the ordered form, because the index
// has this form. The ordered form of a text is the complete text unless isLong is true for it.
func (q *Query) equal(k *enlist.SearchKey, o enlist.Operand) {
	switch {
	case never(k, o):
		q.Add("FALSE")
	case o.Absent:
		q.absent(k)
	case k.Type == enlist.KeyEmail && q.unique:
		q.Add("dedupe_key = ?", o.Text)
	case k.Type == enlist.KeyEmail:
		q.Add("(dedupe_key = ? OR duplicate_key = ?)", o.Text, o.Text)
	case k.Type == enlist.KeyMobile:
		q.Add("mobile_key = ?", o.Text)
	case isDay(k, o):
		q.Add(q.Ordered(k)+" BETWEEN ? AND ?", o.Text, o.Text+afterDay)
	case isLong(o) && q.isBeginning(k):
		// The first test uses the index to find the values with the same beginning. The second test reads the row.
		q.Add("(")
		q.bound(q.Ordered(k), enlist.FirstCharacters(o.Text))
		q.Add(" AND "+q.compared(k)+" = ?)", o.Text)
	case k.Type == enlist.KeyText && !q.isBeginning(k):
		q.Add(q.SQL.SameText(q.stored(k)), o.Text)
	default:
		q.bound(q.equalityForm(k), q.operand(k, o))
	}
}

// bound writes the test that an expression equals a value. In a generic statement it is a range. After the
// operator =, PostgreSQL would take the expression out of ORDER BY. Then the primary key has the requested
// order too, and the plan for a common value could be a scan of the whole List.
func (q *Query) bound(expression string, value any) {
	if q.generic != nil {
		q.Add(expression+" BETWEEN ? AND ?", value, value)
		return
	}
	q.Add(expression+" = ?", value)
}

// absent writes the test that a key has no value.
func (q *Query) absent(k *enlist.SearchKey) {
	q.Add(q.Ordered(k) + " IS NULL")
	if k.Type == enlist.KeyNumber {
		q.Add(" AND " + q.stored(k) + " IS NULL") // on PostgreSQL, the ordered form is also NULL for a text that is not a number
	}
}

// differ writes the opposite of equal. The result of the test is never NULL.
func (q *Query) differ(k *enlist.SearchKey, o enlist.Operand) {
	switch {
	case never(k, o):
		q.Add("TRUE")
	case o.Absent && k.Type == enlist.KeyNumber:
		q.Add(q.stored(k) + " IS NOT NULL")
	case o.Absent:
		q.Add(q.Ordered(k) + " IS NOT NULL")
	case k.Type == enlist.KeyEmail:
		q.Add("(dedupe_key IS DISTINCT FROM ? AND duplicate_key IS DISTINCT FROM ?)", o.Text, o.Text)
	case k.Type == enlist.KeyMobile:
		q.Add("mobile_key IS DISTINCT FROM ?", o.Text)
	case isDay(k, o):
		q.Add("substr("+q.Ordered(k)+", 1, 10) IS DISTINCT FROM ?", o.Text)
	case isLong(o):
		q.Add(q.compared(k)+" IS DISTINCT FROM ?", q.operand(k, o))
	default:
		q.Add(q.equalityForm(k)+" IS DISTINCT FROM ?", q.operand(k, o))
	}
}

// inItems returns the comparison with a list of operands. The list is one argument, so that lists of all
// lengths use the same prepared statement.
func (q *Query) inItems(k *enlist.SearchKey) string {
	kind := "TEXT"
	switch k.Type {
	case enlist.KeyInt, enlist.KeyBool, enlist.KeyTracking, enlist.KeyBatch:
		kind = "BIGINT"
	case enlist.KeyNumber:
		kind = "NUMERIC"
	}
	if q.asArray(k) {
		return " = ANY(CAST(? AS " + kind + "[]))"
	}
	value := "value"
	if kind != "TEXT" {
		value = "CAST(value AS " + kind + ")"
	}
	return " IN (SELECT " + value + " FROM " + q.SQL.Items("?") + ")"
}

// asArray reports whether a list of operands is passed as an array. Otherwise it is passed as JSON. With a
// subquery on JSON, PostgreSQL does not use the index of an expression. For three IDs, PostgreSQL would
// also estimate that they match half of all rows. It would then scan the index of another key.
func (q *Query) asArray(k *enlist.SearchKey) bool {
	return q.SQL.Arrays && (k.Type == enlist.KeyBatch || q.Schema.Indexed(k) || isID(k) || timeIndex(k) != "")
}

// in writes the test that a value equals one of the operands. The test has up to three parts,
// joined by OR: that the Contact has no value, that the value equals a single operand, and that the
// value is on one of the days.
func (q *Query) in(k *enlist.SearchKey, operands []enlist.Operand) {
	absent, values, days := operandGroups(k, operands)
	connector := "("
	if absent {
		q.Add(connector)
		q.absent(k)
		connector = " OR "
	}
	if len(values) > 0 {
		q.Add(connector)
		q.inValues(k, values)
		connector = " OR "
	}
	if len(days) > 0 {
		q.Add(connector+"substr("+q.Ordered(k)+", 1, 10)"+q.inItems(k), q.operandList(k, days))
		connector = " OR "
	}
	if connector == "(" {
		q.Add("(FALSE")
	}
	q.Add(")")
}

// inValues writes the test for operands that are single values. None of them is a day or stands for
// an absent value.
func (q *Query) inValues(k *enlist.SearchKey, operands []enlist.Operand) {
	list := q.operandList(k, operands)
	switch {
	case k.Type == enlist.KeyEmail && q.unique:
		q.Add("dedupe_key"+q.inItems(k), list)
	case k.Type == enlist.KeyEmail:
		q.Add("dedupe_key"+q.inItems(k)+" OR duplicate_key"+q.inItems(k), list, list)
	case k.Type == enlist.KeyMobile:
		q.Add("mobile_key"+q.inItems(k), list)
	case q.isBeginning(k) && slices.ContainsFunc(operands, isLong):
		short := slices.Clone(operands)
		for i := range short {
			short[i].Text = enlist.FirstCharacters(short[i].Text)
		}
		q.Add(q.Ordered(k)+q.inItems(k)+" AND "+q.compared(k)+q.inItems(k), q.operandList(k, short), list)
	default:
		q.Add(q.equalityForm(k)+q.inItems(k), list)
	}
}

// compare writes greater_than or less_than. An absent value is NULL, which matches neither of them.
func (q *Query) compare(k *enlist.SearchKey, operator string, o enlist.Operand) {
	if isDay(k, o) && operator == " > ?" {
		o.Text += afterDay
	}
	q.Add(q.Ordered(k)+operator, q.operand(k, o))
}

// part writes the test of starts_with, ends_with or contains. These operators search the shown form for a
// part of the text.
func (q *Query) part(c *enlist.Condition) {
	k, part := c.Key, c.Operands[0].Text
	length := int64(utf8.RuneCountInString(part))
	switch {
	case part == "":
		q.Add("TRUE")
	case q.usesPartsIndex(c):
		q.Add(q.shown(k)+" LIKE ?", pattern(c.Operator, part))
	case c.Operator == enlist.StartsWith && k.IsText() && !q.Schema.Indexed(k):
		q.Add(q.SQL.SameText("substr("+q.stored(k)+", 1, ?)"), length, part)
	case c.Operator == enlist.StartsWith && shownAsOrdered(k):
		q.begins(k, part, int(length))
	case c.Operator == enlist.StartsWith:
		q.Add("substr("+q.shown(k)+", 1, ?) = ?", length, part)
	case q.covers(k):
		q.coveringPart(k, c.Operator, part, length)
	case c.Operator == enlist.EndsWith && k.IsText():
		q.Add(q.SQL.SameText(q.SQL.Ending(q.stored(k))), length, part)
	case c.Operator == enlist.EndsWith:
		q.Add(q.SQL.Ending(q.shown(k))+" = ?", length, part)
	default:
		q.Add(q.SQL.Position+"("+q.shown(k)+", ?) > 0", part)
	}
}

// shownAsOrdered reports whether the ordered form of a value is equal to the beginning of the shown form.
func shownAsOrdered(k *enlist.SearchKey) bool { return k.IsText() || k.Type == enlist.KeyDate }

// begins writes the test of starts_with as a range of the ordered form. The range contains all values
// that start with part. length is the number of characters in part.
func (q *Query) begins(k *enlist.SearchKey, part string, length int) {
	first := enlist.FirstCharacters(part)
	last := first + strings.Repeat(maxRune, max(0, enlist.MaxComparedCharacters-length))
	if k.Type == enlist.KeyDate {
		last = first + afterDay
	}
	if length <= enlist.MaxComparedCharacters {
		q.Add(q.Ordered(k)+" BETWEEN ? AND ?", first, last)
		return
	}
	q.Add("("+q.Ordered(k)+" = ? AND substr("+q.shown(k)+", 1, ?) = ?)", first, int64(length), part)
}

// coveringPart writes the same test as part, for a scan of the key's index. The index has only the
// ordered form. SQLite reads the row only if the text can be longer than its ordered form.
func (q *Query) coveringPart(k *enlist.SearchKey, op enlist.Operator, part string, length int64) {
	e, full := q.Ordered(k), comparedCharacters()
	switch {
	case op == enlist.EndsWith && k.IsText():
		q.Add("CASE WHEN length("+e+") < "+full+" THEN "+q.SQL.Ending(e)+" = ? ELSE "+
			q.SQL.Ending(q.shown(k))+" = ? END", length, part, length, part)
	case op == enlist.EndsWith:
		q.Add(q.SQL.Ending(q.shown(k))+" = ?", length, part)
	case k.IsText():
		q.Add("("+q.SQL.Position+"("+e+", ?) > 0 OR length("+e+") = "+full+" AND "+
			q.SQL.Position+"("+q.shown(k)+", ?) > 0)", part, part)
	default:
		q.Add(q.SQL.Position+"("+q.shown(k)+", ?) > 0", part)
	}
}
