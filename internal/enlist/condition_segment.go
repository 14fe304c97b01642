package enlist

import (
	"slices"
	"strconv"
)

// This file has the key of criteria that finds the Contacts of Segments. A Segment is named criteria of a List. A test
// of this key becomes the condition of the Segments that it names, so package search never sees the key.

// KeySegment is the name of the key. The operand is the ID of a Segment, or IDs with In. A Field with this name takes
// precedence in criteria of callers. reference.md: compare.segment
const KeySegment = "segment_id"

// InSegment returns the criteria that find the Contacts of a Segment.
func InSegment(id SegmentID) *Criteria {
	value := Input{Kind: InputNumber, Text: strconv.FormatInt(int64(id), 10)}
	return &Criteria{Key: KeySegment, Operator: "exactly", Value: value, NotField: true}
}

// SegmentsOf returns the Segments if the criteria test only whether a Contact is in one of them, as InSegment and
// InSegments do. Otherwise it returns nil.
func (c *Criteria) SegmentsOf() (ids []SegmentID) {
	switch {
	case c == nil:
	case len(c.All) == 1:
		return c.All[0].SegmentsOf()
	case c.Key == KeySegment:
		ids, _ = c.segments()
	}
	return ids
}

// InSegments returns the criteria that a Contact is in at least one of some Segments.
func InSegments(ids []SegmentID) *Criteria {
	value := Input{Kind: InputArray}
	for _, id := range ids {
		value.Items = append(value.Items, InSegment(id).Value)
	}
	return &Criteria{Key: KeySegment, Operator: "in", Value: value, NotField: true}
}

// NamesSegment reports whether a test of the criteria names a Segment.
func (c *Criteria) NamesSegment(id SegmentID) bool { return slices.Contains(c.SegmentsNamed(), id) }

// SegmentsNamed returns the Segments that tests of the criteria name.
func (c *Criteria) SegmentsNamed() (ids []SegmentID) {
	if c == nil {
		return nil
	}
	if c.Key == KeySegment {
		ids, _ = c.segments()
	}
	for _, parts := range [][]Criteria{c.All, c.Any} {
		for i := range parts {
			ids = append(ids, parts[i].SegmentsNamed()...)
		}
	}
	return ids
}

// segments returns the IDs of a test of KeySegment, in ascending order.
func (c *Criteria) segments() (ids []SegmentID, err error) {
	op, _ := operatorCalled(c.Operator)
	if op != Exactly && op != In {
		return nil, RefuseKey(c.Key, "%s: the ID of a Segment takes only exactly and in", c.Key)
	}
	p := operandParser{key: &SearchKey{Name: KeySegment, Type: KeyInt}, op: op}
	operands, problem := p.operands(c.Value)
	if problem != "" {
		return nil, RefuseKey(c.Key, "%s: %s", c.Key, problem)
	}
	for _, o := range operands {
		if o.Absent || o.Impossible || o.Int <= 0 {
			return nil, RefuseKey(c.Key, "%s: expected the ID of a Segment", c.Key)
		}
		ids = append(ids, SegmentID(o.Int))
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// segment checks a test of KeySegment, and returns the condition that a Contact is in at least one of the Segments.
// Their tests and values count for the limits of the tree. Their levels are counted for each Segment, because it was
// checked alone. A Segment cannot name another one.
func (t *criteriaChecker) segment(c *Criteria) (*Condition, error) {
	t.tests-- // the tests of the Segment count in place of this one
	if err := t.count(In, c.Value); err != nil {
		return nil, err
	}
	ids, err := c.segments()
	if err != nil {
		return nil, err
	}
	parts := make([]Condition, 0, min(len(ids), MaxCriteriaTests))
	for _, id := range ids {
		criteria, err := t.keys.Segment(id)
		if err != nil {
			return nil, err
		}
		inside := criteriaChecker{keys: Keys{System: t.keys.System, Schema: t.keys.Schema, Now: t.keys.Now}, tests: t.tests,
			operands: t.operands}
		part, err := inside.criteria(criteria, 1)
		switch {
		case err != nil:
			return nil, RefuseKey(c.Key, "%s: in Segment %d: %s", c.Key, id, err)
		case part == nil:
			return nil, RefuseKey(c.Key, "%s: Segment %d has no criteria", c.Key, id)
		}
		t.tests, t.operands = inside.tests, inside.operands
		parts = append(parts, *part)
	}
	switch len(parts) {
	case 0: // reference.md: op.in
		return &Condition{Key: &SearchKey{Name: "id", Type: KeyInt, Searchable: true}, Operator: In}, nil
	case 1:
		return &parts[0], nil
	}
	return &Condition{Any: parts}, nil
}
