package mail

import (
	"slices"
	"strings"
	"testing"

	"enlist/internal/enlist"
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

// A mail asks for each image at twice the width in which it shows it, also for one in a column, in Markdown, of the theme and
// by its path. An image in HTML of the author has no width that the server knows.
//
// covers: decision 164
func TestImagesAreAskedForAtTwiceTheirWidth(t *testing.T) {
	c, _ := testComposer(t)
	path := c.key.FilePath(12)
	theme := messages.DefaultTheme()
	theme.Logo, theme.LogoWidth = 3, 160
	image := func(b messages.Block) messages.Block {
		b.Type = messages.BlockImage
		return b
	}
	m := &messages.Message{EmailType: messages.EmailBlocks, Subject: "May", Theme: theme.Encode(), Blocks: messages.EncodeBlocks([]messages.Block{
		image(messages.Block{File: 7}), image(messages.Block{File: 7, Width: 100, Crop: "16:9"}), image(messages.Block{URL: path}),
		image(messages.Block{URL: "https://other.example/a.png"}),
		{Type: messages.BlockColumns, Left: []messages.Block{image(messages.Block{File: 8}), {Type: messages.BlockText, Text: "![a](" + path + ")"}}},
		{Type: messages.BlockHTML, HTML: `<img src="` + path + `">`}})}
	shown, err := c.Preview(t.Context(), testMail(m))
	if err != nil {
		t.Fatal(err)
	}
	want := []enlist.Picture{{File: 3, Width: 320}, {File: 7, Width: 1104}, {File: 7, Width: 200, Crop: "16:9"}, {File: 12, Width: 1104},
		{File: 8, Width: 528}, {File: 12, Width: 528}, {File: 12, Width: 1104}}
	if !slices.Equal(shown.Pictures, want) || shown.Elsewhere != 1 {
		t.Errorf("the mail shows %+v and %d of other servers, want %+v and 1", shown.Pictures, shown.Elsewhere, want)
	}
	m = &messages.Message{EmailType: messages.EmailMarkdown, Subject: "May", Text: "![a](" + path + ")"}
	if shown, err = c.Preview(t.Context(), testMail(m)); err != nil || !slices.Equal(shown.Pictures, []enlist.Picture{{File: 12, Width: 1104}}) {
		t.Errorf("Markdown shows %+v, error %v", shown.Pictures, err)
	}
}
