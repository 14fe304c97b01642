package rpc

import (
	"encoding/json"
	"enlist/internal/app"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"enlist/api"
	"enlist/internal/enlist"

	"github.com/prometheus/client_golang/prometheus"
)

// Every Kind of error except Internal has a code with a published name.
//
// covers: spec reply.message
func TestEachErrorKindHasAPublishedCode(t *testing.T) {
	for kind := enlist.Internal + 1; kind <= enlist.Busy; kind++ {
		t.Run(fmt.Sprint("kind ", kind), func(t *testing.T) {
			w, published := expose(enlist.Refuse(kind, "why"), nil)
			if !published || w.code.Name() == "" || w.message != w.code.Name()+": why" {
				t.Errorf("kind %d: got code %d and message %q, want a published name and the detail", kind, w.code, w.message)
			}
		})
	}
	for i, err := range []error{errors.New("x"), enlist.Refuse(enlist.Internal, "x"), enlist.Refuse(enlist.Busy+1, "x")} {
		t.Run(fmt.Sprint("error without a code ", i), func(t *testing.T) {
			if w, published := expose(err, nil); published {
				t.Errorf("the internal error %v was published as %q", err, w.message)
			}
		})
	}
}

// covers: spec reply.message
func TestErrorMessageIsShortWithoutSquareBrackets(t *testing.T) {
	err := enlist.Refuse(enlist.InvalidParameters, "Field [x]: expected %q", "[a]")
	if w, _ := expose(err, nil); w.message != `Invalid Method Parameters: Field (x): expected "(a)"` {
		t.Errorf("got the message %s, want parentheses in place of square brackets", w.message)
	}
	long := sentence("Name", strings.Repeat("é", 1000))
	if len(long) > maxDetail+20 || !utf8.ValidString(long) {
		t.Errorf("got %d bytes, want at most %d bytes of valid UTF-8: %s", len(long), maxDetail+20, long)
	}
}

// A reply to a JSON-RPC 2.0 request has error.data, which has the name of the wrong parameter
// or Field.
//
// covers: spec reply.message
func TestErrorDataHasTheNameOfTheParameterOrField(t *testing.T) {
	m := methods(new(app.App))["subscribeContact"]
	for _, test := range []struct {
		name     string
		err      error
		expected string
	}{
		{"error with a position", &refusal{code: api.CodeInvalidParameters, position: 2}, `,"data":{"parameter":"list_id","position":2}`},
		{"error with the name of a parameter", &enlist.Error{Kind: enlist.InvalidParameters, Field: "consent_text"}, `,"data":{"parameter":"consent_text","position":5}`},
		{"error with the name of a Field", &enlist.Error{Kind: enlist.InvalidParameters, Field: "City"}, `,"data":{"field":"City"}`},
		{"error without a parameter or Field", enlist.Refuse(enlist.NoList, ""), ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, _ := expose(test.err, m)
			if got := string(appendData(nil, w)); got != test.expected {
				t.Errorf("%v: got %s, want %s", test.err, got, test.expected)
			}
		})
	}
}

