package rpc

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"enlist/api"
	"enlist/internal/enlist"
)

// This file reads the envelope of a request: id, method and params. It does not check the values
// in params, so that the reply to a call with invalid params can have the id of the call.

// maxDepth is the largest number of nesting levels in a request. The request object is level 1.
const maxDepth = 64

// tokenizerDepth is the largest number of nesting levels that jsontext accepts. It reports a
// syntax error for more levels.
const tokenizerDepth = 10_000

// Limits of the memory that a request can use before its key is known.
const (
	maxMembers = 2000 // largest number of members of a request object
	maxText    = 1000 // largest length in bytes of a member name, of the id and of the name of a method
)

// envelope is a request whose parameters have not been read yet.
type envelope struct {
	v2     bool   // "jsonrpc":"2.0"
	hasID  bool   // the request has an id; without it, a JSON-RPC 2.0 request is a notification
	id     []byte // as the caller sent it; "null" if it is missing or is neither a number nor a string
	method []byte // the name, unquoted
	params []byte // as the caller sent it; nil if it is missing
	fault  error  // why the request is invalid: code 106, 107 or 310

	unknown enlist.UnknownNames // members that mean nothing
}

// source is a decoder of bytes in memory. The values that it returns are slices of these bytes,
// not copies. Later requests reuse the decoder.
type source struct {
	dec jsontext.Decoder
	buf bytes.Buffer
}

