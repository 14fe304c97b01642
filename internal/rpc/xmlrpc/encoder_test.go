package xmlrpc

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

// encode translates JSON in steps of about size bytes of XML.
func encode(jsonText string, size int) (xml string) {
	var e Encoder
	var part []byte
	for rest := []byte(jsonText); len(rest) > 0; {
		part, rest = e.Append(part[:0], rest, size)
		xml += string(part)
	}
	return xml
}

// covers: decision 72, spec xmlrpc.types
func TestJSONBecomesValues(t *testing.T) {
	for _, test := range []struct{ json, want string }{
		{"1", "<value><int>1</int></value>"},
		{"-2147483648", "<value><int>-2147483648</int></value>"},
		{"2147483648", "<value><double>2147483648</double></value>"},
		{"12.50", "<value><double>12.50</double></value>"},
		{"true", "<value><boolean>1</boolean></value>"},
		{"false", "<value><boolean>0</boolean></value>"},
		{"null", "<value><nil/></value>"},
		{`""`, "<value><string></string></value>"},
		{`"a\"\\\/<&>\n\r\té"`, "<value><string>a\"\\/&lt;&amp;&gt;\n&#13;\té</string></value>"},
		{`"\b\f\u0000\u001f\u00e9\ud800"`, "<value><string>\ufffd\ufffd\ufffd\ufffdé\ufffd</string></value>"},
		{"\"\x7f\uFFFD\uFFFE\uFFFFﬀ\"", "<value><string>\x7f\ufffd\ufffd\ufffdﬀ</string></value>"},
		{"[]", "<value><array><data></data></array></value>"},
		{"{}", "<value><struct></struct></value>"},
		{`[1,[2],"a"]`, "<value><array><data><value><int>1</int></value><value><array><data><value><int>2</int></value></data></array></value><value><string>a</string></value></data></array></value>"},
		{`{"0":{"a":[{}]},"<":1}`, "<value><struct><member><name>0</name><value><struct><member><name>a</name><value><array><data><value><struct></struct></value></data></array></value></member></struct></value></member><member><name>&lt;</name><value><int>1</int></value></member></struct></value>"},
	} {
		for _, size := range []int{1, 2, 3, 1000} {
			if got := encode(test.json, size); got != test.want {
				t.Errorf("%s in parts of %d bytes: got %s, want %s", test.json, size, got, test.want)
			}
		}
	}
}

// FuzzEncoder translates arbitrary JSON to XML. The XML is well-formed, and the Reader reads the same
// JSON from it.
//
// covers: decision 72
func FuzzEncoder(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-2.5,true,null,"x"]}`, `"\u0001<&\r\n"`, "\"\uFFFE\"", `{"":{"":[]}}`} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, text string, size int) {
		var v any
		if json.Unmarshal([]byte(text), &v) != nil || strings.Contains(text, "e") || strings.Contains(text, "E") {
			return
		}
		compact, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		got := encode(string(compact), 1+size&7)
		if all := encode(string(compact), len(compact)); all != got {
			t.Fatalf("%s in parts became %s, want %s", compact, got, all)
		}
		dec := xml.NewDecoder(strings.NewReader(got))
		for err == nil {
			_, err = dec.Token()
		}
		if err != io.EOF {
			t.Fatalf("%s became %s: %v", compact, got, err)
		}
		call, err := io.ReadAll(NewReader(strings.NewReader(withValue(got)), "", 10_000))
		var back struct{ Params []any }
		if err != nil || json.Unmarshal(call, &back) != nil || len(back.Params) != 1 {
			t.Fatalf("%s became %s, which was read as %s (error %v)", compact, got, call, err)
		}
		if again, _ := json.Marshal(back.Params[0]); printable(compact) && string(again) != string(compact) {
			t.Fatalf("%s became %s, want the same", compact, again)
		}
	})
}

// printable reports whether XML can contain all characters of a text in JSON.
func printable(text []byte) bool {
	return !strings.Contains(string(text), `\u00`) && !strings.Contains(string(text), `\b`) && !strings.Contains(string(text), `\f`) &&
		!strings.Contains(string(text), "\uFFFE") && !strings.Contains(string(text), "\uFFFF")
}
