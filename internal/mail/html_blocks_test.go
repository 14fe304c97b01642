package mail

import (
	"strings"
	"testing"

	"enlist/internal/colour"
	"enlist/internal/messages"
)

// The tests in this file compose Messages of blocks, and mails in a theme.

// blocksMessage returns a Message of blocks with a theme.
func blocksMessage(t messages.Theme, all ...messages.Block) *messages.Message {
	return &messages.Message{EmailType: messages.EmailBlocks, Subject: "S", Text: "no effect", HTML: "<p>no effect</p>",
		Blocks: messages.EncodeBlocks(all), Theme: t.Encode()}
}

// covers: spec message.blocks, decision 134
func TestBlocksMakeBothParts(t *testing.T) {
	c, links := testComposer(t)
	m := blocksMessage(messages.DefaultTheme(),
		messages.Block{Type: messages.BlockHeading, Text: "Dear {{First Name|friend}} & <all>", Level: 2},
		messages.Block{Type: messages.BlockText, Text: "Some *words* for {{No|*nobody*}}.\n\n- [one](https://a.example/?n={{Email}})"},
		messages.Block{Type: messages.BlockImage, File: 7, Alt: `A "rose"`, Width: 900, Link: "https://b.example/"},
		messages.Block{Type: messages.BlockButton, Text: "Order", Link: "https://c.example/", Align: "center"},
		messages.Block{Type: messages.BlockColumns, Left: []messages.Block{{Type: messages.BlockImage, URL: "https://d.example/x.png"}},
			Right: []messages.Block{{Type: messages.BlockText, Text: "right"}}},
		messages.Block{Type: messages.BlockLine},
		messages.Block{Type: messages.BlockQuote, Text: "So **it** is", By: "Ann <b>"},
		messages.Block{Type: messages.BlockHTML, HTML: `<b title="{{First Name}}">raw</b></td></tr></table>`},
		messages.Block{Type: messages.BlockText, Text: "last </td></tr></table>"})
	l := testMail(m)
	l.Contact.Values = l.Contact.Values.Set(2, `<i>"Ann"`)
	l.Schema.List.TrackClicks = true
	r := send(t, c, l)
	wantParts(t, "HTML", r.html, `>Dear &lt;i&gt;&#34;Ann&#34; &amp; &lt;all&gt;</h2>`, "<em>words</em> for *nobody*.", `<img src="https://mail.example.org/f/7/`,
		`alt="A &#34;rose&#34;" width="552"`, `width="264"`, `<td class="button" bgcolor="#146c4f" style="background: #146c4f; border-radius: 5px; mso-padding-alt: 11px 22px;`,
		`border-top: 1px solid`, ">— Ann &lt;b&gt;</p></blockquote>", `<b title="&lt;i&gt;&#34;Ann&#34;">raw</b></td></tr>`,
		"<!--[if mso]><table role=", `<meta name="color-scheme" content="light dark"`, "@media (prefers-color-scheme: dark)", "Unsubscribe from News &amp; Views</a>")
	wantParts(t, "text", r.text, "Dear <i>\"Ann\" & <all>\n\nSome words for *nobody*.\n", "A \"rose\"", "Order <https://c.example/>", "----", "right",
		"So it is\n\n— Ann <b>", "raw", "\n-- \nUnsubscribe from")
	lacks(t, "HTML", r.html, "no effect", "<i>", "enlist:foot")
	if len(links.asked) != 1 || len(links.asked[0]) != 3 {
		t.Errorf("the links that are tracked are %q, want three", links.asked)
	}
	if open, closed := strings.Count(r.html, "<table"), strings.Count(r.html, "</table>"); open != closed {
		t.Errorf("%d tables begin and %d end: an HTML block ends the table around it", open, closed)
	}
}

