package imports

import (
	"slices"

	"enlist/internal/language"
)

// This file finds the column of a file with the language in which people get mails. reference.md: import.language

// languageHeadings are headings of such a column, as headingKey writes them.
var languageHeadings = []string{"language", "lang", "locale", "preferredlanguage", "languagecode",
	"sprache", "idioma", "lengua", "langue", "lingua", "taal", "língua", "ngônngữ", "语言", "語言"}

// columnOfLanguages returns the name of the only column with such a heading whose values all name a language of the
// program, or "". Another column can be about the languages that people speak.
func columnOfLanguages(names []string, first [][]any) (found string) {
	for n, name := range names {
		if !slices.Contains(languageHeadings, headingKey(name)) {
			continue
		}
		known, other := 0, 0
		for _, row := range first {
			if n >= len(row) || textOf(row[n]) == "" {
				continue
			}
			if _, ok := language.Code(textOf(row[n])); ok {
				known++
			} else {
				other++
			}
		}
		if known == 0 || other > 0 {
			continue
		}
		if found != "" {
			return ""
		}
		found = name
	}
	return found
}
