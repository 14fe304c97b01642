// This file has getTimezoneList, which answers from an embedded list of names.

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

// getTimezoneList returns the names of all time zones. Recheck reads the key again, because a
// cached key may have been revoked.
func getTimezoneList(c *call) error {
	err := c.service.Recheck(c.ctx, c.caller)
	return writeRecords(c, appendTimezone, strings.Fields(timezones), err)
}

func appendTimezone(b []byte, name *string) []byte {
	b = appendString(append(b, `{"timezone":`...), *name)
	b = appendString(append(b, `,"display_name":`...), displayName(*name))
	return append(b, '}')
}

// displayName returns the name of a time zone as an application may show it, such as
// "America / Argentina / Buenos Aires".
func displayName(name string) string {
	return strings.NewReplacer("_", " ", "/", " / ").Replace(name)
}
