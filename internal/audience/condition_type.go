// This file checks criteria against the keys of a List or a kind of record and
// gives them types. Each refusal names the key and what the caller may send.

package audience

// condition checks a criteria tree and returns its Condition, nil when it
// holds no test. Errors are of kind InvalidSearch. decisions.md: 32–36
func (k keys) condition(c *Criteria) (*Condition, error) {
	if c == nil {
		return nil, nil
	}
	checker := criteriaChecker{keys: k}
	return checker.criteria(c, 1)
}

// criteriaChecker checks one tree, and counts its tests and values for the limits.
type criteriaChecker struct {
	keys     keys
	tests    int
	operands int
}

// criteria checks one node. A group without a test in it is left out, and a
// group of one test becomes that test. Levels are those of the arrays that
// were sent: an All directly in an Any is the part of an array between two
// "OR", so it adds no level.
func (t *criteriaChecker) criteria(c *Criteria, level int) (*Condition, error) {
	switch {
	case level > MaxCriteriaLevels:
		return nil, Refuse(InvalidSearch, "search criteria may be nested in at most %d levels", MaxCriteriaLevels)
	case c.Any != nil:
		parts, err := t.group(c.Any, level, true)
		if err != nil || len(parts) < 2 {
			return firstOrNone(parts), err
		}
		return &Condition{Any: parts}, nil
	case c.All != nil:
		parts, err := t.group(c.All, level, false)
		if err != nil || len(parts) < 2 {
			return firstOrNone(parts), err
		}
		return &Condition{All: parts}, nil
	}
	t.tests++
	if t.tests > MaxCriteriaTests {
		return nil, Refuse(InvalidSearch, "search criteria may have at most %d tests", MaxCriteriaTests)
	}
	return t.test(c)
}

// group checks the parts of a group.
func (t *criteriaChecker) group(parts []Criteria, level int, anyOf bool) ([]Condition, error) {
	typed := make([]Condition, 0, len(parts))
	for i := range parts {
		below := level
		if parts[i].Any != nil || parts[i].All != nil && !anyOf {
			below++
		}
		part, err := t.criteria(&parts[i], below)
		if err != nil {
			return nil, err
		}
		if part != nil {
			typed = append(typed, *part)
		}
	}
	return typed, nil
}

func firstOrNone(parts []Condition) *Condition {
	if len(parts) == 0 {
		return nil
	}
	return &parts[0]
}

// test checks one test: its key, its operator, then its value.
func (t *criteriaChecker) test(c *Criteria) (*Condition, error) {
	key := t.keys.find(c.Key)
	if key == nil || !key.Searchable {
		return nil, refuseKey(c.Key, "no key %q that can be searched", c.Key)
	}
	op, ok := operators[c.Operator]
	if !ok {
		return nil, refuseKey(c.Key, "%s: operator %q is none of exactly, not, greater_than, less_than, in, "+
			"starts_with, ends_with, contains", c.Key, c.Operator)
	}
	if key.Type == KeyBool && op != Exactly && op != Not && op != In {
		return nil, refuseKey(c.Key, "%s: a flag takes only exactly, not and in", c.Key)
	}
	t.operands += operandCount(op, c.Value)
	if t.operands > maxOperands {
		return nil, Refuse(InvalidSearch, "search criteria may hold at most %d values", maxOperands)
	}
	p := operandParser{key: key, op: op, country: t.country()}
	operands, problem := p.operands(c.Value)
	if problem != "" {
		return nil, refuseKey(c.Key, "%s: %s", c.Key, problem)
	}
	return &Condition{Key: key, Operator: op, Operands: operands}, nil
}

// country is the telephone code for national mobile numbers; 0 when the
// records are not Contacts.
func (t *criteriaChecker) country() int64 {
	if t.keys.schema == nil {
		return 0
	}
	return t.keys.schema.List.CountryCode
}

// refuseKey refuses a test and names its key.
func refuseKey(key, format string, args ...any) error {
	err := Refuse(InvalidSearch, format, args...)
	err.Field = key
	return err
}
