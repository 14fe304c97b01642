package imports_test

import (
	"strings"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/imports"
)

// This file tests the column with the language in which people get mails.
//
// covers: spec import.language
func TestImportedLanguages(t *testing.T) {
	apptest.Run(t, apptest.Shared, newImportFixture, []apptest.Rule[*importFixture]{
		{Name: "codes and names of languages are read, and other values left out", Test: importedLanguages},
		{Name: "a heading such as Sprache means it if all values are languages of the program", Test: languageColumns},
	})
}

// languages returns the languages of the addresses a@… to the one with a letter.
func (f *importFixture) languages(last byte) string {
	f.Helper()
	var all []string
	for letter := byte('a'); letter <= last; letter++ {
		all = append(all, f.person(string(letter)+"@example.com").Language)
	}
	return strings.Join(all, " ")
}

func importedLanguages(f *importFixture) {
	i := f.runs("Email,contact_language\na@example.com,DE\nb@example.com,Français\nc@example.com,pt_BR\nd@example.com,\n"+
		"e@example.com,Klingon\na@example.com,it\n", nil)
	if got, want := f.languages('e'), "de fr pt  "; got != want || i.Added != 5 {
		f.Errorf("the languages are %q, want %q; %d were added", got, want, i.Added)
	}
	f.runs("Email,contact_language\na@example.com,nl\nb@example.com,\n", nil)
	if got, want := f.languages('b'), "de fr"; got != want {
		f.Errorf("a file that leaves Contacts as they are makes the languages %q, want %q", got, want)
	}
	i = f.runs("Email,contact_language\na@example.com,nl\nb@example.com,\n",
		func(o *imports.ImportOptions) { o.Existing = imports.ExistingOverwrite })
	if got, want := f.languages('b'), "nl fr"; got != want || i.Updated != 1 {
		f.Errorf("a file that overwrites makes the languages %q, want %q; %d were changed", got, want, i.Updated)
	}
}

func languageColumns(f *importFixture) {
	for head, c := range map[string]struct{ value, want string }{"Sprache": {"Deutsch", "de"}, "Preferred language": {"en-GB", "en"},
		"Locale": {"vi_VN", "vi"}, "Language": {"Klingon", ""}, "Country": {"de", ""}} {
		address := "x@" + strings.ToLower(strings.ReplaceAll(head, " ", "")) + ".example"
		f.runs("Email,"+head+"\n"+address+","+c.value+"\n", nil)
		if got := f.person(address).Language; got != c.want {
			f.Errorf("the column %s with %s makes the language %q, want %q", head, c.value, got, c.want)
		}
	}
}
