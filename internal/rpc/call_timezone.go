// This file encodes the result of getTimezoneList from an embedded list of names.

package rpc

import (
	_ "embed" // for timezones.txt
	"strings"
)

// timezones has one name on each line: UTC, and the time zones of zone.tab in the IANA
// time zone database.
//
//go:embed timezones.txt
var timezones string

// appendTimezones appends the result of getTimezoneList.
func appendTimezones(b []byte) []byte {
	b = append(b, '[')
	first := true
	for name := range strings.FieldsSeq(timezones) {
		if !first {
			b = append(b, ',')
		}
		first = false
		b = appendString(append(b, `{"timezone":`...), name)
		b = appendString(append(b, `,"display_name":`...), displayName(name))
		b = append(b, '}')
	}
	return append(b, ']')
}

// displayName returns the name of a time zone as an application may show it: "America / Argentina / Buenos Aires".
func displayName(name string) string {
	return strings.NewReplacer("_", " ", "/", " / ").Replace(name)
}
