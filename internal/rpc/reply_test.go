package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"

	"enlist/api"
	"enlist/internal/audience"
)

// Every kind of error but Internal has a code with a published name.
//
// covers: decision 5
func TestEachErrorKindHasAPublishedCode(t *testing.T) {
	for kind := audience.Internal + 1; kind <= audience.Busy; kind++ {
		t.Run(fmt.Sprint("kind ", kind), func(t *testing.T) {
			w, published := expose(audience.Refuse(kind, "why"), nil)
			if !published || w.code.Name() == "" || w.message != w.code.Name()+": why" {
				t.Errorf("kind %d: %d %q", kind, w.code, w.message)
			}
		})
	}
	for i, err := range []error{errors.New("x"), audience.Refuse(audience.Internal, "x"), audience.Refuse(audience.Busy+1, "x")} {
		t.Run(fmt.Sprint("unpublished ", i), func(t *testing.T) {
			if w, published := expose(err, nil); published {
				t.Errorf("%v shows as %q", err, w.message)
			}
		})
	}
}

// covers: decision 5
func TestErrorMessageIsShortWithoutSquareBrackets(t *testing.T) {
	err := audience.Refuse(audience.InvalidParameters, "Field [x]: expected %q", "[a]")
	if w, _ := expose(err, nil); w.message != `Invalid Method Parameters: Field (x): expected "(a)"` {
		t.Error(w.message)
	}
	long := sentence("Name", strings.Repeat("é", 1000))
	if len(long) > maxDetail+20 || !utf8.ValidString(long) {
		t.Error(long)
	}
}

// error.data is for 2.0 replies, and says which parameter or Field is meant.
//
// covers: decision 5
func TestErrorDataNamesParameterOrField(t *testing.T) {
	m := methods()["subscribeContact"]
	for _, test := range []struct {
		name     string
		err      error
		expected string
	}{
		{"a position", &refusal{code: api.CodeInvalidParameters, position: 2}, `,"data":{"parameter":"list_id","position":2}`},
		{"the name of a parameter", &audience.Error{Kind: audience.InvalidParameters, Field: "consent_text"}, `,"data":{"parameter":"consent_text","position":5}`},
		{"the name of a Field", &audience.Error{Kind: audience.InvalidParameters, Field: "City"}, `,"data":{"field":"City"}`},
		{"neither", audience.Refuse(audience.NoList, ""), ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, _ := expose(test.err, m)
			if got := string(appendData(nil, w)); got != test.expected {
				t.Errorf("%v: %s", test.err, got)
			}
		})
	}
}

