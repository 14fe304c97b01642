package mail

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"runtime"
	"strings"
	"testing"

	"enlist/internal/enlist"
	"enlist/internal/files"
	"enlist/internal/messages"

	"github.com/google/go-cmp/cmp"
)

// The tests in this file compose Messages with attachments and inline images, and read the mails with the
// parsers of the standard library.

// contents is a Files with the content of some files.
type contents struct {
	byID  map[enlist.ContentID][]byte
	reads int
}

func (c *contents) Piece(_ context.Context, id enlist.ContentID, number int64) ([]byte, error) {
	c.reads++
	data, ok := c.byID[id]
	if !ok {
		return nil, enlist.ErrNotFound
	}
	from := number * files.PieceSize
	return data[from:min(from+files.PieceSize, int64(len(data)))], nil
}

// InlineImage returns the file itself, or the content that c has for it.
func (c *contents) InlineImage(_ context.Context, file enlist.FileID, id enlist.ContentID) (enlist.ContentID, string, int64, error) {
	if small := enlist.ContentID(file); small != 0 {
		return small, "image/jpeg", int64(len(c.byID[small])), nil
	}
	return id, "image/png", int64(len(c.byID[id])), nil
}

// file adds a file to c.
func (c *contents) file(name, mediaType string, data []byte, inline bool) messages.MessageFile {
	id := enlist.ContentID(len(c.byID) + 1)
	c.byID[id] = data
	return messages.MessageFile{Name: name, Type: mediaType, Size: int64(len(data)), Content: id, Inline: inline}
}

func filesComposer(t testing.TB) (*composer, *contents) {
	c, _ := testComposer(t)
	attached := &contents{byID: make(map[enlist.ContentID][]byte)}
	c.files = attached
	return c, attached
}

