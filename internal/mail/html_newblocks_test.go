package mail

import (
	"strings"
	"testing"

	"enlist/internal/messages"
)

// covers: spec message.preheader
func TestPreheaderSpaceAndWidthsOfColumns(t *testing.T) {
	m := &messages.Message{EmailType: messages.EmailBlocks, Blocks: messages.EncodeBlocks([]messages.Block{{Type: messages.BlockText, Text: "Shown."},
		{Type: messages.BlockSpace}, {Type: messages.BlockSpace, Height: 40}, {Type: messages.BlockColumns, Share: 67, Left: []messages.Block{{Type: messages.BlockImage, URL: "https://example.com/a.png"}}}, {Type: messages.BlockPreheader, Text: "For {{First Name|<you>}}"}})}
	source, err := sourceHTML(t.Context(), m, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(source, "<body>\n")
	if !strings.HasPrefix(body, `<div style="display: none; max-height: 0;`) || !strings.Contains(body, "For {{First Name|&lt;you&gt;}}&#8199;") {
		t.Errorf("the mail begins with %.200s", body)
	}
	for _, space := range []string{`<td class="col" width="67%" valign="top" style="width: 67%">`, `<td class="col" width="33%" valign="top" style="width: 33%">`, `width="354"`, `height="24" style="height: 24px"`, `height="40" style="height: 40px"`} {
		if !strings.Contains(body, space) {
			t.Errorf("the mail has no %s", space)
		}
	}
	var text strings.Builder
	for _, piece := range plainText(source) {
		text.WriteString(piece.before + piece.text + piece.after)
	}
	if got := text.String(); !strings.Contains(got, "Shown.") || strings.Contains(got, "For ") {
		t.Errorf("the text part is %q", got)
	}
}

// covers: decision 165
func TestMailWithoutADecisionHasOnlyBlocksWithoutACondition(t *testing.T) {
	m := &messages.Message{EmailType: messages.EmailBlocks, Blocks: `[{"type":"text","text":"For all"},{"type":"text","text":"For some","show_if":[["id","not",1]]}]`}
	source, err := sourceHTML(t.Context(), m, nil)
	if err != nil || !strings.Contains(source, "For all") || strings.Contains(source, "For some") {
		t.Errorf("the mail is %s, %v", source, err)
	}
	if source, err = sourceHTML(t.Context(), m.AllShown(), nil); err != nil || !strings.Contains(source, "For some") {
		t.Errorf("with all blocks, the mail is %s, %v", source, err)
	}
}
