package messages

import "strings"

// This file finds texts of the starting templates that a person has left in a Message.

// exampleTexts returns parts of the starting templates that no finished Message has. A test of the templates finds each
// of them there (admin/messages).
func exampleTexts() []string {
	return []string{"write here, in two or three sentences", "Say what happened and why it matters to the reader.",
		"One thought in each story.", "Say in one sentence what it is.", "Say why, in your own words.", "1. First step",
		"Saturday, 14 November, 15:00", "12 Fern Street", "write as you would write to one person.",
		"https://example.com/first", "https://example.com/details", "https://example.com/reply"}
}

// ExampleTexts returns the example texts of starting templates that the Message has.
func (m *Message) ExampleTexts() (all []string) {
	contents := []string{m.Text, m.HTML}
	if m.EmailType == EmailBlocks {
		contents = []string{m.Blocks}
	}
	for _, example := range exampleTexts() {
		for _, content := range contents {
			if strings.Contains(content, example) {
				all = append(all, example)
				break
			}
		}
	}
	return all
}
