package xmlrpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// readAll returns the JSON of a call. small makes the source return one byte at a time.
func readAll(xml string, small bool) (string, error) {
	source := io.Reader(strings.NewReader(xml))
	if small {
		source = iotest.OneByteReader(source)
	}
	b, err := io.ReadAll(NewReader(source, "", 64))
	return string(b), err
}

// withValue returns a call with one parameter.
func withValue(value string) string {
	return "<methodCall><methodName>m</methodName><params><param>" + value + "</param></params></methodCall>"
}

// covers: decision 72
func TestValuesBecomeJSON(t *testing.T) {
	for _, test := range []struct{ xml, want string }{
		{"<value><int>-12</int></value>", "-12"},
		{"<value><i4> +7 </i4></value>", "7"},
		{"<value><i8>9223372036854775807</i8></value>", "9223372036854775807"},
		{"<value><ex:i8>007</ex:i8></value>", "7"},
		{"<value><int></int></value>", `""`},
		{"<value><int>0x10</int></value>", `"0x10"`},
		{"<value><int>seven</int></value>", `"seven"`},
		{"<value><double>1.50</double></value>", "1.50"},
		{"<value><double>.5</double></value>", "0.5"},
		{"<value><double>5.</double></value>", "5"},
		{"<value><double>1e3</double></value>", "1e3"},
		{"<value><double>1e999</double></value>", "1e999"},
		{"<value><double>nan</double></value>", `"nan"`},
		{"<value><boolean>1</boolean></value>", "true"},
		{"<value><boolean> 0\n</boolean></value>", "false"},
		{"<value><boolean>true</boolean></value>", "true"},
		{"<value><boolean>yes</boolean></value>", `"yes"`},
		{"<value><nil/></value>", "null"},
		{"<value><ex:nil></ex:nil></value>", "null"},
		{"<value/>", `""`},
		{"<value></value>", `""`},
		{"<value> \n </value>", `" \n "`},
		{"<value> \n <string> x </string>\n</value>", `" x "`},
		{"<value>  text</value>", `"  text"`},
		{"<value>a &lt; b &#x1F600; &amp;amp; <![CDATA[<]]>]]]]><![CDATA[>]]></value>", `"a < b 😀 &amp; <]]]]>>"`},
		{"<value>a<!-- <b> --><?php x ?>b</value>", `"ab"`},
		{"<value><string>\"\\\t\x01\r\n</string></value>", `"\"\\\t\u0001\u000d\n"`},
		{"<value><base64>\n w7w=\n </base64></value>", `"ü"`},
		{"<value><base64/></value>", `""`},
		{"<value><dateTime.iso8601>20260131T10:20:30</dateTime.iso8601></value>", `"2026-01-31 10:20:30"`},
		{"<value><dateTime.iso8601>2026-01-31T10:20:30</dateTime.iso8601></value>", `"2026-01-31 10:20:30"`},
		{"<value><dateTime.iso8601>yesterday</dateTime.iso8601></value>", `"yesterday"`},
		{"<value><array><data/></array></value>", "[]"},
		{"<value><array/></value>", "[]"},
		{"<value><array><data><value>a</value> <value><int>1</int></value></data></array></value>", `["a",1]`},
		{"<value><struct/></value>", "{}"},
		{"<value><struct><member><name>0</name><value/></member><member><name>a b</name><value><struct></struct></value></member></struct></value>", `{"0":"","a b":{}}`},
		{"<value xmlns:x='>/' ><string >a</string ></value>", `"a"`},
	} {
		t.Run(test.xml, func(t *testing.T) {
			want := `{"method":"m","params":[` + test.want + `]}`
			for _, small := range []bool{false, true} {
				if got, err := readAll("<?xml version=\"1.0\"?>\n"+withValue(test.xml)+"\n", small); err != nil || got != want {
					t.Errorf("got %s and the error %v, want %s", got, err, want)
				}
			}
		})
	}
}

