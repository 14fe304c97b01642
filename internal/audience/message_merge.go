package audience

import (
	"strconv"
	"strings"
	"time"

	"enlist/internal/merge"
)

// This file connects package merge, which reads merge fields, with Contacts: it says which
// value each merge field of a Message stands for.

// MergeValue returns the value of a merge field. The name is a Field's exact name or
// field_<id>, a system key such as creation_time, or list_name. Times are in the Account's
// time zone, as "2006-01-31 17:05:00"; a time that is not set is "". Flags are 1 and 0.
// ok is false if there is no such merge field. decisions.md: 46
func (s *Schema) MergeValue(c *Contact, name string) (value string, ok bool) {
	if name == merge.ListName {
		return s.List.Name, true
	}
	for i := range ContactAttributes {
		if a := &ContactAttributes[i]; a.Name == name {
			return s.mergeText(name, a.Get(c)), true
		}
	}
	f := s.fieldCalled(name)
	if f == nil { // HTML editors break lines and put in no-break spaces
		f = s.fieldCalled(strings.Join(strings.Fields(name), " "))
	}
	if f == nil {
		return "", false
	}
	return c.Values.Get(f.ID), true
}

// mergeText writes the value of a system key as a merge field shows it.
func (s *Schema) mergeText(name string, v Value) string {
	switch {
	case v.Kind == KeyText:
		return v.Text
	case !strings.HasSuffix(name, "_time"):
		return strconv.FormatInt(v.Int, 10)
	case v.Int == 0:
		return ""
	}
	return s.LocalTime(v.Int).Format(time.DateTime)
}

// LocalTime returns a moment, in Unix seconds, in the Account's time zone.
func (s *Schema) LocalTime(unix int64) time.Time {
	return time.Unix(unix, 0).In(location(s.TimeZone))
}

// mergeURL fills a link of a Message with a Contact's values. template is the link as the
// Message has it, with HTML's escapes decoded. See merge.Template.URL for what ok means.
func (s *Schema) mergeURL(template string, contact *Contact) (link string, ok bool) {
	return merge.Parse(template).URL(func(name string) string {
		value, _ := s.MergeValue(contact, name)
		return value
	})
}
