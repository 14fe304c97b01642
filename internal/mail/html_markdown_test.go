package mail

import (
	"strings"
	"testing"

	"enlist/internal/messages"
)

// The tests in this file compose Messages that are written in Markdown.

func composeMarkdown(t *testing.T, text string) *received {
	t.Helper()
	c, _ := testComposer(t)
	m, _, err := c.outgoing(t.Context(), testMail(&messages.Message{EmailType: messages.EmailMarkdown, Subject: "S",
		Text: text + "\n\n[Leave]({{unsubscribe_url}})\n", HTML: "<p>no effect</p>"}))
	if err != nil {
		t.Fatal(err)
	}
	return read(t, m)
}

func wantParts(t *testing.T, where, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("the %s has no %q:\n%s", where, part, text)
		}
	}
}

// covers: spec message.markdown, decision 65
func TestMarkdownMakesBothParts(t *testing.T) {
	r := composeMarkdown(t, "# May\n\nHello *you*, see https://example.com/a_b_c and [our shop](https://shop.example/?a=1&b=2 \"Shop\").\n\n"+
		"- one\n- two\n\n|a|b|\n|-|-|\n|1|2|\n\n~~old~~ <b class=\"x\">kept</b>\n\n![Logo](cid:logo.png)\n")
	wantParts(t, "HTML", r.html, ">May</h1>", "<em>you</em>", `href="https://example.com/a_b_c"`, `href="https://shop.example/?a=1&amp;b=2"`,
		">one</li>", "<table style=", ">1</td>", "<del>old</del>", `<b class="x">kept</b>`, `src="cid:logo.png"`, `<h1 style="line-height:`)
	wantParts(t, "text", r.text, "May\n\nHello you, see https://example.com/a_b_c and our shop <https://shop.example/?a=1&b=2>.\n\n- one\n- two\n",
		"old kept\n", "Leave <https://mail.example.org/u/")
	if strings.Contains(r.html, "no effect") || strings.Count(r.html, "/u/") != 1 {
		t.Errorf("the HTML has the html_content or a second link to unsubscribe:\n%s", r.html)
	}
}

// covers: spec message.markdown, decision 65
func TestMergeFieldsWorkInMarkdown(t *testing.T) {
	r := composeMarkdown(t, "Dear **{{First Name|you | there}}**, {{No_such_Field|*none* <b> mergefield0z}} `{{First Name}}`\n\n"+
		"[Profile](https://example.com/{{First Name}}?n={{Email}})\n\n[Site]({{Website}})\n\nhttps://example.com/?n={{First Name}}\n\n|x|\n|-|\n|{{Email|a|b}}|\n")
	wantParts(t, "HTML", r.html, ">Ann</strong>, *none* &lt;b&gt; mergefield0z <code", ">Ann</code>", `href="https://example.com/Ann?n=ann%40example.com"`,
		`href="https://ann.example/"`, `href="https://example.com/?n=Ann"`, ">ann@example.com</td>")
	wantParts(t, "text", r.text, "Dear Ann, *none* <b> mergefield0z Ann\n", "Profile <https://example.com/Ann?n=ann%40example.com>", "https://example.com/?n=Ann")
	if strings.Contains(r.html, "{{") || strings.Contains(r.html, "mergefieldx") {
		t.Errorf("a merge field is left:\n%s", r.html)
	}
}
