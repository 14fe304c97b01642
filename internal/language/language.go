// Package language has the texts of all pages and mails, in one catalogue for each language: texts/de.toml and so on.
// Their format is that of go-i18n, which the tools of translators read. English is complete. Another language has at
// least the texts of subscribers (keys that begin with format, language, web and mail). With all texts of English, the
// administration is offered in it too: its table language then says so. The program reads a catalogue when it first needs
// a text of it, and before that only this table.
//
// A key is the folder of the page and a name, such as "lists.add_field". A text is a whole sentence, and can have
//
//   - {name}: the argument of this name. Language.Text("lists.renamed", "old", a, "new", b)
//   - plural forms (one, few, many, other): the argument n, a number, chooses one by the rules of the CLDR. Of two
//     numbers in a sentence, the second is a text of its own that is passed as an argument
//   - <b>bold</b>, also with code, em, small and bdi in place of b
//   - <settings>a link</settings>: the argument settings is its URL
//
// Other characters of a text or an argument never become HTML, and integers are written as in the language. A template
// calls t "lists.renamed" "old" .Old "new" .New; Go code calls Text for a mail or a title, and HTML for a part of a page.
package language

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

//go:embed texts/*.toml
var files embed.FS

// English is the language of a reader whose language is not known or has no texts.
const English = "en"

// Texts are the texts of all languages. Its methods can be called concurrently.
type Texts struct {
	all     []*Language // English first, because the matcher takes the first one if none fits
	matcher language.Matcher
	ofUsers *Texts
}

// Language has the texts of one language.
type Language struct {
	Code      string // ISO 639-1, such as "de"
	tag       language.Tag
	head      map[string]*text // the texts of the table language
	catalogue func() *catalogue
	english   *Language // has the texts that are missing here; nil: this is English
	said      sayings   // of English
}

// catalogue has the texts of a file.
type catalogue struct {
	texts map[string]*text
	names [3][]string // months, short months, days of the week
}

// texts returns the texts of the language by their keys. The first call reads them, which takes some milliseconds.
func (l *Language) texts() map[string]*text { return l.catalogue().texts }

// Files returns the catalogues: a file such as de.toml for each language.
func Files() fs.FS {
	folder, err := fs.Sub(files, "texts")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	return folder
}

// Codes returns the codes of all languages, in order.
func Codes() (codes []string) {
	names, err := fs.Glob(Files(), "*.toml")
	if err != nil {
		panic(err) // the pattern is valid
	}
	for _, name := range names {
		codes = append(codes, strings.TrimSuffix(name, ".toml"))
	}
	return codes
}

// Code returns the code of the language that a text names: de, DE, de-AT, de_DE, Deutsch or German. ok is false if
// the program does not have it.
func Code(text string) (code string, ok bool) {
	if text = strings.TrimSpace(text); text == "" {
		return "", false
	}
	for _, l := range New().all {
		if strings.EqualFold(text, l.Code) || strings.EqualFold(text, l.Name()) || strings.EqualFold(text, l.EnglishName()) {
			return l.Code, true
		}
	}
	tag, err := language.Parse(text)
	if err != nil {
		return "", false
	}
	base, _ := tag.Base()
	return base.String(), slices.ContainsFunc(New().all, func(l *Language) bool { return l.Code == base.String() })
}

// New returns the texts of the program.
var New = sync.OnceValue(func() *Texts { return Read(Files()) })

// Read returns the texts of files. They are part of the program, so it panics if one cannot be read, as the first use of
// its texts does.
func Read(files fs.FS) *Texts {
	t := &Texts{}
	names, err := fs.Glob(files, "*.toml")
	for _, name := range names {
		var l *Language
		if l, err = read(files, name); err != nil {
			break
		}
		t.all = append(t.all, l)
	}
	if err != nil {
		panic(err)
	}
	slices.SortStableFunc(t.all, func(a, b *Language) int { return rank(a) - rank(b) })
	for _, l := range t.all[1:] {
		l.english = t.all[0]
	}
	t.match()
	t.ofUsers = &Texts{all: slices.DeleteFunc(slices.Clone(t.all), func(l *Language) bool { return !l.IsComplete() })}
	t.ofUsers.match()
	return t
}

func (t *Texts) match() {
	var tags []language.Tag
	for _, l := range t.all {
		tags = append(tags, l.tag)
	}
	t.matcher = language.NewMatcher(tags)
}

