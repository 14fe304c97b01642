package rpc

import (
	"context"
	"unsafe"

	"enlist/internal/enlist"

	"github.com/go-json-experiment/json/jsontext"
)

// This file authenticates a call. It reads the API key, which is the first parameter, and asks
// the service for the Caller with this key. The other parameters are read after that.

// paramsReader reads params in steps: first the key, then the size of the other parameters, and
// these parameters last. A caller without a valid key can therefore not make the server allocate
// memory for many values. reference.md: errors.order
type paramsReader struct {
	tree
	raw       []byte
	keepsText bool // raw never changes, so rest does not copy it
	end       int  // number of bytes of raw that rest reads
	count     int  // number of values that rest reads, with the key
	key       enlist.Input
	err       error // set if the key is not a valid string
}

// maxKeyText is the largest length in bytes of a string that is read as a key. Every longer key is
// invalid.
const maxKeyText = 1000

// newParamsReader returns a paramsReader that has read the key. raw is the array params, or nil
// if the request has no params.
func newParamsReader(s *source, a *arena, raw []byte) *paramsReader {
	if raw == nil {
		raw = []byte("[]")
	}
	r := &paramsReader{tree: tree{arena: a, dec: s.strict(raw)}, raw: raw}
	r.dec.ReadToken() // the opening bracket, which readEnvelope has checked
	next := r.dec.PeekKind()
	r.key.Kind = kindOf(next) // null if the array is empty
	if r.key.Kind != enlist.InputText {
		return r
	}
	quoted, err := r.dec.ReadValue()
	if err != nil {
		r.err = err
		return r
	}
	r.key.Text, r.err = keyText(quoted)
	return r
}

// keyText returns the text of a JSON string that is a key.
func keyText(quoted []byte) (string, error) {
	if len(quoted) > maxKeyText {
		return "", enlist.ErrInvalidKey
	}
	text, err := unquote(quoted)
	return string(text), err
}

// peekKey returns the key of the first request in b, which is the start of a body. It returns false
// if b does not contain the key.
func (s *source) peekKey(b []byte) (key string, ok bool) {
	dec := s.lenient(b)
	if dec.PeekKind() == '[' {
		dec.ReadToken()
	}
	if dec.PeekKind() != '{' {
		return "", false
	}
	dec.ReadToken()
	for dec.PeekKind() == '"' {
		name, err := dec.ReadValue()
		if err != nil {
			return "", false
		}
		if string(name) == `"params"` {
			return firstText(dec)
		}
		if dec.SkipValue() != nil {
			return "", false
		}
	}
	return "", false
}

// firstText returns the first item of an array if it is a string that can be a key.
func firstText(dec *jsontext.Decoder) (text string, ok bool) {
	if dec.PeekKind() != '[' {
		return "", false
	}
	dec.ReadToken()
	if dec.PeekKind() != '"' {
		return "", false
	}
	quoted, err := dec.ReadValue()
	if err != nil {
		return "", false
	}
	text, err = keyText(quoted)
	return text, err == nil
}

// rest reads the parameters that measure has found. It returns them after the key. names are the
// parameter names of the method.
func (r *paramsReader) rest(names []string) ([]enlist.Input, error) {
	if cap(r.values) < r.count {
		r.values = make([]enlist.Input, 0, r.count)
	}
	if r.keepsText {
		r.text = unsafe.String(&r.raw[0], r.end)
	} else {
		r.text = string(r.raw[:r.end])
	}
	values := r.take()
	for n := range values {
		if n == 0 {
			values[0] = r.key
			continue
		}
		v, err := r.read(3) // nesting level: the request object is 1, the array params is 2
		if err != nil {
			return nil, refuseParameter(names, n, strictly(err))
		}
		values[n] = v
	}
	return values, nil
}

// refuseParameter returns a refusal with the code and the position of a parameter.
func refuseParameter(names []string, i int, r *refusal) error {
	refused := *r
	refused.code = shapeCode(names, i)
	refused.position = i + 1
	return &refused
}

// errNoKey has no detail, because the published name of its code says enough.
var errNoKey = enlist.Refuse(enlist.MissingKey, "")

// authenticate returns the Caller of the key in params. reference.md: error.300, error.301, auth.refused
func (h *Handler) authenticate(ctx context.Context, r *paramsReader) (*enlist.Caller, error) {
	switch {
	case r.key.Kind != enlist.InputText || r.err == nil && r.key.Text == "":
		return nil, errNoKey
	case r.err != nil:
		return nil, enlist.ErrInvalidKey
	}
	return h.service.Accounts.Authenticate(ctx, r.key.Text)
}