// covers: decision 72, spec xmlrpc.limits
func TestBadXMLIsRefusedWithAReason(t *testing.T) {
	nested := strings.Repeat("<value><array><data>", 63)
	for _, test := range []struct{ xml, want string }{
		{"", "the body has no methodCall"},
		{" <!-- nothing --> ", "the body has no methodCall"},
		{"hello", "the body is not XML"},
		{"<methodResponse/>", "unexpected <methodResponse>"},
		{"<methodCall/><methodCall/>", "unexpected <methodCall>"},
		{"<methodCall/>x", "the body is not XML"},
		{"<methodCall/><", "the XML is incomplete"},
		{"</methodCall>", "unexpected </methodCall>"},
		{"<methodCall><methodName>m</methodName>", "the XML ends before </methodCall>"},
		{"<methodCall><methodName>m</params>", "unexpected </params>"},
		{"<methodCall>m</methodCall>", "unexpected text in <methodCall>"},
		{"<methodCall><methodName>" + strings.Repeat("m", 5000), "<methodName> has more than 4096 bytes"},
		{"<" + strings.Repeat("m", 100), `unexpected text "mmmmmmmmmmmmmmmmmmmm"`},
		{"<!DOCTYPE methodCall><methodCall/>", "a document type is not accepted"},
		{"<!ENTITY a 'b'>", "a document type is not accepted"},
		{withValue("<value>&nbsp;</value>"), "the reference &nbsp; is not known"},
		{withValue("<value>&#xD800;</value>"), "the reference &#xD800; is not known"},
		{withValue("<value>&12;</value>"), "the reference &12; is not known"},
		{withValue("<value>& b</value>"), `unexpected text " b</value>"`},
		{withValue("<value><![CDATA[ x"), "the XML is incomplete"},
		{withValue("<value>x<int>1</int></value>"), "unexpected <int>"},
		{withValue("<value><int>1</int>x</value>"), "unexpected text in <value>"},
		{withValue("<value><int>1</int><int>1</int></value>"), "unexpected <int>"},
		{withValue("<value><nil>x</nil></value>"), "unexpected text in <nil>"},
		{withValue("<value><array><value/></array></value>"), "unexpected <value>"},
		{withValue("<value><struct><member><value/></member></struct></value>"), "unexpected <value>"},
		{withValue("<value><struct><member><name>a</name></member></struct></value>"), "<member> is incomplete"},
		{withValue(""), "<param> is incomplete"},
		{withValue("<value/><value/>"), "unexpected <value>"},
		{withValue("<value>" + strings.Repeat(" ", 5000) + "<int>1</int></value>"), "<value> has more than 4096 bytes"},
		{withValue("<value><base64>a</base64></value>"), "a base64 value is not valid base64"},
		{withValue("<value><base64>YQ==YQ==</base64></value>"), "a base64 value is not valid base64"},
		{withValue(nested), "nested too deeply"},
		{"<?xml version='1.0' encoding='EBCDIC'?><methodCall/>", `the encoding "EBCDIC" is not supported; send UTF-8`},
	} {
		t.Run(fmt.Sprintf("%.60s", test.xml), func(t *testing.T) {
			for _, small := range []bool{false, true} {
				_, err := readAll(test.xml, small)
				if refused, ok := errors.AsType[*Error](err); !ok || refused.Detail != test.want {
					t.Errorf("got the error %v, want %s", err, test.want)
				}
			}
		})
	}
}

// covers: spec xmlrpc.encoding
func TestDeclaredEncodingIsConvertedToUTF8(t *testing.T) {
	const latin, utf16 = "<methodCall><methodName>\xfc\x80</methodName></methodCall>", "\xff\xfe<\x00m\x00"
	for _, test := range []struct{ xml, charset, want string }{
		{"<?xml version='1.0' encoding='ISO-8859-1'?>" + latin, "", "ü€"},
		{"<?xml version='1.0'\n encoding = \"windows-1252\" ?>" + latin, "utf-8", "ü€"},
		{"<?xml version='1.0' encoding='windows-1251'?>" + latin, "", "ьЂ"},
		{latin, "iso-8859-1", "ü€"},
		{"\ufeff<methodCall><methodName>ü</methodName></methodCall>", "iso-8859-1", "ü"},
		{"<?xml version='1.0' encoding='US-ASCII'?><methodCall><methodName>u</methodName></methodCall>", "", "u"},
	} {
		b, err := io.ReadAll(NewReader(strings.NewReader(test.xml), test.charset, 64))
		if want := `{"method":"` + test.want + `"}`; err != nil || string(b) != want {
			t.Errorf("%q: got %s and the error %v, want %s", test.xml, b, err, want)
		}
	}
	if _, err := readAll(utf16, false); err == nil || !strings.Contains(err.Error(), "incomplete") {
		t.Errorf("the start of a call in UTF-16: got the error %v, want that the XML is incomplete", err)
	}
}

// An error of the source, such as a closed connection, is not an error of the XML.
func TestErrorOfTheSourceIsReturned(t *testing.T) {
	broken := errors.New("connection closed")
	for _, start := range []string{"", "<methodCall>", "<methodCall><meth", "<methodCall><methodName>&am", "<methodCall><methodName><![CDATA[x"} {
		source := io.MultiReader(strings.NewReader(start), iotest.ErrReader(broken))
		if _, err := io.ReadAll(NewReader(source, "", 64)); err != broken {
			t.Errorf("after %q: got the error %v, want %v", start, err, broken)
		}
	}
}

// FuzzReader reads arbitrary XML. A call that is read becomes valid JSON of a limited size, also if the
// source returns one byte at a time.
//
// covers: decision 72
func FuzzReader(f *testing.F) {
	for _, seed := range []string{withValue("<value><int>1</int></value>"), withValue("<value>&amp;<![CDATA[x]]></value>"),
		withValue("<value><struct><member><name>a</name><value><base64>YQ==</base64></value></member></struct></value>"),
		"<?xml version='1.0' encoding='ISO-8859-1'?>" + withValue("<value>\xfc<!-- --></value>"), "<!DOCTYPE x>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, xml string) {
		got, err := readAll(xml, false)
		if small, errSmall := readAll(xml, true); small != got && err == nil || fmt.Sprint(err) != fmt.Sprint(errSmall) {
			t.Fatalf("got %q and %v, and %q and %v for single bytes", got, err, small, errSmall)
		}
		if err == nil && !json.Valid([]byte(got)) {
			t.Fatalf("%q became %q, which is not JSON", xml, got)
		}
		if len(got) > Expansion*len(xml)+100 {
			t.Fatalf("%d bytes became %d", len(xml), len(got))
		}
	})
}
