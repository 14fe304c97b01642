package mail

import (
	"testing"

	"enlist/internal/audience"
)

// This test covers the header for unsubscribing with one click.

// RFC 8058, 3.1: the header for one click goes with an https link only.
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
			r := send(t, c, testMail(&audience.Message{EmailType: audience.EmailPlain, Subject: "s", Text: "x"}))
			if got := r.Get("List-Unsubscribe-Post"); got != test.want {
				t.Errorf("List-Unsubscribe-Post %q, want %q", got, test.want)
			}
			contains(t, "List-Unsubscribe", r.Get("List-Unsubscribe"), "<"+test.url+"/u/")
		})
	}
}
