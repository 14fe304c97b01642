package sheet

import (
	"strings"
	"testing"
)

// covers: decision 66
func TestNDJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule string
		file string
		want []string
	}{
		{"keys are columns, and values keep their types", `{"Email":"a@b","n":1.50,"ok":true,"list":["x",2],"none":null}` + "\r\n",
			[]string{"Email | n | ok | list | none", `1: "a@b" "1.50" true []interface {}{"x", "2"} <nil>`}},
		{"a later object adds columns", "{\"a\":\"1\"}\n\n{\"b\":\"2\",\"a\":\"\"}", []string{"a | b", `1: "1" <nil>`, `3: "" "2"`}},
		{"a key that is there twice", `{"a":1,"a":2}` + "\n" + `{"a":{"x":1,"x":2}}` + "\n" + `{"a":"3"}`,
			[]string{"a", `1: the key "a" is there twice`, `2: the key "x" is there twice`, `3: "3"`}},
		{"escapes", `{"\u0061":"\ud83d\ude00\n","b":"\""}` + "\n" + `{"a":"1"}`, []string{"a | b", `1: "😀\n" "\""`, `2: "1" <nil>`}},
		{"half a character", `{"a":"\ud83d"}` + "\n", []string{"a", "1: the line is not valid JSON: invalid surrogate pair `\\ud83d\"}` in string"}},
		{"invalid UTF-8", "{\"a\":\"\xff\"}\n{\"a\":\"\u00e9\"}\n",
			[]string{"a", "1: the line is not valid JSON: invalid UTF-8", `2: "é"`}},
		{"two values on a line", `{"a":1} {"a":2}` + "\n", []string{"a", "1: the line has more than one JSON value"}},
		{"an empty key", `{"a":1,"":2}` + "\n", []string{"a", "1: the object has an empty key"}},
		{"a line that ends too early", "{\"a\":\n{\"a\":\"1\"}\n", []string{"a", "1: the line is not valid JSON: unexpected EOF", `2: "1"`}},
		{"no object", "{]\n[1]\n", []string{"the file has no JSON object with a key on its first lines: line 1: the line is not valid JSON: invalid character ']' at start of value"}},
		{"an array as file", "[{\"a\":1}]", []string{"the file is a JSON array: write one object on each line (NDJSON)"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			checkShown(t, c.file, Options{}, c.want...)
		})
	}
}

func TestALongObjectIsBadAndReadingGoesOn(t *testing.T) {
	t.Parallel()
	long := `{"a":"` + strings.Repeat("x", 2*maxRow) + `"}`
	checkShown(t, "{\"a\":\"1\"}\n"+long+"\n{\"a\":\"2\"}\n", Options{}, "a", `1: "1"`, "2: "+errTooLong.Error(), `3: "2"`)
}

func TestAnObjectAfterTheFirstThousandAddsColumns(t *testing.T) {
	t.Parallel()
	lines := strings.Split(shown(strings.Repeat("{\"a\":\"1\"}\n", 1500)+"{\"b\":\"2\"}\n{\"a\":\"3\"}\n", Options{}), "\n")
	if got := strings.Join(append(lines[:2:2], lines[1500:]...), "\n"); got != `a | b
1: "1"
1500: "1"
1501: <nil> "2"
1502: "3" <nil>` {
		t.Error(got)
	}
}
