package reference

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"enlist/internal/rpc"
)

// This file writes the example of a method as code of several languages.

// Placeholders in the code. The page marks them, so that its script can replace them by the values of the reader.
const (
	yourKey = "YOUR-KEY"
	origin  = "http://127.0.0.1:8080"
)

// snippet is the example in one language.
type snippet struct{ Language, Code string }

// literals says how a language writes the values of JSON.
type literals struct {
	array, object    [2]string // brackets
	arrow            string    // between the name and the value of a member
	yes, no, nothing string
	quote            func(string) string
}

var (
	square, curly = [2]string{"[", "]"}, [2]string{"{", "}"}

	ofJSON   = literals{square, curly, ": ", "true", "false", "null", quoteJSON}
	ofPython = literals{square, curly, ": ", "True", "False", "None", quoteJSON}
	ofPHP    = literals{square, square, " => ", "true", "false", "null", quotePHP}
)

// snippets returns the example of a method in all languages.
func snippets(m *rpc.MethodInfo) []snippet {
	call := "{\"id\": 1, \"method\": " + quoteJSON(m.Name) + ", \"params\": " + ofJSON.values(m) + "}"
	return []snippet{
		{"curl", "curl -s " + origin + "/api/jsonrpcserver -d '" + strings.ReplaceAll(call, "'", `'\''`) + "'"},
		{"JavaScript", `const reply = await fetch("` + origin + `/api/jsonrpcserver", {
  method: "POST",
  body: JSON.stringify({id: 1, method: "` + m.Name + `", params: ` + ofJSON.values(m) + `}),
});
const {result, error} = await reply.json();
if (error) throw new Error(error.message);`},
		{"PHP", `$call = ['id' => 1, 'method' => '` + m.Name + `', 'params' => ` + ofPHP.values(m) + `];
$reply = json_decode(file_get_contents('` + origin + `/api/jsonrpcserver', false,
    stream_context_create(['http' => ['method' => 'POST', 'content' => json_encode($call)]])));
if ($reply->error) {
    throw new Exception($reply->error->message);
}`},
		{"Python", `import json, urllib.request

call = {"id": 1, "method": "` + m.Name + `", "params": ` + ofPython.values(m) + `}
with urllib.request.urlopen("` + origin + `/api/jsonrpcserver", json.dumps(call).encode()) as reply:
    reply = json.load(reply)
if reply["error"]:
    raise RuntimeError(reply["error"]["message"])`},
		{"Go", "call := `" + strings.ReplaceAll(call, "`", "` + \"`\" + `") + "`\n" +
			`resp, err := http.Post("` + origin + `/api/jsonrpcserver", "application/json", strings.NewReader(call))
if err != nil {
	return err
}
defer resp.Body.Close()
var reply struct {
	Result json.RawMessage
	Error  *struct{ Code int; Message string }
}
err = json.NewDecoder(resp.Body).Decode(&reply)`},
	}
}

// values returns the parameters of the example as an array of the language.
func (l literals) values(m *rpc.MethodInfo) string {
	if m.Example == nil {
		return l.array[0] + l.quote(yourKey) + l.array[1]
	}
	all := make([]string, len(m.Example.Params))
	for i, param := range m.Example.Params {
		all[i] = l.value(jsontext.NewDecoder(bytes.NewReader(param)))
	}
	return l.array[0] + strings.Join(all, ", ") + l.array[1]
}

// literal translates JSON.
func (l literals) literal(text string) string {
	return l.value(jsontext.NewDecoder(strings.NewReader(text)))
}

// value translates the next value of the decoder. The JSON is valid, because package rpc has read it.
func (l literals) value(dec *jsontext.Decoder) string {
	token, _ := dec.ReadToken()
	switch token.Kind() {
	case '"':
		return l.quote(token.String())
	case 't':
		return l.yes
	case 'f':
		return l.no
	case 'n':
		return l.nothing
	case '[':
		var items []string
		for dec.PeekKind() != ']' {
			items = append(items, l.value(dec))
		}
		dec.ReadToken()
		return l.array[0] + strings.Join(items, ", ") + l.array[1]
	case '{':
		var members []string
		for dec.PeekKind() != '}' {
			name := l.value(dec)
			members = append(members, name+l.arrow+l.value(dec))
		}
		dec.ReadToken()
		return l.object[0] + strings.Join(members, ", ") + l.object[1]
	}
	return token.String()
}

// quoteJSON quotes a text for JSON. The form is valid in JavaScript and Python too.
func quoteJSON(s string) string {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		return strconv.Quote(s)
	}
	return string(b)
}

// quotePHP quotes a text for PHP.
func quotePHP(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

// indented returns JSON with line breaks.
func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}
