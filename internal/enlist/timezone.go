package enlist

import (
	_ "embed" // for timezones.txt
	"strings"
	"time"
)

// This file has the names of time zones.

// timezones has one name on each line: UTC, and each time zone in the file zone.tab of the IANA time zone database.
//
//go:embed timezones.txt
var timezones string

// TimeZones returns the names of all time zones that people can choose. CheckTimeZone also accepts their other names.
func TimeZones() []string { return strings.Fields(timezones) }

// CheckTimeZone refuses unknown names of time zones. It also refuses "Local", because "Local" can
// mean another zone on each machine.
func CheckTimeZone(zone string) error {
	if _, err := time.LoadLocation(zone); err != nil || zone == "" || zone == "Local" {
		return Refuse(InvalidParameters, "time zone %q is not known; give an IANA name such as Europe/Berlin", zone)
	}
	return nil
}
