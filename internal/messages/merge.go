package messages

import (
	"html"
	"slices"
	"strconv"
	"strings"
	"time"

	"enlist/internal/enlist"
	"enlist/internal/messages/merge"
)

// This file returns the value of each merge field of a Message for a Contact. Package merge
// parses the merge fields.

// MergeValue returns the value of a merge field. The name is a Field's exact name or
// field_<id>, a system key such as creation_time, or list_name. Times are in the Account's
// time zone, as "2006-01-31 17:05:00"; a time that is not set is "". Flags are 1 and 0.
// ok is false if there is no such merge field. decisions.md: 46
func MergeValue(s *enlist.Schema, c *enlist.Contact, name string) (value string, ok bool) {
	if name == merge.ListName {
		return s.List.Name, true
	}
	for i := range enlist.ContactAttributes {
		if a := &enlist.ContactAttributes[i]; a.Name == name {
			if c.ID == 0 { // a mail without a Contact shows fallbacks, and not the ID 0
				return "", true
			}
			return mergeText(s, name, a.Get(c)), true
		}
	}
	f := s.FieldCalled(name)
	if f == nil { // HTML editors may insert line breaks and no-break spaces into the name
		f = s.FieldCalled(strings.Join(strings.Fields(name), " "))
	}
	if f == nil {
		return "", false
	}
	return c.Values.Get(f.ID), true
}

// source returns the texts of the Message that can have merge fields.
func (m *Message) source() string {
	source := m.Subject + "\n" + m.FromAddress + "\n" + m.ReplyTo + "\n"
	switch {
	case m.EmailType == EmailBlocks:
		return source + html.UnescapeString(blockTexts(m.Blocks))
	case m.OnlyText():
		return source + m.Text
	}
	return source + m.Text + "\n" + html.UnescapeString(m.HTML)
}

// AsksForTracking reports whether a Message asks its readers to agree to the recording of opens and clicks. Its mails
// are never recorded. decisions.md: 160
func AsksForTracking(m *Message) bool {
	all := []string{m.Subject, m.Text, m.HTML, m.Blocks}
	if !slices.ContainsFunc(all, func(text string) bool { return strings.Contains(text, "tracking_") }) {
		return false // most Messages, without parsing them
	}
	return slices.ContainsFunc(merge.Parse(m.source()), func(p merge.Part) bool {
		return p.Name == merge.TrackingAgreeURL || p.Name == merge.TrackingRefuseURL
	})
}

// MergeFields returns the merge fields of the Message that are values of a Contact or a List, in their order. A merge
// field is returned once, or twice if it stands with and without a fallback.
func (m *Message) MergeFields() (all []merge.Part) {
	type use struct {
		name     string
		fallback bool
	}
	known := make(map[use]bool)
	for _, part := range merge.Parse(m.source()) {
		if part.Name == "" || merge.IsLink(part.Name) {
			continue
		}
		if u := (use{part.Name, part.Fallback != ""}); !known[u] {
			known[u] = true
			all = append(all, part)
		}
	}
	return all
}

// OnlyText reports whether mails of the Message do not use its HTML.
func (m *Message) OnlyText() bool {
	switch m.EmailType {
	case EmailMarkdown, EmailBlocks:
		return true
	case EmailPlain, EmailPlainHTML:
		return m.Text != ""
	}
	return false
}

// mergeText returns the value of a system key in the form in which a merge field shows it.
func mergeText(s *enlist.Schema, name string, v enlist.Value) string {
	switch {
	case v.Kind == enlist.KeyText:
		return v.Text
	case !strings.HasSuffix(name, "_time"):
		return strconv.FormatInt(v.Int, 10)
	case v.Int == 0:
		return ""
	}
	return LocalTime(s, v.Int).Format(time.DateTime)
}

// LocalTime returns the time of a Unix time in the Account's time zone.
func LocalTime(s *enlist.Schema, unix int64) time.Time {
	return time.Unix(unix, 0).In(enlist.Location(s.TimeZone))
}

// MergeText fills the merge fields of a text with a Contact's values.
func MergeText(s *enlist.Schema, contact *enlist.Contact, text string) string {
	var b strings.Builder
	for _, part := range merge.Parse(text) {
		b.WriteString(part.Value(func(name string) string {
			value, _ := MergeValue(s, contact, name)
			return value
		}))
	}
	return b.String()
}

// MailValues returns the values of a Contact as mails have them.
func MailValues(s *enlist.Schema, contact *enlist.Contact) merge.Values {
	return func(name string) string {
		value, _ := MergeValue(s, contact, name)
		return merge.Plain(value)
	}
}
