package internal_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// This file compares the errors in the table of methods with the wire transcripts.

// errorRow is an error of an operation, in one of the two forms of a reply.
type errorRow struct {
	method string
	code   string
	v2     bool
}

// For every error of every operation in the table of methods, transcripts have two replies: one with
// three keys, and one in the form of JSON-RPC 2.0.
func TestEveryErrorIsAnsweredInBothForms(t *testing.T) {
	answered := make(map[errorRow]bool)
	files, err := filepath.Glob("rpc/testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		for section := range strings.SplitSeq(read(t, file), "\n=== ") {
			if row, ok := errorOf(section); ok {
				answered[row] = true
			}
		}
	}
	rows := errorRows(read(t, methodRows))
	methods, err := filepath.Glob("rpc/methods_*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range methods {
		rows = append(rows, errorsOfMethods(read(t, file))...)
	}
	if len(rows) < 70 {
		t.Fatalf("found %d errors in the table of methods, want 70 or more", len(rows))
	}
	for _, row := range rows {
		for _, row.v2 = range []bool{false, true} {
			if !answered[row] {
				t.Errorf("no transcript has a reply to %s with the error %s (JSON-RPC 2.0: %v)", row.method, row.code, row.v2)
			}
		}
	}
}

var (
	operationError = regexp.MustCompile(`\{#([a-zA-Z]+)\.(\d{3})\}`)
	methodErrors   = regexp.MustCompile(`(?s)\.add\("(\w+)".*?says\(.*?"([\d ]*)"\)\n`)
)

// errorsOfMethods finds the errors in the last argument of says, in the table of methods.
func errorsOfMethods(table string) (rows []errorRow) {
	for _, m := range methodErrors.FindAllStringSubmatch(table, -1) {
		for code := range strings.FieldsSeq(m[2]) {
			rows = append(rows, errorRow{method: m[1], code: code})
		}
	}
	return rows
}

// errorRows finds rows with ids such as subscribeContact.303.
func errorRows(list string) (rows []errorRow) {
	for _, m := range operationError.FindAllStringSubmatch(list, -1) {
		rows = append(rows, errorRow{method: m[1], code: m[2]})
	}
	return rows
}

// errorOf reads a section of a transcript, a request and its reply. ok is false if the reply is not an
// error.
func errorOf(section string) (row errorRow, ok bool) {
	request, reply, ok := strings.Cut(section, "\n--\n")
	if !ok {
		return row, false
	}
	_, request, _ = strings.Cut(request, "\n{")
	var sent struct{ Method, JSONRPC string }
	var got struct{ Error struct{ Code json.Number } }
	sentErr := json.Unmarshal([]byte("{"+variables.ReplaceAllString(request, "0")), &sent)
	gotErr := json.NewDecoder(strings.NewReader(reply)).Decode(&got)
	if sentErr != nil || gotErr != nil || got.Error.Code == "" {
		return row, false
	}
	return errorRow{sent.Method, got.Error.Code.String(), sent.JSONRPC == "2.0"}, true
}

var variables = regexp.MustCompile(`\$[A-Z]+`)
