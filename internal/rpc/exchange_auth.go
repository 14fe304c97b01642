// This file authenticates a call. It reads the API key, which is the first parameter,
// and asks the service for its Caller. Only then it reads the other parameters.

package rpc

import (
	"context"

	"enlist/internal/audience"
)

// paramsReader reads params in two steps. The key comes first, so that a caller without
// a valid key cannot make the server allocate a tree of values. decisions.md: 13
type paramsReader struct {
	tree
	raw []byte
	key audience.Input
	err error // the key is not a valid string
}

// newParamsReader reads the key from params. raw is an array, or nil if params are missing.
func newParamsReader(s *source, a *arena, raw []byte) *paramsReader {
	if raw == nil {
		raw = []byte("[]")
	}
	r := &paramsReader{tree: tree{arena: a, dec: s.strict(raw)}, raw: raw}
	r.dec.ReadToken() // the opening bracket, which readEnvelope has checked
	next := r.dec.PeekKind()
	r.key.Kind = kindOf(next) // ']' (no parameters) becomes null
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

// rest reads all parameters, api_key first. names are those of the signature.
func (r *paramsReader) rest(names []string) ([]audience.Input, error) {
	r.text = string(r.raw)
	mark := len(r.open)
	r.open = append(r.open, r.key)
	for n := 1; r.dec.PeekKind() != ']'; n++ {
		v, err := r.read(3) // the request is level 1, params are level 2
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

// errNoKey has no detail: the published sentence says it all.
var errNoKey = audience.Refuse(audience.MissingKey, "")

// authenticate finds the Caller of a key. decisions.md: 11
func (h *Handler) authenticate(ctx context.Context, r *paramsReader) (*audience.Caller, error) {
	switch {
	case r.key.Kind != audience.InputText || r.err == nil && r.key.Text == "":
		return nil, errNoKey
	case r.err != nil:
		return nil, audience.ErrInvalidKey
	}
	return h.service.Authenticate(ctx, r.key.Text)
}
