package mail

import (
	"testing"

	"enlist/internal/messages"
)

// The test in this file checks the header field for unsubscribing with one click.

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