// IsComplete reports whether the language has all texts of English. Its catalogue says so, and a test demands it.
func (l *Language) IsComplete() bool {
	return l.english == nil || l.head["language.administration"] != nil
}

// OfUsers returns the languages of the pages of the administration: those that are complete.
func (t *Texts) OfUsers() *Texts { return t.ofUsers }

func rank(l *Language) int {
	if l.Code == English {
		return 0
	}
	return 1
}

func read(files fs.FS, name string) (*Language, error) {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	code := strings.TrimSuffix(name, ".toml")
	l := &Language{Code: code, tag: language.Make(code)}
	_, head, _ := strings.Cut(string(data), "[language]\n")
	head, _, _ = strings.Cut(head, "\n[")
	l.head, err = textsOf("language.", head)
	if err == nil && l.head["language.name"] == nil { // a table in another form
		l.head, err = textsOf("", string(data))
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	l.catalogue = sync.OnceValue(func() *catalogue {
		data, err := fs.ReadFile(files, name)
		var texts map[string]*text
		if err == nil {
			texts, err = textsOf("", string(data))
		}
		if err != nil {
			panic(fmt.Errorf("read %s: %w", name, err))
		}
		c := &catalogue{texts: texts}
		for i, key := range []string{"format.months", "format.short_months", "format.weekdays"} {
			if of := texts[key]; of != nil {
				c.names[i] = strings.Split(of.other[0].text, ",")
			} else if l.english != nil {
				c.names[i] = l.english.catalogue().names[i]
			}
		}
		return c
	})
	return l, nil
}

// textsOf returns the texts of a file, or of one of its tables, whose name is then the prefix of the keys.
func textsOf(prefix, file string) (map[string]*text, error) {
	var table map[string]any
	if err := toml.Unmarshal([]byte(file), &table); err != nil {
		return nil, err
	}
	texts := make(map[string]*text)
	return texts, addTexts(texts, prefix, table)
}

// forms are the names of plural forms in the files.
var forms = map[string]plural.Form{"zero": plural.Zero, "one": plural.One, "two": plural.Two, "few": plural.Few,
	"many": plural.Many, "other": plural.Other}

// addTexts adds the texts of a table. Its keys follow prefix.
func addTexts(texts map[string]*text, prefix string, table map[string]any) error {
	for name, value := range table {
		key := prefix + name
		switch value := value.(type) {
		case string:
			texts[key] = &text{other: parse(value)}
		case map[string]any:
			if _, isText := value["other"].(string); !isText {
				if err := addTexts(texts, key+".", value); err != nil {
					return err
				}
				continue
			}
			of := make(map[plural.Form][]piece)
			for form, words := range value {
				if number, ok := forms[form]; ok {
					of[number] = parse(fmt.Sprint(words))
				}
			}
			texts[key] = &text{other: of[plural.Other]}
			if len(of) > 1 {
				texts[key].forms = of
			}
		default:
			return fmt.Errorf("%s is no text", key)
		}
	}
	return nil
}

// All returns all languages, in the order of their English names.
func (t *Texts) All() []*Language {
	return slices.SortedFunc(slices.Values(t.all),
		func(a, b *Language) int { return strings.Compare(a.EnglishName(), b.EnglishName()) })
}

// For returns the language with a code or, if there is none, the one that fits the header Accept-Language of a browser
// best.
func (t *Texts) For(code, accept string) *Language {
	for _, l := range t.all {
		if l.Code == code {
			return l
		}
	}
	_, i, _ := t.matcher.Match(wanted(accept)...)
	return t.all[i]
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
func (l *Language) Name() string { return l.called("language.name") }

// EnglishName returns the name of the language in English, such as "German".
func (l *Language) EnglishName() string { return l.called("language.english") }

// called returns a text of the table language.
func (l *Language) called(key string) string {
	if name := l.head[key]; name != nil {
		return name.other[0].text
	}
	return key
}

// FieldName returns the name of a standard Field in this language, and any other name as it is.
func (l *Language) FieldName(name string) string {
	key := "web.field." + strings.ReplaceAll(strings.ToLower(name), " ", "_")
	if _, ok := l.texts()[key]; ok && l.english != nil {
		return l.Text(key)
	}
	return name
}
