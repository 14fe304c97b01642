package starters

import (
	"strings"

	"enlist/internal/language"
	"enlist/internal/messages"
)

// Examples returns the words of all templates in all languages, a line each. A Message that still has one of them was not
// finished.
func Examples(texts *language.Texts) map[string]bool {
	const shortest = 12 // letters: a price or a label may be the author's own
	known := make(map[string]bool)
	for _, l := range texts.All() {
		for _, s := range All() {
			_, blocks := s.Message(l, messages.DefaultTheme())
			for _, line := range messages.Paragraphs(blocks) {
				if len([]rune(line)) >= shortest && !strings.Contains(line, "{{") {
					known[line] = true
				}
			}
		}
	}
	return known
}
