// This file has getTimezoneList, which returns the names of time zones.

package rpc

import (
	"strings"

	"enlist/internal/enlist"
)

// getTimezoneList returns the names of all time zones. Recheck asks the database whether the key is
// still valid, because Authenticate may have used a cached key.
func getTimezoneList(c *call) error {
	err := c.service.Accounts.Recheck(c.ctx, c.caller)
	return writeRecords(c, appendTimezone, enlist.TimeZones(), err)
}

func appendTimezone(b []byte, name *string) []byte {
	b = appendString(append(b, `{"timezone":`...), *name)
	b = appendString(append(b, `,"display_name":`...), displayName(*name))
	return append(b, '}')
}

// displayName returns a name that an application can show to people, such as
// "America / Argentina / Buenos Aires".
func displayName(name string) string { return shownTimezone.Replace(name) }

var shownTimezone = strings.NewReplacer("_", " ", "/", " / ") // about 1 MiB for a call if built for each name
