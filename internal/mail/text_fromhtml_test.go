package mail

import (
	"strings"
	"testing"
)

// This test covers the text part that is made from HTML.

// written joins the pieces of a text.
func written(s textSource) string {
	var b strings.Builder
	for _, p := range s {
		b.WriteString(p.before + p.text + p.after)
	}
	return b.String()
}

// The text part has the words, lists, tables and links of the HTML.
func TestPlainTextOfHTML(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"<p>Hi <b>Ann</b>, welcome.</p><p>Bye</p>", "Hi Ann, welcome.\n\nBye\n"},
		{"a<br>b<br><br>c", "a\nb\n\nc\n"},
		{"<h1>Title</h1>\n  text\n  goes <i> on </i>", "Title\n\ntext goes on\n"},
		{"<ul><li>one<li>two <b>2</b></ul><ol><li>a</li><li>b</li></ol>", "- one\n- two 2\n\n1. a\n2. b\n"},
		{`<a href="https://example.com/?a=1&amp;b=2">here</a>.`, "here <https://example.com/?a=1&b=2>.\n"},
		{`<a href="https://example.com">https://example.com</a>`, "https://example.com\n"},
		{`<a href="mailto:a@example.com">a@example.com</a> <a href="#x">up</a>`, "a@example.com up\n"},
		{`<a href="https://example.com"><img src=x alt="Shop"></a>`, "Shop <https://example.com>\n"},
		{`<a href="https://example.com"><img src=x></a>{{a}}`, "<https://example.com>{{a}}\n"},
		{"<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>x", "a b\nc\n\nx\n"},
		{"<style>p{}</style><script>x</script><title>t</title>text<!-- c -->", "text\n"},
		{`<div style="Display: none">preview</div><div>shown</div><div>too</div>`, "shown\ntoo\n"},
		{"<pre>a\n  b</pre>c", "a\n  b\n\nc\n"},
		{"Dear&nbsp;{{First&nbsp;Name|friend}},<hr>&lt;x&gt; &amp; y", "Dear {{First Name|friend}},\n\n----\n\n<x> & y\n"},
		{"", "\n"},
	} {
		if got := written(plainText(c.source)); got != c.want {
			t.Errorf("%q became %q, want %q", c.source, got, c.want)
		}
	}
}
