package xmlrpc

// This file says which elements a call has, and which element may be in which other element.

// kind is the role of an element.
type kind int

// The elements of a call. The kinds from array to null are the types of a value.
const (
	document kind = iota // contains methodCall
	call
	methodName
	params
	param
	value
	data
	member
	name
	array
	structure
	text // string
	integer
	boolean
	double
	dateTime
	base64Text
	null
)

// kinds has the kind of each element by its name. i8 and nil are extensions of Apache, which writes
// them with the prefix ex.
var kinds = map[string]kind{
	"methodCall": call, "methodName": methodName, "params": params, "param": param, "value": value,
	"array": array, "data": data, "struct": structure, "member": member, "name": name, "string": text,
	"int": integer, "i1": integer, "i2": integer, "i4": integer, "i8": integer, "ex:i8": integer,
	"boolean": boolean, "double": double, "dateTime.iso8601": dateTime, "base64": base64Text,
	"nil": null, "ex:nil": null,
}

// holds reports whether an element may contain another element as its n-th child, from 0.
func (k kind) holds(child kind, n int) bool {
	switch k {
	case document:
		return child == call && n == 0
	case call:
		return child == methodName || child == params
	case params:
		return child == param
	case param:
		return child == value && n == 0
	case value:
		return child >= array && n == 0
	case array:
		return child == data && n == 0
	case data:
		return child == value
	case structure:
		return child == member
	case member:
		return child == name && n == 0 || child == value && n == 1
	}
	return false
}

// short reports whether the text of an element is a simple value or a name of a method, which is kept until it is
// complete.
func (k kind) short() bool { return k == methodName || k >= integer && k <= dateTime }

// complete reports whether an element may end after n children.
func (k kind) complete(n int) bool {
	switch k {
	case param:
		return n == 1
	case member:
		return n == 2
	}
	return true
}

// opening and closing are the JSON at the start and at the end of an element.
var (
	opening = [null + 1]string{call: "{", methodName: `"method":`, params: `"params":[`, array: "[", structure: "{",
		text: `"`, name: `"`, base64Text: `"`}
	closing = [null + 1]string{call: "}", params: "]", array: "]", structure: "}",
		text: `"`, name: `":`, base64Text: `"`, null: "null"}
)
