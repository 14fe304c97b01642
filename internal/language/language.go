// Package language has the texts that subscribers read in several languages: those of the pages behind the links of
// mails, and of the request to confirm a subscription. The folder texts has one file for each language.
//
// A List can have a language. Without one, a page has the language that the browser prefers, and a mail is in English.
// Error messages, commands and the pages for the owner of a List are in English only.
package language

import (
	"embed"
	"encoding/json"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

//go:embed texts/*.json
var textFiles embed.FS

// English is the language of a reader whose language is not known or has no texts.
const English = "en"

// Texts are the texts of all languages. Its methods can be called concurrently.
type Texts struct {
	all     map[string]Language // the keys are codes of ISO 639-1
	codes   []string
	matcher language.Matcher
}

// Language has the texts of one language.
type Language struct {
	Code  string // ISO 639-1, such as "de"
	texts map[string]string
}

// Codes returns the codes of all languages, in order.
func Codes() (codes []string) {
	files, err := textFiles.ReadDir("texts")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	for _, f := range files {
		codes = append(codes, strings.TrimSuffix(f.Name(), ".json"))
	}
	return codes
}

// New reads the texts. The files are part of the program, so it panics if one cannot be read.
func New() *Texts {
	t := &Texts{all: make(map[string]Language)}
	for _, code := range Codes() {
		l := Language{Code: code}
		data, err := textFiles.ReadFile("texts/" + code + ".json")
		if err == nil {
			err = json.Unmarshal(data, &l.texts)
		}
		if err != nil {
			panic(err)
		}
		t.all[code] = l
	}
	// The matcher takes the first language if it finds no other one.
	t.codes = append([]string{English}, slices.DeleteFunc(Codes(), func(c string) bool { return c == English })...)
	var tags []language.Tag
	for _, code := range t.codes {
		tags = append(tags, language.MustParse(code))
	}
	t.matcher = language.NewMatcher(tags)
	return t
}

// For returns the language of a List or, if it has none, the one that fits the header Accept-Language of a browser
// best.
func (t *Texts) For(list, accept string) Language {
	if l, ok := t.all[list]; ok {
		return l
	}
	_, i, _ := t.matcher.Match(wanted(accept)...)
	return t.all[t.codes[i]]
}

// Best returns the one of several codes of languages that fits the header Accept-Language of a browser best, or the
// first one if none fits.
func Best(codes []string, accept string) string {
	var tags []language.Tag
	for _, code := range codes {
		tags = append(tags, language.Make(code))
	}
	_, i, _ := language.NewMatcher(tags).Match(wanted(accept)...)
	return codes[i]
}

// wanted returns the languages of a header Accept-Language, or none if it cannot be read.
func wanted(accept string) []language.Tag {
	const longest = 200 // bytes of the header: a browser sends fewer
	if len(accept) > longest {
		return nil
	}
	all, _, err := language.ParseAcceptLanguage(accept)
	if err != nil {
		return nil
	}
	return all
}

// Name returns the name of the language in itself, such as "Deutsch".
func (l Language) Name() string { return l.Text("language") }

// FieldName returns the name of a standard Field in this language, and any other name as it is.
func (l Language) FieldName(name string) string {
	key := "field." + strings.ReplaceAll(strings.ToLower(name), " ", "_")
	if text := l.texts[key]; text != "" && l.Code != English {
		return text
	}
	return name
}

// Text returns the text of a key. It contains {list} and {address} in place of the List's name and of the address.
func (l Language) Text(key string) string { return l.texts[key] }
