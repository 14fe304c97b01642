package rpc

import (
	"bytes"
	"encoding/json"
	"enlist/internal/app"
	"os"
	"regexp"
	"testing"
)

// This file takes the examples of the description from testdata/reference.txt: the first call of each method.

// addExample looks at a call of a transcript. It keeps the first successful call of each method with the key FULL.
func (s *transcript) addExample(body []byte, reply string) {
	var call struct {
		ID     int
		Method string
		Params []json.RawMessage
	}
	var answer struct{ Result, Error json.RawMessage }
	if json.Unmarshal(body, &call) != nil || json.Unmarshal([]byte(reply), &answer) != nil || string(answer.Error) != "null" ||
		len(call.Params) == 0 || string(call.Params[0]) != `"`+s.keys["FULL"]+`"` {
		return
	}
	if _, found := s.examples[call.Method]; found {
		return
	}
	if call.Method == "getTimezoneList" {
		answer.Result = append(regexp.MustCompile(`^(\[\{[^}]*\},\{[^}]*\})`).Find(answer.Result), ']') // its result is long
	}
	call.Params[0] = json.RawMessage(`"YOUR-KEY"`)
	result := bytes.ReplaceAll(answer.Result, []byte(`"id":"$ANY"`), []byte(`"id":12`))
	result = bytes.ReplaceAll(result, []byte("$ANY"), []byte("…"))
	s.examples[call.Method] = Example{Params: call.Params, Result: result}
}

// checkExamples compares the examples with examples.json. With -update, it writes this file.
func checkExamples(t *testing.T, examples map[string]Example) {
	t.Helper()
	for name, m := range methods(new(app.App)) {
		if _, found := examples[name]; !found && !alwaysRefused(m.summary) {
			t.Errorf("reference.txt has no successful call of %s", name)
		}
	}
	text, err := json.MarshalIndent(examples, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	if bytes.Equal(text, examplesJSON) {
		return
	}
	if !*update {
		t.Error("examples.json differs from reference.txt: run go test ./internal/rpc -run Transcripts/sqlite/reference -update")
		return
	}
	if err := os.WriteFile("examples.json", text, 0o666); err != nil {
		t.Fatal(err)
	}
}
