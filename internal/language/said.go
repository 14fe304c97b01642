package language

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/feature/plural"
)

// This file translates what services say to users: why they refuse a value, and what they find in a Message. Services say
// it in English, because programs, commands and logs have it too. The table "said" of the English catalogue has these texts
// as they are in the code, with {names} for what changes; those of other languages have the translations.

// saying is a text of the table said.
type saying struct {
	key     string
	pattern *regexp.Regexp // has a group for each name
	names   []string
	size    int // bytes of its words
}

// sayings are the texts, those with the most words first. A language compiles them when it first needs them.
type sayings struct {
	once sync.Once
	all  []saying
}

func (s *sayings) read(english *Language) []saying {
	s.once.Do(func() {
		for key, text := range english.texts {
			if !strings.HasPrefix(key, "said.") {
				continue
			}
			one, pattern := saying{key: key}, ""
			for _, p := range text[plural.Other] {
				if p.kind == argument {
					one.names, pattern = append(one.names, p.text), pattern+"(.+?)" // the shortest: "the link {url} {reason}"
				} else {
					one.size, pattern = one.size+len(p.text), pattern+regexp.QuoteMeta(p.text)
				}
			}
			one.pattern = regexp.MustCompile("^(?s)" + pattern + "$")
			s.all = append(s.all, one)
		}
		slices.SortFunc(s.all, func(a, b saying) int { return cmp.Or(b.size-a.size, strings.Compare(a.key, b.key)) })
	})
	return s.all
}

// Said returns the translation of what a service says. The text can be a sentence, with a capital and a point. One that the
// catalogue does not have stays English.
func (l *Language) Said(text any) string {
	said := fmt.Sprint(text)
	if l.english == nil || said == "" {
		return said
	}
	if found, ok := l.say(said); ok {
		return found
	}
	first, size := utf8.DecodeRuneInString(said)
	small := string(unicode.ToLower(first)) + said[size:]
	plain, isSentence := strings.CutSuffix(small, ".")
	for _, one := range []string{small, plain} {
		if found, ok := l.say(one); ok {
			first, size := utf8.DecodeRuneInString(found)
			found = string(unicode.ToUpper(first)) + found[size:]
			if isSentence {
				found = l.Text("format.sentence", "text", strings.TrimSuffix(found, "."))
			}
			return found
		}
	}
	return said
}

// say translates a text as a service has written it. What changes can be such a text too.
func (l *Language) say(text string) (string, bool) {
	for _, one := range l.english.said.read(l.english) {
		found := one.pattern.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		var args []any
		for i, name := range one.names {
			value := found[i+1]
			if translated, ok := l.say(value); ok {
				value = translated
			}
			args = append(args, name, value)
		}
		return l.Text(one.key, args...), true
	}
	return text, false
}