func TestStringsAreEncodedReversibly(t *testing.T) {
	for _, s := range []string{"", "plain", `quote " and \`, "tab\tline\n", "\x00\x1f\x7f", "é😀\u2028", "</script>"} {
		t.Run(fmt.Sprintf("%q", s), func(t *testing.T) {
			var back string
			if b := appendString(nil, s); json.Unmarshal(b, &back) != nil || back != s {
				t.Errorf("%q is written as %s", s, b)
			}
		})
	}
	if b := appendString(nil, "a\xffb"); string(b) != "\"a\ufffdb\"" {
		t.Errorf("%s", b)
	}
}

// A retry is recognised by what it means, not by its white space.
//
// covers: decision 30
func TestFingerprintIgnoresKeyAndWhiteSpace(t *testing.T) {
	of := func(method, params string) [32]byte {
		var s source
		values, err := newParamsReader(&s, new(arena), []byte(params)).rest(nil)
		if err != nil {
			t.Fatal(err)
		}
		return fingerprint(method, values)
	}
	first := of("m", `["key1", 1, {"a": "b"}]`)
	if of("m", `["key2",1,{"\u0061":"b"}]`) != first {
		t.Error("the key, white space or escapes count")
	}
	seen := map[[32]byte]string{first: "first"}
	for _, params := range []string{`["k",1,{"a":"c"}]`, `["k",2,{"a":"b"}]`, `["k",1,{"b":"a"}]`, `["k",1,["a","b"]]`, `["k",1]`, `["k","1",{"a":"b"}]`,
		`["k",1,{"a":"b"},null]`, `["k",1,[[],"a"]]`, `["k",1,[["a"]]]`, `["k"]`, `["k",null]`} {
		t.Run(params, func(t *testing.T) {
			f := of("m", params)
			if other, ok := seen[f]; ok {
				t.Errorf("%s is like %s", params, other)
			}
			seen[f] = params
		})
	}
	if of("n", `["k",1,{"a":"b"}]`) == first {
		t.Error("the method does not count")
	}
}

// covers: decision 30
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
				t.Errorf("%q: %s", test.header, reply)
			}
			st.body = []byte(h.request("countLists", ""))
			if reply := h.exchange(t, st); !strings.Contains(reply, `"error":null`) {
				t.Errorf("%q on a method that only asks: %s", test.header, reply)
			}
		})
	}
}

// The calls of a batch that is sent twice happen once each.
//
// covers: decision 30
func TestRepeatedBatchExecutesEachCallOnce(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{})
	one := h.request("addList", `{"name":"L"}`)
	st := &step{verb: "POST", path: "/", proto: "HTTP/1.1", status: 200, headers: []string{"Idempotency-Key: k"},
		body: []byte("[" + one + "," + one + "]")}
	first, second := h.exchange(t, st), h.exchange(t, st)
	if expected := `[{"id":1,"result":1,"error":null},{"id":1,"result":2,"error":null}]`; first != expected || second != expected {
		t.Errorf("%s\n%s", first, second)
	}
}

// What goes wrong inside is in the log under the id that the reply shows.
//
// covers: decision 13
func TestInternalErrorIsLoggedUnderItsRequestID(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	h := newHarness(t, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	h.addListsAndContact(t)
	h.store.setFault("update", errors.New("no space left"))
	reply := h.post(t, h.request("resubscribeContact", "1,1"))
	h.store.setFault("update", errPanic)
	reply += h.post(t, h.request("deactivateContact", "1,1"))
	if strings.Contains(reply, "space") || strings.Contains(reply, "order") ||
		!strings.Contains(reply, `"Undefined Error: Contact Resubscribe Failed (request r1)"`) ||
		!strings.Contains(reply, `"Undefined Error: Contact Deactivate Failed (request r2)"`) {
		t.Error(reply)
	}
	h.server.Close() // so that all is logged
	if s := log.String(); !strings.Contains(s, "request=r1 method=resubscribeContact error=\"no space left\"") || !strings.Contains(s, "a panic to order") {
		t.Error(s)
	}
}

// covers: decision 20
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
	expected := map[string]float64{"enlist_ignored_keys_total": 2, "enlist_calls_total 0 subscribeContact": 2, "enlist_calls_total 303 subscribeContact": 1,
		"enlist_calls_total 104 other": 1, "enlist_calls_total 0 addList": 2, "enlist_calls_total 0 addListPreference": 1, "enlist_calls_total 0 countLists": 1}
	if !maps.Equal(got, expected) {
		t.Error(fmt.Sprint(got), "expected", fmt.Sprint(expected))
	}
}

// Every zone of getTimezoneList can be used.
func TestEachListedTimezoneCanBeLoaded(t *testing.T) {
	names := strings.Fields(timezones)
	if len(names) < 400 {
		t.Fatal(len(names))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			if _, err := time.LoadLocation(name); err != nil {
				t.Error(err)
			}
			expected := `{"timezone":"` + name + `","display_name":"` + displayName(name) + `"}`
			if got := string(appendTimezone(nil, &name)); got != expected {
				t.Error(got, "expected", expected)
			}
		})
	}
	if name := displayName("America/Argentina/Buenos_Aires"); name != "America / Argentina / Buenos Aires" {
		t.Error(name)
	}
}

// timed is a connection that notes how it is written to.
type timed struct {
	discard
	limited bool
	writes  []int
}

func (c *timed) SetWriteDeadline(time.Time) error { c.limited = true; return nil }

func (c *timed) Write(b []byte) (int, error) {
	if !c.limited {
		return 0, errors.New("written without a deadline of its own")
	}
	c.limited = false
	c.writes = append(c.writes, len(b))
	return len(b), nil
}

// A client that takes a long reply slowly but steadily gets it.
//
// covers: decision 39
func TestEachPartOfAReplyHasADeadline(t *testing.T) {
	w := &timed{discard: discard{header: make(http.Header)}}
	o := &Options{FlushTimeout: time.Second, StreamTimeout: time.Minute}
	r := reply{w: w, options: o, buf: make([]byte, 3*firstBytes+1)}
	r.finish()
	if fmt.Sprint(w.writes) != "[65536 65536 65536 1]" || w.header.Get("Content-Length") != "196609" {
		t.Error(w.writes, w.header)
	}
}
