package rpc

import (
	"errors"
	"strings"

	"enlist/api"
	"enlist/internal/enlist"

	"github.com/go-json-experiment/json/jsontext"
)

// This file reads JSON into a tree of enlist.Inputs. It refuses duplicate member names,
// invalid UTF-8, NUL and more than maxDepth levels. params_size.go has found the size of the
// tree before, so that the tree is allocated once. decisions.md: 8

// kindOf returns the JSON type of a value that begins with the token k. If params is empty, k is "]"
// instead, and kindOf returns InputNull.
func kindOf(k jsontext.Kind) enlist.InputKind {
	switch k {
	case '"':
		return enlist.InputText
	case '0':
		return enlist.InputNumber
	case 't':
		return enlist.InputTrue
	case 'f':
		return enlist.InputFalse
	case '[':
		return enlist.InputArray
	case '{':
		return enlist.InputObject
	}
	return enlist.InputNull
}

// tree reads values from text. readEnvelope has checked that text is well-formed JSON. The strings
// in the values are slices of text, not copies, unless they contain an escape.
type tree struct {
	*arena
	dec    *jsontext.Decoder
	text   string
	opened int // arrays and objects that were opened: the index of the next one in arena.sizes
}

// read reads the next value. depth is its nesting level. The request object is level 1.
func (t *tree) read(depth int) (enlist.Input, error) {
	v := enlist.Input{Kind: kindOf(t.dec.PeekKind())}
	var err error
	switch v.Kind {
	case enlist.InputText:
		v.Text, err = t.string()
	case enlist.InputNumber:
		v.Text, err = t.raw()
	case enlist.InputArray, enlist.InputObject:
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
func (t *tree) children(kind enlist.InputKind, depth int) ([]enlist.Input, error) {
	if _, err := t.dec.ReadToken(); err != nil {
		return nil, err
	}
	items := t.take()
	for i := range items {
		var name string
		if kind == enlist.InputObject {
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
		items[i] = item
	}
	_, err := t.dec.ReadToken()
	return items, err
}

// take returns memory for the items of the array or object that was opened last.
func (t *tree) take() []enlist.Input {
	n := int(t.sizes[t.opened])
	t.opened++
	start := len(t.values)
	t.values = t.values[:start+n]
	return t.values[start : start+n : start+n]
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

// arena is memory for the values of one call. Later calls reuse it, so no code may keep a value
// after the call is answered.
type arena struct {
	sizes   []int32         // number of items of each array and object, in the order of their first bytes
	values  []enlist.Input  // items of arrays and objects; its capacity is the size of the tree
	details []enlist.Detail // results of params.details
	columns columns
}

// reset clears the arena. If the arena has become large, reset frees its memory.
func (a *arena) reset() {
	const kept = smallTree / valueBytes
	if cap(a.values) > kept || cap(a.sizes) > kept || cap(a.details) > kept {
		*a = arena{}
		return
	}
	clear(a.values)
	clear(a.details)
	a.sizes, a.values, a.details = a.sizes[:0], a.values[:0], a.details[:0]
}
