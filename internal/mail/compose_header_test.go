package mail

import (
	"testing"

	"enlist/internal/audience"
)

// RFC 8058, 3.1: the header for one click goes with an https link only.
//
// covers: spec message.unsubscribe
func TestOneClickHeaderNeedsHTTPS(t *testing.T) {
	c, _ := testComposer(t)
	for url, want := range map[string]string{"https://mail.example.org": "List-Unsubscribe=One-Click", "http://mail.example.org": ""} {
		c.publicURL = url
		r := send(t, c, testMail(&audience.Message{EmailType: audience.EmailPlain, Subject: "s", Text: "x"}))
		if got := r.Get("List-Unsubscribe-Post"); got != want {
			t.Errorf("%s: List-Unsubscribe-Post %q, want %q", url, got, want)
		}
		contains(t, "List-Unsubscribe", r.Get("List-Unsubscribe"), "<"+url+"/u/")
	}
}
