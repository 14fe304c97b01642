package enlist

// This file checks search criteria and converts them to a Condition. condition_key.go finds the
// keys that the tests name. A refusal of one test names its key. A refusal of too many levels,
// tests or values names the limit.

// Condition checks a criteria tree and returns its Condition, or nil if the tree contains no
// test. Errors are of kind InvalidSearch. reference.md: Search; decisions.md: 32
func (k Keys) Condition(c *Criteria) (*Condition, error) {
	if c == nil {
		return nil, nil
	}
	checker := criteriaChecker{keys: k}
	return checker.criteria(c, 1)
}

// criteriaChecker checks one tree, and counts its tests and values for the limits.
type criteriaChecker struct {
	keys     Keys
	tests    int
	operands int
}

// criteria checks one node. It leaves out a group that contains no test, and replaces a
// group of one test by that test. level is the number of nested arrays in the request. An
// All inside an Any adds no level. In the request, the connector "OR" splits one array into
// parts. A part with several tests becomes an All.
func (t *criteriaChecker) criteria(c *Criteria, level int) (*Condition, error) {
	switch {
	case level > MaxCriteriaLevels:
		return nil, Refuse(InvalidSearch, "search criteria may be nested in at most %d levels", MaxCriteriaLevels)
	case c.Any != nil || c.All != nil:
		return t.group(c, level)
	}
	t.tests++
	if t.tests > MaxCriteriaTests {
		return nil, Refuse(InvalidSearch, "search criteria may have at most %d tests", MaxCriteriaTests)
	}
	return t.test(c)
}

func (t *criteriaChecker) group(c *Criteria, level int) (*Condition, error) {
	sent, anyOf := c.All, c.Any != nil
	if anyOf {
		sent = c.Any
	}
	parts := make([]Condition, 0, len(sent))
	for i := range sent {
		below := level
		if sent[i].Any != nil || sent[i].All != nil && !anyOf {
			below++
		}
		part, err := t.criteria(&sent[i], below)
		if err != nil {
			return nil, err
		}
		if part != nil {
			parts = append(parts, *part)
		}
	}
	switch {
	case len(parts) == 0:
		return nil, nil
	case len(parts) == 1:
		return &parts[0], nil
	case anyOf:
		return &Condition{Any: parts}, nil
	}
	return &Condition{All: parts}, nil
}

// test checks one test in this order: its key, its operator, its value.
func (t *criteriaChecker) test(c *Criteria) (*Condition, error) {
	key := t.keys.find(c.Key, c.NotField)
	if key == nil && c.Key == KeySegment && t.keys.Segment != nil {
		return t.segment(c)
	}
	if key == nil || !key.Searchable {
		return nil, RefuseKey(c.Key, "no key %q that can be searched", c.Key)
	}
	if relative, ok := relatives[plainOperator(c.Operator)]; ok && t.keys.Now != nil {
		return t.relativeCondition(key, relative, c)
	}
	op, err := c.operator()
	if err != nil {
		return nil, err
	}
	if op != Exactly && op != Not && op != In {
		switch key.Type {
		case KeyBool:
			return nil, RefuseKey(c.Key, "%s: a flag takes only exactly, not and in", c.Key)
		case KeyPreference:
			return nil, RefuseKey(c.Key, "%s: a preference takes only exactly, not and in", c.Key)
		case KeyTracking:
			return nil, RefuseKey(c.Key, "%s: a decision takes only exactly, not and in", c.Key)
		case KeyCode:
			return nil, RefuseKey(c.Key, "%s: a language takes only exactly, not and in", c.Key)
		case KeyBatch:
			return nil, RefuseKey(c.Key, "%s: the ID of a Batch takes only exactly, not and in", c.Key)
		}
	}
	if err := t.count(op, c.Value); err != nil {
		return nil, err
	}
	p := operandParser{key: key, op: op, country: t.country()}
	operands, problem := p.operands(c.Value)
	if problem != "" {
		return nil, RefuseKey(c.Key, "%s: %s", c.Key, problem)
	}
	return &Condition{Key: key, Operator: op, Operands: operands}, nil
}

// count counts the values of a test for the limit.
func (t *criteriaChecker) count(op Operator, value Input) error {
	t.operands += operandCount(op, value)
	if t.operands > maxOperands {
		return Refuse(InvalidSearch, "search criteria may hold at most %d values", maxOperands)
	}
	return nil
}

// country returns the List's telephone country code, which completes mobile numbers in national
// format. It returns 0 if the records are not Contacts.
func (t *criteriaChecker) country() int64 {
	if t.keys.Schema == nil {
		return 0
	}
	return t.keys.Schema.List.CountryCode
}

// RefuseKey returns an error of kind InvalidSearch about a test. The error contains the test's key.
func RefuseKey(key, format string, args ...any) error {
	err := Refuse(InvalidSearch, format, args...)
	err.Field = key
	return err
}
