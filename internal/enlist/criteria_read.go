package enlist

import (
	"errors"
	"fmt"
	"strings"
)

// This file reads criteria from a value that a caller sent: triples and groups of triples, joined by the strings "OR" and
// "AND". condition_type.go checks the keys and values later, when the Fields of the List are known.

// ReadCriteria reads an array of parts, or a single triple without an array around it. If two parts have no connector
// between them, it joins them by AND. It returns nil if there is no triple. The error says what has the wrong form.
// reference.md: Search, search.connectors
func ReadCriteria(v *Input) (*Criteria, error) {
	var r criteriaReader
	switch {
	case v.IsBlank():
		return nil, nil
	case v.IsScalar():
		return nil, errors.New("expected an array of triples")
	case v.Kind == InputObject || isTriple(v):
		return r.part(v, 1)
	}
	return r.group(v, 1)
}

// Check refuses criteria with an unknown operator. Only a List knows the keys.
func (c *Criteria) Check() error {
	if c == nil {
		return nil
	}
	for _, parts := range [][]Criteria{c.All, c.Any} {
		for i := range parts {
			if err := parts[i].Check(); err != nil {
				return err
			}
		}
	}
	if c.All != nil || c.Any != nil {
		return nil
	}
	if _, ok := relatives[plainOperator(c.Operator)]; ok {
		return nil
	}
	_, err := c.operator()
	return err
}

// operator returns the operator of a test.
func (c *Criteria) operator() (Operator, error) {
	op, ok := operatorCalled(c.Operator)
	if !ok {
		return 0, RefuseKey(c.Key, "%s: operator %q is none of exactly, not, greater_than, less_than, in, "+
			"starts_with, ends_with, contains", c.Key, c.Operator)
	}
	return op, nil
}

// criteriaReader counts the triples that it reads. It refuses more than MaxCriteriaTests triples.
type criteriaReader struct{ triples int }

// group reads an array of parts. AND has a higher precedence than OR. group ignores a connector
// that has no part before it or no part after it.
func (r *criteriaReader) group(v *Input, level int) (*Criteria, error) {
	if level > MaxCriteriaLevels {
		return nil, fmt.Errorf("more than %d levels", MaxCriteriaLevels)
	}
	var alternatives, together []Criteria
	for i := range v.Items {
		item := &v.Items[i]
		if or, ok := connector(item); ok {
			if or && len(together) > 0 {
				alternatives = append(alternatives, allOf(together))
				together = nil
			}
			continue
		}
		part, err := r.part(item, level)
		if err != nil {
			return nil, err
		}
		if part != nil {
			together = append(together, *part)
		}
	}
	if len(together) > 0 {
		alternatives = append(alternatives, allOf(together))
	}
	switch len(alternatives) {
	case 0:
		return nil, nil
	case 1:
		return &alternatives[0], nil
	}
	return &Criteria{Any: alternatives}, nil
}

// allOf joins parts by AND. It returns a single part unchanged.
func allOf(parts []Criteria) Criteria {
	if len(parts) == 1 {
		return parts[0]
	}
	return Criteria{All: parts}
}

// connector reports whether an item is a connector, in any letter case. The result or is true for
// "OR" and false for "AND".
func connector(v *Input) (or, ok bool) {
	if v.Kind != InputText {
		return false, false
	}
	or = strings.EqualFold(v.Text, "OR")
	return or, or || strings.EqualFold(v.Text, "AND")
}

// part reads a triple or a group.
func (r *criteriaReader) part(v *Input, level int) (*Criteria, error) {
	switch {
	case v.Kind == InputObject:
		return r.object(v)
	case v.Kind == InputArray && isTriple(v):
		if len(v.Items) != 3 {
			return nil, fmt.Errorf("a triple has three elements: key, operator, value")
		}
		return r.triple(&v.Items[0], &v.Items[1], &v.Items[2])
	case v.Kind == InputArray:
		return r.group(v, level+1)
	}
	return nil, fmt.Errorf("expected an array of triples, found %s in it", v.Described())
}

// isTriple reports whether an array is a triple. Otherwise it is a group. The first item of a
// triple is a key, which is a string. A Field may have the name "OR" or "AND". If the first item is
// "OR" or "AND", the array is a triple only if it has three items and the second is an operator.
func isTriple(v *Input) bool {
	if len(v.Items) == 0 || v.Items[0].Kind != InputText {
		return false
	}
	if _, ok := connector(&v.Items[0]); !ok {
		return true
	}
	if len(v.Items) != 3 || v.Items[1].Kind != InputText {
		return false
	}
	_, ok := connector(&v.Items[1])
	return !ok
}

// object reads a triple that is an object with the members field, modifier and value.
func (r *criteriaReader) object(v *Input) (*Criteria, error) {
	var key, operator, operand *Input
	for i := range v.Items {
		switch item := &v.Items[i]; item.Name {
		case "field":
			key = item
		case "modifier":
			operator = item
		case "value":
			operand = item
		default:
			return nil, fmt.Errorf("a triple has field, modifier and value, not %q", item.Name)
		}
	}
	if key == nil || operator == nil || operand == nil {
		return nil, fmt.Errorf("a triple has field, modifier and value")
	}
	return r.triple(key, operator, operand)
}

// triple reads a key, operator and operand, and checks their JSON types.
func (r *criteriaReader) triple(key, operator, operand *Input) (*Criteria, error) {
	r.triples++
	switch {
	case r.triples > MaxCriteriaTests:
		return nil, fmt.Errorf("more than %d triples", MaxCriteriaTests)
	case key.Kind != InputText:
		return nil, fmt.Errorf("a key is a string, not %s", key.Described())
	case operator.Kind != InputText:
		return nil, fmt.Errorf("an operator is a string, not %s", operator.Described())
	case operand.Kind == InputObject:
		return nil, fmt.Errorf("the value for %q is an object", key.Text)
	}
	for i := range operand.Items {
		if item := &operand.Items[i]; !item.IsScalar() {
			return nil, fmt.Errorf("the value for %q contains %s", key.Text, item.Described())
		}
	}
	return &Criteria{Key: key.Text, Operator: operator.Text, Value: *operand}, nil
}

// Described returns the JSON type of a value in words.
func (in *Input) Described() string {
	return [...]string{
		InputNull: "null", InputText: "a string", InputNumber: "a number", InputTrue: "a boolean", InputFalse: "a boolean",
		InputArray: "an array", InputObject: "an object",
	}[in.Kind]
}
