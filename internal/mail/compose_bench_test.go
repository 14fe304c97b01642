package mail

import (
	"testing"

	"enlist/internal/messages"
)

// The benchmarks in this file measure the time to compose a mail, without sending it.

func BenchmarkNotification(b *testing.B) {
	c, _ := testComposer(b)
	n := testNotification()
	for b.Loop() {
		if _, err := c.notification("77", n); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOutgoing(b *testing.B) {
	c, _ := testComposer(b)
	l := testMail(&messages.Message{EmailType: messages.EmailHTML, Subject: "Hello {{First Name}}", HTML: newsletter})
	l.Schema.List.TrackClicks, l.Schema.List.TrackOpens = true, true
	for b.Loop() {
		if _, _, err := c.outgoing(b.Context(), l); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	m := &messages.Message{EmailType: messages.EmailHTML, Subject: "Hello {{First Name}}", HTML: newsletter}
	for b.Loop() {
		compile(m, nil, nil)
	}
}
