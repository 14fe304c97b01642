package enlist

import (
	"math"
	"strconv"
	"strings"

	"enlist/internal/address"
)

// This file converts the values that a test in criteria contains to operands of the key's type.

// operandParser reads the values of one test. If a value is not valid, its methods return
// the problem as a sentence for the caller. Otherwise problem is "".
type operandParser struct {
	key     *SearchKey
	op      Operator
	country int64 // telephone country code that completes mobile numbers in national format
}

// operands reads the value of a test. It returns one operand or, for In, any number of operands.
func (p *operandParser) operands(value Input) (operands []Operand, problem string) {
	items := []Input{value}
	switch {
	case p.op == In:
		items = inItems(value)
	case value.Kind == InputArray:
		return nil, "only the operator in takes a list of values"
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

// operandCount returns how many operands a value contains. It does not split the value.
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
// of a list means a record without the value. reference.md: op.in, compare
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
		items = append(items, TextInput(strings.Trim(item, " ")))
	}
	return items
}

// operand reads one value as the type of the key requires. StartsWith, EndsWith and Contains
// take any text, for keys of every type.
func (p *operandParser) operand(value Input) (o Operand, problem string) {
	text, ok := value.ScalarText()
	equality := p.op == Exactly || p.op == Not || p.op == In
	isFlag := value.Kind == InputTrue || value.Kind == InputFalse
	switch {
	case !ok:
		return Operand{}, "the value must be a text or a number"
	case p.op == StartsWith || p.op == EndsWith || p.op == Contains:
		return Operand{Text: address.LowerASCII(text)}, ""
	case text == "" && equality && p.key.Type != KeyCode:
		return Operand{Absent: true}, ""
	case isFlag && (p.key.Type == KeyInt || p.key.Type == KeyNumber || p.key.Type == KeyBatch):
		return Operand{}, "the value must be a number"
	}
	switch p.key.Type {
	case KeyInt, KeyBatch:
		return p.integer(text)
	case KeyBool, KeyPreference:
		return flagOperand(value)
	case KeyTracking:
		return trackingOperand(text)
	case KeyNumber:
		return numberOperand(text)
	case KeyDate:
		return dateOperand(text)
	case KeyEmail, KeyMobile:
		if equality {
			return p.address(text), ""
		}
	}
	text = address.LowerASCII(text)
	if !equality {
		text = FirstCharacters(text)
	}
	return Operand{Text: text}, ""
}

// integer reads a number that is compared with integers. A number with a fraction equals no
// integer. For GreaterThan it is rounded down, and for LessThan it is rounded up. This does not
// change which integers match.
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

// numberOperand returns a number as text in its stored form and as a double.
func numberOperand(text string) (o Operand, problem string) {
	plain, _ := ParseDecimal(text) // "" if the text is not a decimal number; ParseFloat refuses ""
	number, err := strconv.ParseFloat(plain, 64)
	if err != nil {
		return Operand{}, "the value must be a number of at most 15 digits"
	}
	return Operand{Text: plain, Number: number}, ""
}

// flagOperand reads a flag. It accepts every spelling that a boolean parameter accepts.
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

// trackingOperand reads a decision about the recording of opens and clicks.
func trackingOperand(text string) (o Operand, problem string) {
	consent, ok := TrackingOf(text)
	if !ok {
		return Operand{}, "the value must be unknown, granted or denied"
	}
	return Operand{Text: consent.String(), Int: int64(consent)}, ""
}

// dateOperand reads a date in every form that a Date Field of any time format accepts.
func dateOperand(text string) (o Operand, problem string) {
	iso, ok := ParseDate(text, Time12)
	if !ok {
		return Operand{}, "the value must be a date such as 2026-01-31 or 2026-01-31 17:05:00"
	}
	return Operand{Text: iso}, ""
}

// address normalises an address for Exactly, Not and In. A text that is not an address
// equals no stored value.
func (p *operandParser) address(text string) Operand {
	if p.key.Type == KeyMobile {
		key := address.NormaliseMobile(text, p.country)
		return Operand{Text: key, Impossible: key == ""}
	}
	_, key, ok := address.ParseEmail(text)
	return Operand{Text: key, Impossible: !ok}
}
