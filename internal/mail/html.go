package mail

import (
	"regexp"
	"strings"

	"enlist/internal/merge"

	"golang.org/x/net/html"
)

// htmlTemplate is HTML with merge fields, taken apart by where they stand: only
// there it is known how a value must be escaped.
type htmlTemplate struct {
	parts       []htmlPart
	end         int      // the parts before the end of the body
	links       []string // the links that can be tracked, as they stand in the Message
	unsubscribe bool     // the HTML has a link to unsubscribe
}

// htmlPart is HTML as it is, or in place of it a field in text, or a link.
type htmlPart struct {
	html  string
	field *merge.Part    // in text or in an attribute that is no link
	link  merge.Template // an attribute that is one
	track int            // its index in links, -1 when it is not tracked
}

// parseHTML never fails: all text is HTML to somebody.
func parseHTML(source string) *htmlTemplate {
	p := htmlParser{template: &htmlTemplate{end: -1}, index: make(map[string]int)}
	z := html.NewTokenizer(strings.NewReader(source))
	for {
		kind := z.Next()
		raw := string(z.Raw())
		if kind == html.ErrorToken {
			p.literal(raw)
			break
		}
		p.token(kind, raw, z)
	}
	p.flush()
	if p.template.end < 0 {
		p.template.end = len(p.template.parts)
	}
	return p.template
}

// plainFallbacks escapes the fallbacks of merge fields that look like elements:
// they are text, as values are. Else HTML would be taken apart within the field.
func plainFallbacks(source string) string {
	return anyFallback.ReplaceAllStringFunc(source, angles.Replace)
}

// anyFallback finds fields with a fallback. One with elements in its name is
// none: it is braces around a part of a page.
var anyFallback = regexp.MustCompile(`\{\{\s*[^{}|<>\s][^{}|<>]*\|(?:[^{}]|\{[^{}]|\}[^{}])*\}\}`)

var angles = strings.NewReplacer("<", "&lt;", ">", "&gt;")

type htmlParser struct {
	template *htmlTemplate
	pending  strings.Builder // HTML that is not among the parts yet
	index    map[string]int  // of a link in template.links
	within   string          // the element whose content is no HTML
}

// contents of elements that are no HTML: to browsers these are text until the
// element's end. In those that are false, not even an escaped value has a place.
var opaque = map[string]bool{"title": true, "textarea": true, "script": false, "style": false, "iframe": false,
	"noembed": false, "noframes": false, "noscript": false, "plaintext": false, "xmp": false}

func (p *htmlParser) token(kind html.TokenType, raw string, z *html.Tokenizer) {
	switch kind {
	case html.TextToken:
		p.text(raw)
	case html.StartTagToken, html.SelfClosingTagToken:
		token := z.Token()
		p.within = ""
		if _, ok := opaque[token.Data]; ok {
			p.within = token.Data
		}
		if strings.Contains(raw, "{{") || token.Data == "a" || token.Data == "area" {
			p.tag(token)
		} else {
			p.literal(raw)
		}
	case html.EndTagToken:
		p.within = ""
		if name, _ := z.TagName(); string(name) == "body" {
			p.flush()
			p.template.end = len(p.template.parts)
		}
		p.literal(raw)
	default: // comments and the doctype
		p.literal(withoutFields(raw))
	}
}

func (p *htmlParser) text(raw string) {
	switch takesText, isOpaque := opaque[p.within]; {
	case isOpaque && !takesText:
		p.literal(withoutFields(raw))
	case !strings.Contains(raw, "{{"):
		p.literal(raw)
	default:
		// Written anew, so that nothing before a field, such as "<", joins its value.
		p.fields(html.UnescapeString(raw))
	}
}

// withoutFields takes the merge fields out of what has no place for values.
func withoutFields(raw string) string {
	if !strings.Contains(raw, "{{") {
		return raw
	}
	var b strings.Builder
	for _, part := range merge.Parse(raw) {
		b.WriteString(part.Text)
	}
	return b.String()
}

func (p *htmlParser) fields(text string) {
	m := merge.Parse(text)
	for i := range m {
		if m[i].Name == "" {
			p.literal(html.EscapeString(m[i].Text))
			continue
		}
		p.add(htmlPart{field: &m[i]})
		p.uses(m[i : i+1])
	}
}

func (p *htmlParser) tag(token html.Token) {
	p.literal("<" + token.Data)
	for _, a := range token.Attr {
		if strings.Contains(a.Key, "{{") || strings.Contains(a.Key, "}}") {
			continue // a field in place of an attribute
		}
		p.literal(" " + a.Key + `="`)
		switch {
		case linkAttributes[a.Key]:
			p.link(token.Data, a)
		case noValues(a.Key):
			p.literal(html.EscapeString(withoutFields(a.Val)))
		default:
			p.fields(a.Val)
		}
		p.literal(`"`)
	}
	if token.Type == html.SelfClosingTagToken {
		p.literal("/")
	}
	p.literal(">")
}

// linkAttributes hold one URL each.
var linkAttributes = set("href", "src", "action", "formaction", "background", "cite", "poster", "data", "longdesc", "lowsrc", "dynsrc",
	"xlink:href", "ping", "manifest", "codebase", "classid", "usemap", "profile", "icon", "archive")

// noValues reports whether an attribute is no place for anybody's value: what it
// holds is a program, a style, several URLs, or says what the element is.
func noValues(attribute string) bool { return strings.HasPrefix(attribute, "on") || meaning[attribute] }

var meaning = set("style", "srcdoc", "srcset", "imagesrcset", "http-equiv", "content", "type", "rel", "target", "sandbox",
	"integrity", "nonce", "attributename", "from", "to", "by", "values", "is", "slot", "xmlns")

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, name := range names {
		m[name] = true
	}
	return m
}

func (p *htmlParser) link(element string, a html.Attribute) {
	part := htmlPart{link: merge.Parse(a.Val), track: -1}
	if a.Key == "href" && (element == "a" || element == "area") {
		part.track = p.tracked(strings.TrimSpace(a.Val), part.link)
	}
	if part.track < 0 && !part.link.HasFields() {
		p.literal(html.EscapeString(a.Val))
		return
	}
	p.uses(part.link)
	p.add(part)
}

// tracked returns the index of a link that can be tracked, -1 for others: those
// of this service, and those that are not of the web.
func (p *htmlParser) tracked(url string, m merge.Template) int {
	lower := strings.ToLower(url[:min(len(url), len("https://"))])
	if !strings.HasPrefix(lower, "http://") && lower != "https://" || names(m, fieldUnsubscribe) || names(m, fieldConfirm) {
		return -1
	}
	i, known := p.index[url]
	if !known {
		i = len(p.template.links)
		p.index[url] = i
		p.template.links = append(p.template.links, url)
	}
	return i
}

func (p *htmlParser) uses(m merge.Template) {
	p.template.unsubscribe = p.template.unsubscribe || names(m, fieldUnsubscribe)
}

func (p *htmlParser) literal(html string) { p.pending.WriteString(html) }

func (p *htmlParser) flush() {
	if p.pending.Len() > 0 {
		p.template.parts = append(p.template.parts, htmlPart{html: p.pending.String()})
		p.pending.Reset()
	}
}

func (p *htmlParser) add(part htmlPart) {
	p.flush()
	p.template.parts = append(p.template.parts, part)
}
