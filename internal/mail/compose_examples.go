package mail

import (
	"slices"
	"strings"

	"enlist/internal/messages"
	"enlist/internal/samples"
	"enlist/internal/starters"
)

// This file finds what a Message still has of a starting template: a line of its words, a link or a picture.

// exampleTexts returns the words, links and pictures of starting templates that a Message has.
func (c *composer) exampleTexts(m *messages.Message) (all []string) {
	lines := strings.Split(m.Text+"\n"+m.HTML, "\n")
	if m.EmailType == messages.EmailBlocks {
		blocks, err := messages.DecodeBlocks(m.Blocks)
		if err != nil {
			return nil // a later version may store another form
		}
		lines = messages.Paragraphs(blocks)
		messages.EachBlock(blocks, func(b *messages.Block) {
			if b.File == 0 && samples.Is(b.URL) {
				lines = append(lines, b.URL)
			}
		})
	}
	examples := c.examples()
	for _, line := range lines {
		if line = strings.TrimSpace(line); examples[line] || strings.HasPrefix(line, starters.Example) || samples.Is(line) {
			all = append(all, line)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
