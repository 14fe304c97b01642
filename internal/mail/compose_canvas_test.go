package mail

import (
	"strings"
	"testing"

	"enlist/internal/messages"
)

// covers: decision 159
func TestCanvasHasTheTextsAndTheRulesOfTheMail(t *testing.T) {
	c, err := newComposer(Options{From: "news@example.com", PublicURL: "https://lists.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	blocks := []messages.Block{{Type: messages.BlockHeading, Text: "*x*"}, {Type: messages.BlockText, Text: "**a** {{First Name|*you*}} [l]({{unsubscribe_url}})"},
		{Type: messages.BlockColumns, Left: []messages.Block{{Type: messages.BlockQuote, Text: "q"}}, Right: []messages.Block{{Type: messages.BlockButton, Link: "javascript:x"}}},
		{Type: messages.BlockText, Text: "<b>|</b>"}}
	canvas, err := c.Canvas(t.Context(), &messages.Message{Theme: `{"card":"#fff0f0","width":500,"accent":"#ff0000"}`, Blocks: messages.EncodeBlocks(blocks)})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`<p><strong>a</strong> {{First Name|*you*}} <a href="{{unsubscribe_url}}">l</a></p>` + "\n", "<p>q</p>\n", "<p><b>|</b></p>\n"}
	if strings.Join(canvas.Contents, "~") != strings.Join(want, "~") {
		t.Errorf("the contents are %q, want %q", canvas.Contents, want)
	}
	if len(canvas.Wrong) != 6 || !strings.Contains(canvas.Wrong[4], "javascript:") || canvas.Room != 452 {
		t.Errorf("the links are %q, and the text has the width %d", canvas.Wrong, canvas.Room)
	}
	for _, rule := range []string{".canvas {", "#fff0f0", "max-width: 500px", "@container canvas (max-width: 520px)", "&.dark {"} {
		if !strings.Contains(canvas.Sheet, rule) {
			t.Errorf("the style sheet lacks %s:\n%s", rule, canvas.Sheet)
		}
	}
	if _, err = c.Canvas(t.Context(), &messages.Message{Blocks: messages.EncodeBlocks([]messages.Block{{Type: messages.BlockText, Text: strings.Repeat("x", maxMarkdown+1)}})}); err == nil {
		t.Error("a text of any length is read")
	}
}
