package address

import "testing"

// The country of a browser is that of its languages, which name it or not.
func TestCountryOfABrowserIsThatOfItsLanguages(t *testing.T) {
	for accept, want := range map[string]int64{"de": 49, "de-AT,de;q=0.9,en;q=0.8": 43, "en-GB,en;q=0.5": 44, "en-AU": 61, "fr-CA": 1,
		"ja": 81, "zh-Hant-TW": 886, "en-001,nl-BE;q=0.5": 32, "": 0, "*": 0, "x": 0, "de;q=a": 0} {
		if got := CountryCodeOf(accept); got != want {
			t.Errorf("%q: %d, want %d", accept, got, want)
		}
	}
}

// A person can choose each telephone code, by the name of each country that has it, and one country of each code is its
// main one.
func TestCountriesHaveEachCode(t *testing.T) {
	main, codes := map[int64]string{}, map[string]int64{}
	for _, c := range Countries() {
		if c.IsMain {
			if main[c.Code] != "" {
				t.Errorf("%s and %s are both the main country of %d", main[c.Code], c.Name, c.Code)
			}
			main[c.Code] = c.Name
		}
		codes[c.Name] = c.Code
	}
	for code := range int64(1000) {
		if KnownCountryCode(code) != (main[code] != "") {
			t.Errorf("the code %d has the main country %q", code, main[code])
		}
	}
	if main[1] != "United States" || main[44] != "United Kingdom" || main[49] != "Germany" || codes["Canada"] != 1 || codes["Jersey"] != 44 || main[800] != "International" {
		t.Errorf("the main countries are %v, and the codes %v", main, codes)
	}
}
