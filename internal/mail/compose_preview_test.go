package mail

import (
	"bytes"
	"strings"
	"testing"

	"enlist/internal/messages"

	"github.com/google/go-cmp/cmp"
)

// The tests in this file compose previews.

// covers: spec preview.mail, decision 65
func TestPreviewIsTheMailThatIsSent(t *testing.T) {
	c, files := filesComposer(t)
	logo := files.file("logo.png", "image/png", []byte("PNG"), true)
	m := &messages.Message{EmailType: messages.EmailHTML, Subject: "Grüße, {{First Name}}", HTML: `<p>Dear {{First Name}} <img src="cid:logo.png"></p>`,
		FromName: "Jürgen", FromAddress: "shop@example.com", ReplyTo: "desk@example.com"}
	out := testMail(m)
	out.Files = []messages.MessageFile{logo}
	sent, subject, err := c.outgoing(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := c.Preview(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	data := bytes.Join(sent.encode(), nil)
	header, _, _ := strings.Cut(string(data), "\r\n\r\n")
	want := &messages.ComposedMail{Subject: subject, From: "Jürgen <shop@example.com>", To: "<ann@example.com>", ReplyTo: "<desk@example.com>",
		Headers: header, HTML: sent.html, Text: sent.text, Size: int64(len(data))}
	if diff := cmp.Diff(want, shown); diff != "" || subject != "Grüße, Ann" {
		t.Errorf("the preview (-sent +shown):\n%s", diff)
	}
}
