package audience

// Limits of a criteria tree. decisions.md: 33
const (
	maxTests  = 100
	maxLevels = 10

	// maxOperands bounds the values of all tests together. Reading a mobile
	// number costs 4 µs, and nobody is to wait for seconds of that.
	maxOperands = 200_000
)

// condition types a criteria tree; nil when it has no test in it. Errors are
// of kind InvalidSearch. decisions.md: 32–36
func (k keys) condition(c *Criteria) (*Condition, error) {
	if c == nil {
		return nil, nil
	}
	t := typing{keys: k}
	return t.criteria(c, 1)
}

type typing struct {
	keys     keys
	tests    int
	operands int
}

// criteria types one node. Groups without a test in them are left out, and a
// group of one is that one. An All directly in an Any is what "OR" made of a
// part of the same array, so it is no level of its own.
func (t *typing) criteria(c *Criteria, level int) (*Condition, error) {
	switch {
	case level > maxLevels:
		return nil, Refuse(InvalidSearch, "search criteria may be nested in at most %d levels", maxLevels)
	case c.Any != nil:
		parts, err := t.group(c.Any, level, true)
		if err != nil || len(parts) < 2 {
			return only(parts), err
		}
		return &Condition{Any: parts}, nil
	case c.All != nil:
		parts, err := t.group(c.All, level, false)
		if err != nil || len(parts) < 2 {
			return only(parts), err
		}
		return &Condition{All: parts}, nil
	}
	if t.tests++; t.tests > maxTests {
		return nil, Refuse(InvalidSearch, "search criteria may have at most %d tests", maxTests)
	}
	return t.test(c)
}

func (t *typing) group(parts []Criteria, level int, anyOf bool) ([]Condition, error) {
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

func only(parts []Condition) *Condition {
	if len(parts) == 0 {
		return nil
	}
	return &parts[0]
}

func (t *typing) test(c *Criteria) (*Condition, error) {
	key := t.keys.find(c.Key)
	if key == nil || !key.Searchable {
		return nil, aboutKey(c.Key, "no key %q that can be searched", c.Key)
	}
	op, ok := operators[c.Operator]
	if !ok {
		return nil, aboutKey(c.Key, "%s: operator %q is none of exactly, not, greater_than, less_than, in, starts_with, ends_with, contains", c.Key, c.Operator)
	}
	if key.Type == KeyBool && op != Exactly && op != Not && op != In {
		return nil, aboutKey(c.Key, "%s: a flag takes only exactly, not and in", c.Key)
	}
	if t.operands += operandCount(op, c.Value); t.operands > maxOperands {
		return nil, Refuse(InvalidSearch, "search criteria may hold at most %d values", maxOperands)
	}
	p := operandParser{key: key, op: op, country: t.country()}
	operands, err := p.operands(c.Value)
	if err != "" {
		return nil, aboutKey(c.Key, "%s: %s", c.Key, err)
	}
	return &Condition{Key: key, Operator: op, Operands: operands}, nil
}

func (t *typing) country() int64 {
	if t.keys.schema == nil {
		return 0
	}
	return t.keys.schema.List.CountryCode
}

func aboutKey(key, format string, args ...any) error {
	err := Refuse(InvalidSearch, format, args...)
	err.Field = key
	return err
}

// decisions.md: 32
var operators = map[string]Operator{
	"exactly": Exactly, "equal": Exactly, "equals": Exactly, "not": Not,
	"greater_than": GreaterThan, "less_than": LessThan, "in": In,
	"starts_with": StartsWith, "ends_with": EndsWith, "contains": Contains,
}
