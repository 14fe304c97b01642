package audience

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// comparedText is how many characters of a text greater_than, less_than and
// sorting look at. decisions.md: 36
const comparedText = 200

// searchRecords filters, sorts and pages records that are few enough to be in
// memory: Lists, Fields, preferences, Folders. rows may come in any order and
// is not changed. Errors are of kind InvalidSearch.
func searchRecords[T any](attributes []Attribute[T], rows []T, q Query) ([]T, error) {
	found := collector[T]{attributes: attributes}
	if err := found.begin(q); err != nil {
		return nil, err
	}
	for i := range rows {
		found.add(&rows[i])
	}
	return found.page(), nil
}

// collector is a search over records that come one by one.
type collector[T any] struct {
	attributes []Attribute[T]
	query      Query
	where      *Condition
	sort       *SearchKey
	found      []T
}

func (c *collector[T]) begin(q Query) (err error) {
	if q.Limit < 0 || q.Offset < 0 {
		return errNegativePage
	}
	k := keys{system: attributeKeys(c.attributes)}
	c.query = q
	if c.where, err = k.condition(q.Criteria); err != nil {
		return err
	}
	if c.where != nil {
		c.where.sortOperands()
	}
	c.sort, err = k.sort(q.SortBy)
	return err
}

// add keeps a record that matches.
func (c *collector[T]) add(row *T) {
	if c.where == nil || c.where.matches(func(k *SearchKey) Value { return c.attributes[k.index].Get(row) }) {
		c.found = append(c.found, *row)
	}
}

// full reports whether records yet to come cannot be in the page. Only right
// when they come in the order of their IDs.
func (c *collector[T]) full() bool {
	return c.sort == nil && c.query.Limit > 0 && int64(len(c.found))-c.query.Offset >= c.query.Limit
}

// page sorts what was kept, ties by ID in the same direction, and cuts it.
func (c *collector[T]) page() []T {
	var ties func(*T) Value // nil for records without an ID: as they came
	for i := range c.attributes {
		if c.attributes[i].Name == "id" {
			ties = c.attributes[i].Get
		}
	}
	descending := c.query.Descending && c.sort != nil
	if descending {
		slices.Reverse(c.found) // so that ties which keep their order are the right way round
	}
	if c.sort != nil || ties != nil {
		slices.SortStableFunc(c.found, func(a, b T) (order int) {
			if c.sort != nil {
				get := c.attributes[c.sort.index].Get
				order = get(&a).compare(get(&b))
			}
			if order == 0 && ties != nil {
				order = ties(&a).compare(ties(&b))
			}
			if descending {
				return -order
			}
			return order
		})
	}
	rows := c.found[min(c.query.Offset, int64(len(c.found))):]
	if c.query.Limit > 0 && int64(len(rows)) > c.query.Limit {
		rows = rows[:c.query.Limit]
	}
	return rows
}

func (c Value) compare(other Value) int {
	if c.Kind == KeyText {
		return cmp.Compare(firstCharacters(lowerASCII(c.Text)), firstCharacters(lowerASCII(other.Text)))
	}
	return cmp.Compare(c.Int, other.Int)
}

// sortOperands makes each In test ready for isIn: a list of operands may be as
// long as that of the records.
func (c *Condition) sortOperands() {
	for _, parts := range [][]Condition{c.All, c.Any} {
		for i := range parts {
			parts[i].sortOperands()
		}
	}
	if c.Operator != In {
		return
	}
	if c.Key.Type != KeyText {
		c.Operands = slices.DeleteFunc(c.Operands, func(o Operand) bool { return o.Absent || o.Impossible })
	}
	slices.SortFunc(c.Operands, func(a, b Operand) int {
		if c.Key.Type == KeyText {
			return cmp.Compare(a.Text, b.Text)
		}
		return cmp.Compare(a.Int, b.Int)
	})
}

// isIn reports whether the value equals one of sorted operands.
func (c Value) isIn(operands []Operand) bool {
	text := lowerASCII(c.Text)
	_, found := slices.BinarySearchFunc(operands, c, func(o Operand, c Value) int {
		if c.Kind == KeyText {
			return cmp.Compare(o.Text, text)
		}
		return cmp.Compare(o.Int, c.Int)
	})
	return found
}

// matches reports whether a record satisfies the condition; get returns the
// record's value of a key. For keys of type KeyInt, KeyBool and KeyText.
func (c *Condition) matches(get func(*SearchKey) Value) bool {
	matches := func(part Condition) bool { return part.matches(get) }
	switch {
	case c.Key != nil:
		return c.test(get(c.Key))
	case c.Any != nil:
		return slices.ContainsFunc(c.Any, matches)
	}
	return !slices.ContainsFunc(c.All, func(part Condition) bool { return !matches(part) })
}

func (c *Condition) test(value Value) bool {
	if c.Operator == In {
		return value.isIn(c.Operands)
	}
	operand := c.Operands[0]
	switch c.Operator {
	case Exactly:
		return value.equals(operand)
	case Not:
		return !value.equals(operand)
	case StartsWith:
		return strings.HasPrefix(value.shown(), operand.Text)
	case EndsWith:
		return strings.HasSuffix(value.shown(), operand.Text)
	case Contains:
		return strings.Contains(value.shown(), operand.Text)
	}
	if value.Kind == KeyText && value.Text == "" {
		return false
	}
	order := value.compare(Value{Kind: value.Kind, Int: operand.Int, Text: operand.Text})
	return c.Operator == GreaterThan && order > 0 || c.Operator == LessThan && order < 0
}

func (c Value) equals(o Operand) bool {
	switch {
	case o.Impossible:
		return false
	case c.Kind == KeyText:
		return lowerASCII(c.Text) == o.Text
	}
	return !o.Absent && c.Int == o.Int
}

// shown is the value as replies have it, lower-cased.
func (c Value) shown() string {
	if c.Kind == KeyText {
		return lowerASCII(c.Text)
	}
	return strconv.FormatInt(c.Int, 10)
}

// firstCharacters cuts a text to the characters that are compared for order.
func firstCharacters(s string) string {
	if len(s) <= comparedText {
		return s
	}
	characters := 0
	for i := range s {
		if characters == comparedText {
			return s[:i]
		}
		characters++
	}
	return s
}
