package mail

import (
	"strings"
	"testing"

	"enlist/internal/accounts"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// These tests look at the UTM parameters of links in mails.

const added = "utm_source=News+%26+Views&utm_medium=email&utm_campaign=Spring"

// taggedMail returns a mail whose links get parameters.
func taggedMail(m *messages.Message) *messages.OutgoingMail {
	m.UTM = "on"
	l := testMail(m)
	l.Campaign = "Spring"
	return l
}

// covers: decision 156
func TestLinksOfTheAuthorGetParameters(t *testing.T) {
	c, _ := testComposer(t)
	file := c.templates.urls.file(7)
	const links = `<a href="https://example.com/?to={{First Name}}#top">a</a> <a href="https://shop.example/?utm_source=x">b</a>
		<a href="{{Website}}">c</a> <a href="{{unsubscribe_url}}">d</a> <a href="{{preferences_url}}">e</a>
		<a href="{{web_version_url}}">f</a> <a href="mailto:a@b.example">g</a> <a href="FILE">h</a>
		<a href="https://example.com/?next={{web_version_url}}">i</a> <img src="https://example.com/logo.png">`
	l := taggedMail(&messages.Message{EmailType: messages.EmailHTML, Subject: "May", HTML: strings.ReplaceAll(links, "FILE", file)})
	mail := send(t, c, l)
	own := func(kind enlist.LinkKind) string { return c.link(kind, l.Delivery) }
	for _, part := range []struct{ name, text, amp string }{{"HTML", mail.html, "&amp;"}, {"text", mail.text, "&"}} {
		amp := func(text string) string { return strings.ReplaceAll(text, "&", part.amp) }
		contains(t, part.name, part.text, amp("https://example.com/?to=Ann&"+added+"#top"),
			amp("https://shop.example/?utm_source=x&utm_medium=email&utm_campaign=Spring"), "mailto:a@b.example", file,
			"https://ann.example/", own(enlist.LinkUnsubscribe), own(enlist.LinkPreferences), own(enlist.LinkMail))
		if n := strings.Count(part.text, "utm_campaign"); n != 2 {
			t.Errorf("%d links of the %s part have parameters, want 2:\n%s", n, part.name, part.text)
		}
	}

	l.Schema.List.TrackClicks = true // the redirect adds them
	tracked := send(t, c, l)
	if strings.Contains(tracked.html, "utm_") || strings.Count(tracked.html, "/k/") == 0 {
		t.Errorf("tracked links have parameters, or there is none:\n%s", tracked.html)
	}
	if text, _, _ := strings.Cut(tracked.text, "\n-- \n"); strings.TrimSpace(text) != strings.TrimSpace(mail.text) {
		t.Errorf("with tracking the text part is\n%s\nwant\n%s", tracked.text, mail.text)
	}
}

// A text with links, Markdown, and a mail as a page have the parameters too.
func TestAllKindsOfMailsHaveParameters(t *testing.T) {
	c, _ := testComposer(t)
	for kind, text := range map[string]string{messages.EmailPlain: "See https://example.com/a.", messages.EmailPlainHTML: "See https://example.com/a.",
		messages.EmailMarkdown: "[See](https://example.com/a)"} {
		l := taggedMail(&messages.Message{EmailType: kind, Subject: "May", Text: text})
		for _, archived := range []bool{false, true} {
			l.Archived = archived
			mail := send(t, c, l)
			contains(t, kind, mail.text, "https://example.com/a?"+added)
			if kind != messages.EmailPlain {
				contains(t, kind, mail.html, `href="https://example.com/a?`+strings.ReplaceAll(added, "&", "&amp;"))
			}
		}
	}
	off := testMail(&messages.Message{EmailType: messages.EmailPlain, Subject: "May", Text: "See https://example.com/a."})
	if mail := send(t, c, off); strings.Contains(mail.text, "utm_") {
		t.Errorf("without the option the text is %s", mail.text)
	}
	c.settings = fixedSettings(accounts.Settings{UTM: enlist.UTM{Source: "shop", Domains: "example.com"}})
	contains(t, "text", send(t, c, off).text, "https://example.com/a?utm_source=shop&utm_medium=email.")
	findings, err := c.Check(t.Context(), off)
	if err != nil || !strings.Contains(findings[len(findings)-1].Text, "the links to example.com get utm_source=shop&utm_medium=email") {
		t.Errorf("the check finds %+v, error %v", findings, err)
	}
}
