package rpc

import (
	_ "embed" // the names are data
	"strings"
)

// timezones names a time zone for every region of every country, and UTC, as
// the IANA time zone database does in zone.tab.
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

// displayName is a zone's name for people: "America / Argentina / Buenos Aires".
func displayName(name string) string {
	return strings.NewReplacer("_", " ", "/", " / ").Replace(name)
}