func composeWith(t testing.TB, c *composer, m *messages.Message, attached ...messages.MessageFile) *composed {
	t.Helper()
	out := testMail(m)
	out.Files = attached
	got, _, err := c.outgoing(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// outline returns the structure of a message: a line for each part with its depth, its type and its fields,
// and the decoded content.
func outline(t *testing.T, header textproto.MIMEHeader, body io.Reader, depth int) (lines []string) {
	t.Helper()
	kind, params, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	indent := strings.Repeat("  ", depth)
	if !strings.HasPrefix(kind, "multipart/") {
		var decoded io.Reader = quotedprintable.NewReader(body)
		if header.Get("Content-Transfer-Encoding") == "base64" {
			decoded = base64.NewDecoder(base64.StdEncoding, body)
		}
		content, err := io.ReadAll(decoded)
		if err != nil {
			t.Fatal(err)
		}
		disposition, names, _ := mime.ParseMediaType(header.Get("Content-Disposition"))
		line := strings.TrimSpace(fmt.Sprint(kind, " ", disposition, " ", names["filename"], " ", header.Get("Content-ID")))
		if len(content) > 20 {
			return []string{fmt.Sprintf("%s%s: %d bytes", indent, line, len(content))}
		}
		return []string{fmt.Sprintf("%s%s: %q", indent, line, content)}
	}
	lines = append(lines, indent+kind)
	parts := multipart.NewReader(body, params["boundary"])
	for {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, outline(t, part.Header, part, depth+1)...)
	}
}

func messageOutline(t *testing.T, m *composed) []string {
	t.Helper()
	data := bytes.Join(m.encode(), nil)
	for line := range bytes.SplitSeq(data, []byte("\r\n")) {
		if len(line) > 998 || bytes.ContainsAny(line, "\r\n\x00") {
			t.Fatalf("a line has %d bytes: %.100q", len(line), line)
		}
	}
	parsed, err := mail.ReadMessage(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return outline(t, textproto.MIMEHeader(parsed.Header), parsed.Body, 0)
}

// covers: spec message.files, decision 65
func TestMailWithFilesHasTheRightStructure(t *testing.T) {
	c, all := filesComposer(t)
	big := bytes.Repeat([]byte("0123456789abcdef\x00\n.\n"), files.PieceSize/10) // two pieces
	logo, report := all.file("logo.png", "image/png", []byte("PNG"), true), all.file("Bericht für März.pdf", "application/pdf", big, false)
	exact := all.file("a.bin", "application/octet-stream", bytes.Repeat([]byte("x"), 57*2), false)
	long := all.file(strings.Repeat("ä", 251)+".txt", "text/plain", []byte("t"), false)
	const unsubscribe = "{{unsubscribe_url}}"
	html := &messages.Message{EmailType: messages.EmailRawHTML, Subject: "S", Text: "T " + unsubscribe, HTML: `<img src="cid:logo.png"> ` + unsubscribe}
	plain := &messages.Message{EmailType: messages.EmailPlain, Subject: "S", Text: "T"}
	for _, test := range []struct {
		name    string
		message *messages.Message
		files   []messages.MessageFile
		want    []string
	}{
		{"no files", html, nil, []string{"multipart/alternative", "  text/plain: 74 bytes", "  text/html: 95 bytes"}},
		{"everything", html, []messages.MessageFile{logo, report, exact}, []string{"multipart/mixed", "  multipart/alternative", "    text/plain: 74 bytes",
			"    multipart/related", "      text/html: 95 bytes", `      image/png inline logo.png <logo.png>: "PNG"`,
			fmt.Sprintf("  application/pdf attachment Bericht für März.pdf: %d bytes", len(big)), "  application/octet-stream attachment a.bin: 114 bytes"}},
		{"images", html, []messages.MessageFile{logo}, []string{"multipart/alternative", "  text/plain: 74 bytes",
			"  multipart/related", "    text/html: 95 bytes", `    image/png inline logo.png <logo.png>: "PNG"`}},
		{"attachments of a text", plain, []messages.MessageFile{logo, long}, []string{"multipart/mixed", "  text/plain: 113 bytes",
			"  text/plain attachment " + strings.Repeat("ä", 98) + `.txt: "t"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, messageOutline(t, composeWith(t, c, test.message, test.files...))); diff != "" {
				t.Errorf("the parts (-want +got):\n%s", diff)
			}
		})
	}
}

// The files are read and encoded once, and all mails share the bytes. A file that was overwritten is read
// again.
//
// covers: decision 65
func TestFilesAreEncodedOnceForAllMails(t *testing.T) {
	c, all := filesComposer(t)
	attachment := all.file("a.bin", "application/octet-stream", bytes.Repeat([]byte("x"), 3*files.PieceSize), false)
	message := &messages.Message{EmailType: messages.EmailPlain, Subject: "S", Text: "T"}
	first := composeWith(t, c, message, attachment).encode()
	for range 10 {
		again := composeWith(t, c, message, attachment).encode()
		if &again[1][0] != &first[1][0] {
			t.Fatal("two mails have different copies of a file")
		}
	}
	if all.reads != 3 {
		t.Errorf("%d pieces were read, want each of 3 once", all.reads)
	}
	fresh := all.file("a.bin", "application/octet-stream", []byte("new"), false)
	if got := composeWith(t, c, message, fresh).encode(); len(got[1]) > 1000 {
		t.Errorf("after the file was overwritten, the mail has %d bytes of files", len(got[1]))
	}
	out := testMail(message)
	out.Files = []messages.MessageFile{{Name: "gone", Type: "text/plain", Size: 9, Content: 99}}
	_, _, err := c.outgoing(t.Context(), out)
	if why, ok := err.(*messages.Undelivered); !ok || why.Permanent {
		t.Errorf("content that was removed gives the error %v, want a temporary failure", err)
	}
}

// covers: decision 65
func TestMailWithFilesIsEncodedWithoutACopy(t *testing.T) {
	c, attached := filesComposer(t)
	attachment := attached.file("a.bin", "application/octet-stream", bytes.Repeat([]byte("\n."), 1<<20), false)
	m := composeWith(t, c, &messages.Message{EmailType: messages.EmailPlain, Subject: "S", Text: "T"}, attachment)
	_, short, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signing := newEncoder(signingWith(short))
	for name, e := range map[string]*encoder{"without a signature": newEncoder(Transport{settings: noSettings}), "with a signature": signing} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			const mails = 5
			for range mails {
				v, err := e.encode(t.Context(), m, nil)
				if err != nil {
					t.Fatal(err)
				}
				if last := v.data[len(v.data)-1]; &last[0] != &m.files.attached[0] {
					t.Fatal("the envelope has a copy of the files")
				}
			}
			runtime.ReadMemStats(&after)
			// The library for DKIM allocates a small part of the message at a time.
			if n := (after.TotalAlloc - before.TotalAlloc) / mails; e.serverSigner() == nil && n > 1<<18 { // the files have 2.8 MB
				t.Errorf("a mail needs %d bytes of memory, want less than 256 KiB", n)
			}
		})
	}
}

// covers: decision 164
func TestAnInlineImageIsInTheMailAsMailsShowIt(t *testing.T) {
	c, files := filesComposer(t)
	large := files.file("photo.png", "image/png", []byte("many large pixels"), true)
	large.File = enlist.FileID(files.file("small", "", []byte("few"), true).Content)
	got := composeWith(t, c, &messages.Message{EmailType: messages.EmailHTML, HTML: `<img src="cid:photo.png">`}, large)
	if related := string(got.files.related); !strings.Contains(related, "Content-Type: image/jpeg") || !strings.Contains(related, "Content-ID: <photo.png>") ||
		!strings.Contains(related, base64.StdEncoding.EncodeToString([]byte("few"))) {
		t.Errorf("the image is in the mail as\n%s", related)
	}
}
