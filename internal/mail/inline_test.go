package mail

import (
	"strings"
	"testing"

	"enlist/internal/audience"
)

// covers: decision 46
func TestInlineStyles(t *testing.T) {
	for _, c := range []struct{ name, head, body, want string }{
		{"the last one has no semicolon", "p{color:red}", `<p>x</p>`, `<p style="color: red;">x</p>`},
		{"its own style wins", "p{color:red;margin:0}", `<p style="color:blue">x</p>`, `<p style="color: blue; margin: 0;">x</p>`},
		{"more specific wins", "#i{color:green} .c{color:blue} p{color:red}", `<p id="i" class="c">x</p>`, `style="color: green;"`},
		{"later wins", "p{color:red} p{color:blue}", `<p>x</p>`, `style="color: blue;"`},
		{"important wins", "p{color:red !important}", `<p style="color:blue">x</p>`, `style="color: red;"`},
		{"below and beside", "div > p, div a{color:red}", `<div><p><a>x</a></p></div>`, `<p style="color: red;"><a style="color: red;">`},
		{"stray semicolons", ";;p{color:red};;a{color:red};", `<p>x</p>`, `<p style="color: red;">x</p>`},
		{"stray braces", "}p{color:red}}", `<p>x</p>`, `<p style="color: red;">x</p>`},
		{"comments", "/* p{color:blue} */p{/**/color:red}<!-- -->", `<p>x</p>`, `<p style="color: red;">x</p>`},
		{"never closed", "p{color:red} a{", `<p>x</p>`, `<p style="color: red;">x</p>`},
		{"a URL with a semicolon", "p{background:url(data:image/png;base64,AA==)}", `<p>x</p>`, `<p style="background: url(data:image/png;base64,AA==);">x</p>`},
		{"a quoted semicolon", `p{font-family:"a;b"}`, `<p>x</p>`, `style="font-family: &#34;a;b&#34;;"`},
		{"for programs that paint tables", "td{background-color:#fff;text-align:center}", `<table><tr><td>x`, `bgcolor="#fff"`},
		{"media stay", "@media (max-width:480px){p{color:red}} p{margin:0}", `<p>x</p>`, "<style type=\"text/css\">\n@media (max-width:480px) {p{color:red}}\n</style>"},
		{"hovering stays", "a:hover,a{color:red}", `<a>x</a>`, "\na:hover {color:red}\n</style>"},
		{"what is not understood stays", "p:is(.a){color:red}", `<p>x</p>`, "\np:is(.a) {color:red}\n</style>"},
		{"values have no place", "p{color:{{First Name}}}", `<p>x</p>`, "<p>x</p>"},
	} {
		got := inlineStyles("<html><head><style>" + c.head + "</style></head><body>" + c.body + "</body></html>")
		if !strings.Contains(got, c.want) || strings.Contains(got, "enlist-") {
			t.Errorf("%s: %s", c.name, got)
		}
	}
	for _, source := range []string{"<P CLASS=x>no styles", "<style>p{color:red}</style>" + strings.Repeat("<div>", 600)} {
		if got := inlineStyles(source); got != source {
			t.Errorf("%.60q became %.60q", source, got)
		}
	}
	contains(t, "a sheet for printing", inlineStyles(`<style media="print">p{color:red}</style><style>a{}</style><p>x`), "@media print {p{color:red}\n}\n</style>", "<p>x</p>")
}

