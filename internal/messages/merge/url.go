package merge

import (
	"net/url"
	"strings"
)

// This file fills the links of a Message. Subscribers can choose the values of a Contact. So a
// value must not decide to which site a link leads, and must not turn a link into a script.

// allowedScheme reports whether a link with merge fields may have this scheme. The scheme is
// in lower case.
func allowedScheme(scheme string) bool {
	switch scheme {
	case "http", "https", "mailto", "tel":
		return true
	}
	return false
}

// maxURL is the greatest length of a filled link in bytes. No program follows longer links.
// The limit also keeps URL fast: before each value, URL scans the part that is already filled.
const maxURL = 16 << 10

// URL fills a link. In the path, the query and the fragment it escapes each character of a
// value, except letters, digits and -._~. A value at the start of the link must itself be a
// complete http, https, mailto or tel link. A value in the host must be one label, and a dot
// must follow it. ok is false if a value breaks one of these rules, or if the link becomes
// too long. A link without merge fields is only trimmed. decisions.md: 46
func (t Template) URL(values Values) (link string, ok bool) {
	t = t.trimmed()
	if !t.HasFields() {
		return t.plainText(), true
	}
	var b strings.Builder
	for i := range t {
		if b.Len() > maxURL || !t.writeURLPart(&b, i, values) {
			return "", false
		}
	}
	link = b.String()
	if !safeLink(link) {
		return "", false
	}
	return link, true
}

// writeURLPart appends the part at i to a link. It returns false if the value is not allowed
// at this position.
func (t Template) writeURLPart(b *strings.Builder, i int, values Values) bool {
	p := &t[i]
	value := p.Value(values)
	switch {
	case p.Name == "":
		b.WriteString(strings.ReplaceAll(value, `\`, "/")) // browsers read "\" as "/"
	case i == 0:
		whole, ok := wholeURL(value)
		b.WriteString(whole)
		return ok
	case endsInHost(b.String()):
		b.WriteString(value)
		return t[i+1:].startsWithLabel() && isLabel(value)
	case value == "." || value == "..":
		return false // browsers remove path segments for "." and "..", also if escaped
	default:
		escapeValue(b, value, t[0].Text)
	}
	return true
}

// safeLink returns false for a link with a scheme that is not allowed. It also returns false
// for "https:/host" and "https:///host": browsers read "host" as the host of such a link, but
// endsInHost does not.
func safeLink(link string) bool {
	scheme, rest, found := strings.Cut(link, ":")
	if !found || strings.ContainsAny(scheme, "/?#") {
		return !strings.HasPrefix(link, "///")
	}
	scheme = strings.ToLower(scheme)
	if strings.HasPrefix(scheme, "http") && (!strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "///")) {
		return false
	}
	return allowedScheme(scheme)
}

// trimmed removes the characters that browsers remove from a link: white space around the
// link, and tabs and line breaks inside it.
func (t Template) trimmed() Template {
	trimmed := make(Template, 0, len(t))
	for i, p := range t {
		if p.Name == "" {
			p.Text = lineBreaks.Replace(p.Text)
			if i == 0 {
				p.Text = strings.TrimLeftFunc(p.Text, isSpaceOrControl)
			}
			if i == len(t)-1 {
				p.Text = strings.TrimRightFunc(p.Text, isSpaceOrControl)
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

func isSpaceOrControl(r rune) bool { return r <= ' ' }

// plainText joins the text of all parts. URL calls it only for a Template without merge fields.
func (t Template) plainText() string {
	var b strings.Builder
	for i := range t {
		b.WriteString(t[i].Text)
	}
	return b.String()
}

// endsInHost reports whether the next character of a link would belong to its host.
func endsInHost(link string) bool {
	_, rest, ok := strings.Cut(link, "//")
	at := strings.IndexAny(link, "/?#")
	return ok && strings.HasPrefix(link[at:], "//") && !strings.ContainsAny(rest, "/?#")
}

// startsWithLabel reports whether t, the rest of a link, starts with a dot and another label of
// the host. If so, a value before t cannot become the end of the host's name.
func (t Template) startsWithLabel() bool {
	if len(t) == 0 || len(t[0].Text) < 2 || t[0].Text[0] != '.' {
		return false
	}
	return letterOrDigit(t[0].Text[1])
}

// isLabel reports whether a text is one label of a host name. RFC 1123, section 2.1
func isLabel(s string) bool {
	for i := range len(s) {
		if !letterOrDigit(s[i]) && s[i] != '-' {
			return false
		}
	}
	return s != "" && s[0] != '-' && s[len(s)-1] != '-'
}

// wholeURL reads a value at the start of a link, which decides the scheme and the host. It
// escapes the characters that a link must not contain. It returns false if the value is not a
// link with an allowed scheme.
func wholeURL(text string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || !allowedScheme(u.Scheme) {
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
	return escapeUnsafe(u.String()), true
}

// escapeUnsafe escapes the characters that no link may contain. It also escapes characters
// at which a program that finds links in plain text would end the link. url.URL.String does
// not escape all of these characters in a query.
func escapeUnsafe(link string) string {
	if !strings.ContainsFunc(link, unsafe) {
		return link
	}
	var b strings.Builder
	for i := range len(link) {
		if c := link[i]; unsafe(rune(c)) {
			escapeByte(&b, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func unsafe(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"<>\\^`{|}", r) }

// escapeByte appends a byte as "%" and two hexadecimal digits. RFC 3986, section 2.1
func escapeByte(b *strings.Builder, c byte) {
	const digits = "0123456789ABCDEF"
	b.Write([]byte{'%', digits[c>>4], digits[c&15]})
}

// escapeValue appends a value to the path, query or fragment of a link and escapes it.
// beginning is the start of the link, with its scheme. "@" and "+" are not escaped in a mailto
// link, and "+" is not escaped in a tel link.
func escapeValue(b *strings.Builder, value, beginning string) {
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

func letterOrDigit(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
