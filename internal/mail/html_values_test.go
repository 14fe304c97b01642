package mail

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"enlist/internal/messages"

	"enlist/internal/messages/merge"
	"golang.org/x/net/html"
)

// The tests in this file insert hostile values at every position of a Message. A value must not
// add an element, an attribute, a header field or a host of a link.

// fieldInEveryPlace is an HTML page with a merge field at every possible position.
const fieldInEveryPlace = `<!DOCTYPE html {{V}}><html lang="{{V}}"><head><title>{{V}}</title><meta name="a" content="{{V}}"><style>a{color:{{V}}}</style></head>
<body onload="x('{{V}}')" style="color:{{V}}" title='{{V}}' id={{V}}><!-- {{V}} --><script>var a="{{V}}";</script>
<p>&{{V}}; <{{V}} a < {{V}}> </{{V}}> <{{V}}<b>x</b></p><a href={{V}}>a</a><a href='https://example.com/{{V}}?a={{V}}#{{V}}'>b</a>
<a href="{{V}}">c</a><a href="javascript:{{V}}">d</a><a href="https://{{V}}">e</a><a href="https://example.com{{V}}">f</a><a href="java{{V}}:x">g</a>
<img src="https://example.com/{{V}}.png" alt="{{V}}" srcset="{{V}} 2x" onerror="{{V}}"><iframe srcdoc="{{V}}">{{V}}</iframe><noscript>{{V}}</noscript>
<textarea>{{V}}</textarea><svg><title>{{V}}</title><a xlink:href="{{V}}">h</a><style>{{V}}</style><![CDATA[ > {{V}} ]]></svg><a {{V}} b{{V}}=c>i</a>
<form action="{{V}}"><input value={{V}} type={{V}}></form><object data="{{V}}"></object><table>{{V}}<tr><td>{{V}}</table>{{V}}</body></html>`

var hostile = []string{`"><script>alert(1)</script>`, `' onmouseover='alert(1)`, `</title></textarea></style></script><img src=x onerror=alert(1)>`, `-->`, `]]>`,
	"javascript:alert(1)", "java\tscript:alert(1)", "//evil.example", "https://evil.example/\" onclick=\"x", "@evil.example", ".evil.example", "script src=//evil", "!-- ", "?xml", "/p", "&#34;", "lt;", "#60;script>",
	"x\r\nBcc: evil@example.com\r\n\r\n<b>", "\x00\x01\x1b", "\u2028\u202e", "=?utf-8?q?=0D=0A?=", "{{Email}}", "{{unsubscribe_url}}", "}}<b>", "`", "a b", " ", "\n"}

// shape returns the parts of an HTML document that values must not change: elements, names of
// attributes, comments, and the hosts of links.
func shape(t testing.TB, source string) []string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return nil
	}
	var shape []string
	for n := range root.Descendants() {
		switch n.Type {
		case html.CommentNode, html.DoctypeNode:
			shape = append(shape, "!"+n.Data)
		case html.TextNode:
			if n.Parent.Data == "script" || n.Parent.Data == "style" {
				shape = append(shape, n.Data)
			}
		case html.ElementNode:
			for _, a := range n.Attr {
				shape = append(shape, n.Data+" "+a.Key+leads(n, a))
			}
			shape = append(shape, n.Data)
		}
	}
	return shape
}

// leads returns the part of an attribute's value that must not change.
func leads(n *html.Node, a html.Attribute) string {
	switch {
	case strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "srcdoc" || a.Key == "srcset" || a.Key == "type":
		return a.Val
	case a.Key == "href" || a.Key == "src" || a.Key == "action" || a.Key == "data":
		u, err := url.Parse(a.Val)
		if err != nil || u.Host == "" && u.Scheme == "" {
			return ""
		}
		return " " + u.Scheme + "://" + u.Host
	}
	return ""
}

// merged composes a Message for a Contact. The value is the First Name of the Contact.
func merged(t testing.TB, c *composer, m messages.Message, value string) *received {
	t.Helper()
	l := testMail(&m)
	l.Contact.Values = l.Contact.Values.Set(2, value)
	msg, _, err := c.outgoing(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, msg)
}

// checkMerge compares a Message with the value to the same Message with the value "x". If the value
// is itself a link, checkMerge compares only the headers, because such a value may change links.
func checkMerge(t *testing.T, m messages.Message, value string) {
	t.Helper()
	c, _ := testComposer(t)
	harmless, got := merged(t, c, m, "x"), merged(t, c, m, value)
	if want, got := harmless.names(), got.names(); !slices.Equal(want, got) {
		t.Fatalf("with the value %q the headers are %q, want %q", value, got, want)
	}
	want, have := shape(t, harmless.html), shape(t, got.html)
	if u, err := url.Parse(strings.TrimSpace(merge.Plain(value))); err == nil && (u.Host != "" || u.Opaque != "") {
		return
	}
	if !keepsShape(want, shape(t, merged(t, c, m, "z").html), have) {
		t.Fatalf("with the value %q the HTML is\n%s\nits shape is %q, want\n%q", value, got.html, have, want)
	}
}

