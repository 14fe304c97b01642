// This file reads the values of a test into operands of its key's type.

package audience

import (
	"math"
	"strconv"
	"strings"

	"enlist/internal/address"
)

// operandParser reads the values of one test. Its methods return a problem
// with a value as a sentence for the caller, "" when there is none.
type operandParser struct {
	key     *SearchKey
	op      Operator
	country int64 // telephone code for national mobile numbers
}

// operands reads the value of a test: one operand or, for In, any number.
func (p *operandParser) operands(value Input) (operands []Operand, problem string) {
	items := []Input{value}
	switch {
	case p.op == In:
		items = inItems(value)
	case value.Kind == InputArray:
		return nil, "a list of values goes with in only"
	}
	operands = make([]Operand, len(items))
	for i := range items {
		operands[i], problem = p.operand(items[i])
		if problem != "" {
			return nil, problem
		}
	}
	return operands, ""
}

// operandCount says how many operands a value has, before it is split.
func operandCount(op Operator, value Input) int {
	switch {
	case op == In && value.Kind == InputText:
		return strings.Count(value.Text, ",") + 1
	case op == In && value.Kind == InputArray:
		return len(value.Items)
	}
	return 1
}

// inItems splits the value of In. An empty text is an empty list. An empty item
// of a list means a record without the value. decisions.md: 35, 36
func inItems(value Input) []Input {
	switch {
	case value.Kind == InputArray:
		return value.Items
	case value.Kind == InputNull || value.Kind == InputText && strings.Trim(value.Text, " ") == "":
		return nil
	case value.Kind != InputText:
		return []Input{value}
	}
	var items []Input
	for item := range strings.SplitSeq(value.Text, ",") {
		items = append(items, Input{Kind: InputText, Text: strings.Trim(item, " ")})
	}
	return items
}

// operand reads one value by the type of the key. Operators that look for a
// part of a text take any text, whatever the type.
func (p *operandParser) operand(value Input) (o Operand, problem string) {
	text, ok := value.scalarText()
	whole := p.op == Exactly || p.op == Not || p.op == In
	flag := value.Kind == InputTrue || value.Kind == InputFalse
	switch {
	case !ok:
		return Operand{}, "the value must be a text or a number"
	case p.op == StartsWith || p.op == EndsWith || p.op == Contains:
		return Operand{Text: address.LowerASCII(text)}, ""
	case text == "" && whole:
		return Operand{Absent: true}, ""
	case flag && (p.key.Type == KeyInt || p.key.Type == KeyNumber):
		return Operand{}, "the value must be a number"
	}
	switch p.key.Type {
	case KeyInt:
		return p.integer(text)
	case KeyBool:
		return flagOperand(value)
	case KeyNumber:
		return numberOperand(text)
	case KeyDate:
		return dateOperand(text)
	case KeyEmail, KeyMobile:
		if whole {
			return p.address(text), ""
		}
	}
	text = address.LowerASCII(text)
	if !whole {
		text = firstCharacters(text)
	}
	return Operand{Text: text}, ""
}

// integer reads a number to compare integers with. A number with a fraction
// equals no integer; for GreaterThan and LessThan it becomes the integer beside
// it that gives the same result.
func (p *operandParser) integer(text string) (o Operand, problem string) {
	o, problem = numberOperand(text)
	if problem != "" {
		return o, problem
	}
	floor := math.Floor(o.Number)
	o.Int = int64(floor) // exact: below 1e15
	if floor != o.Number {
		o.Impossible = p.op != GreaterThan && p.op != LessThan
		if p.op == LessThan {
			o.Int++
		}
	}
	return o, ""
}

// numberOperand keeps the text for comparing parts of a number, and the double for its value.
func numberOperand(text string) (o Operand, problem string) {
	plain, _ := ParseDecimal(text) // "" when it is no decimal number, which ParseFloat refuses
	number, err := strconv.ParseFloat(plain, 64)
	if err != nil {
		return Operand{}, "the value must be a number of at most 15 digits"
	}
	return Operand{Text: plain, Number: number}, ""
}

// flagOperand takes the spellings of a boolean parameter.
func flagOperand(value Input) (o Operand, problem string) {
	on, ok := value.AsBool()
	switch {
	case !ok:
		return Operand{}, "the value must be 1 or 0"
	case on:
		return Operand{Text: "1", Int: 1}, ""
	}
	return Operand{Text: "0"}, ""
}

// dateOperand takes every form that a Date Field of any time format takes.
func dateOperand(text string) (o Operand, problem string) {
	iso, ok := ParseDate(text, time12)
	if !ok {
		return Operand{}, "the value must be a date such as 2026-01-31 or 2026-01-31 17:05:00"
	}
	return Operand{Text: iso}, ""
}

// address normalises an address to compare it whole. A text that is not an
// address equals no stored value.
func (p *operandParser) address(text string) Operand {
	if p.key.Type == KeyMobile {
		key := address.NormaliseMobile(text, p.country)
		return Operand{Text: key, Impossible: key == ""}
	}
	_, key, ok := address.ParseEmail(text)
	return Operand{Text: key, Impossible: !ok}
}
