package language

import (
	"bytes"
	"html/template"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pelletier/go-toml/v2"
	"golang.org/x/text/feature/plural"
)

// mustBeComplete are the languages of the administration. One is offered when it has every text; it stays so.
var mustBeComplete = []string{"de", English, "es", "fr", "it", "nl", "pt", "vi", "zh"}

// Each text of English has a translation in these languages, and each other language says how many it lacks.
//
// covers: decision 169
func TestLanguagesOfTheAdministrationAreComplete(t *testing.T) {
	for _, l := range New().All() {
		lacking := 0
		for key := range New().For(English, "").texts() {
			if l.texts()[key] == nil {
				lacking++
			}
		}
		offered := slices.Contains(New().OfUsers().All(), l)
		switch {
		case lacking > 0 && slices.Contains(mustBeComplete, l.Code):
			t.Errorf("%s.toml lacks %d texts: go run ./internal/language/missing %s prints them", l.Code, lacking, l.Code)
		case (lacking == 0) != offered:
			t.Errorf("%s.toml lacks %d texts, and the language is offered: %t", l.Code, lacking, offered)
		}
	}
}

// complete are the beginnings of the keys that each language has. English has the others too.
var complete = regexp.MustCompile(`^(format|language|mail|web)\.`)

// Each text of a language is one of English, with the same arguments and markup. What subscribers read is complete.
func TestLanguagesHaveTheTextsOfEnglish(t *testing.T) {
	english := New().For(English, "")
	marksOf := func(l *Language, key string, form plural.Form) (all []string) {
		for _, p := range l.texts()[key].inForms()[form] {
			switch p.kind {
			case argument:
				all = append(all, "{"+p.text+"}")
			case begin:
				all = append(all, "<"+p.text+">")
			case end:
				all = append(all, "</"+p.text+">")
			}
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	for _, l := range New().All() {
		for _, key := range slices.Sorted(maps.Keys(english.texts())) {
			switch {
			case l.texts()[key] == nil && complete.MatchString(key):
				t.Errorf("%s.toml lacks %s", l.Code, key)
			case l.texts()[key] != nil && l.Text(key) == "":
				t.Errorf("%s.toml: %s is empty", l.Code, key)
			}
			want := marksOf(english, key, plural.Other)
			for form := range l.texts()[key].inForms() {
				got := marksOf(l, key, form)
				withNumber := slices.Sorted(slices.Values(append(slices.Clone(got), "{n}"))) // "one Contact" needs no number
				if !strings.HasPrefix(key, "format.") && !slices.Equal(got, want) &&
					(form == plural.Other || !slices.Equal(withNumber, want)) {
					t.Errorf("%s.toml: %s needs exactly %q as the English text has it, and has %q: write these names and marks "+
						"unchanged, in any order", l.Code, key, want, got)
				}
			}
		}
		for key := range l.texts() {
			if english.texts()[key] == nil {
				t.Errorf("%s.toml has the key %s, which en.toml does not have", l.Code, key)
			}
		}
	}
}

// A text with plural forms has those that the CLDR demands for whole numbers in its language.
func TestTextsHaveThePluralFormsOfTheirLanguage(t *testing.T) {
	for _, l := range New().All() {
		want := map[plural.Form]bool{plural.Other: true}
		for n := range 1000 {
			want[plural.Cardinal.MatchPlural(l.tag, n, 0, 0, 0, 0)] = true
		}
		for key, text := range l.texts() {
			if text.forms == nil && !l.counts(key) {
				continue
			}
			if got := slices.Sorted(maps.Keys(text.inForms())); !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
				t.Errorf("%s.toml: %s has the plural forms %s, and needs %s", l.Code, key, formNames(got),
					formNames(slices.Sorted(maps.Keys(want))))
			}
		}
	}
}

// inForms returns all plural forms of a text.
func (t *text) inForms() map[plural.Form][]piece {
	switch {
	case t == nil:
		return nil
	case t.forms == nil:
		return map[plural.Form][]piece{plural.Other: t.other}
	}
	return t.forms
}

// countless matches the keys of texts whose number changes no word of them in any language: it follows a colon, stands for
// a part of a list, or has its word in another text.
var countless = regexp.MustCompile(`^(format|said)\.|^ui\.menu_|^keys\.past|^sending\.newest$|^imports\.these_first$|^sends\.per_` +
	`|^contacts\.(those_table|these_newest|more_than_of|export_n|change_n|too_long)|^messages\.(of_102|too_large)$`)

// A text with a number has plural forms in English too, so that a translator sees that the number matters.
func TestTextsWithANumberHavePluralForms(t *testing.T) {
	for key, text := range New().For(English, "").texts() {
		isNumber := func(p piece) bool { return p.kind == argument && p.text == "n" }
		if text.forms == nil && slices.ContainsFunc(text.other, isNumber) && !countless.MatchString(key) {
			t.Errorf("en.toml: %s has the number {n} and no plural forms", key)
		}
	}
}

// formNames returns the names of plural forms in the files.
func formNames(all []plural.Form) (names []string) {
	for name, form := range forms {
		if slices.Contains(all, form) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// counts reports whether the English text of a key has plural forms.
func (l *Language) counts(key string) bool {
	if l.english != nil {
		l = l.english
	}
	return l.texts()[key] != nil && l.texts()[key].forms != nil
}

// A translator sees what a short text is: a button, a heading, the name of a column. go-i18n takes a table for one text
// if it has a key with a name of its own.
func TestEnglishTextsTellTheTranslatorWhatTheyAre(t *testing.T) {
	const fewWords = 3
	var check func(prefix string, table map[string]any)
	check = func(prefix string, table map[string]any) {
		for name, value := range table {
			key := prefix + name
			switch value := value.(type) {
			case string:
				if !strings.Contains(value, "{") && len(strings.Fields(value)) <= fewWords {
					t.Errorf("en.toml: %s = %q has no description: write {other = %q, description = …}", key, value, value)
				}
			case map[string]any:
				if _, isText := value["other"].(string); !isText {
					check(key+".", value)
				} else if value["description"] == "" {
					t.Errorf("en.toml: %s has an empty description", key)
				}
			}
			if forms[name] != 0 || slices.Contains([]string{"other", "id", "hash", "description", "leftdelim", "rightdelim"}, name) {
				t.Errorf("en.toml: %s ends in a name of the format", key)
			}
		}
	}
	data, err := fs.ReadFile(Files(), "en.toml")
	if err != nil {
		t.Fatal(err)
	}
	var table map[string]any
	if err := toml.Unmarshal(data, &table); err != nil {
		t.Fatal(err)
	}
	check("", table)
}

const example = `
[format]
group = "."
decimal = ","
months = "stycznia,lutego"
short_months = "sty,lut"
weekdays = "niedz.,pon.,wt.,śr.,czw.,pt.,sob."
moment = "{weekday} {day} {short_month} {year}, {time}"
[lists]
renamed = "<b>{old}</b> ma teraz nazwę {new} & działa. <settings>Ustawienia</settings>"
rows = {one = "{n} wiersz", few = "{n} wiersze", many = "{n} wierszy", other = "{n} wiersza"}
`

// A text never becomes HTML, and neither does an argument, unless it is HTML.
//
// covers: decision 150
func TestTextsAreFilledWithArguments(t *testing.T) {
	texts := Read(fstest.MapFS{"en.toml": {Data: []byte("[format]\ngroup = \",\"\n[lists]\nonly_english = \"{n} rows\"")},
		"pl.toml": {Data: []byte(example)}})
	l := texts.For("pl", "")
	args := []any{"old", "A<B", "new", template.HTML("<i>C</i>"), "settings", "/admin/?a=1&b=2"}
	for _, c := range []struct{ got, want any }{
		{l.Text("lists.rows", "n", 1), "1 wiersz"},
		{l.Text("lists.rows", "n", 3), "3 wiersze"},
		{l.Text("lists.rows", "n", int64(31_204)), "31.204 wiersze"},
		{l.T("lists.rows", "n", 5), "5 wierszy"},
		{l.Text("lists.only_english", "n", 5000), "5,000 rows"},
		{l.Text("lists.no_such_text"), "lists.no_such_text"},
		{l.Text("lists.renamed", args...), "A<B ma teraz nazwę <i>C</i> & działa. Ustawienia"},
		{l.T("lists.renamed", args...), template.HTML("<b>A&lt;B</b> ma teraz nazwę <i>C</i> &amp; działa. " +
			`<a class="in" href="/admin/?a=1&amp;b=2">Ustawienia</a>`)},
		{l.HTML("lists.renamed", "settings", "javascript:alert(1)"), template.HTML("<b>{old}</b> ma teraz nazwę {new} &amp; " +
			`działa. <a class="in" href="#">Ustawienia</a>`)},
		{l.Number(-1_234_567), "−1.234.567"},
		{l.Decimal(64.93, 1), "64,9"},
		{l.Time("moment", time.Date(2026, 2, 3, 9, 5, 0, 0, time.UTC)), "wt. 3 lut 2026, 09:05"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// Shares and sizes have the separators and units of their language.
func TestNumbersAreWrittenAsInTheLanguage(t *testing.T) {
	de, fr := New().For("de", ""), New().For("fr", "")
	for _, c := range []struct{ got, want string }{
		{de.Percent(649, 1000), "64,9\u00a0%"}, {de.Percent(0, 7), "0\u00a0%"}, {de.Percent(1, 600), "0,17\u00a0%"}, {de.Percent(1, 0), "–"},
		{de.Signed(1234), "+1.234"}, {de.Points(-670), "−0,67"}, {de.Points(6700), "+6,7"}, {de.Points(0), "0,0"},
		{de.Size(1), "1 Byte"}, {de.Size(2000), "1,95\u00a0KB"}, {de.Size(5 << 19), "2,5\u00a0MB"}, {fr.Size(5 << 29), "2,5\u00a0Go"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// Names, clauses and sentences stand beside each other as the language writes them, and countries have its names.
func TestTextsAreJoinedAsInTheLanguage(t *testing.T) {
	zh, fr, de := New().For("zh", ""), New().For("fr", ""), New().For("de", "")
	for _, c := range []struct{ got, want string }{
		{zh.Sentences("已保存。", "", "没有发送邮件。"), "已保存。没有发送邮件。"}, {fr.Sentences("Un.", "Deux."), "Un. Deux."},
		{zh.Clauses([]string{"甲", "乙"}), "甲；乙"}, {de.Series([]string{"A", "B", "C"}), "A, B, C"},
		{fr.Named("Objet", "Juin"), "Objet\u00a0: Juin"}, {de.Country("DE"), "Deutschland"}, {zh.Country("FR"), "法国"}, {de.Country("?"), "?"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// What a service says is translated by the words of its English text, also as a sentence, and with texts in it.
func TestWhatServicesSayIsTranslated(t *testing.T) {
	texts := Read(fstest.MapFS{"en.toml": {Data: []byte("[format]\nsentence = \"{text}.\"\n[said]\nmost = \"expected a text of at most {n} bytes\"\n" +
		"first = \"the first one: {reason}\"\nname = \"the user needs a name\"")},
		"de.toml": {Data: []byte("[format]\ngroup = \".\"\nsentence = \"{text}.\"\n[said]\nmost = \"höchstens {n} Byte\"\nfirst = \"der erste: {reason}\"\n" +
			"name = \"der Benutzer braucht einen Namen\"")}})
	de := texts.For("de", "")
	for said, want := range map[string]string{"the user needs a name": "der Benutzer braucht einen Namen",
		"The user needs a name.": "Der Benutzer braucht einen Namen.", "expected a text of at most 1,000 bytes": "höchstens 1.000 Byte",
		"the first one: the user needs a name": "der erste: der Benutzer braucht einen Namen", "another text": "another text", "": ""} {
		if got := de.Said(said); got != want {
			t.Errorf("%q is translated as %q, want %q", said, got, want)
		}
	}
	for said, want := range map[string]string{"the link http:// has no host": "der Link http:// hat keinen Hostnamen",
		"the Message has no {{unsubscribe_url}}: a line with this link is added at its end": "die Nachricht enthält kein {{unsubscribe_url}}: " +
			"Am Ende wird eine Zeile mit diesem Link ergänzt",
		"the Batch is completed and cannot be paused": "die Kampagne ist abgeschlossen und kann nicht pausiert werden",
		`block 3 "Dear members", variant "B", is shown to 1200 of 2000 recipients`: `Block 3 "Dear members" der Variante "B" wird 1.200 von ` +
			`2.000 Empfängern angezeigt`,
		`no Contact of the List "News" sees block 2, left column, block 1: the List has no Field "City"`: `Block 2, linke Spalte, Block 1 ` +
			`ist für keinen Kontakt der Liste "News" sichtbar: die Liste hat kein Feld "City"`,
		"there is a user of the name completed": "there is a user of the name completed", // a part of a text is no text
		"completed":                             "completed",
		"completed already uses this Account":   "completed verwendet dieses Konto bereits", // a name is data
	} {
		if got := New().For("de", "").Said(said); got != want {
			t.Errorf("%q is translated as %q, want %q", said, got, want)
		}
	}
	if got := texts.For("en", "").Said("the user needs a name"); got != "the user needs a name" {
		t.Errorf("English says %q", got)
	}
}

// Names sort as in the language of the page.
func TestNamesSortAsInTheLanguage(t *testing.T) {
	for code, want := range map[string]string{"en": "Öl Opa Zebra", "de": "Öl Opa Zebra"} {
		names := strings.Fields("Zebra Opa Öl")
		keys := New().For(code, "").SortKeys(names)
		slices.SortFunc(names, func(a, b string) int {
			at := func(name string) []byte { return keys[slices.Index(strings.Fields("Zebra Opa Öl"), name)] }
			return bytes.Compare(at(a), at(b))
		})
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s sorts %s, want %s", code, got, want)
		}
	}
}

func BenchmarkText(b *testing.B) {
	l := New().For("de", "")
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			l.T("web.confirm.button")
		}
	})
	b.Run("with two arguments", func(b *testing.B) {
		for b.Loop() {
			l.T("web.confirm.body", "list", "News", "address", "mira@example.com")
		}
	})
}

// A page with 100 refused mails looks up each reply of a mail server, most of which are in no catalogue.
func BenchmarkSaid(b *testing.B) {
	l := New().For("de", "")
	for b.Loop() {
		l.Said("552 5.2.2 The recipient's mailbox is over its quota.")
	}
}

func TestTheLanguageOfTheListGoesBeforeThatOfTheBrowser(t *testing.T) {
	all := New()
	for _, c := range []struct{ list, accept, want string }{
		{"", "", "en"},
		{"", "de", "de"},
		{"", "de-AT,en;q=0.5", "de"},
		{"", "qaa,nl;q=0.8,fr;q=0.9", "fr"},
		{"", "zh-Hant-TW", "zh"},
		{"", "pt-BR", "pt"},
		{"", "qaa", "en"},
		{"", "*", "en"},
		{"", "\x00;q=broken", "en"},
		{"it", "de", "it"},
		{"vi", "", "vi"},
	} {
		if got := all.For(c.list, c.accept).Code; got != c.want {
			t.Errorf("List %q and Accept-Language %q get %s, want %s", c.list, c.accept, got, c.want)
		}
	}
}

func TestTheBestOfSomeLanguagesIsThatOfTheBrowserOrTheFirst(t *testing.T) {
	for accept, want := range map[string]string{"": "nl", "fr-CH, de;q=0.9": "fr", "de, fr;q=0.5": "fr", "de": "nl", "nl, fr": "nl",
		"en, de": "nl", "\x00": "nl"} {
		if got := Best([]string{"nl", "fr", "zh"}, accept); got != want {
			t.Errorf("Accept-Language %q gets %s, want %s", accept, got, want)
		}
	}
}
