package ui

import (
	"fmt"
	"slices"
	"sync"

	"enlist/internal/address"
	"enlist/internal/enlist"
)

// This file has the choice of the country of telephone numbers.

// countries are the options, with a telephone country code as the value.
var countries = sync.OnceValue(func() (all []Option) {
	for _, c := range address.Countries() {
		all = append(all, Option{Value: Plain(c.Code), Text: fmt.Sprintf("%s (+%d)", c.Name, c.Code),
			IsOther: !c.IsMain})
	}
	return all
})

// Country returns the input for the country of telephone numbers without one.
func Country(label string, code int64) Input {
	return Input{Name: "country_code", Label: label, Kind: InputChoice, Value: Plain(code), Options: countries()}
}

// NewCountry returns the telephone country code of a new List: that of the Account, or else of the browser.
func (r *Request) NewCountry() int64 {
	settings := r.App.Accounts.Settings().Of(r.Caller.Account.ID)
	if code := address.CountryCodeOf(r.Header.Get("Accept-Language")); settings.CountryCode == 0 && code != 0 {
		return code
	}
	return settings.ListCountry()
}

// HasCountry reports whether a user or the operator has chosen a country for the Account.
func (r *Request) HasCountry() bool {
	return r.App.Accounts.Settings().Of(r.Caller.Account.ID).CountryCode != 0
}

// zones are the options of a choice of a time zone.
var zones = sync.OnceValue(func() (all []Option) {
	for _, name := range enlist.TimeZones() {
		all = append(all, Option{Value: name, Text: name})
	}
	return all
})

// TimeZone returns the input for a time zone. value can also be one of its older names.
func TimeZone(label, value string) Input {
	in := Input{Name: "timezone", Label: label, Kind: InputChoice, Value: value, Options: zones()}
	if !slices.ContainsFunc(in.Options, func(o Option) bool { return o.Value == value }) {
		in.Options = append([]Option{{Value: value, Text: value}}, in.Options...)
	}
	return in
}
