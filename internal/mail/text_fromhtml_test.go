package mail

import (
	"strings"
	"testing"
)

// The test in this file checks the text part that is made from HTML.

// written joins the pieces of a text.
func written(s textSource) string {
	var b strings.Builder
	for _, p := range s {
		b.WriteString(p.before + p.text + p.after)
	}
	return b.String()
}

// The text part has the words, lists, tables and links of the HTML.
func TestTextPartIsMadeFromHTML(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"an empty line separates paragraphs", "<p>Hi <b>Ann</b>, welcome.</p><p>Bye</p>", "Hi Ann, welcome.\n\nBye\n"},
		{"br ends a line", "a<br>b<br><br>c", "a\nb\n\nc\n"},
		{"a sequence of white space becomes one space", "<h1>Title</h1>\n  text\n  goes <i> on </i>", "Title\n\ntext goes on\n"},
		{"list items have hyphens or numbers", "<ul><li>one<li>two <b>2</b></ul><ol><li>a</li><li>b</li></ol>", "- one\n- two 2\n\n1. a\n2. b\n"},
		{"a numbered list begins with its start", `<ol start="7"><li>a</li><li>b</li></ol><ol start="-1"><li>c<li>d<li value=5>e<li>f</ol><ol start="x"><li>g</ol>`, "7. a\n8. b\n\n-1. c\n0. d\n5. e\n6. f\n\n1. g\n"},
		{"images with links are words of their own", `<a href="https://a.example"><img alt="Spring"></a><a href="https://b.example"><img alt="Shop"></a>`,
			"Spring <https://a.example> Shop <https://b.example>\n"},
		{"the target follows the text of a link", `<a href="https://example.com/?a=1&amp;b=2">here</a>.`, "here <https://example.com/?a=1&b=2>.\n"},
		{"a target that equals the text is written once", `<a href="https://example.com">https://example.com</a>`, "https://example.com\n"},
		{"the target of a mail address or of a link within the page is left out", `<a href="mailto:a@example.com">a@example.com</a> <a href="#x">up</a>`, "a@example.com up\n"},
		{"the alt text replaces an image", `<a href="https://example.com"><img src=x alt="Shop"></a>`, "Shop <https://example.com>\n"},
		{"a link without text becomes its target", `<a href="https://example.com"><img src=x></a>{{a}}`, "<https://example.com>{{a}}\n"},
		{"a table row becomes a line", "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>x", "a b\nc\n\nx\n"},
		{"invisible elements are left out", "<style>p{}</style><script>x</script><title>t</title>text<!-- c -->", "text\n"},
		{"elements hidden by their style are left out", `<div style="Display: none">preview</div><div>shown</div><div>too</div>`, "shown\ntoo\n"},
		{"so are cells, links and images", `<table><tr><td style="display:none">a</td><td>b<img alt="c" style="display:none"><a href="https://example.com" style="display:none">d</a></td></tr></table>`, "b\n"},
		{"pre keeps white space", "<pre>a\n  b</pre>c", "a\n  b\n\nc\n"},
		{"entities are decoded, also in merge fields", "Dear&nbsp;{{First&nbsp;Name|friend}},<hr>&lt;x&gt; &amp; y", "Dear {{First Name|friend}},\n\n----\n\n<x> & y\n"},
		{"empty HTML becomes an empty line", "", "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := written(plainText(c.source)); got != c.want {
				t.Errorf("%q became %q, want %q", c.source, got, c.want)
			}
		})
	}
}
