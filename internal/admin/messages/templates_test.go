package messages

import (
	"testing"

	"enlist/internal/messages"
)

// This file tests the starting templates.

func TestExampleTextsOfEachStartingTemplateAreKnown(t *testing.T) {
	for _, s := range starts {
		for _, kind := range []string{".txt", ".json"} {
			text, err := files.ReadFile("templates/" + s.Text + kind)
			if err != nil {
				t.Fatal(err)
			}
			m := messages.Message{EmailType: messages.EmailMarkdown, Text: string(text)}
			if kind == ".json" {
				m = messages.Message{EmailType: messages.EmailBlocks, Blocks: string(text)}
			}
			if len(m.ExampleTexts()) == 0 {
				t.Errorf("no example text of %s%s is known", s.Text, kind)
			}
		}
	}
}
