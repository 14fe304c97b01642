package rpc

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"enlist/api"
	"enlist/internal/enlist"
)

// covers: spec reply.keys, reply2.form, decision 8
func TestEnvelopeKeepsIDAndVersionOfInvalidRequests(t *testing.T) {
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	many := strings.Repeat(`{"a":`, 64) + "1" + strings.Repeat("}", 64)
	var wide strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&wide, `"m%d":0,`, i)
	}
	var tooWide strings.Builder
	for i := range maxMembers {
		fmt.Fprintf(&tooWide, `"m%d":0,`, i)
	}
	for _, test := range []struct {
		body, id string
		v2       bool
		code     api.Code
	}{
		{`{"id":1,"method":"m"}`, `1`, false, 0},
		{` {"method":"m" , "id" : 1.0e+2 } `, `1.0e+2`, false, 0},
		{`{"id":"a\u0041\/","method":"m"}`, `"a\u0041\/"`, false, 0},
		{`{"id":123456789012345678901234567890,"method":"m"}`, `123456789012345678901234567890`, false, 0},
		{`{"id":null,"method":"m"}`, `null`, false, 0},
		{`{"id":true,"method":"m"}`, `null`, false, 0},
		{`{"id":{"a":1},"method":"m"}`, `null`, false, 0},
		{`{"id":[1],"method":"m"}`, `null`, false, 0},
		{`{"method":"m"}`, `null`, false, 0},
		{`{"id":1,"method":"m","ID":2,"other":[{}]}`, `1`, false, 0},
		{`{"id":1,"meth\u006fd":"m"}`, `1`, false, 0},
		{`{` + wide.String() + `"id":1,"method":"m"}`, `1`, false, 0},
		{`{"jsonrpc":"2.0","id":1,"method":"m"}`, `1`, true, 0},
		{`{"jsonrpc":2.0,"id":1,"method":"m"}`, `1`, false, 0},
		{`{"jsonrpc":"1.0","id":1,"method":"m"}`, `1`, false, 0},

		{``, `null`, false, api.CodeUnreadable},
		{`  `, `null`, false, api.CodeUnreadable},
		{`"x"`, `null`, false, api.CodeUnreadable},
		{`{"id":1,"method":"m"`, `null`, false, api.CodeUnreadable},
		{`{"id":1,"method":"m"}}`, `null`, false, api.CodeUnreadable},
		{`{"id":1,"method":"m",}`, `null`, false, api.CodeUnreadable},
		{`{'id':1}`, `null`, false, api.CodeUnreadable},
		{"\xef\xbb\xbf{}", `null`, false, api.CodeUnreadable},
		{`{"id":01,"method":"m"}`, `null`, false, api.CodeUnreadable},
		{`{"jsonrpc":"2.0","id":1,"method":"m","params":[`, `null`, true, api.CodeUnreadable},

		{`{"id":1}`, `1`, false, api.CodeInvalidMethod},
		{`{"id":1,"Method":"m"}`, `1`, false, api.CodeInvalidMethod},
		{`{"id":1,"method":7}`, `1`, false, api.CodeInvalidMethod},
		{`{"id":1,"method":null}`, `1`, false, api.CodeInvalidMethod},
		{`{"id":1,"method":""}`, `1`, false, api.CodeInvalidMethod},
		{`{}`, `null`, false, api.CodeInvalidMethod},

		{`{"id":1,"method":"m","params":7}`, `1`, false, api.CodeInvalidParameters},
		{`{"id":1,"method":"m","params":null}`, `1`, false, api.CodeInvalidParameters},
		{`{"id":1,"method":"m","params":{}}`, `1`, false, api.CodeInvalidParameters},
		{`{"id":1,"id":2,"method":"m"}`, `2`, false, api.CodeInvalidParameters},
		{`{"id":1,"method":"m","method":"n"}`, `1`, false, api.CodeInvalidParameters},
		{`{"id":1,"method":"m","m\u0065thod":"n"}`, `1`, false, api.CodeInvalidParameters},
		{`{"id":1,"method":"m","params":[],"params":[]}`, `1`, false, api.CodeInvalidParameters},
		{`{` + wide.String() + `"m999":1,"id":1,"method":"m"}`, `1`, false, api.CodeInvalidParameters},
		{`{"id":1,"method":"m",` + tooWide.String() + `"x":0}`, `1`, false, api.CodeInvalidParameters},
		{`{"id":1,"method":"` + strings.Repeat("m", 1000) + `"}`, `1`, false, api.CodeInvalidParameters},
		{`{"id":"` + strings.Repeat("1", 1000) + `","method":"m"}`, `null`, false, api.CodeInvalidParameters},
		{`{"id":` + strings.Repeat("1", 1001) + `,"method":"m"}`, `null`, false, api.CodeInvalidParameters},
		{`{"id":1,"method":"m","` + strings.Repeat("x", 1000) + `":0}`, `1`, false, api.CodeInvalidParameters},
		{`{"id":1,"method":"m\ud800"}`, `1`, false, api.CodeInvalidParameters},
		{"{\"id\":1,\"method\":\"m\xff\"}", `1`, false, api.CodeInvalidParameters},
		{`{"id":"\ud800","method":"m"}`, `null`, false, api.CodeInvalidParameters},
		{`{"id":"\u0000","method":"m"}`, `null`, false, api.CodeInvalidParameters},
		{`{"id":1,"method":"m","other":` + many + `}`, `1`, false, api.CodeInvalidParameters},
		{`{"id":1,"method":"m","params":` + deep + `}`, `1`, false, api.CodeInvalidParameters},
	} {
		t.Run(fmt.Sprintf("%.60q", test.body), func(t *testing.T) {
			var s source
			e := s.readEnvelope([]byte(test.body))
			var code api.Code
			if r, ok := errors.AsType[*refusal](e.fault); ok {
				code = r.code
			}
			if string(e.id) != test.id || e.v2 != test.v2 || code != test.code {
				t.Errorf("%.80s: got id %s, JSON-RPC 2.0 %v, code %d (%v); want id %s, JSON-RPC 2.0 %v, code %d",
					test.body, e.id, e.v2, code, e.fault, test.id, test.v2, test.code)
			}
		})
	}
}