// covers: spec message.theme, decision 134
func TestThemeOfTheAccountIsInItsMails(t *testing.T) {
	c, _ := testComposer(t)
	theme := messages.Theme{Logo: 3, LogoText: "The <club>", LogoWidth: 120, Background: "#102030", Card: "#fff8e0", Text: "#333333",
		Accent: "#ffe000", Font: "georgia", Width: 500, Imprint: "The Club\n66 North Street {{First Name}}"}
	m := &messages.Message{EmailType: messages.EmailMarkdown, Subject: "S", Text: "[x](https://x.example)", Theme: theme.Encode(), PostalAddress: "The Club"}
	r := send(t, c, testMail(m))
	wantParts(t, "HTML", r.html, `alt="The &lt;club&gt;" width="120"`, `bgcolor="#102030"`, `bgcolor="#fff8e0"`, "max-width: 500px", "font-family: Georgia",
		"The Club<br>\n66 North Street {{First Name}}<br>\n<a href=")
	wantParts(t, "text", r.text, "-- \nThe Club\n66 North Street {{First Name}}\nUnsubscribe")
	lacks(t, "a link in a colour that cannot be read", r.html, `<a href="https://x.example" style="color: #ffe000`)
	other := theme
	other.Accent = "#0000ff"
	changed := *m
	changed.Theme = other.Encode()
	wantParts(t, "HTML after a change of the theme", send(t, c, testMail(&changed)).html, `style="color: #0000ff;"`)
	plain := &messages.Message{EmailType: messages.EmailHTML, Subject: "S", HTML: "<p>x</p>", Theme: theme.Encode()}
	lacks(t, "a mail in HTML", send(t, c, testMail(plain)).html, "66 North Street", "#102030", "Georgia")
}

// covers: decision 134
func TestMailsHaveOnlyTheRulesThatTheyUse(t *testing.T) {
	c, _ := testComposer(t)
	m := &messages.Message{EmailType: messages.EmailMarkdown, Subject: "S", Text: "Hello <TABLE><tr><td>x</td></tr></TABLE>"}
	r := send(t, c, testMail(m))
	lacks(t, "a short mail", r.html, "h1", ".button", "blockquote", ".col", ".picture", ".by")
	contains(t, "a short mail", r.html, ".text td {", ".foot a {", ".text {color: #22252a !important;}")
	if len(r.html) > 3500 {
		t.Errorf("a short mail has %d bytes, want at most 3500", len(r.html))
	}
}

// covers: decision 134
func TestColoursOfAThemeCanBeRead(t *testing.T) {
	for _, test := range []struct{ card, text, accent string }{
		{"#ffffff", "#22252a", "#ffee00"}, {"#000000", "#ffffff", "#101010"}, {"#fffefb", "#6d6a63", "#146c4f"}} {
		d := themedDocument{Theme: messages.Theme{Card: test.card, Text: test.text, Accent: test.accent}}
		card, accent := colour.Parse(test.card), colour.Parse(test.accent)
		for name, c := range map[string]float64{"a link": colour.Contrast(accent.On(card, colour.Parse(test.text)), card),
			"a button": colour.Contrast(accent.TextOn(), accent), "the end": colour.Contrast(colour.Parse(d.second()), card),
			"a link in the dark": colour.Contrast(accent.On(colour.Parse(darkCard), colour.Parse(darkText)), colour.Parse(darkCard))} {
			if c < colour.Readable {
				t.Errorf("%s with the accent %s has the contrast %.1f, want at least 4.5", name, test.accent, c)
			}
		}
	}
	for _, text := range []string{"", "#12345", "#gggggg"} {
		if got := colour.Parse(text).String(); got != "#000000" {
			t.Errorf("the text %q is the colour %s, want black", text, got)
		}
	}
}

// An older version stored any link of a block.
func TestMailOfABlockWithAnOldLinkIsComposed(t *testing.T) {
	c, _ := testComposer(t)
	l := testMail(blocksMessage(messages.DefaultTheme(), messages.Block{Type: messages.BlockButton, Text: "Order", Link: "data:text/plain,x"}))
	wantParts(t, "text", send(t, c, l).text, "Order <data:text/plain,x>")
	if found := foundIn(c, l); len(found) == 0 || !strings.Contains(found[0], "begins with data:") {
		t.Errorf("the findings are %q, want one about the link", found)
	}
}
