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
type indexScan struct {
	index     string
	tests     []*audience.Condition
	column    string // of addresses, that the first test compares; "": it is written as any other
	days      bool   // the first test is an In of days
	ordered   bool   // what it finds is in the order of IDs
	selective bool   // it finds hardly more than there are operands
}

// direct reports whether a search may walk the arm's index with the arm's tests
// as bounds, rather than go by the IDs that the arm finds.
func (a *indexScan) direct() bool { return a.column == "" && !a.days }

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

// scansOf returns scans that together find all that meet a condition, and nothing
// else; none where indexes cannot.
func (q *searchQuery) scansOf(c *audience.Condition) (scans []indexScan) {
	switch {
	case c.Key != nil:
		return q.testScans(c)
	case c.Any != nil:
		for i := range c.Any {
			part := q.scansOf(&c.Any[i])
			if part == nil {
				return nil
			}
			scans = append(scans, part...)
		}
		return scans
	}
	for i := range c.All {
		if part := q.scansOf(&c.All[i]); part != nil && (scans == nil || better(part, scans)) {
			scans = part
		}
	}
	for i := range scans {
		scans[i].tests = append(scans[i].tests, c)
	}
	return scans
}

// better reports whether scans probably find less than others.
func better(scans, others []indexScan) bool {
	rank := func(scans []indexScan) int {
		worst := 0
		for _, a := range scans {
			switch {
			case a.selective:
			case a.ordered:
				worst = max(worst, 1)
			default:
				worst = 2
			}
		}
		return worst
	}
	return rank(scans) < rank(others)
}

func (q *searchQuery) testScans(c *audience.Condition) []indexScan {
	if isAddressTest(c) {
		return q.addressScans(c)
	}
	index := q.index(c.Key, c.Operator)
	if index == "" {
		return nil
	}
	a := indexScan{index: index, tests: []*audience.Condition{c}, selective: index == primaryKey}
	switch c.Operator {
	case audience.Exactly:
		a.ordered = !isDay(c.Key, c.Operands[0])
		if never(c.Key, c.Operands[0]) || isAddress(c.Key) && !c.Operands[0].Absent {
			return nil
		}
	case audience.In:
		return q.inScans(c, a)
	case audience.StartsWith:
		if !shownAsOrdered(c.Key) || c.Operands[0].Text == "" {
			return nil
		}
	case audience.GreaterThan, audience.LessThan:
	default:
		return nil
	}
	return []indexScan{a}
}

// inScans are one for each way in which an In is compared.
func (q *searchQuery) inScans(c *audience.Condition, a indexScan) (scans []indexScan) {
	if isAddress(c.Key) {
		return nil
	}
	absent, whole, days := operandGroups(c.Key, c.Operands)
	if absent {
		a.tests = []*audience.Condition{{Key: c.Key, Operator: audience.Exactly, Operands: []audience.Operand{{Absent: true}}}}
		scans = append(scans, a)
	}
	if len(whole) > 0 {
		a.tests = []*audience.Condition{{Key: c.Key, Operator: audience.In, Operands: whole}}
		scans = append(scans, a)
	}
	if len(days) > 0 {
		a.tests, a.days = []*audience.Condition{{Key: c.Key, Operator: audience.In, Operands: days}}, true
		scans = append(scans, a)
	}
	return scans
}

func isAddress(k *audience.SearchKey) bool {
	return k.Type == audience.KeyEmail || k.Type == audience.KeyMobile
}

func isAddressTest(c *audience.Condition) bool {
	return isAddress(c.Key) && len(c.Operands) > 0 && (c.Operator == audience.Exactly || c.Operator == audience.In) &&
		!slices.ContainsFunc(c.Operands, func(o audience.Operand) bool { return o.Absent || o.Impossible })
}

func (q *searchQuery) addressScans(c *audience.Condition) []indexScan {
	a := indexScan{index: mobileIndex, tests: []*audience.Condition{c}, selective: true, ordered: c.Operator == audience.Exactly}
	if c.Key.Type == audience.KeyMobile {
		return []indexScan{a}
	}
	first, other := a, a
	first.index, other.index = dedupeIndex, othersIndex
	if q.one {
		return []indexScan{first}
	}
	first.column, other.column = "dedupe_key", "duplicate_key"
	other.tests = slices.Clone(a.tests)
	return []indexScan{first, other}
}

// seek writes a query of the IDs that an arm finds.
func (q *searchQuery) scan(a *indexScan) {
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

// scanAll writes one query of the IDs that scans find.
func (q *searchQuery) scanAll(scans []indexScan, connector string) {
	for i := range scans {
		if i > 0 {
			q.add(connector)
		}
		q.scan(&scans[i])
	}
}

// scanOne is scanAll as a part of a larger query.
func (q *searchQuery) scanOne(scans []indexScan) {
	if len(scans) == 1 {
		q.scan(&scans[0])
		return
	}
	q.add("SELECT id FROM (")
	q.scanAll(scans, " UNION ALL ")
	q.add(") AS any_scan")
}
