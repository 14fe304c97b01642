package mail

import (
	"context"
	"strings"
	"testing"

	"enlist/internal/batches"
	"enlist/internal/messages"

	"github.com/google/go-cmp/cmp"
)

// The tests in this file look for mistakes in Messages.

// checked returns the findings about a mail.
func checked(c *composer, out *messages.OutgoingMail) []messages.Finding {
	found, err := c.Check(context.Background(), out)
	if err != nil {
		panic(err) // only the context has an error
	}
	return found
}

// foundIn returns the level, code and text of each finding about a mail.
func foundIn(c *composer, out *messages.OutgoingMail) (all []string) {
	for _, f := range checked(c, out) {
		all = append(all, string(f.Level)+" "+string(f.Code)+": "+f.Text)
	}
	return all
}

// covers: spec batch.check, decision 91
func TestCheckFindsMistakesInAMessage(t *testing.T) {
	c, files := filesComposer(t)
	const unsubscribe = `<a href="{{unsubscribe_url}}">Unsubscribe</a>`
	logo := files.file("logo.png", "image/png", []byte("a"), true)
	for name, check := range map[string]struct {
		message messages.Message
		files   []messages.MessageFile
		comment string // value of the Contact, if it is not the one of the fixture
		want    []string
	}{
		"a good Message": {message: messages.Message{Subject: "May", EmailType: messages.EmailHTML,
			HTML: `<a href="https://example.com/{{id}}">Hi</a> <a href="mailto:a@example.com">b</a> <a href="tel:+4930">c</a> <a href="#top">d</a>` +
				` <a href="{{Website}}">e</a> <a href="https://{{First Name}}.example.com">f</a> <img src="data:image/png;base64,eA==" alt="">` + unsubscribe}},
		"no content": {message: messages.Message{Subject: "May", EmailType: messages.EmailHTML, HTML: " \n"},
			want: []string{"error no_content: the Message has no content"}},
		"no subject": {message: messages.Message{Subject: " ", EmailType: messages.EmailPlain, Text: "Hi {{unsubscribe_url}}"},
			want: []string{"warning no_subject: the Message has no subject"}},
		"no text": {message: messages.Message{Subject: "May", EmailType: messages.EmailHTML, HTML: `<img src="https://example.com/a.png" alt=" "><map><area href="{{unsubscribe_url}}"></map>`},
			want: []string{"warning no_text: the HTML has no text, so the text part is empty: write text_content, or texts of images in alt"}},
		"no link to unsubscribe in the HTML": {message: messages.Message{Subject: "May", EmailType: messages.EmailHTML, HTML: "Hi", Text: "{{unsubscribe_url}}"},
			want: []string{"note no_unsubscribe_link: the Message has no {{unsubscribe_url}}: a line with this link is added at its end"}},
		"links that are no URLs": {
			message: messages.Message{Subject: "May", EmailType: messages.EmailHTML, Text: "See https://:80/x.",
				HTML: `<a href="www.example.com/{{id}}">a</a> <a href="/shop">b</a> <a href="">c</a> <a href="#">d</a> <a href="htps://example.com">e</a>` +
					` <a href="https://">f</a> <a href="http://exa mple.com">g</a> <a href="mailto:">h</a> <a href="javascript:alert(1)">i</a> <img src="images/a.png" alt="A"> <img src="file:///a.png" alt="B">` + unsubscribe},
			want: []string{
				`warning bad_link: the link "https://:80/x" has no host`,
				`warning bad_link: the link "www.example.com/{{id}}" is no complete URL: it must begin with https://`,
				`warning bad_link: the link "/shop" is no complete URL: it must begin with https://`,
				`warning bad_link: the link "" leads nowhere`,
				`warning bad_link: the link "#" leads nowhere`,
				`warning bad_link: the link "htps://example.com" begins with htps:, which many mail programs do not open`,
				`warning bad_link: the link "https://" has no host`,
				`warning bad_link: the link "http://exa mple.com" is no URL`,
				`warning bad_link: the link "mailto:" has no address`,
				`warning bad_link: the link "javascript:alert(1)" begins with javascript:, which many mail programs do not open`,
				`warning bad_link: the image "images/a.png" is no complete URL: it must begin with https://`,
				`warning bad_link: the image "file:///a.png" begins with file:, which many mail programs do not open`,
			}},
		"links in Markdown": {message: messages.Message{Subject: "May", EmailType: messages.EmailMarkdown, HTML: `<a href="unused">`, Text: "[a](shop) [Unsubscribe]({{unsubscribe_url}})"},
			want: []string{`warning bad_link: the link "shop" is no complete URL: it must begin with https://`}},
		"HTML that a plain mail does not use": {message: messages.Message{Subject: "May", EmailType: messages.EmailPlain, HTML: `<a href="unused">`, Text: "{{unsubscribe_url}}"}},
		"images without alternative text": {message: messages.Message{Subject: "May", EmailType: messages.EmailHTML,
			HTML: `Hi <img src="https://example.com/a.png"> <img src="https://example.com/b.png" alt="">` + unsubscribe},
			want: []string{`warning no_alt: the image "https://example.com/a.png" has no alternative text, which readers without images get in its place`}},
		"images without alternative text in Markdown": {message: messages.Message{Subject: "May", EmailType: messages.EmailMarkdown,
			Text: "![](https://example.com/a.png) ![B](https://example.com/b.png) [Unsubscribe]({{unsubscribe_url}})"},
			want: []string{`warning no_alt: the image "https://example.com/a.png" has no alternative text, which readers without images get in its place`}},
		"texts of a starting template": {message: messages.Message{Subject: "May", EmailType: messages.EmailMarkdown,
			Text: "Saturday, 12 September, 7 pm\n\nOur words\n\nFor fruit, or for salad.\n\n[Unsubscribe]({{unsubscribe_url}})"},
			want: []string{`warning example_text: texts of the starting template are left: "For fruit, or for salad.", "Saturday, 12 September, 7 pm"`}},
		"a picture and a link of a starting template": {message: messages.Message{Subject: "May", EmailType: messages.EmailBlocks,
			Blocks: `[{"type":"image","url":"/f/samples/river.png","alt":"A river"},{"type":"button","text":"Go","link":"https://example.com/walks"},{"type":"text","text":"[Unsubscribe]({{unsubscribe_url}})"}]`},
			want: []string{`warning example_text: texts of the starting template are left: "/f/samples/river.png", "https://example.com/walks"`}},
		"an image that needs no words": {message: messages.Message{Subject: "May", EmailType: messages.EmailBlocks,
			Blocks: `[{"type":"image","url":"https://a.example/a.png","decoration":true},{"type":"text","text":"[Unsubscribe]({{unsubscribe_url}})"}]`}},
		"a mail that Gmail clips": {message: messages.Message{Subject: "May", EmailType: messages.EmailHTML, HTML: strings.Repeat("<p>Hello</p>", 9000) + unsubscribe},
			want: []string{"warning clipped: the HTML of the email has 105 KB: Gmail shows only the first 102 KB and hides the rest"}},
		"a mail that values make too long": {message: messages.Message{Subject: "May", EmailType: messages.EmailPlain, Text: strings.Repeat("{{Comment}}", 1000) + "{{unsubscribe_url}}"},
			comment: strings.Repeat("Hello ", 2000),
			want:    []string{"error too_long: the Contact's values make this email too long"}},
		"images": {files: []messages.MessageFile{logo, files.file("other.png", "image/png", []byte("b"), true)},
			message: messages.Message{Subject: "May", EmailType: messages.EmailHTML, HTML: `Hi <img src="cid:lgo.png" alt="Logo"> <td style="background: url(cid:logo.png)">` + unsubscribe},
			want: []string{"warning missing_image: no inline image has the name lgo.png",
				"warning unused_image: the HTML does not show the inline image other.png"}},
	} {
		out := testMail(&check.message)
		out.Files = check.files
		if check.comment != "" {
			out.Contact.Values = out.Contact.Values.Set(4, check.comment)
		}
		if diff := cmp.Diff(check.want, foundIn(c, out)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// The links for opens and clicks of a List make the HTML longer.
func TestCheckMeasuresTheHTMLWithTrackedLinks(t *testing.T) {
	c, _ := testComposer(t)
	out := testMail(&messages.Message{Subject: "May", EmailType: messages.EmailHTML,
		HTML: strings.Repeat(`<a href="http://a.io">Hi</a>`, 1500) + "{{unsubscribe_url}}"})
	if found := checked(c, out); len(found) != 0 {
		t.Errorf("the findings without tracked links are %+v, want none", found)
	}
	out.Schema.List.TrackClicks = true
	if found := checked(c, out); len(found) != 1 || found[0].Code != batches.FindingClipped {
		t.Errorf("the findings with tracked links are %+v, want one that the mail is clipped", found)
	}
}
