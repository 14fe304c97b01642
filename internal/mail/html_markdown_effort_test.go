package mail

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"enlist/internal/batches"
	"enlist/internal/messages"
)

// The tests in this file compose Messages that would cost much time or memory. They count the work, not the time.

// covers: decision 65, spec message.markdown.limits
func TestExpensiveMarkdownIsRefused(t *testing.T) {
	const long = 128 << 10
	many := func(text string) string { return strings.Repeat(text, long/len(text)) }
	for _, c := range []struct {
		name, source string
		want         error
	}{
		{"marks of emphasis in one paragraph", strings.Repeat("*a_ ", 20_000), errMarkdownMarks},
		{"marks of emphasis that cannot close", "b**b" + many("a* "), errMarkdownMarks},
		{"marks that are deleted text", many("a~b "), errMarkdownMarks},
		{"a long line of tildes", "a" + many("~"), errMarkdownMarks},
		{"brackets", many("["), errMarkdownMarks},
		{"images in images", many("]((!["), errMarkdownMarks},
		{"code of different lengths", many("`a``b"), errMarkdownMarks},
		{"tags that are not closed", "a " + many("<a "), errMarkdownMarks},
		{"entities", many("&a"), errMarkdownMarks},
		{"quotes in quotes", many(">"), errMarkdownDepth},
		{"lists in lists", many("- ") + "a", errMarkdownDepth},
		{"numbered lists in quotes", many("> 1. "), errMarkdownDepth},
		{"a table of long rows", strings.Repeat("|a", 1000) + "\n" + strings.Repeat("|-", 1000) + "\n" + strings.Repeat("|\n", 5000), errMarkdownMarks},
		{"bars in the code of a table", "|a|\n|-|\n" + many("|`a\\|`|\n"), errMarkdownMarks},
		{"one long reference many times", "[a]: https://example.com/" + strings.Repeat("x", 10_000) + "\n\n" + strings.Repeat("[a]\n\n", 10_000), errMarkdownHTML},
		{"more than the limit", strings.Repeat("word word\n\n", maxMarkdown/10), errMarkdownLong},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := &effort{ctx: t.Context()}
			if _, err := markdownHTML(e, c.source); !errors.Is(err, c.want) {
				t.Errorf("%.40q has the error %v after the work %d, want %v", c.source, err, e.work, c.want)
			}
		})
	}
}

// A text that a person writes needs a small part of what is allowed.
//
// covers: decision 65, spec message.markdown.limits
func TestOrdinaryMarkdownIsFarBelowTheLimits(t *testing.T) {
	paragraph := strings.Repeat("Some *words* and [a link](https://example.com/?a=1&b=2), **more** of `it` for {{First Name}}.\n", 12)
	table := "|a|b|c|d|\n|-|-|-|-|\n" + strings.Repeat("|1|2|`x`|*4*|\n", 200)
	list := strings.Repeat("- one\n  - two\n    1. three\n", 100)
	source := strings.Repeat("## Title\n\n"+paragraph+"\n> "+paragraph+"\n\n<table><tr><td>x</td></tr></table>\n\n", 40) + table + "\n\n" + list
	e := &effort{ctx: t.Context()}
	if _, err := markdownHTML(e, source); err != nil || e.work > maxMarkdownEffort/3 {
		t.Errorf("a text of %d bytes has the error %v and costs %d, want less than a third of %d", len(source), err, e.work, maxMarkdownEffort)
	}
}

// The blocks of a Message share the limits.
//
// covers: decision 65
func TestBlocksShareTheLimits(t *testing.T) {
	var all []messages.Block
	for range 100 {
		all = append(all, messages.Block{Type: messages.BlockText, Text: strings.Repeat("*a_ ", 700)})
	}
	c, _ := testComposer(t)
	m := &messages.Message{EmailType: messages.EmailBlocks, Subject: "s", Blocks: messages.EncodeBlocks(all[:3])}
	if _, _, err := c.outgoing(t.Context(), testMail(m)); err != nil {
		t.Error(err)
	}
	m.Blocks = messages.EncodeBlocks(all)
	wantRefused(t, c, m, errMarkdownMarks)
}

// wantRefused checks that a Message makes no mail, and that the finding and the error say why.
func wantRefused(t *testing.T, c *composer, m *messages.Message, want error) {
	t.Helper()
	_, _, err := c.outgoing(t.Context(), testMail(m))
	if why, _ := err.(*messages.Undelivered); why == nil || !why.Permanent || why.Recipient || why.Detail != want.Error() {
		t.Errorf("the mail has the error %v, want permanently: %v", err, want)
	}
	found := checked(c, testMail(m))
	if len(found) == 0 || found[len(found)-1] != (messages.Finding{Level: messages.FindingError, Code: batches.FindingTooLong, Text: want.Error()}) {
		t.Errorf("the findings are %v, want the error: %v", found, want)
	}
}

// covers: decision 65
func TestHTMLWithTooManyAttributesIsRefused(t *testing.T) {
	var attributes strings.Builder
	for i := range 150_000 {
		fmt.Fprintf(&attributes, " a%d=1", i)
	}
	c, _ := testComposer(t)
	for _, kind := range []string{messages.EmailHTML, messages.EmailRawHTML} {
		m := &messages.Message{EmailType: kind, Subject: "s", HTML: "<p" + attributes.String() + ">x</p>"}
		wantRefused(t, c, m, errAttributes)
		m.HTML = "<html" + attributes.String()[:4000] + ">" + strings.Repeat("<html a=b>", 60_000)
		wantRefused(t, c, m, errRootTags)
		m.HTML = strings.Repeat(`<td class="a" style="b" width="1" height="2" align="left" valign="top" bgcolor="#fff">x</td>`, 20_000)
		if err := checkHTML(m.HTML); err != nil {
			t.Errorf("%d bytes of ordinary HTML have the error %v", len(m.HTML), err)
		}
	}
	wantRefused(t, c, &messages.Message{EmailType: messages.EmailMarkdown, Subject: "s", Text: "<p" + attributes.String()[:200_000] + ">x</p>"}, errAttributes)
}

// A Message is given up when the context ends: while it waits for the slot of its Account, and while it is composed.
// Other Accounts have their own slots.
//
// covers: decision 65
func TestComposingStopsWithItsContext(t *testing.T) {
	c, _ := testComposer(t)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	m := &messages.Message{ID: 1, AccountID: 1, EmailType: messages.EmailMarkdown, Subject: "s", Text: "Hello *you*"}
	if _, err := c.templates.get(stopped, m, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a Message was composed although its context had ended: %v", err)
	}
	if _, err := markdownHTML(&effort{ctx: stopped}, m.Text); !errors.Is(err, context.Canceled) {
		t.Errorf("a text was converted although its context had ended: %v", err)
	}
	release, err := c.templates.compiling.AcquireFor(t.Context(), 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	other := *m
	other.AccountID = 2
	if _, err := c.templates.get(t.Context(), &other, nil); err != nil {
		t.Errorf("while one Account composes, another one gets %v", err)
	}
	other.AccountID = 1
	waiting, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := c.templates.get(waiting, m, nil)
		done <- err
	}()
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("a Message that waited got %v, want the error of the context", err)
	}
	release()
	if _, err := c.templates.get(t.Context(), m, nil); err != nil {
		t.Error(err)
	}
}