// A value in params is refused if it is nested too deeply, is too long, or has invalid text or a
// duplicate name. The 64 allowed levels include the request object and the array params.
//
// covers: decision 8
func TestParamsAreReadStrictly(t *testing.T) {
	nested := func(levels int) string {
		return strings.Repeat(`[`, levels) + strings.Repeat(`]`, levels)
	}
	for _, test := range []struct {
		params string
		good   bool
	}{
		{`["k",{"a":1,"b":{"a":1}},"é😀\ud83d\ude00\/"]`, true},
		{`["k",` + nested(62) + `]`, true},
		{`["k",` + nested(63) + `]`, false},
		{`["k",{"a":1,"a":1}]`, false},
		{`["k",{"a":1,"\u0061":1}]`, false},
		{`["k","\ud800"]`, false},
		{`["k","\udc00\ud800"]`, false},
		{`["k","a\u0000b"]`, false},
		{`["k",{"\u0000":1}]`, false},
		{`["k",[` + strings.Repeat("0,", maxValues-2) + `0]]`, true},
		{`["k",[` + strings.Repeat("0,", maxValues-1) + `0]]`, false},
		{"[\"k\",\"\xff\"]", false},
		{"[\"k\",\"\xed\xa0\x80\"]", false},
	} {
		t.Run(fmt.Sprintf("%.60q", test.params), func(t *testing.T) {
			var s source
			r := newParamsReader(&s, new(arena), []byte(test.params))
			values, err := readAll(r)
			if (err == nil) != test.good {
				t.Errorf("%.60s: got %d values and the error %v, want success: %v", test.params, len(values), err, test.good)
			}
		})
	}
}

// Only a string can be a key. reference.md: error.301
func TestKeyIsTheFirstParameter(t *testing.T) {
	for _, test := range []struct {
		params   string
		expected string
	}{
		{``, "null"}, {`[]`, "null"}, {`[null]`, "null"}, {`[7]`, "a number"}, {`["k"]`, "k"}, {`[ "k\u0041" , 7]`, "kA"},
		{`[["k"]]`, "an array"}, {`[{"a":1,"a":2}]`, "an object"},
	} {
		t.Run(fmt.Sprintf("%.60q", test.params), func(t *testing.T) {
			var raw []byte
			if test.params != "" {
				raw = []byte(test.params)
			}
			var s source
			r := newParamsReader(&s, new(arena), raw)
			got := r.key.Text
			if r.key.Kind != enlist.InputText {
				got = describe(&r.key)
			}
			if got != test.expected || r.err != nil {
				t.Errorf("%s: got the key %s and the error %v, want %s and no error", test.params, got, r.err, test.expected)
			}
		})
	}
}
