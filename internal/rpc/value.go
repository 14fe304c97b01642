package rpc

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"enlist/api"
	"enlist/internal/audience"
)

// value is a JSON value that has been read strictly. A number's text is its
// literal, as it was sent.
type value struct {
	kind  jsontext.Kind // of jsontext: n f t " 0 { [
	name  string        // of an object's member
	text  string        // of a string or number
	items []value       // of an array or object
}

// The kinds, named.
const (
	kNull   jsontext.Kind = 'n'
	kFalse  jsontext.Kind = 'f'
	kTrue   jsontext.Kind = 't'
	kString jsontext.Kind = '"'
	kNumber jsontext.Kind = '0'
	kObject jsontext.Kind = '{'
	kArray  jsontext.Kind = '['
)

// describe names a kind to a caller.
func (v *value) describe() string {
	switch v.kind {
	case kFalse, kTrue:
		return "a boolean"
	case kString:
		return "a string"
	case kNumber:
		return "a number"
	case kObject:
		return "an object"
	case kArray:
		return "an array"
	}
	return "null"
}

// shown names a value that was not expected: short numbers as they were sent,
// since what is wrong with one is its value and not its kind.
func (v *value) shown() string {
	switch {
	case v.kind == kNumber && len(v.text) <= 30:
		return v.text
	case v.kind == kString && v.text == "":
		return "an empty string"
	}
	return v.describe()
}

// omitted reports whether the value is a placeholder for none: null, or "".
func (v *value) omitted() bool { return v.kind == kNull || v.kind == kString && v.text == "" }

// scalar reports whether the value is neither array nor object.
func (v *value) scalar() bool { return v.kind != kArray && v.kind != kObject }

// tree reads values strictly from text that is known to be well-formed JSON.
// Texts share memory with it.
type tree struct {
	*arena
	dec   *jsontext.Decoder
	text  string
	count int // values read
}

// arena is memory for the values of one request, used again for the next.
type arena struct {
	open    []value           // of arrays and objects that are being read
	values  []value           // of those that have been
	details []audience.Detail // see details
	columns columns
}

// keep moves what was opened since a mark to where it stays.
func (a *arena) keep(mark int) []value {
	start := len(a.values)
	a.values = append(a.values, a.open[mark:]...)
	a.open = a.open[:mark]
	return a.values[start:len(a.values):len(a.values)]
}

// reset lets go of what is in the arena, and of the arena when it has grown large.
func (a *arena) reset() {
	const kept = 1000
	if cap(a.values) > kept || cap(a.open) > kept || cap(a.details) > kept {
		*a = arena{}
		return
	}
	clear(a.open[:cap(a.open)])
	clear(a.values)
	clear(a.details)
	a.open, a.values, a.details = a.open[:0], a.values[:0], a.details[:0]
}

// maxValues bounds the values of one request, each of which costs some 80
// bytes: without it, 32 MiB of "[0,0,…" would take over a GiB.
const maxValues = 1_000_000

var errTooMany = refuse(api.CodeInvalidParameters, "more than %d values", maxValues)

// read reads the next value, which lies at a depth of nesting.
func (t *tree) read(depth int) (value, error) {
	v := value{kind: t.dec.PeekKind()}
	if t.count++; t.count > maxValues {
		return v, errTooMany
	}
	var err error
	switch v.kind {
	case kString:
		v.text, err = t.string()
	case kNumber:
		v.text, err = t.raw()
	case kArray, kObject:
		if depth > maxDepth {
			return v, errTooDeep
		}
		v.items, err = t.children(v.kind, depth)
	default:
		_, err = t.raw()
	}
	return v, err
}

// children reads an array's items or an object's members.
func (t *tree) children(kind jsontext.Kind, depth int) ([]value, error) {
	if _, err := t.dec.ReadToken(); err != nil {
		return nil, err
	}
	mark := len(t.open)
	for next := t.dec.PeekKind(); next != ']' && next != '}'; next = t.dec.PeekKind() {
		var name string
		var err error
		if kind == kObject {
			if name, err = t.string(); err != nil {
				return nil, err
			}
		}
		item, err := t.read(depth + 1)
		if err != nil {
			return nil, err
		}
		item.name = name
		t.open = append(t.open, item)
	}
	_, err := t.dec.ReadToken()
	return t.keep(mark), err
}

// raw reads the next value and returns it as it was sent.
func (t *tree) raw() (string, error) {
	raw, err := t.dec.ReadValue()
	if err != nil {
		return "", err
	}
	end := int(t.dec.InputOffset())
	return t.text[end-len(raw) : end], nil
}

// string reads a string.
func (t *tree) string() (string, error) {
	raw, err := t.raw()
	if err != nil {
		return "", err
	}
	inner := raw[1 : len(raw)-1]
	if strings.IndexByte(inner, '\\') < 0 {
		return inner, nil // a bare NUL is no JSON
	}
	text, err := jsontext.AppendUnquote(make([]byte, 0, len(inner)), raw)
	if err != nil {
		return "", err
	}
	if strings.IndexByte(string(text), 0) >= 0 {
		return "", errBadText
	}
	return string(text), nil
}

// strictly turns what the strict reading found into a refusal.
func strictly(err error) *refusal {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r
	}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return refuse(api.CodeInvalidParameters, "an object has two members of one name")
	}
	return errBadText
}

// input is the value as the domain takes it.
func (v *value) input() audience.Input {
	switch v.kind {
	case kString:
		return audience.Input{Kind: audience.InputText, Text: v.text}
	case kNumber:
		return audience.Input{Kind: audience.InputNumber, Text: v.text}
	case kTrue:
		return audience.Input{Kind: audience.InputTrue}
	case kFalse:
		return audience.Input{Kind: audience.InputFalse}
	case kObject:
		return audience.Input{Kind: audience.InputObject}
	case kArray:
		in := audience.Input{Kind: audience.InputArray, Items: make([]audience.Input, len(v.items))}
		for i := range v.items {
			in.Items[i] = v.items[i].input()
		}
		return in
	}
	return audience.Input{}
}

// integer reads an integer: a number, or a string of one, whose value has no
// fraction. What 64 bits cannot hold becomes the nearest that they can. decisions.md: 7
func (v *value) integer() (int64, bool) {
	if v.kind != kNumber && v.kind != kString {
		return 0, false
	}
	return parseInteger(v.text)
}

// boolean reads true, false, 0, 1, "0", "1", "true" and "false". decisions.md: 7
func (v *value) boolean() (b, ok bool) {
	switch v.kind {
	case kTrue, kFalse:
		return v.kind == kTrue, true
	case kString:
		if v.text == "true" || v.text == "false" {
			return v.text == "true", true
		}
	}
	n, ok := v.integer()
	return n == 1, ok && (n == 0 || n == 1)
}
