// Package languagetest has a made-up language for tests: the texts of English, longer and with marks on each letter. It
// shows which texts of a page are in no catalogue, and which do not fit.
package languagetest

import (
	"io/fs"
	"regexp"
	"strings"
	"testing/fstest"

	"enlist/internal/language"

	"github.com/pelletier/go-toml/v2"
	"golang.org/x/net/html"
)

const (
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	marked  = "ăƀĉđēƒğĥīĵķłɱñōƥɋřšţūṽŵẋŷžĂƁĈĐĒƑĞĤĪĴĶŁṀÑŌƤɊŘŠŢŪṼŴẊŶŽ"
)

// kept are the arguments and the markup of a text.
var kept = regexp.MustCompile(`\{[a-z0-9_]+\}|</?[a-z0-9_]+>`)

// Texts returns texts in which English is the made-up language. It panics if the English catalogue cannot be read.
func Texts() *language.Texts {
	return language.Read(fstest.MapFS{"en.toml": {Data: catalogue()}})
}

// Beside returns texts with English as it is, and with the made-up language as another one.
func Beside(code string) *language.Texts {
	data, err := fs.ReadFile(language.Files(), "en.toml")
	if err != nil {
		panic(err)
	}
	return language.Read(fstest.MapFS{"en.toml": {Data: data}, code + ".toml": {Data: catalogue()}})
}

// catalogue returns the catalogue of the made-up language.
func catalogue() []byte {
	data, err := fs.ReadFile(language.Files(), "en.toml")
	table := make(map[string]any)
	if err == nil {
		err = toml.Unmarshal(data, &table)
	}
	for name, section := range table {
		if name != "language" {
			mark(section)
		}
	}
	if err == nil {
		data, err = toml.Marshal(table)
	}
	if err != nil {
		panic(err)
	}
	return data
}

// mark marks all texts of a table.
func mark(table any) {
	texts := table.(map[string]any)
	for key, value := range texts {
		switch text, isText := value.(string); {
		case key == "description" || key == "group" || key == "decimal":
		case isText:
			texts[key] = longer(text)
		default:
			mark(value)
		}
	}
}

// longer returns a text with marks, and with a third more letters.
func longer(text string) string {
	var pairs []string
	to := []rune(marked)
	for i, letter := range letters {
		pairs = append(pairs, string(letter), string(to[i]))
	}
	marks := strings.NewReplacer(pairs...)
	var all strings.Builder
	at, count := 0, 0
	for _, m := range append(kept.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
		all.WriteString(marks.Replace(text[at:m[0]]) + text[m[0]:m[1]])
		count += m[0] - at
		at = m[1]
	}
	if strings.Contains(text, ",") && !strings.Contains(text, " ") { // a list of names, such as the months
		return all.String()
	}
	return all.String() + strings.Repeat(" ñē", count/9)
}

// word is a word without marks.
var word = regexp.MustCompile(`^\pP*[A-Za-z][A-Za-z’'-]*[A-Za-z]\pP*$`)

// Untranslated returns the words of an HTML page that have no marks, but those of data and of code. A key that is shown
// in place of its text is such a word.
func Untranslated(page string, data ...string) (all []string) {
	known := make(map[string]bool)
	for _, text := range data {
		for w := range strings.FieldsSeq(text) {
			known[w] = true
		}
	}
	english := language.New().For(language.English, "")
	look := func(text string) {
		for w := range strings.FieldsSeq(text) {
			if isKey := english.Text(w) != w; isKey {
				all = append(all, w)
			}
			if word.MatchString(w) && !known[w] && !known[strings.Trim(w, ".,:;!?()“”")] {
				all = append(all, w)
			}
		}
	}
	hidden := false
	for z := html.NewTokenizer(strings.NewReader(page)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return all
		case html.TextToken:
			if !hidden {
				look(string(z.Text()))
			}
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			tag := z.Token()
			hidden = tag.Type == html.StartTagToken && (tag.Data == "style" || tag.Data == "script" || tag.Data == "code" ||
				tag.Data == "pre" || tag.Data == "textarea")
			for _, a := range tag.Attr {
				if a.Key == "alt" || a.Key == "title" || a.Key == "placeholder" || a.Key == "aria-label" {
					look(a.Val)
				}
			}
		}
	}
}
