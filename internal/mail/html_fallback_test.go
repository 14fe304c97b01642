package mail

import (
	"testing"

	"enlist/internal/messages"

	"golang.org/x/net/html"
)

// The test in this file checks fallbacks of merge fields.

// A fallback is text and not HTML. The HTML part escapes its tags, and the text part shows them.
//
// covers: decision 46, spec merge.fallback
func TestFallbackIsText(t *testing.T) {
	c, _ := testComposer(t)
	const asText = `Dear <b class="x">friend</b> & co!`
	for _, source := range []string{
		`<p>Dear {{Nick|<b class="x">friend</b> &amp; co}}!</p>`,
		`<p>Dear {{ Nick | &lt;b class="x">friend&lt;/b> & co }}!</p>`,
	} {
		for _, kind := range []string{messages.EmailHTML, messages.EmailRawHTML} {
			r := send(t, c, testMail(&messages.Message{EmailType: kind, Subject: "s", HTML: source}))
			contains(t, kind, r.html, "<p>"+html.EscapeString(asText)+"</p>")
			contains(t, kind, r.text, asText+"\n")
		}
	}
	r := send(t, c, testMail(&messages.Message{EmailType: messages.EmailPlainHTML, Subject: "s", Text: `Dear {{Nick|<b class="x">friend</b> & co}}!`}))
	contains(t, "plain-html", r.html, html.EscapeString(asText))
	contains(t, "plain-html", r.text, asText+"\n")

	r = send(t, c, testMail(&messages.Message{EmailType: messages.EmailRawHTML, Subject: "s",
		HTML: `<p title={{Nick|<i>}} id="{{First Name|<i>}}">{{First Name|<b>friend</b>}} {{Email}}</p><!-- {{Nick|-->}} --><p>{{ <i>no|field</i> }}</p>`}))
	contains(t, "html", r.html, `<p title="&lt;i&gt;" id="Ann">Ann ann@example.com</p><!--  --><p>{{ <i>no|field</i> }}</p>`)
	contains(t, "text", r.text, "Ann ann@example.com\n")
}
