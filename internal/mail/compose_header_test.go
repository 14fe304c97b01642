package mail

import (
	"mime"
	"strings"
	"testing"
	"unicode/utf8"

	"enlist/internal/accounts"
	"enlist/internal/messages"
)

// The tests in this file check header fields.

// A mail has the header field List-Unsubscribe-Post only if the link begins with https. RFC 8058, 3.1
//
// covers: spec message.unsubscribe
func TestOneClickHeaderNeedsHTTPS(t *testing.T) {
	c, _ := testComposer(t)
	for _, test := range []struct{ url, want string }{
		{"https://mail.example.org", "List-Unsubscribe=One-Click"},
		{"http://mail.example.org", ""},
	} {
		t.Run(test.url, func(t *testing.T) {
			c.publicURL = test.url
			r := send(t, c, testMail(&messages.Message{EmailType: messages.EmailPlain, Subject: "s", Text: "x"}))
			if got := r.Get("List-Unsubscribe-Post"); got != test.want {
				t.Errorf("List-Unsubscribe-Post is %q, want %q", got, test.want)
			}
			contains(t, "List-Unsubscribe", r.Get("List-Unsubscribe"), "<"+test.url+"/u/")
		})
	}
}

// With an address for bounces, a mail program can also unsubscribe by a mail to it: it has the tag of the delivery.
//
// covers: spec message.unsubscribe
func TestMailCanUnsubscribeByMail(t *testing.T) {
	c, _ := testComposer(t)
	m := testMail(&messages.Message{EmailType: messages.EmailPlain, Subject: "s", Text: "x"})
	lacks(t, "List-Unsubscribe", send(t, c, m).Get("List-Unsubscribe"), "mailto")
	c.settings = func() *accounts.Settings {
		return &accounts.Settings{Bounces: accounts.BounceAddress{Local: "b%c", Domain: "bounces.example.org"}}
	}
	want := ">, <mailto:b%25c+" + c.key.Tag(m.Delivery) + "@bounces.example.org?subject=unsubscribe>"
	contains(t, "List-Unsubscribe", send(t, c, m).Get("List-Unsubscribe"), want)
}

// A line with an encoded word has at most 76 characters, and the word at most 75. No word divides a character. RFC 2047, 2
//
// covers: spec message.text
func TestEncodedWordsAreShort(t *testing.T) {
	c, _ := testComposer(t)
	for _, text := range []string{
		"Grüße", strings.Repeat("ü", 200), strings.Repeat("👩‍👩‍👧‍👦", 30), strings.Repeat("春のセール", 30), "Gr" + strings.Repeat("x", 200) + "ü",
		strings.Repeat("word ", 20) + "ü", "=?UTF-8?q?x?=" + strings.Repeat("=?", 60), strings.Repeat("Ünïcode, \"quoted\" (x) <a@b.example> ", 6), "Ü" + strings.Repeat("_=? ", 50),
	} {
		m := &messages.Message{EmailType: messages.EmailPlain, Subject: text, FromName: text, FromAddress: "news@example.org", ReplyTo: "reply@example.org", Text: "x"}
		mail, subject, err := c.outgoing(t.Context(), testMail(m))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(string(mail.header), "\r\n") {
			if strings.Contains(line, "=?") && len(line) > 76 {
				t.Errorf("the line %q has %d characters, want at most 76", line, len(line))
			}
			for _, word := range strings.Fields(line) {
				if strings.HasPrefix(word, "=?") {
					part, err := new(mime.WordDecoder).Decode(word)
					if err != nil || len(word) > 75 || !utf8.ValidString(part) {
						t.Errorf("the word %q has %d characters and is %q, %v", word, len(word), part, err)
					}
				}
			}
		}
		r := read(t, mail)
		if got := decoded(r.Header, "Subject"); got != subject || subject != oneLine(text) {
			t.Errorf("the subject is %q, want %q", got, oneLine(text))
		}
		from, err := r.AddressList("From")
		if err != nil || len(from) != 1 || from[0].Name != oneLine(text) || from[0].Address != "news@example.org" {
			t.Errorf("the sender is %v, %v, want %q", from, err, oneLine(text))
		}
	}
}

// Spaces that are no ASCII are part of a subject. Control characters are not.
//
// covers: spec message.text
func TestSubjectsKeepTheirSpaces(t *testing.T) {
	for text, want := range map[string]string{
		"Soldes\u00a0: 20\u202f%":                   "Soldes\u00a0: 20\u202f%",
		"春\u3000セール":                                "春\u3000セール",
		" a \t b\r\nc ":                             "a b c",
		"a\u2028b\u0085c\vd":                        "a b cd",
		"\ufeffa\x00\x1b\u202eb\u2066c\u2069\u007f": "abc",
	} {
		if got := oneLine(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
