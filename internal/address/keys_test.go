package address

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Keys returns the normalised forms of every address that equals the text if the case of ASCII letters is
// ignored, or says that it cannot.
//
// covers: decision 39
func TestKeysHasTheKeyOfEachAddressInAnotherCase(t *testing.T) {
	parts := []string{"a", "B", "h", "H", "o", "O", "ö", "Ö", "\u0308", "\u0331", "ſ", "K", "ß", ".", "+", "ẖ", "ü"}
	domains := []string{"Example.com", "bücher.example", "BÜCHER.example", "h\u0331.example", "xn--bcher-kva.Example"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 6).Draw(t, "local"), "") + "@" +
			rapid.SampledFrom(domains).Draw(t, "domain")
		keys, ok := Keys(text)
		if !ok {
			t.SkipNow()
		}
		for _, same := range []string{text, LowerASCII(text), upperASCII(text), upperASCII(text[:1]) + LowerASCII(text[1:])} {
			if _, key, isEmail := ParseEmail(same); isEmail && !slices.Contains(keys, key) {
				t.Fatalf("%q equals %q and has the key %q, want one of %q", same, text, key, keys)
			}
		}
	})
}

func TestKeysOfAddressesWithOtherLettersThanASCII(t *testing.T) {
	for _, c := range []struct {
		text string
		ok   bool
	}{
		{"jörg@example.com", true}, {"JÖRG@Bücher.example", true}, {"संपर्क@डाटामेल.भारत", true},
		{"jo\u0308rg@example.com", false}, {"H\u0331@example.com", false}, {"jörg", false},
	} {
		if _, ok := Keys(c.text); ok != c.ok {
			t.Errorf("Keys of %q says %v, want %v", c.text, ok, c.ok)
		}
	}
}
