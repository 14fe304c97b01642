package rpc

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"
)

// This file takes the examples of the description from the transcripts: for each method, one of its successful calls.

// examples are the examples that the transcripts have so far.
type examples struct {
	mu    sync.Mutex
	of    map[string]foundExample
	files int // transcripts that ended
}

type foundExample struct {
	Example
	text   string // to choose one
	chosen bool   // from reference.txt
}

// ended counts a transcript that ended.
func (x *examples) ended() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.files++
}

// add looks at a call of a transcript. It keeps the example if it is better than the one of the same method.
func (x *examples) add(body []byte, reply string, keys map[string]string, chosen bool) {
	var call struct {
		ID     int
		Method string
		Params []json.RawMessage
	}
	var answer struct {
		Result json.RawMessage
		Error  json.RawMessage
	}
	if json.Unmarshal(body, &call) != nil || json.Unmarshal([]byte(reply), &answer) != nil || string(answer.Error) != "null" || len(call.Params) == 0 {
		return
	}
	for _, key := range keys {
		if string(call.Params[0]) == `"`+key+`"` {
			call.Params[0] = json.RawMessage(`"YOUR-KEY"`)
		}
	}
	if string(call.Params[0]) != `"YOUR-KEY"` || strings.Contains(reply, "$ANY") {
		return
	}
	for i := range call.Params {
		call.Params[i] = compacted(call.Params[i])
	}
	e := Example{Params: call.Params, Result: compacted(answer.Result)}
	text, _ := json.Marshal(e)
	found := foundExample{e, string(text), chosen}
	x.mu.Lock()
	defer x.mu.Unlock()
	if old, ok := x.of[call.Method]; !ok || found.betterThan(old) {
		x.of[call.Method] = found
	}
}

// betterThan prefers an example of reference.txt, then a result that is not empty, then more parameters, then the shorter text. It depends on nothing
// else, because transcripts run in any order.
func (f foundExample) betterThan(old foundExample) bool {
	rank := func(f foundExample) int {
		n := min(len(f.Params), 4)
		if f.chosen {
			n = 1000
		}
		if s := string(f.Result); s == "[]" || s == "{}" || s == "0" || s == "false" || len(f.text) > 3000 {
			n -= 100
		}
		return n
	}
	if a, b := rank(f), rank(old); a != b {
		return a > b
	}
	if len(f.text) != len(old.text) {
		return len(f.text) < len(old.text)
	}
	return f.text < old.text
}

func compacted(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// check compares the examples with examples.json. With -update, it writes this file.
func (x *examples) check(t *testing.T, files int) {
	if x.files != files || t.Failed() {
		return // only some transcripts ran
	}
	of := make(map[string]Example)
	for name, found := range x.of {
		if methods()[name] != nil {
			of[name] = found.Example
		}
	}
	text, err := json.MarshalIndent(of, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	if bytes.Equal(text, examplesJSON) {
		return
	}
	if !*update {
		t.Error("examples.json differs from the transcripts: run go test ./internal/rpc -run Transcripts -update")
		return
	}
	if err := os.WriteFile("examples.json", text, 0o666); err != nil {
		t.Fatal(err)
	}
}