// lenient returns a decoder of b that accepts duplicate names and invalid UTF-8.
func (s *source) lenient(b []byte) *jsontext.Decoder {
	s.buf = *bytes.NewBuffer(b)
	s.dec.Reset(&s.buf, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return &s.dec
}

// strict returns a decoder of b that fails at a duplicate name, invalid UTF-8 or a lone
// surrogate.
func (s *source) strict(b []byte) *jsontext.Decoder {
	s.buf = *bytes.NewBuffer(b)
	s.dec.Reset(&s.buf)
	return &s.dec
}

// reset removes the references to the bytes of a request, so that the garbage collector can free
// them.
func (s *source) reset() {
	s.buf = bytes.Buffer{}
	s.dec.Reset(&s.buf)
}

// null is the id in a reply if the request had no valid id. No code may change its bytes.
var null = []byte("null")

// readEnvelope reads a request object. If a value in params is invalid, it still finds the id and
// the version of JSON-RPC. reference.md: reply.keys
func (s *source) readEnvelope(b []byte) envelope {
	e := envelope{id: null}
	dec := s.lenient(b)
	switch dec.PeekKind() {
	case '{':
	case '"', '0', 'n', 't', 'f', '[':
		e.fault = refuse(api.CodeUnreadable, "the request is not a JSON object")
		return e
	default:
		e.fault = s.noJSON(b)
		return e
	}
	_, err := dec.ReadToken()
	var seen names
	for err == nil && dec.PeekKind() != '}' {
		var name, val jsontext.Value
		name, err = dec.ReadValue()
		if err != nil {
			break
		}
		val, err = dec.ReadValue()
		if err != nil {
			break
		}
		e.readMember(name, val, &seen)
	}
	if err == nil {
		_, err = dec.ReadToken()
	}
	if err != nil || !blank(b[dec.InputOffset():]) {
		return s.unreadable(e, b)
	}
	e.setMethod(e.method)
	if e.params != nil && e.params[0] != '[' {
		e.fail(refuse(api.CodeInvalidParameters, "params is not an array"))
	}
	return e
}

// readMember stores a member of the request object. seen has the names of the members before it.
func (e *envelope) readMember(name, val jsontext.Value, seen *names) {
	key, fault := shortText(name)
	switch {
	case seen.n == maxMembers:
		fault = errManyMembers
	case fault == nil && !seen.add(string(key)):
		fault = refuse(api.CodeInvalidParameters, "the request has two members named %q", key)
	case string(key) == "params":
		e.params = val
		return
	case nesting(val) > maxDepth-1:
		fault = errTooDeep
	}
	e.fail(fault)
	switch string(key) {
	case "id":
		e.hasID = true
		e.setID(val)
	case "method":
		e.method = val // setMethod checks it after all other members
	case "jsonrpc":
		e.v2 = string(val) == `"2.0"`
	default:
		e.ignore(string(key))
	}
}

// ignore stores the name of a member that means nothing.
func (e *envelope) ignore(name string) {
	if len(e.unknown) < enlist.MaxUnknown {
		e.unknown.Add(name, func() []string { return []string{"id", "method", "params", "jsonrpc"} })
	}
}

// unreadable returns the envelope of a request that the decoder could not read. The request is not
// valid JSON or is nested too deeply. These two faults have different codes.
func (s *source) unreadable(e envelope, b []byte) envelope {
	if nesting(b) > tokenizerDepth {
		e.fault = errTooDeep
		return e
	}
	return envelope{v2: e.v2, id: null, fault: s.noJSON(b)}
}

// fail sets the fault, unless an earlier fault is set.
func (e *envelope) fail(fault error) {
	if e.fault == nil {
		e.fault = fault
	}
}

// setID stores an id as the caller sent it, if it is a number or a valid string of at most maxText
// bytes. Any other id becomes null.
func (e *envelope) setID(raw []byte) {
	e.id = null
	switch raw[0] {
	case '"', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
	default:
		return
	}
	if len(raw) > maxText {
		e.fail(errLongText)
		return
	}
	if raw[0] == '"' {
		if _, fault := unquote(raw); fault != nil {
			e.fail(fault)
			return
		}
	}
	e.id = raw
}

// setMethod reads the method's name. Existing clients send some names with a space at the end.
// reference.md: request.method
func (e *envelope) setMethod(raw []byte) {
	e.method = nil
	if len(raw) == 0 || raw[0] != '"' {
		e.fail(refuse(api.CodeInvalidMethod, "method is missing or not a string"))
		return
	}
	name, fault := shortText(raw)
	e.fail(fault)
	name = bytes.Trim(name, " \t\r\n")
	if len(name) == 0 {
		e.fail(refuse(api.CodeInvalidMethod, "method is empty"))
	}
	e.method = name
}

// shortText is unquote for a text of at most maxText bytes.
func shortText(raw []byte) ([]byte, error) {
	if len(raw) > maxText {
		return nil, errLongText
	}
	return unquote(raw)
}

// unquote returns the text of a JSON string. It returns an error if the text has invalid UTF-8, a
// lone surrogate or NUL.
func unquote(raw []byte) ([]byte, error) {
	inner := raw[1 : len(raw)-1]
	if plain(inner) {
		return inner, nil
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil || bytes.IndexByte(text, 0) >= 0 {
		return text, errBadText
	}
	return text, nil
}

// plain reports whether the content of a JSON string is ASCII without an escape. The text of the
// string is then equal to its content.
func plain[T ~[]byte | ~string](inner T) bool {
	for i := range len(inner) {
		if c := inner[i]; c == '\\' || c >= 0x80 {
			return false
		}
	}
	return true
}

// names is a set of member names, to find a name that occurs twice. The first eight names are in
// an array, because a map would be an allocation for each call. Most requests have at most four
// members.
type names struct {
	n    int // number of names
	few  [8]string
	many map[string]bool
}

// add adds a name. It returns false if the set has the name already.
func (s *names) add(name string) bool {
	for _, other := range s.few[:min(s.n, len(s.few))] {
		if other == name {
			return false
		}
	}
	if s.n < len(s.few) {
		s.few[s.n] = name
		s.n++
		return true
	}
	if s.many[name] {
		return false
	}
	if s.many == nil {
		s.many = make(map[string]bool)
	}
	s.many[name] = true
	s.n++
	return true
}

// nesting returns the number of nesting levels in b, which may be incomplete JSON.
func nesting(b []byte) int {
	deepest, depth, quoted := 0, 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
			deepest = max(deepest, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	return deepest
}

// blank reports whether b contains nothing except white space of JSON.
func blank(b []byte) bool { return len(bytes.Trim(b, " \t\r\n")) == 0 }

// readBatch splits an array of requests. It returns at most max+1 requests. If it returns max+1
// requests, the batch is too long.
func (s *source) readBatch(b []byte, max int) ([][]byte, error) {
	dec := s.lenient(b)
	_, err := dec.ReadToken()
	var parts [][]byte
	for err == nil && dec.PeekKind() != ']' {
		if len(parts) > max {
			return parts, nil
		}
		var part jsontext.Value
		part, err = dec.ReadValue()
		if err == nil {
			parts = append(parts, part)
		}
	}
	if err == nil {
		_, err = dec.ReadToken()
	}
	if err == nil && blank(b[dec.InputOffset():]) {
		return parts, nil
	}
	if nesting(b) > tokenizerDepth {
		return nil, errTooDeep
	}
	return nil, s.noJSON(b)
}

// These are the errors that several functions return. No code may change their members.
var (
	errTooDeep  = refuse(api.CodeInvalidParameters, "nested deeper than %d levels", maxDepth)
	errLongText = refuse(api.CodeInvalidParameters,
		"a member name, an id or the name of a method is longer than %d bytes", maxText)
	errManyMembers = refuse(api.CodeInvalidParameters, "the request has more than %d members", maxMembers)
	errBadText     = refuse(api.CodeInvalidParameters, "a text is not valid UTF-8, or contains a lone surrogate or NUL")
)
