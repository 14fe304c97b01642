// This file reads JSON into a tree of audience.Inputs. It refuses duplicate member names,
// invalid UTF-8, NUL, more than maxDepth levels and more than maxValues values.
// decisions.md: 8

package rpc

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"enlist/api"
	"enlist/internal/audience"
)

// maxValues is the largest number of values in the parameters of one call. Each value needs about
// 80 bytes of memory, so 32 MiB of "[0,0,…" would need more than 1 GiB without this limit.
const maxValues = 1_000_000

// errTooMany refuses a call before its values need too much memory.
var errTooMany = refuse(api.CodeInvalidParameters, "more than %d values", maxValues)

// kindOf returns the JSON type of a value that begins with the token k. If params is empty, k is "]"
// instead, and kindOf returns InputNull.
func kindOf(k jsontext.Kind) audience.InputKind {
	switch k {
	case '"':
		return audience.InputText
	case '0':
		return audience.InputNumber
	case 't':
		return audience.InputTrue
	case 'f':
		return audience.InputFalse
	case '[':
		return audience.InputArray
	case '{':
		return audience.InputObject
	}
	return audience.InputNull
}

// tree reads values from text. readEnvelope has checked that text is well-formed JSON. The strings
// in the values are slices of text, not copies, unless they contain an escape.
type tree struct {
	*arena
	dec   *jsontext.Decoder
	text  string
	count int // values read
}

// read reads the next value. depth is its nesting level. The request object is level 1.
func (t *tree) read(depth int) (audience.Input, error) {
	v := audience.Input{Kind: kindOf(t.dec.PeekKind())}
	t.count++
	if t.count > maxValues {
		return v, errTooMany
	}
	var err error
	switch v.Kind {
	case audience.InputText:
		v.Text, err = t.string()
	case audience.InputNumber:
		v.Text, err = t.raw()
	case audience.InputArray, audience.InputObject:
		if depth > maxDepth {
			return v, errTooDeep
		}
		v.Items, err = t.children(v.Kind, depth)
	default:
		_, err = t.raw()
	}
	return v, err
}

// children reads the items of an array or the members of an object.
func (t *tree) children(kind audience.InputKind, depth int) ([]audience.Input, error) {
	if _, err := t.dec.ReadToken(); err != nil {
		return nil, err
	}
	mark := len(t.open)
	for next := t.dec.PeekKind(); next != ']' && next != '}'; next = t.dec.PeekKind() {
		var name string
		if kind == audience.InputObject {
			var err error
			name, err = t.string()
			if err != nil {
				return nil, err
			}
		}
		item, err := t.read(depth + 1)
		if err != nil {
			return nil, err
		}
		item.Name = name
		t.open = append(t.open, item)
	}
	_, err := t.dec.ReadToken()
	return t.keep(mark), err
}

// raw reads the next value and returns it as the caller sent it.
func (t *tree) raw() (string, error) {
	raw, err := t.dec.ReadValue()
	if err != nil {
		return "", err
	}
	end := int(t.dec.InputOffset())
	return t.text[end-len(raw) : end], nil
}

// string reads a string. A string without an escape is not copied.
func (t *tree) string() (string, error) {
	raw, err := t.raw()
	if err != nil {
		return "", err
	}
	inner := raw[1 : len(raw)-1]
	if strings.IndexByte(inner, '\\') < 0 {
		return inner, nil // inner has no NUL, because JSON does not allow NUL without an escape
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

// strictly returns the refusal for an error of the decoder or of tree.
func strictly(err error) *refusal {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r
	}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return refuse(api.CodeInvalidParameters, "an object has two members with the same name")
	}
	return errBadText
}

// arena is memory for the values of one HTTP request. Later requests reuse it, so no code may keep
// a value after the request is answered.
type arena struct {
	open    []audience.Input  // stack with the items of arrays and objects that are not complete yet
	values  []audience.Input  // items of complete arrays and objects
	details []audience.Detail // results of params.details
	columns columns
}

// keep moves the items of a complete array or object from open[mark:] to values. It returns them.
func (a *arena) keep(mark int) []audience.Input {
	start := len(a.values)
	a.values = append(a.values, a.open[mark:]...)
	a.open = a.open[:mark]
	return a.values[start:len(a.values):len(a.values)]
}

// reset clears the arena. If the arena has become large, reset frees its memory.
func (a *arena) reset() {
	const kept = 1000 // values
	if cap(a.values) > kept || cap(a.open) > kept || cap(a.details) > kept {
		*a = arena{}
		return
	}
	clear(a.open[:cap(a.open)])
	clear(a.values)
	clear(a.details)
	a.open, a.values, a.details = a.open[:0], a.values[:0], a.details[:0]
}
