package pace_test

import (
	"testing"

	"enlist/internal/enlist"
	"enlist/internal/pace"
)

// A provider limits all its domains together. Other domains are groups of their own.
func TestDomainsOfAProviderAreOneGroup(t *testing.T) {
	for address, want := range map[string]string{
		"a@gmail.com": "gmail", "a@GoogleMail.com": "gmail", "a@hotmail.co.uk": "microsoft", "a@outlook.de": "microsoft",
		"a@live.com.au": "microsoft", "a@yahoo.com.br": "yahoo", "a@aol.com": "yahoo", "a@me.com": "apple",
		"a@live.example.org": "live.example.org", "a@yahoo": "yahoo", "a@news.yahoo.com": "news.yahoo.com",
		"a@Example.ORG": "example.org", "a@mail.gmail.com": "mail.gmail.com", "\"@\"@x.io": "x.io",
	} {
		if got := pace.DomainGroup(address); got != want {
			t.Errorf("the group of %s is %q, want %q", address, got, want)
		}
	}
}

// Rates that are not valid are refused.
func TestInvalidRatesAreRefused(t *testing.T) {
	for _, text := range []string{"x", "10", "10/week", "0/second", "-1/hour", "1.5/hour", "10/second,20/second", "2000000000/day", ","} {
		if r, err := enlist.ParseRates(text); err == nil {
			t.Errorf("%q is read as %v, want an error", text, r)
		}
	}
	for _, text := range []string{"", "relay", "relay=", "relay:x=1/second", "all=1/second", "recipient:gmail=1"} {
		if _, err := pace.ParseRateLimits([]string{text}); err == nil {
			t.Errorf("the limit %q is accepted, want an error", text)
		}
	}
}
