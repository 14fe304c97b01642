package language

import (
	"maps"
	"regexp"
	"slices"
	"testing"
)

// Each language has all texts of the English file, with the same places for the name of the List and the address.
func TestLanguagesHaveTheSameTexts(t *testing.T) {
	places := regexp.MustCompile(`\{[a-z]*\}`)
	all := New()
	english := all.For(English, "")
	for _, code := range Codes() {
		l := all.For(code, "")
		if l.Code != code {
			t.Errorf("the texts of %s are those of %s", code, l.Code)
		}
		if got, want := slices.Sorted(maps.Keys(l.texts)), slices.Sorted(maps.Keys(english.texts)); !slices.Equal(got, want) {
			t.Errorf("%s has the keys %q, want %q", code, got, want)
		}
		for key, text := range english.texts {
			got, want := places.FindAllString(l.Text(key), -1), places.FindAllString(text, -1)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) || l.Text(key) == "" {
				t.Errorf("%s: the text of %s is %q, want the places %q", code, key, l.Text(key), want)
			}
		}
	}
}

func TestTheLanguageOfTheListGoesBeforeThatOfTheBrowser(t *testing.T) {
	all := New()
	for _, c := range []struct{ list, accept, want string }{
		{"", "", "en"},
		{"", "de", "de"},
		{"", "de-AT,en;q=0.5", "de"},
		{"", "sv,nl;q=0.8,fr;q=0.9", "fr"},
		{"", "zh-Hant-TW", "zh"},
		{"", "pt-BR", "pt"},
		{"", "sv", "en"},
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
