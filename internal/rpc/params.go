package rpc

import (
	"cmp"

	"enlist/api"
	"enlist/internal/enlist"
)

// This file reads simple parameters: IDs, texts and flags. The files params_*.go read details of
// records, consent, queries and criteria. All of these files read from the tree that
// params_tree.go builds.

// params are the parameters of a call by position. api_key is at position 0. A method reads all of
// its parameters and then checks err, which describes the first parameter with a wrong shape: a
// wrong JSON type or an invalid value. If err is set, the method must not use the values.
type params struct {
	names  []string // parameter names of the method, api_key first
	values []enlist.Input
	arena  *arena
	err    error

	allByDefault bool // a search without a limit returns all records

	// The List and the Contact of the call; 0 if the method has none. call.shapeError checks them
	// before it returns err.
	listID    enlist.ListID
	contactID enlist.ContactID
}

// omitted is the value of every parameter that the caller did not send.
var omitted enlist.Input

// at returns the parameter at a position. It returns null if the caller did not send the
// parameter. reference.md: value.placeholder
func (p *params) at(i int) *enlist.Input {
	if i < len(p.values) {
		return &p.values[i]
	}
	return &omitted
}

// refuse records that a parameter has the wrong shape.
func (p *params) refuse(i int, expected string) { p.refusePart(i, expected, p.at(i)) }

// refusePart records that a value inside a parameter has the wrong shape.
func (p *params) refusePart(i int, expected string, found *enlist.Input) {
	p.refuseAs(shapeCode(p.names, i), i, expected, describeFound(found))
}

// refuseAs records an error with this code, unless an earlier parameter has an error.
func (p *params) refuseAs(code api.Code, i int, expected, found string) {
	if p.err != nil {
		return
	}
	r := refuse(code, "parameter %d, %s: expected %s, not %s", i+1, p.names[i], expected, found)
	r.position = i + 1
	p.err = r
}

// shapeCode returns the error code for a parameter that has the wrong shape. reference.md: errors.order
func shapeCode(names []string, i int) api.Code {
	if i < len(names) {
		switch names[i] {
		case "search_criteria", "limit", "offset", "sort_by", "sort_order", "returned_fields":
			return api.CodeInvalidSearch
		}
	}
	return api.CodeInvalidParameters
}

// id reads an ID. A value that cannot be an ID, or no value, becomes -1, which no record has. The
// service then returns an error such as 303 or 304, in the published order of checks.
// reference.md: errors.order
func (p *params) id(i int) int64 { return asID(p.at(i)) }

// asID returns the ID in a value, or -1 if the value cannot be an ID. It returns 0 for 0, because
// some methods give 0 a meaning.
func asID(v *enlist.Input) int64 {
	n, ok := v.AsInt()
	if !ok {
		return -1
	}
	return max(n, -1)
}

// list reads the ID of the call's List.
func (p *params) list(i int) enlist.ListID {
	p.listID = enlist.ListID(cmp.Or(p.id(i), -1))
	return p.listID
}

// listOrAll is list for a method in which 0 means all Lists.
func (p *params) listOrAll(i int) enlist.ListID {
	p.listID = enlist.ListID(p.id(i))
	return p.listID
}

// optionalList is listOrAll for a parameter that the caller may omit, which means all Lists.
func (p *params) optionalList(i int) enlist.ListID {
	if p.at(i).IsBlank() {
		return 0
	}
	return p.listOrAll(i)
}

// contact reads the ID of the call's Contact.
func (p *params) contact(i int) enlist.ContactID {
	p.contactID = enlist.ContactID(cmp.Or(p.id(i), -1))
	return p.contactID
}

// text reads a string. It returns "" for null.
func (p *params) text(i int) string {
	v := p.at(i)
	if v.Kind != enlist.InputText && v.Kind != enlist.InputNull {
		p.refuse(i, "a string")
	}
	return v.Text
}

// requiredText reads a string that must not be empty.
func (p *params) requiredText(i int) string {
	if p.at(i).IsBlank() {
		p.refuse(i, "a string that is not empty")
	}
	return p.text(i)
}

// flag reads a boolean that the caller may omit. It returns false for an omitted boolean.
// reference.md: value.placeholder
func (p *params) flag(i int) bool {
	v := p.at(i)
	if v.IsBlank() {
		return false
	}
	b, ok := v.AsBool()
	if !ok {
		p.refuse(i, "true or false")
	}
	return b
}

// choice reads an integer that selects a behaviour, and that the caller may omit. It returns 0
// for an omitted integer.
func (p *params) choice(i int) int64 {
	v := p.at(i)
	if v.IsBlank() {
		return 0
	}
	n, ok := v.AsInt()
	if !ok {
		p.refuse(i, "an integer")
	}
	return n
}

// address reads an email address or a mobile number. A JSON number becomes a text without an
// exponent. The values of a Contact are read in the same way. reference.md: type.coercion
func (p *params) address(i int) string {
	if v := p.at(i); v.Kind == enlist.InputNumber {
		if text, ok := v.AsText(); ok {
			return text
		}
	}
	return p.requiredText(i)
}

// maxShownNumber is the length in bytes of the longest number that an error message quotes.
const maxShownNumber = 30

// describe returns the JSON type of a value in words.
func describe(v *enlist.Input) string { return v.Described() }

// describeFound describes a refused value. It quotes a short number, because the call may be
// refused for the value of the number and not for its JSON type.
func describeFound(v *enlist.Input) string {
	switch {
	case v.Kind == enlist.InputNumber && len(v.Text) <= maxShownNumber:
		return v.Text
	case v.Kind == enlist.InputText && v.Text == "":
		return "an empty string"
	}
	return describe(v)
}
