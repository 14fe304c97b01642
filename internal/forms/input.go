package forms

import (
	"strings"

	"enlist/internal/enlist"
)

// This file says what an input for a Field of one line is in HTML, on the pages and in the snippet for other sites.

// InputType returns the type of the input for a Field of one line. A browser refuses some addresses in an input of the
// type email that the server accepts.
func InputType(f *enlist.Field) string {
	switch {
	case f.AddressType == enlist.AddressEmail:
		return "email"
	case f.AddressType == enlist.AddressMobile:
		return "tel"
	case f.Type == enlist.Date && f.TimeFormat != enlist.Time12 && f.TimeFormat != enlist.Time24:
		return "date"
	}
	return "text"
}

// autocomplete has what a browser may fill in, by the name of a Field in lower case. HTML standard, 4.10.18.7
var autocomplete = map[string]string{"name": "name", "full name": "name", "first name": "given-name",
	"last name": "family-name", "company": "organization", "street": "street-address", "address": "street-address",
	"postcode": "postal-code", "zip": "postal-code", "zip code": "postal-code", "city": "address-level2",
	"country": "country-name", "birthday": "bday"}

// Autocomplete returns what a browser may fill into the input for a Field, or "".
func Autocomplete(f *enlist.Field) string {
	if kind := InputType(f); kind == "email" || kind == "tel" {
		return kind
	}
	return autocomplete[strings.ToLower(f.Name)]
}
