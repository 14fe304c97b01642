package mail

import (
	"strings"
	"testing"

	"enlist/internal/audience"
)

// A value can be as long as a request. Nobody can fill the memory with some.
//
// covers: decision 46
func TestLongValuesDoNotMakeLongMails(t *testing.T) {
	long := strings.Repeat("é<", 1<<20)
	c, _ := testComposer(t)
	n := testNotification()
	n.Details.Values = n.Details.Values.Set(4, long)
	m, err := c.notification("1", n)
	if err != nil {
		t.Fatal(err)
	}
	var size strings.Builder
	if _, err := m.WriteTo(&size); err != nil || size.Len() > 200_000 {
		t.Errorf("a notification of %d bytes, %v", size.Len(), err)
	}
	contains(t, "a notification", read(t, m).text, "é<é<é", "…\n")

	for name, m := range map[string]audience.Message{
		"text":    {EmailType: audience.EmailPlain, Text: strings.Repeat("{{Comment}}", 100_000)},
		"html":    {EmailType: audience.EmailRawHTML, HTML: strings.Repeat("<b>{{Comment}}</b>", 100_000), Text: "Hello"},
		"one":     {EmailType: audience.EmailPlain, Text: strings.Repeat("{{Comment}}", 3)},
		"subject": {EmailType: audience.EmailPlain, Text: "Hello", Subject: strings.Repeat("{{Comment}}", 80)},
	} {
		l := testMail(&m)
		l.Contact.Values = l.Contact.Values.Set(4, long)
		_, _, err := c.outgoing(t.Context(), l)
		if why, _ := err.(*audience.Undelivered); (name != "subject") != (why != nil && why.Permanent && !why.Recipient) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
