package audience

import (
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Merge is text with merge fields, taken apart: {{First Name}} stands for a
// Contact's value, {{First Name|friend}} for "friend" where there is none.
// decisions.md: 46
type Merge []MergePart

// MergePart is plain text, or a merge field when Name is not empty.
type MergePart struct {
	Text     string
	Name     string // without the space around it
	Fallback string
}

// MergeListName is the merge field that stands for the name of the List.
const MergeListName = "list_name"

// ParseMerge takes text apart. What is not closed, and what has no name, is text.
func ParseMerge(text string) Merge {
	var parts Merge
	taken, start := 0, 0 // what is among the parts, and what was looked at
	for {
		end := strings.Index(text[start:], "}}")
		if end < 0 {
			break
		}
		piece := text[start : start+end]
		open := strings.LastIndex(piece, "{{")
		before := start + open
		start += end + len("}}")
		if open < 0 {
			continue
		}
		name, fallback, _ := strings.Cut(piece[open+len("{{"):], "|")
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if before > taken {
			parts = append(parts, MergePart{Text: text[taken:before]})
		}
		parts = append(parts, MergePart{Name: name, Fallback: strings.TrimSpace(fallback)})
		taken = start
	}
	if taken < len(text) {
		parts = append(parts, MergePart{Text: text[taken:]})
	}
	return parts
}

// Fields reports whether there is any merge field.
func (m Merge) Fields() bool {
	for i := range m {
		if m[i].Name != "" {
			return true
		}
	}
	return false
}

// Value returns what a part comes to, given the values of merge fields.
func (p *MergePart) Value(value func(name string) string) string {
	if p.Name == "" {
		return p.Text
	}
	if v := value(p.Name); v != "" {
		return v
	}
	return p.Fallback
}

// MergeValue returns what a merge field stands for: a Field by its exact name or
// as field_<id>, a system key, or list_name. Times are written like
// "2026-01-31 17:05:00" in the Account's time zone, flags as 1 and 0; what never
// happened is "". ok is false when the name stands for nothing. decisions.md: 46
func (s *Schema) MergeValue(c *Contact, name string) (value string, ok bool) {
	if name == MergeListName {
		return s.List.Name, true
	}
	for i := range ContactAttributes {
		if a := &ContactAttributes[i]; a.Name == name {
			return s.mergeCell(name, a.Get(c)), true
		}
	}
	f := s.fieldCalled(name)
	if f == nil { // editors of HTML break lines, and put in spaces that do not break
		f = s.fieldCalled(strings.Join(strings.Fields(name), " "))
	}
	if f == nil {
		return "", false
	}
	return c.Values.Get(f.ID), true
}

func (s *Schema) mergeCell(name string, cell Value) string {
	switch {
	case cell.Kind == KeyText:
		return cell.Text
	case !strings.HasSuffix(name, "_time"):
		return strconv.FormatInt(cell.Int, 10)
	case cell.Int == 0:
		return ""
	}
	return s.LocalTime(cell.Int).Format(time.DateTime)
}

// LocalTime returns a moment, in Unix seconds, in the Account's time zone.
func (s *Schema) LocalTime(unix int64) time.Time {
	return time.Unix(unix, 0).In(location(s.TimeZone))
}

// MergeURL returns a link of a Message with a Contact's values in it, and false
// when they make none that may be followed: see Merge.URL. template is the link
// as it stands in the Message, without HTML's escapes.
func MergeURL(template string, schema *Schema, contact *Contact) (link string, ok bool) {
	return ParseMerge(template).URL(func(name string) string {
		value, _ := schema.MergeValue(contact, name)
		return value
	})
}

// linkSchemes are those that a link with merge fields may have.
var linkSchemes = map[string]bool{"http": true, "https": true, "mailto": true, "tel": true}

// maxMergedURL bounds a link with values in it, in bytes: no program follows
// longer ones, and for each value what is before it is looked at.
const maxMergedURL = 16 << 10

// URL merges a link. Values go into path, query and fragment with all but
// letters, digits and -._~ escaped. One may begin the link, and then must itself
// be a whole http, https, mailto or tel link. In a host, a value may only stand
// before a dot, and be one label: where a link leads is for the Message to say,
// not for its readers' values. A link without merge fields stays as it is. decisions.md: 46
func (m Merge) URL(value func(name string) string) (link string, ok bool) {
	m = m.trimmed()
	if !m.Fields() {
		return m.text(), true
	}
	var b strings.Builder
	for i := range m {
		if b.Len() > maxMergedURL {
			return "", false
		}
		p := &m[i]
		switch v := p.Value(value); {
		case p.Name == "":
			b.WriteString(strings.ReplaceAll(v, `\`, "/")) // as browsers read it
		case i == 0:
			whole, ok := wholeURL(v)
			if !ok {
				return "", false
			}
			b.WriteString(whole)
		case inHost(b.String()):
			if !m[i+1:].endsLabel() || !isLabel(v) {
				return "", false
			}
			b.WriteString(v)
		case v == "." || v == "..": // which lead elsewhere, escaped or not
			return "", false
		default:
			escapeURL(&b, v, m[0].Text)
		}
	}
	if link = b.String(); !mayBeFollowed(link) {
		return "", false
	}
	return link, true
}

// mayBeFollowed refuses other schemes, and spellings in which browsers find
// a host where inHost does not: "https:/host" and "https:///host".
func mayBeFollowed(link string) bool {
	scheme, rest, found := strings.Cut(link, ":")
	if !found || strings.ContainsAny(scheme, "/?#") {
		return !strings.HasPrefix(link, "///")
	}
	scheme = strings.ToLower(scheme)
	if strings.HasPrefix(scheme, "http") && (!strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "///")) {
		return false
	}
	return linkSchemes[scheme]
}

// trimmed leaves out what browsers leave out of a link: space around it, and
// line breaks in it.
func (m Merge) trimmed() Merge {
	trimmed := make(Merge, 0, len(m))
	for i, p := range m {
		if p.Name == "" {
			p.Text = lineBreaks.Replace(p.Text)
			if i == 0 {
				p.Text = strings.TrimLeftFunc(p.Text, upToSpace)
			}
			if i == len(m)-1 {
				p.Text = strings.TrimRightFunc(p.Text, upToSpace)
			}
			if p.Text == "" {
				continue
			}
		}
		trimmed = append(trimmed, p)
	}
	return trimmed
}

var lineBreaks = strings.NewReplacer("\t", "", "\n", "", "\r", "")

func upToSpace(r rune) bool { return r <= ' ' }

func (m Merge) text() string {
	var b strings.Builder
	for i := range m {
		b.WriteString(m[i].Text)
	}
	return b.String()
}

// inHost reports whether a link that was written so far ends in its host.
func inHost(link string) bool {
	_, rest, ok := strings.Cut(link, "//")
	at := strings.IndexAny(link, "/?#")
	return ok && strings.HasPrefix(link[at:], "//") && !strings.ContainsAny(rest, "/?#")
}

// endsLabel reports whether a dot and more of the host follow at once.
func (m Merge) endsLabel() bool {
	if len(m) == 0 || len(m[0].Text) < 2 || m[0].Text[0] != '.' {
		return false
	}
	return letterOrDigit(m[0].Text[1])
}

func isLabel(s string) bool {
	for i := range len(s) {
		if !letterOrDigit(s[i]) && s[i] != '-' {
			return false
		}
	}
	return s != "" && s[0] != '-' && s[len(s)-1] != '-'
}

// wholeURL reads a value that is to be a link by itself.
func wholeURL(text string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || !linkSchemes[u.Scheme] {
		return "", false
	}
	switch u.Scheme {
	case "http", "https":
		if u.Hostname() == "" {
			return "", false
		}
	default:
		if u.Opaque == "" {
			return "", false
		}
	}
	return escapeOdd(u.String()), true
}

// escapeOdd escapes what no link may have, in a query for example, and what
// would end one in a text.
func escapeOdd(link string) string {
	if !strings.ContainsFunc(link, odd) {
		return link
	}
	var b strings.Builder
	for i := range len(link) {
		if c := link[i]; odd(rune(c)) {
			escapeByte(&b, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func odd(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"<>\\^`{|}", r) }

func escapeByte(b *strings.Builder, c byte) {
	const digits = "0123456789ABCDEF"
	b.Write([]byte{'%', digits[c>>4], digits[c&15]})
}

// escapeURL escapes a value. Addresses and numbers stay as people know them.
func escapeURL(b *strings.Builder, value, beginning string) {
	keep := "-._~"
	switch scheme, _, _ := strings.Cut(beginning, ":"); strings.ToLower(scheme) {
	case "mailto":
		keep += "@+"
	case "tel":
		keep += "+"
	}
	for i := range len(value) {
		c := value[i]
		if letterOrDigit(c) || strings.IndexByte(keep, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		escapeByte(b, c)
	}
}
