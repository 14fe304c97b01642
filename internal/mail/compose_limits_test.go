package mail

import (
	"bytes"
	"strings"
	"testing"

	"enlist/internal/messages"
)

// The tests in this file check that a mail does not need much memory or time, for any value and
// any Message.

// A value can be as long as a request. The length of a mail with such a value is limited.
//
// covers: decision 46
func TestLongValuesDoNotMakeLongMails(t *testing.T) {
	long := strings.Repeat("é<", 1<<20)
	composer, _ := testComposer(t)
	n := testNotification()
	n.Details.Values = n.Details.Values.Set(4, long)
	m, err := composer.notification("1", n)
	if err != nil {
		t.Fatal(err)
	}
	if size := len(bytes.Join(m.encode(), nil)); size > 200_000 {
		t.Errorf("a notification with a long value has %d bytes, want at most 200000", size)
	}
	contains(t, "a notification", read(t, m).text, "é<é<é", "…\n")

	for _, c := range []struct {
		name    string
		message messages.Message
		fits    bool
	}{
		{"a text with the value many times", messages.Message{EmailType: messages.EmailPlain, Text: strings.Repeat("{{Comment}}", 10_000)}, false},
		{"HTML with the value many times", messages.Message{EmailType: messages.EmailRawHTML, HTML: strings.Repeat("<b>{{Comment}}</b>", 10_000), Text: "Hello"}, false},
		{"a text with the value three times", messages.Message{EmailType: messages.EmailPlain, Text: strings.Repeat("{{Comment}}", 3)}, false},
		{"a long subject, which is cut", messages.Message{EmailType: messages.EmailPlain, Text: "Hello", Subject: strings.Repeat("{{Comment}}", 8)}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			mail := testMail(&c.message)
			mail.Contact.Values = mail.Contact.Values.Set(4, long)
			_, _, err := composer.outgoing(t.Context(), mail)
			if why, _ := err.(*messages.Undelivered); c.fits == (why != nil && why.Permanent && !why.Recipient) {
				t.Errorf("got %v, want success: %v, or else a permanent failure", err, c.fits)
			}
		})
	}
}

// A hostile Message is compiled in linear time. With a quadratic algorithm, the test would exceed
// its time limit. With -short, the Messages have an eighth of the length.
func TestHostileMessagesAreCompiledFast(t *testing.T) {
	if testing.Short() {
		t.Skip("composes many mails: run it with \"make faults\"")
	}
	divisor := 1
	if testing.Short() {
		divisor = 8
	}
	many := func(s string, n int) string { return strings.Repeat(s, max(n/divisor, 1)) }
	const big = 1 << 18
	for _, test := range []struct{ name, source string }{
		{"fields that are not closed", many("{{", big)},
		{"fields that are not opened", many("}}", big)},
		{"fields", many("{{a}}", big/4)},
		{"fields that are opened twice", many("{{{{a}}", big/4)},
		{"links", many("https://", big/4)},
		{"brackets", many("https://a/((((", big/8) + many(")", big/8)},
		{"brackets that are not opened", "https://a/" + many(")", 4*big)},
		{"tags that are not closed", many("<a", big)},
		{"comments", many("<!--", big)},
		{"deeply nested elements", many("<div>", big/4)},
		{"tables", many("<table><tr><td>", big/16)},
		{"attributes", "<a " + many("b={{c}} ", big/8) + ">"},
		{"entities", many("&lt;{{a}}", big/8)},
		{"formatting elements closed in another order", many("<b><i>", big/64) + many("</b>", big/64)},
		{"lists", "<ol>" + many("<li>", big/8)},
		{"semicolons", "<style>" + many(";", big/2) + "</style>"},
		{"braces", "<style>" + many("{", 60_000) + "</style>"},
		{"rules", "<style>" + many("*{a:b}", 10_000) + "</style>" + many("<p>", 20_000)},
		{"a selector of many ancestors", "<style>" + many("b ", 100) + "{a:b}</style>" + many("<b>", 400)},
		{"many selectors of ancestors", "<style>" + many("div div div div i{a:b}", 1000) + "</style>" + many(many("<div>", 100)+many("</div>", 100), 20)},
		{"a property declared many times", "<style>*{" + many("a:b;", 10_000) + "}</style>" + many("<p>", 20_000)},
		{"many properties", "<style>p{" + declarationsOf(5000) + "}</style>" + many("<p></p>", 20_000)},
		{"rules that are not closed", "<style>" + many("a{b:'", 10_000) + "</style>"},
		{"comments in styles", "<style>" + many("/*", 30_000) + "</style>"},
		{"words", many("a ", big/2)},
		{"Markdown links that are not closed", many("[a](", big/4)},
		{"Markdown emphasis that is not closed", many("*a **b ", big/8)},
		{"Markdown quotes", many(">", 10_000) + many("- ", 10_000)},
		{"Markdown tables", "|a|\n|-|\n" + many("|{{a|b}}|\n", big/16)},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := compiledHTML(t, &messages.Message{EmailType: messages.EmailHTML, Subject: test.source, HTML: test.source})
			compiledHTML(t, &messages.Message{EmailType: messages.EmailPlainHTML, Text: test.source})
			compiledHTML(t, &messages.Message{EmailType: messages.EmailMarkdown, Text: test.source})
			if c.html == nil {
				return
			}
			mails, _ := testComposer(t)
			r := mails.rendering(testMail(nil))
			if n := len(r.html(c)) + len(r.text(c)) + len(r.subject(c)); n > 64<<20 {
				t.Errorf("a Message of %d bytes became a mail of %d bytes, want at most 64 MiB", len(test.source), n)
			}
		})
	}
}

// compiledHTML compiles a Message, which may be refused.
func compiledHTML(t *testing.T, m *messages.Message) *compiled {
	t.Helper()
	c, err := compile(t.Context(), m, nil, urls{})
	if err != nil {
		t.Fatal(err)
	}
	if c.refused != nil {
		return compiledHTML(t, &messages.Message{})
	}
	return c
}

// declarationsOf returns n declarations with different properties.
func declarationsOf(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("p" + strings.Repeat("a", i%50) + strings.Repeat("b", i/50) + ":c;")
	}
	return b.String()
}
