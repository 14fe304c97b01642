// Package merge reads merge fields: {{First Name}} in the text of a Message stands for the
// Contact's value, and {{First Name|friend}} for "friend" where the Contact has no value.
//
// Parse takes a text apart once, so that it can be filled for many Contacts. Part.Value fills
// one part of plain text; Template.URL fills a link, where a value must not change the site to
// which the link leads. The package knows no Contact: callers pass a function that returns the
// value of a name, such as audience.Schema.MergeValue. Escaping for HTML is up to package mail.
package merge

import "strings"

// ListName is the merge field that stands for the name of the List.
const ListName = "list_name"

// The marks around a merge field.
const (
	openMark  = "{{"
	closeMark = "}}"
)

// Template is a text taken apart: plain text and merge fields, in their order.
// decisions.md: 46
type Template []Part

// Part is plain text, or a merge field if Name is not empty.
type Part struct {
	Text     string
	Name     string // without the space around it
	Fallback string // used where the Contact has no value
}

// Values returns the value of a merge field by its name, "" if it has none.
type Values func(name string) string

// Parse takes a text apart. Marks without a partner, and fields without a name, stay text.
// Of nested marks the innermost pair is the field: "{{{Name}}}" is "{", the field and "}".
func Parse(text string) Template {
	var parts Template
	copied, start := 0, 0 // text before copied is among the parts; text before start was searched
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

// Value returns the text of a part with its merge field filled, without any escaping.
func (p *Part) Value(values Values) string {
	if p.Name == "" {
		return p.Text
	}
	if v := values(p.Name); v != "" {
		return v
	}
	return p.Fallback
}
