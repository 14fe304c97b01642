package address

import (
	"strings"
	"testing"
)

func TestAddressesThatATextShows(t *testing.T) {
	for text, want := range map[string]string{
		"Boss":                             "",
		"News @ noon, @acme":               "",
		"boss@bank.com":                    "boss@bank.com",
		`"boss@bank.com" <x@y.example>`:    "boss@bank.com x@y.example",
		"The Boss (boss@bank.com.)":        "boss@bank.com",
		"boss＠bank．com":                    "boss@bank.com",
		"boss @ bank.com":                  "boss@bank.com",
		"bo\u200bss@ba\u00adnk.com":        "boss@bank.com",
		"(@bank.com)":                      "@bank.com",
		"a@b.example,c@d.example":          "a@b.example c@d.example",
		"ölaf@bücher.example":              "ölaf@bücher.example",
		"mailto:boss@mail.bank.com, today": "boss@mail.bank.com",
	} {
		if got := strings.Join(Shown(text), " "); got != want {
			t.Errorf("%q shows %q, want %q", text, got, want)
		}
	}
}
