package mail

import (
	"strings"
	"testing"

	"enlist/internal/messages"
)

// The path of a link to a file becomes its URL in mails of each email type. A path with a wrong signature stays.
//
// covers: spec message.fileLinks, decision 64
func TestPathsOfFilesBecomeURLs(t *testing.T) {
	c, _ := testComposer(t)
	path := c.key.FilePath(12)
	full, wrong := "https://mail.example.org"+path, strings.Replace(path, "/12/", "/13/", 1)
	blocks := messages.EncodeBlocks([]messages.Block{{Type: messages.BlockImage, URL: path, Alt: "a"}, {Type: messages.BlockButton, Text: "b", Link: path}})
	for _, m := range []*messages.Message{
		{EmailType: messages.EmailRawHTML, HTML: `<a href="` + path + `"><img alt="a" src='` + path + `'></a>`},
		{EmailType: messages.EmailHTML, HTML: `<p style="background:url(` + path + `)"><a href=` + path + `>b</a></p>`},
		{EmailType: messages.EmailRawHTML, HTML: `<img alt="a" srcset="` + path + ` 1x,` + path + ` 2x">`},
		{EmailType: messages.EmailMarkdown, Text: "![a](" + path + ") and [b](" + path + ")"},
		{EmailType: messages.EmailPlainHTML, Text: path + "\n" + path},
		{EmailType: messages.EmailBlocks, Blocks: blocks},
	} {
		t.Run(m.EmailType, func(t *testing.T) {
			m.Subject = "May"
			got := composeWith(t, c, m)
			shown := strings.ReplaceAll(got.html, "&amp;", "&")
			if n := strings.Count(shown, full); n < 2 || strings.Count(shown, path) != n || strings.Contains(got.text, " "+path) {
				t.Errorf("the mail has %d URLs of the file:\n%s\n%s", n, got.html, got.text)
			}
			for _, f := range checked(c, testMail(m)) {
				if strings.Contains(f.Text, path) {
					t.Errorf("the check says %s", f.Text)
				}
			}
		})
	}
	m := &messages.Message{EmailType: messages.EmailRawHTML, Subject: "May", HTML: `<img src="` + wrong + `"><img src="/f/99999999999999999999/x">/f/1`}
	if got := composeWith(t, c, m); strings.Contains(got.html, "mail.example.org/f/") || !strings.Contains(got.html, `"`+wrong+`"`) {
		t.Errorf("a path with a wrong signature becomes %s", got.html)
	}
}