func TestDecodedStringIsEqualToTheEncodedString(t *testing.T) {
	for _, s := range []string{"", "plain", `quote " and \`, "tab\tline\n", "\x00\x1f\x7f", "é😀\u2028", "</script>"} {
		t.Run(fmt.Sprintf("%q", s), func(t *testing.T) {
			var back string
			if b := appendString(nil, s); json.Unmarshal(b, &back) != nil || back != s {
				t.Errorf("%q was encoded as %s, which is decoded as %q", s, b, back)
			}
		})
	}
	if b := appendString(nil, "a\xffb"); string(b) != "\"a\ufffdb\"" {
		t.Errorf("got %s, want U+FFFD in place of an invalid byte", b)
	}
}

// The server recognises a repeated call even if its API key, white space or escapes differ.
//
// covers: spec idempotency
func TestFingerprintIgnoresKeyAndWhiteSpace(t *testing.T) {
	of := func(method, params string) [32]byte {
		var s source
		values, err := readAll(newParamsReader(&s, new(arena), []byte(params)))
		if err != nil {
			t.Fatal(err)
		}
		return fingerprint(method, values)
	}
	first := of("m", `["key1", 1, {"a": "b"}]`)
	if of("m", `["key2",1,{"\u0061":"b"}]`) != first {
		t.Error("the fingerprint depends on the key, white space or escapes")
	}
	seen := map[[32]byte]string{first: "first"}
	for _, params := range []string{`["k",1,{"a":"c"}]`, `["k",2,{"a":"b"}]`, `["k",1,{"b":"a"}]`, `["k",1,["a","b"]]`, `["k",1]`, `["k","1",{"a":"b"}]`,
		`["k",1,{"a":"b"},null]`, `["k",1,[[],"a"]]`, `["k",1,[["a"]]]`, `["k"]`, `["k",null]`} {
		t.Run(params, func(t *testing.T) {
			f := of("m", params)
			if other, ok := seen[f]; ok {
				t.Errorf("%s and %s have the same fingerprint", params, other)
			}
			seen[f] = params
		})
	}
	if of("n", `["k",1,{"a":"b"}]`) == first {
		t.Error("the fingerprint does not depend on the method")
	}
}

// covers: spec idempotency
func TestIdempotencyKeyIs1To255VisibleASCIICharacters(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{})
	for _, test := range []struct {
		header string
		good   bool
	}{
		{"a", true}, {strings.Repeat("x", 255), true}, {"!~", true}, {"", false}, {strings.Repeat("x", 256), false}, {"a b", false}, {"é", false},
	} {
		t.Run(fmt.Sprintf("%.60q", test.header), func(t *testing.T) {
			st := &step{verb: "POST", path: "/", proto: "HTTP/1.1", status: 200, headers: []string{"idempotency-key: " + test.header},
				body: []byte(h.request("addList", `{"name":"L"}`))}
			if reply := h.exchange(t, st); strings.Contains(reply, `"error":null`) != test.good {
				t.Errorf("Idempotency-Key %q: got %s, want success: %v", test.header, reply, test.good)
			}
			st.body = []byte(h.request("countLists", ""))
			if reply := h.exchange(t, st); !strings.Contains(reply, `"error":null`) {
				t.Errorf("Idempotency-Key %q with a method that changes nothing: got %s, want success", test.header, reply)
			}
		})
	}
}

// If a batch is sent twice with the same Idempotency-Key, the server executes each of its calls once.
//
// covers: spec idempotency
func TestRepeatedBatchExecutesEachCallOnce(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{})
	one := h.request("addList", `{"name":"L"}`)
	st := &step{verb: "POST", path: "/", proto: "HTTP/1.1", status: 200, headers: []string{"Idempotency-Key: k"},
		body: []byte("[" + one + "," + one + "]")}
	first, second := h.exchange(t, st), h.exchange(t, st)
	if expected := `[{"id":1,"result":1,"error":null},{"id":1,"result":2,"error":null}]`; first != expected || second != expected {
		t.Errorf("got %s and then %s, want %s both times", first, second, expected)
	}
}

// The log has the text of an internal error and its request id. The reply has only the id.
//
// covers: spec errors.order
func TestInternalErrorIsLoggedUnderItsRequestID(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	h := newHarness(t, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	h.addListsAndContact(t)
	h.store.setFault("update", errors.New("no space left"))
	reply := h.post(t, h.request("resubscribeContact", "1,1"))
	h.store.setFault("update", errPanic)
	reply += h.post(t, h.request("deactivateContact", "1,1"))
	if strings.Contains(reply, "space") || strings.Contains(reply, "panic") ||
		!strings.Contains(reply, `"Undefined Error: Contact Resubscribe Failed (request r1)"`) ||
		!strings.Contains(reply, `"Undefined Error: Contact Deactivation Failed (request r2)"`) {
		t.Errorf("got %s, want the request ids r1 and r2 without the text of the errors", reply)
	}
	h.server.Close() // waits until the calls have written to the log
	if s := log.String(); !strings.Contains(s, "request=r1 method=resubscribeContact error=\"no space left\"") || !strings.Contains(s, "a panic for a test") {
		t.Errorf("the log does not have both errors: %s", s)
	}
}

// covers: spec subscribeContact.rule.5
func TestMetricsCountCallsByMethodAndCode(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewPedanticRegistry()
	h := newHarness(t, Options{Registerer: registry})
	h.addListsAndContact(t)
	h.post(t, h.request("subscribeContact", `1,{"Email":"bob@example.org","submit":"1","token":"x"}`))
	h.post(t, h.request("subscribeContact", `7,{}`))
	h.post(t, h.request("nothing", ""))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]float64)
	for _, family := range families {
		for _, m := range family.GetMetric() {
			name := family.GetName()
			for _, label := range m.GetLabel() {
				name += " " + label.GetValue()
			}
			if c := m.GetCounter(); c != nil && c.GetValue() > 0 {
				got[name] = c.GetValue()
			}
		}
	}
	expected := map[string]float64{"enlist_ignored_keys_total subscribeContact": 2, "enlist_calls_total 0 subscribeContact": 2, "enlist_calls_total 303 subscribeContact": 1,
		"enlist_calls_total 104 other": 1, "enlist_calls_total 0 addList": 2, "enlist_calls_total 0 addListPreference": 1, "enlist_calls_total 0 setSegment": 1, "enlist_calls_total 0 setForm": 1, "enlist_calls_total 0 copyContacts": 1, "enlist_calls_total 0 countLists": 1}
	if !maps.Equal(got, expected) {
		t.Errorf("got the counters %v, want %v", got, expected)
	}
}

// Go can load every time zone that getTimezoneList returns.
func TestEachListedTimezoneCanBeLoaded(t *testing.T) {
	names := enlist.TimeZones()
	if len(names) < 400 {
		t.Fatalf("timezones.txt has %d names, want at least 400", len(names))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			if _, err := time.LoadLocation(name); err != nil {
				t.Error(err)
			}
			expected := `{"timezone":"` + name + `","display_name":"` + displayName(name) + `"}`
			if got := string(appendTimezone(nil, &name)); got != expected {
				t.Errorf("got %s, want %s", got, expected)
			}
		})
	}
	if name := displayName("America/Argentina/Buenos_Aires"); name != "America / Argentina / Buenos Aires" {
		t.Errorf("got the display name %s", name)
	}
}
