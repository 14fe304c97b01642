// This file authenticates a call. It reads the API key, which is the first parameter, and asks
// the service for the Caller with this key. The other parameters are read after that.

package rpc

import (
	"context"

	"enlist/internal/audience"
)

// paramsReader reads params in two steps: first the key, and later the other parameters. A caller
// without a valid key can therefore not make the server allocate memory for many values.
// decisions.md: 13
type paramsReader struct {
	tree
	raw []byte
	key audience.Input
	err error // set if the key is not a valid string
}

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
	if r.key.Kind != audience.InputText {
		return r
	}
	quoted, err := r.dec.ReadValue()
	if err != nil {
		r.err = err
		return r
	}
	text, err := unquote(quoted)
	r.key.Text, r.err = string(text), err
	return r
}

// rest reads the parameters after the key. It returns all parameters, with the key as the first.
// names are the parameter names of the method.
func (r *paramsReader) rest(names []string) ([]audience.Input, error) {
	r.text = string(r.raw)
	mark := len(r.open)
	r.open = append(r.open, r.key)
	for n := 1; r.dec.PeekKind() != ']'; n++ {
		v, err := r.read(3) // nesting level: the request object is 1, the array params is 2
		if err != nil {
			refused := *strictly(err)
			refused.code = shapeCode(names, n)
			refused.position = n + 1
			return nil, &refused
		}
		r.open = append(r.open, v)
	}
	return r.keep(mark), nil
}

// errNoKey has no detail, because the published name of its code says enough.
var errNoKey = audience.Refuse(audience.MissingKey, "")

// authenticate returns the Caller of the key in params. decisions.md: 11
func (h *Handler) authenticate(ctx context.Context, r *paramsReader) (*audience.Caller, error) {
	switch {
	case r.key.Kind != audience.InputText || r.err == nil && r.key.Text == "":
		return nil, errNoKey
	case r.err != nil:
		return nil, audience.ErrInvalidKey
	}
	return h.service.Authenticate(ctx, r.key.Text)
}
