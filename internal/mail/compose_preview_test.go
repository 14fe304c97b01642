package mail

import (
	"bytes"
	"strings"
	"testing"

	"enlist/internal/audience"

	"github.com/google/go-cmp/cmp"
)

// The tests in this file compose previews.

// covers: spec preview.mail, decision 65
func TestPreviewIsTheMailThatIsSent(t *testing.T) {
	c, files := filesComposer(t)
	logo := files.file("logo.png", "image/png", []byte("PNG"), true)
	m := &audience.Message{EmailType: audience.EmailHTML, Subject: "Grüße, {{First Name}}", HTML: `<p>Dear {{First Name}} <img src="cid:logo.png"></p>`,
		FromName: "Jürgen", FromAddress: "shop@example.com", ReplyTo: "desk@example.com"}
	out := testMail(m)
	out.Files = []audience.MessageFile{logo}
	sent, subject, err := c.outgoing(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := c.preview(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	data := bytes.Join(sent.encode(), nil)
	header, _, _ := strings.Cut(string(data), "\r\n\r\n")
	want := &audience.ComposedMail{Subject: subject, From: "Jürgen <shop@example.com>", To: "<ann@example.com>", ReplyTo: "<desk@example.com>",
		Headers: header, HTML: sent.html, Text: sent.text, Size: int64(len(data))}
	if diff := cmp.Diff(want, shown); diff != "" || subject != "Grüße, Ann" {
		t.Errorf("the preview (-sent +shown):\n%s", diff)
	}
}

// covers: spec preview.mail, decision 65
func TestFindingsOfAPreview(t *testing.T) {
	c, files := filesComposer(t)
	m := &audience.Message{EmailType: audience.EmailHTML, Subject: "{{Frist Name}}", Text: "{{Comment}} {{Comment|none}} {{list_name}} {{unsubscribe_url}}",
		HTML: `{{First Name}} {{Website}} {{last_open_time}} {{Comment}} <img src="cid:lgo.png"> <td style="background: url(cid:logo.png)">`}
	out := testMail(m)
	out.Contact.Values = out.Contact.Values.Set(4, "")
	out.Files = []audience.MessageFile{files.file("logo.png", "image/png", []byte("a"), true), files.file("other.png", "image/png", []byte("b"), true)}
	shown, err := c.preview(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"the List has no Field with the name Frist Name", "the Contact has no value of Comment, and the merge field has no fallback",
		"the Contact has no value of last_open_time, and the merge field has no fallback",
		"no inline image has the name lgo.png", "the HTML does not show the inline image other.png"}
	if diff := cmp.Diff(want, shown.Findings); diff != "" {
		t.Errorf("the findings (-want +got):\n%s", diff)
	}
	shown, err = c.preview(t.Context(), testMail(&audience.Message{EmailType: audience.EmailHTML, Subject: "May", Text: " "}))
	if err != nil || len(shown.Findings) != 1 || shown.Findings[0] != "the Message has no content" {
		t.Errorf("the findings of a Message without content are %+v, %v", shown, err)
	}
}
