package sqlstore

import (
	"slices"

	"enlist/internal/audience"
)

// Names of the indexes that every List has.
const (
	listIndex   = "contact_list"
	dedupeIndex = "contact_dedupe"
	othersIndex = "contact_duplicate"
	mobileIndex = "contact_mobile"

	// primaryKey is the table itself, in the order of IDs.
	primaryKey = "contact"
)

// timeIndex names the index of a system key that is a time of every List's.
func timeIndex(k *audience.SearchKey) string {
	switch {
	case k.Field != nil:
	case k.Name == "creation_time":
		return "contact_created"
	case k.Name == "last_modified_time":
		return "contact_modified"
	}
	return ""
}

// arm is how one index finds IDs of Contacts: all those that meet its tests.
type arm struct {
	index   string
	tests   []*audience.Condition
	column  string // of addresses, that the first test compares; "": it is written as any other
	days    bool   // the first test is an In of days
	ordered bool   // what it finds is in the order of IDs
	few     bool   // it finds hardly more than there are operands
}

// direct reports whether a search may walk the arm's index with the arm's tests
// as bounds, rather than go by the IDs that the arm finds.
func (a *arm) direct() bool { return a.column == "" && !a.days }

// index names the index of a key that serves an operator, "" where there is none.
func (q *searchQuery) index(k *audience.SearchKey, op audience.Operator) string {
	if isID(k) {
		if op == audience.Exactly || op == audience.In {
			return primaryKey
		}
		return listIndex
	}
	if index := timeIndex(k); index != "" {
		return index
	}
	if x := q.schema.IndexFor(k); x != nil {
		return IndexName(x.ID)
	}
	return ""
}

// armsOf returns arms that together find all that meet a condition, and nothing
// else; none where indexes cannot.
func (q *searchQuery) armsOf(c *audience.Condition) (arms []arm) {
	switch {
	case c.Key != nil:
		return q.testArms(c)
	case c.Any != nil:
		for i := range c.Any {
			part := q.armsOf(&c.Any[i])
			if part == nil {
				return nil
			}
			arms = append(arms, part...)
		}
		return arms
	}
	for i := range c.All {
		if part := q.armsOf(&c.All[i]); part != nil && (arms == nil || better(part, arms)) {
			arms = part
		}
	}
	for i := range arms {
		arms[i].tests = append(arms[i].tests, c)
	}
	return arms
}

// better reports whether arms probably find less than others.
func better(arms, others []arm) bool {
	rank := func(arms []arm) int {
		worst := 0
		for _, a := range arms {
			switch {
			case a.few:
			case a.ordered:
				worst = max(worst, 1)
			default:
				worst = 2
			}
		}
		return worst
	}
	return rank(arms) < rank(others)
}

func (q *searchQuery) testArms(c *audience.Condition) []arm {
	if isAddressTest(c) {
		return q.addressArms(c)
	}
	index := q.index(c.Key, c.Operator)
	if index == "" {
		return nil
	}
	a := arm{index: index, tests: []*audience.Condition{c}, few: index == primaryKey}
	switch c.Operator {
	case audience.Exactly:
		a.ordered = !isDay(c.Key, c.Operands[0])
		if never(c.Key, c.Operands[0]) || isAddress(c.Key) && !c.Operands[0].Absent {
			return nil
		}
	case audience.In:
		return q.inArms(c, a)
	case audience.StartsWith:
		if !shownAsOrdered(c.Key) || c.Operands[0].Text == "" {
			return nil
		}
	case audience.GreaterThan, audience.LessThan:
	default:
		return nil
	}
	return []arm{a}
}

// inArms are one for each way in which an In is compared.
func (q *searchQuery) inArms(c *audience.Condition, a arm) (arms []arm) {
	if isAddress(c.Key) {
		return nil
	}
	absent, whole, days := operandGroups(c.Key, c.Operands)
	if absent {
		a.tests = []*audience.Condition{{Key: c.Key, Operator: audience.Exactly, Operands: []audience.Operand{{Absent: true}}}}
		arms = append(arms, a)
	}
	if len(whole) > 0 {
		a.tests = []*audience.Condition{{Key: c.Key, Operator: audience.In, Operands: whole}}
		arms = append(arms, a)
	}
	if len(days) > 0 {
		a.tests, a.days = []*audience.Condition{{Key: c.Key, Operator: audience.In, Operands: days}}, true
		arms = append(arms, a)
	}
	return arms
}

func isAddress(k *audience.SearchKey) bool {
	return k.Type == audience.KeyEmail || k.Type == audience.KeyMobile
}

func isAddressTest(c *audience.Condition) bool {
	return isAddress(c.Key) && len(c.Operands) > 0 && (c.Operator == audience.Exactly || c.Operator == audience.In) &&
		!slices.ContainsFunc(c.Operands, func(o audience.Operand) bool { return o.Absent || o.Impossible })
}

func (q *searchQuery) addressArms(c *audience.Condition) []arm {
	a := arm{index: mobileIndex, tests: []*audience.Condition{c}, few: true, ordered: c.Operator == audience.Exactly}
	if c.Key.Type == audience.KeyMobile {
		return []arm{a}
	}
	first, other := a, a
	first.index, other.index = dedupeIndex, othersIndex
	if q.one {
		return []arm{first}
	}
	first.column, other.column = "dedupe_key", "duplicate_key"
	other.tests = slices.Clone(a.tests)
	return []arm{first, other}
}

// seek writes a query of the IDs that an arm finds.
func (q *searchQuery) seek(a *arm) {
	first, end := a.tests[0], ""
	switch {
	case a.days && q.asArray(first.Key): // PostgreSQL would rather read everything, unless it has to go day by day
		q.add("SELECT id FROM unnest(CAST(? AS TEXT[])) AS day CROSS JOIN LATERAL (", q.operandList(first.Key, first.Operands))
		end = " OFFSET 0) AS found"
		fallthrough
	case !a.days:
		q.add("SELECT id FROM contact" + q.by(a.index) + " WHERE ")
	default:
		q.add("SELECT id FROM (SELECT value AS day FROM "+q.sql.Items("?")+") CROSS JOIN contact"+q.by(a.index)+" WHERE ", q.operandList(first.Key, first.Operands))
	}
	q.inList()
	q.add(" AND ")
	switch {
	case a.days:
		q.add(q.ordered(first.Key) + " BETWEEN day AND day || '" + afterDay + "'")
	case a.column != "" && first.Operator == audience.Exactly:
		q.add(a.column+" = ?", first.Operands[0].Text)
	case a.column != "":
		q.add(a.column+q.inItems(first.Key), q.operandList(first.Key, first.Operands))
	default:
		q.test(first)
	}
	for _, c := range a.tests[1:] {
		q.add(" AND ")
		q.condition(c)
	}
	q.add(end)
}

// seekAll writes one query of the IDs that arms find.
func (q *searchQuery) seekAll(arms []arm, connector string) {
	for i := range arms {
		if i > 0 {
			q.add(connector)
		}
		q.seek(&arms[i])
	}
}

// seekOne is seekAll as a part of a larger query.
func (q *searchQuery) seekOne(arms []arm) {
	if len(arms) == 1 {
		q.seek(&arms[0])
		return
	}
	q.add("SELECT id FROM (")
	q.seekAll(arms, " UNION ALL ")
	q.add(") AS any_arm")
}
