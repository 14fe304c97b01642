// Package merge reads and fills merge fields. {{First Name}} in the text of a Message is
// replaced by the Contact's value. {{First Name|friend}} has a fallback: it is replaced by
// "friend" if the Contact has no value.
//
// Parse splits a text into parts once, and the parts are then filled for many Contacts.
// Part.Value fills one part of plain text. Template.URL fills a link, and a value must not
// change the site to which the link leads. The package does not depend on Contacts: the caller
// passes a function that returns the value for a name, such as messages.MergeValue.
// Package mail escapes values for HTML.
package merge

import (
	"strings"
	"unicode"
)

// The merge fields that are no values of a Contact.
const (
	ListName       = "list_name"
	UnsubscribeURL = "unsubscribe_url"
	ConfirmURL     = "confirm_url"
	PreferencesURL = "preferences_url" // the page with the settings of the subscriber
	WebVersionURL  = "web_version_url" // the mail as a page

	TrackingURL       = "tracking_url"        // the page about the recording of opens and clicks
	TrackingAgreeURL  = "tracking_agree_url"  // this page, with the button to agree
	TrackingRefuseURL = "tracking_refuse_url" // this page, with the button to refuse
)

// IsLink reports whether a merge field is a link that is different in each mail. Such a link works without a password.
func IsLink(name string) bool {
	switch name {
	case UnsubscribeURL, ConfirmURL, PreferencesURL, WebVersionURL, TrackingURL, TrackingAgreeURL, TrackingRefuseURL:
		return true
	}
	return false
}

// The marks around a merge field.
const (
	openMark  = "{{"
	closeMark = "}}"
)

// Template is a text that Parse has split into plain text and merge fields, in their order.
// decisions.md: 46
type Template []Part

// Part is plain text, or a merge field if Name is not empty.
type Part struct {
	Text     string
	Name     string // name of the merge field, without space around it
	Fallback string // used if the Contact has no value
}

// Values returns the value for the name of a merge field, or "" if there is no value.
type Values func(name string) string

// Parse splits a text into parts. A mark without its opposite mark stays plain text, and so does a
// merge field without a name. If marks are nested, the innermost pair is the merge field:
// "{{{Name}}}" consists of "{", the merge field and "}".
func Parse(text string) Template {
	var parts Template
	copied, start := 0, 0 // parts contains the text before copied; the text before start was searched
	for {
		end := strings.Index(text[start:], closeMark)
		if end < 0 {
			break
		}
		piece := text[start : start+end]
		open := strings.LastIndex(piece, openMark)
		before := start + open
		start += end + len(closeMark)
		if open < 0 {
			continue
		}
		name, fallback, _ := strings.Cut(piece[open+len(openMark):], "|")
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		if before > copied {
			parts = append(parts, Part{Text: text[copied:before]})
		}
		parts = append(parts, Part{Name: name, Fallback: strings.TrimSpace(fallback)})
		copied = start
	}
	if copied < len(text) {
		parts = append(parts, Part{Text: text[copied:]})
	}
	return parts
}

// HasFields reports whether the text has any merge field.
func (t Template) HasFields() bool {
	for i := range t {
		if t[i].Name != "" {
			return true
		}
	}
	return false
}

// Used returns the merge fields of the text with their values, as one text, or "" if none is a value of a Contact.
func (t Template) Used(values Values) string {
	var b strings.Builder
	for i := range t {
		if name := t[i].Name; name != "" && name != ListName {
			b.WriteString(name + "\x00" + values(name) + "\x00")
		}
	}
	return b.String()
}

// Value returns the text of a part, or the value of its merge field. It does not escape the value.
func (p *Part) Value(values Values) string {
	if p.Name == "" {
		return p.Text
	}
	if v := values(p.Name); v != "" {
		return v
	}
	return p.Fallback
}

// Plain removes control characters, except line breaks and tabs, and characters
// that change the direction of the following text, and byte order marks.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), '\u202a' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069', r == '\ufeff':
			return -1
		}
		return r
	}, LineEnds.Replace(strings.ToValidUTF8(text, "\uFFFD")))
}

// LineEnds replaces every kind of line end by \n.
var LineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")
