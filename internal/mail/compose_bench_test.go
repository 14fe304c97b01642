package mail

import (
	"math/rand/v2"
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

// With UTM parameters, without tracking.
func BenchmarkOutgoingWithParameters(b *testing.B) {
	for _, utm := range []string{"", "on"} {
		b.Run("utm="+utm, func(b *testing.B) {
			c, _ := testComposer(b)
			l := testMail(&messages.Message{EmailType: messages.EmailHTML, Subject: "Hello {{First Name}}", HTML: newsletter, UTM: utm})
			for b.Loop() {
				if _, _, err := c.outgoing(b.Context(), l); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	m := &messages.Message{EmailType: messages.EmailHTML, Subject: "Hello {{First Name}}", HTML: newsletter}
	for b.Loop() {
		compile(b.Context(), m, nil, urls{})
	}
}

// A Message of blocks is compiled once for each edition and theme, so a mail costs what one in HTML costs.
func BenchmarkOutgoingOfBlocks(b *testing.B) {
	c, _ := testComposer(b)
	l := testMail(benchBlocks())
	l.Schema.List.TrackClicks, l.Schema.List.TrackOpens = true, true
	for b.Loop() {
		if _, _, err := c.outgoing(b.Context(), l); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompileBlocks(b *testing.B) {
	c, _ := testComposer(b)
	m := benchBlocks()
	for b.Loop() {
		compile(b.Context(), m, nil, c.templates.urls)
	}
}

func benchBlocks() *messages.Message {
	var all []messages.Block
	for range 6 {
		all = append(all, messages.Block{Type: messages.BlockHeading, Text: "Dear {{First Name|friend}}"},
			messages.Block{Type: messages.BlockText, Text: "Some *words* with a [link](https://example.com/?n={{Email}})."},
			messages.Block{Type: messages.BlockImage, File: 7, Width: 600}, messages.Block{Type: messages.BlockButton, Text: "Order", Link: "https://example.com/"})
	}
	return &messages.Message{EmailType: messages.EmailBlocks, Subject: "Hello {{First Name}}", Blocks: messages.EncodeBlocks(all)}
}

// Each Contact meets any of ten conditions, so 5,000 Contacts see about a thousand different mails.
func BenchmarkOutgoingOfConditions(b *testing.B) {
	c, _ := testComposer(b)
	all, err := messages.DecodeBlocks(benchBlocks().Blocks)
	if err != nil {
		b.Fatal(err)
	}
	const conditions = 10
	l := testMail(benchBlocks())
	l.Schema.List.TrackClicks, l.Schema.List.TrackOpens = true, true
	for b.Loop() {
		m := *l.Message
		m.Met = rand.Uint32N(1 << conditions)
		shown := all[:0:0]
		for i := range all {
			if i >= 2*conditions || i%2 == 0 || m.Met>>(i/2)&1 != 0 {
				shown = append(shown, all[i])
			}
		}
		m.Blocks = messages.EncodeBlocks(shown)
		of := *l
		of.Message = &m
		if _, _, err := c.outgoing(b.Context(), &of); err != nil {
			b.Fatal(err)
		}
	}
}
