package address

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/nyaruka/phonenumbers"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// This file has the countries whose telephone codes a person can choose.

// Country has a telephone country code.
type Country struct {
	Name   string // in English
	Region string // ISO 3166-1, such as "DE"; "": the code is of no country
	Code   int64
	// IsMain is true for one country of each code: the United States have that of 25 countries.
	IsMain bool
}

// Countries returns all countries with a telephone code, in the order of their names.
var Countries = sync.OnceValue(func() (all []Country) {
	names := display.English.Regions()
	for _, code := range countryCodes() {
		for i, region := range phonenumbers.GetRegionCodesForCountryCode(int(code)) {
			name := "International"
			if of, err := language.ParseRegion(region); err == nil && of.IsCountry() {
				name = names.Name(of)
			} else {
				region = ""
			}
			all = append(all, Country{name, region, code, i == 0})
		}
	}
	slices.SortFunc(all, func(a, b Country) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.Code, b.Code))
	})
	return all
})

// CountryCodeOf returns the telephone code of the country that the header Accept-Language of a browser names, or in which
// most readers of its first language live. It returns 0 if there is none.
func CountryCodeOf(acceptLanguage string) int64 {
	tags, _, err := language.ParseAcceptLanguage(acceptLanguage)
	if err != nil {
		return 0
	}
	for _, tag := range tags {
		if region, confidence := tag.Region(); confidence != language.No {
			if code := phonenumbers.GetCountryCodeForRegion(region.String()); code != 0 {
				return int64(code)
			}
		}
	}
	return 0
}