// A Message that was made to be slow is compiled in a moment: test binaries are
// given minutes, and what is quadratic here would take hours.
func TestHostileMessagesAreCompiled(t *testing.T) {
	many := func(s string, n int) string { return strings.Repeat(s, n) }
	const big = 1 << 18
	for name, source := range map[string]string{
		"fields that are not closed": many("{{", big),
		"closed and never opened":    many("}}", big),
		"fields":                     many("{{a}}", big/4),
		"opened twice":               many("{{{{a}}", big/4),
		"links":                      many("https://", big/4),
		"brackets":                   many("https://a/((((", big/8) + many(")", big/8),
		"brackets not opened":        "https://a/" + many(")", 4*big),
		"tags that are not closed":   many("<a", big),
		"comments":                   many("<!--", big),
		"deep":                       many("<div>", big/4),
		"tables":                     many("<table><tr><td>", big/16),
		"attributes":                 "<a " + many("b={{c}} ", big/8) + ">",
		"entities":                   many("&lt;{{a}}", big/8),
		"formatting":                 many("<b><i>", big/64) + many("</b>", big/64),
		"lists":                      "<ol>" + many("<li>", big/8),
		"semicolons":                 "<style>" + many(";", big/2) + "</style>",
		"braces":                     "<style>" + many("{", 60_000) + "</style>",
		"rules":                      "<style>" + many("*{a:b}", 10_000) + "</style>" + many("<p>", 20_000),
		"ancestors":                  "<style>" + many("b ", 100) + "{a:b}</style>" + many("<b>", 400),
		"ancestors of several":       "<style>" + many("div div div div i{a:b}", 1000) + "</style>" + many(many("<div>", 100)+many("</div>", 100), 20),
		"declarations":               "<style>*{" + many("a:b;", 10_000) + "}</style>" + many("<p>", 20_000),
		"different declarations":     "<style>p{" + declarationsOf(5000) + "}</style>" + many("<p></p>", 20_000),
		"not closed":                 "<style>" + many("a{b:'", 10_000) + "</style>",
		"comments in styles":         "<style>" + many("/*", 30_000) + "</style>",
		"words":                      many("a ", big/2),
	} {
		c := compile(&audience.Message{EmailType: audience.EmailHTML, Subject: source, HTML: source})
		compile(&audience.Message{EmailType: audience.EmailPlainHTML, Text: source})
		r := rendering{letter: testLetter(nil), unsubscribe: "https://mail.example.org/u/"}
		if n := len(r.html(c)) + len(r.text(c)) + len(r.subject(c)); n > 64<<20 {
			t.Errorf("%s: %d bytes came of %d", name, n, len(source))
		}
	}
}

func declarationsOf(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("p" + strings.Repeat("a", i%50) + strings.Repeat("b", i/50) + ":c;")
	}
	return b.String()
}

func written(s textSource) string {
	var b strings.Builder
	for _, p := range s {
		b.WriteString(p.before + p.text + p.after)
	}
	return b.String()
}

func TestPlainText(t *testing.T) {
	for source, want := range map[string]string{
		"<p>Hi <b>Ann</b>, welcome.</p><p>Bye</p>":                               "Hi Ann, welcome.\n\nBye\n",
		"a<br>b<br><br>c":                                                        "a\nb\n\nc\n",
		"<h1>Title</h1>\n  text\n  goes <i> on </i>":                             "Title\n\ntext goes on\n",
		"<ul><li>one<li>two <b>2</b></ul><ol><li>a</li><li>b</li></ol>":          "- one\n- two 2\n\n1. a\n2. b\n",
		`<a href="https://example.com/?a=1&amp;b=2">here</a>.`:                   "here <https://example.com/?a=1&b=2>.\n",
		`<a href="https://example.com">https://example.com</a>`:                  "https://example.com\n",
		`<a href="mailto:a@example.com">a@example.com</a> <a href="#x">up</a>`:   "a@example.com up\n",
		`<a href="https://example.com"><img src=x alt="Shop"></a>`:               "Shop <https://example.com>\n",
		`<a href="https://example.com"><img src=x></a>{{a}}`:                     "<https://example.com>{{a}}\n",
		"<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>x":       "a b\nc\n\nx\n",
		"<style>p{}</style><script>x</script><title>t</title>text<!-- c -->":     "text\n",
		`<div style="Display: none">preview</div><div>shown</div><div>too</div>`: "shown\ntoo\n",
		"<pre>a\n  b</pre>c": "a\n  b\n\nc\n",
		"Dear&nbsp;{{First&nbsp;Name|friend}},<hr>&lt;x&gt; &amp; y": "Dear {{First Name|friend}},\n\n----\n\n<x> & y\n",
		"": "\n",
	} {
		if got := written(plainText(source)); got != want {
			t.Errorf("%q became %q, want %q", source, got, want)
		}
	}
}