// keepsShape reports whether the shape with a value is the same as with harmless values. have is
// the shape with the value. want and other are the shapes with two harmless values. If want and
// other differ at an index, the value is part of a link's host. At this index, have may contain a
// host below the domain in the Message, or no link.
func keepsShape(want, other, have []string) bool {
	if len(want) != len(have) || len(want) != len(other) {
		return false
	}
	for i := range want {
		if have[i] == want[i] {
			continue
		}
		attribute, _, isLink := strings.Cut(want[i], "://")
		refused := attribute[:max(0, strings.LastIndexByte(attribute, ' '))]
		_, domain, below := strings.Cut(want[i], ".")
		if want[i] == other[i] || !isLink || have[i] != refused && !(below && strings.HasSuffix(have[i], "."+domain)) {
			return false
		}
	}
	return true
}

// For each email type, a hostile value changes neither the header fields nor the elements.
//
// covers: decision 46, spec merge.escaping
func TestHostileValuesDoNotChangeAMessage(t *testing.T) {
	for _, kind := range []string{messages.EmailRawHTML, messages.EmailHTML, messages.EmailPlainHTML, messages.EmailPlain} {
		m := messages.Message{EmailType: kind, Subject: "{{V}}", HTML: fieldInEveryPlace, Text: "{{V}} https://example.com/{{V}} https://{{V}}"}
		m.Subject, m.HTML, m.Text = named(m.Subject), named(m.HTML), named(m.Text)
		t.Run(kind, func(t *testing.T) {
			for _, value := range hostile {
				checkMerge(t, m, value)
			}
		})
	}
}

// named replaces {{V}} by a merge field with the name of a Field.
func named(text string) string { return strings.ReplaceAll(text, "{{V}}", "{{First Name}}") }

// A notification has the same shape for any values of a Contact.
func TestHostileValuesDoNotChangeANotification(t *testing.T) {
	c, _ := testComposer(t)
	compose := func(value string) *received {
		n := testNotification()
		n.Details.Values = n.Details.Values.Set(2, value).Set(1, value)
		n.Consent.Text = value
		m, err := c.notification("1", n)
		if err != nil {
			t.Fatal(err)
		}
		return read(t, m)
	}
	want := compose("x")
	for _, value := range hostile {
		if strings.TrimSpace(merge.Plain(value)) == "" {
			continue
		}
		got := compose(value)
		if !slices.Equal(want.names(), got.names()) || !slices.Equal(shape(t, want.html), shape(t, got.html)) {
			t.Errorf("with the value %q the notification has other headers or another shape:\n%s", value, got.raw)
		}
		for line := range strings.Lines(got.text) {
			if strings.HasPrefix(line, "Bcc") || strings.HasPrefix(line, "<b>") {
				t.Errorf("the value %q looks like a header field or a row in the text\n%s", value, got.text)
			}
		}
	}
}

func FuzzMerge(f *testing.F) {
	for _, value := range hostile {
		f.Add(named(fieldInEveryPlace), value)
	}
	f.Add(`<{{First Name}}`, "script ")
	f.Add(`<a src="//{{First Name}}.g">m`, "->")
	f.Add(`<a src="//{{First Name}}.g">m`, "other")
	f.Add(`<a href="https://example.com/{{First Name}}?a=b">m`, ".")
	f.Add(`<a href="{{First Name}}">m`, "https://ex\x7fample.com/")
	f.Add(`<a href=x{{First Name}}><table><a>{{First Name}}`, "y")
	f.Fuzz(func(t *testing.T, template, value string) {
		switch strings.TrimSpace(merge.Plain(value)) {
		case "": // browsers ignore white space before the body
			value = "y"
		case ".", "..": // a link with such a path segment is replaced by "#"
			value += "y"
		}
		checkMerge(t, messages.Message{EmailType: messages.EmailRawHTML, HTML: template, Text: template, Subject: template}, value)
	})
}

func FuzzInline(f *testing.F) {
	for _, sheet := range []string{"a{b:c}", ";", "a;b{c:d}", "@media x{a{b:c}}", "{", "}", "a{b:c", "a{b:url(;)}", "/*", "a{'", "a,b>c d{e:f!important}", "@x;", "a{{b}}", "a:hover{b:c}"} {
		f.Add(sheet, "b:c")
	}
	f.Fuzz(func(t *testing.T, sheet, style string) {
		if strings.Contains(strings.ToLower(sheet), "</style") {
			return
		}
		source := "<style>" + sheet + `</style><p class="a" style="` + html.EscapeString(style) + `">text</p>`
		if got := written(plainText(inlineStyles(source))); got != "text\n" {
			t.Errorf("the text of %q is %q, want \"text\"", source, got)
		}
	})
}
