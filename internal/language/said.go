package language

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// This file translates what services say to users: why they refuse a value, and what they find in a Message. Services say
// it in English, because programs, commands and logs have it too. The table "said" of the English catalogue has these texts
// as they are in the code, with {names} for what changes; those of other languages have the translations.
//
// What stands for a name is data, and stays as it is, with three exceptions. Numbers are written as in the language, and {n}
// chooses a plural form. If there is a table such as said.state, {state} is one of its texts. {reason} is a text of
// said.reason, or any whole text.

// numbers are the names of numbers.
var numbers = []string{"n", "all", "count", "each", "least", "measured", "most", "recipients", "sent", "size"}

// saying is a text of the table said, or of a table in it.
type saying struct {
	key     string
	pattern *regexp.Regexp // has a group for each name
	words   []string       // between the names
	names   []string
	size    int // bytes of its words
}

// sayings are the texts of each table, those with the most words first: "" has the whole texts, and "state" those that can
// stand for {state}. A language compiles them when it first needs them.
type sayings struct {
	once sync.Once
	all  map[string][]saying
}

func (s *sayings) read(english *Language) map[string][]saying {
	s.once.Do(func() {
		s.all = make(map[string][]saying)
		for key, text := range english.texts() {
			name, ok := strings.CutPrefix(key, "said.")
			if !ok {
				continue
			}
			table, _, isPart := strings.Cut(name, ".")
			if !isPart {
				table = ""
			}
			s.all[table] = append(s.all[table], readSaying(key, text.other))
		}
		for _, texts := range s.all {
			slices.SortFunc(texts, func(a, b saying) int { return cmp.Or(b.size-a.size, strings.Compare(a.key, b.key)) })
		}
	})
	return s.all
}

func readSaying(key string, text []piece) saying {
	one, pattern := saying{key: key}, ""
	for _, p := range text {
		switch {
		case p.kind != argument:
			one.size, pattern = one.size+len(p.text), pattern+regexp.QuoteMeta(p.text)
			one.words = append(one.words, p.text)
			continue
		case p.text == "n", p.text == "id":
			pattern += "([0-9][0-9,]*)"
		default:
			pattern += "(.+?)" // the shortest: "the link {url} {reason}"
		}
		one.names = append(one.names, p.text)
	}
	one.pattern = regexp.MustCompile("^(?s)" + pattern + "$")
	return one
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

// say translates a text as a service has written it.
func (l *Language) say(text string) (string, bool) {
	return l.sayOf(text, l.english.said.read(l.english)[""])
}

// sayOf translates a text that is one of a table.
func (l *Language) sayOf(text string, table []saying) (string, bool) {
	for _, one := range table {
		if !one.hasWords(text) {
			continue
		}
		found := one.pattern.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		var args []any
		for i, name := range one.names {
			args = append(args, name, l.sayArgument(name, found[i+1]))
		}
		return l.Text(one.key, args...), true
	}
	return text, false
}

// hasWords reports whether a text has the words of a saying in their order. Most have not, and a pattern takes longer to
// find out.
func (s *saying) hasWords(text string) bool {
	for _, words := range s.words {
		_, after, found := strings.Cut(text, words)
		if !found {
			return false
		}
		text = after
	}
	return true
}

// sayArgument translates what stands for a name.
func (l *Language) sayArgument(name, value string) any {
	all := l.english.said.read(l.english)
	if said, ok := l.sayOf(value, all[name]); ok && name != "" {
		return said
	}
	if slices.Contains(numbers, name) {
		if n, err := strconv.ParseInt(strings.ReplaceAll(value, ",", ""), 10, 64); err == nil {
			return n
		}
	}
	if name == "reason" {
		value, _ = l.say(value)
	}
	return value
}
