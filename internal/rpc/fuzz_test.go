package rpc

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzEnvelope sends arbitrary bodies. The reply must be valid JSON and have the id of the request.
//
// covers: spec reply.keys, decision 8
func FuzzEnvelope(f *testing.F) {
	h := newHarness(f, Options{})
	key := h.keys["FULL"]
	for _, seed := range []string{
		`{"id":1,"method":"countLists","params":["KEY"]}`, `[{"jsonrpc":"2.0","id":"a","method":"getSessionInfo","params":["KEY"]},7]`,
		`{"id":1.0e5,"params":{"a":[1]},"method":"x"}`, `[]`, ``, `[[[[`, `{"id":"\ud800","id":2}`, "{\"\xff\":1}",
		`{"jsonrpc":"2.0","method":"countLists","params":["KEY",[["name","exactly","x"],"OR"]]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		reply := h.answer(bytes.ReplaceAll(body, []byte("KEY"), []byte(key)))
		if len(reply) == 0 {
			return // the body has only notifications
		}
		if !jsontext.Value(reply).IsValid() {
			t.Fatalf("%q: the reply %q is not valid JSON", body, reply)
		}
		var sent, got map[string]json.RawMessage
		if !jsontext.Value(body).IsValid() || json.Unmarshal(body, &sent) != nil || json.Unmarshal(reply, &got) != nil {
			return // the body is not a single request
		}
		expected, ok := sent["id"]
		if kind := jsontext.Value(expected).Kind(); !ok || kind != '"' && kind != '0' || bytes.Contains(expected, []byte(`\u0000`)) || len(expected) > maxText {
			expected = null
		}
		if !bytes.Equal(expected, got["id"]) {
			t.Fatalf("%q: got the reply %q, want the id %s", body, reply, expected)
		}
	})
}

// FuzzParams calls every method with arbitrary parameters. The reply must be a result or a published
// error.
//
// covers: spec value.placeholder, errors.order, decision 8
func FuzzParams(f *testing.F) {
	h := newHarness(f, Options{})
	h.addListsAndContact(f)
	var names []string
	for name, params := range goodParams {
		f.Add(len(names), strings.Join(params, ","))
		names = append(names, name)
	}
	for _, bad := range badValues {
		f.Add(0, `1,`+bad)
	}
	f.Fuzz(func(t *testing.T, method int, params string) {
		name := names[uint(method)%uint(len(names))]
		body := h.request(name, params)
		if len(params) > 0 && !json.Valid([]byte("["+params+"]")) {
			body = h.request(name, "") // FuzzEnvelope sends invalid JSON
		}
		reply := h.answer([]byte(body))
		clearlyFailed(t, string(reply), body)
		if !bytes.HasPrefix(reply, []byte(`{"id":1,"result":`)) && json.Valid([]byte(body)) {
			t.Fatalf("%q: the reply %q does not begin with id and result", body, reply)
		}
	})
}

// FuzzCriteria searches with arbitrary criteria. The reply must be a result or a published error.
//
// covers: spec search.connectors
func FuzzCriteria(f *testing.F) {
	h := newHarness(f, Options{})
	h.addListsAndContact(f)
	for _, seed := range []string{
		`[["Email","exactly","ann@example.org"]]`, `[["id","in",[1,2,"3"]],"OR",{"field":"is_active","modifier":"not","value":true}]`,
		`["OR",[[["creation_time","greater_than",0]]],"AND",[]]`, `[["Mobile Phone","starts_with","04"]]`, `["Email","exactly","x"]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, criteria string) {
		if !json.Valid([]byte(criteria)) {
			return
		}
		for _, method := range []string{"searchContacts", "countContacts"} {
			body := h.request(method, "1,"+criteria)
			clearlyFailed(t, string(h.answer([]byte(body))), body)
		}
	})
}

// answer passes a body to the handler without a network connection, and returns the reply.
func (h *harness) answer(body []byte) []byte {
	h.handler.failures.seen = nil // so that no reply is delayed
	w := httptest.NewRecorder()
	h.handler.ServeHTTP(w, httptest.NewRequest("POST", "/rpc", bytes.NewReader(body)))
	return w.Body.Bytes()
}
