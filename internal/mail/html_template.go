package mail

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"enlist/internal/messages/merge"

	"golang.org/x/net/html"
)

// This file parses the HTML of a Message into a template. It finds out whether each merge
// field is in text, in a link or in another attribute, because this decides how a value is
// escaped. compose_render.go inserts the values.

type htmlTemplate struct {
	parts       []htmlPart
	end         int      // number of parts before </body>
	links       []string // links that can be tracked, with the same text as in the Message
	unsubscribe bool     // the HTML has a link to unsubscribe
	tracking    bool     // the HTML has a link to the page about the recording of opens and clicks
}

// htmlPart is fixed HTML, a merge field or a link.
type htmlPart struct {
	html  string
	field *merge.Part    // merge field in text, or in an attribute that is not a link
	link  merge.Template // value of an attribute that is a link
	track int            // index in htmlTemplate.links, or -1 if the link cannot be tracked
}

// parseHTML parses the HTML of a Message. It returns no error, because any text is HTML for a
// browser.
func parseHTML(source string) *htmlTemplate {
	p := htmlParser{template: &htmlTemplate{end: -1}, index: make(map[string]int)}
	p.source(source)
	p.flush()
	if p.template.end < 0 {
		p.template.end = len(p.template.parts)
	}
	return p.template
}

// source adds the tokens of a text.
func (p *htmlParser) source(text string) {
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		kind := z.Next()
		raw := string(z.Raw())
		if kind == html.ErrorToken {
			p.literal(raw)
			return
		}
		p.token(kind, raw, z)
	}
}

// plainFallbacks escapes < and > in the fallbacks of merge fields. A fallback is plain text.
// Without the escapes, the tokenizer could find elements inside the fallback.
func plainFallbacks(source string) string {
	return anyFallback.ReplaceAllStringFunc(source, angles.Replace)
}

// anyFallback matches merge fields with a fallback. It does not match braces around elements,
// because the name of a merge field contains no < or >.
var anyFallback = regexp.MustCompile(`\{\{\s*[^{}|<>\s][^{}|<>]*\|(?:[^{}]|\{[^{}]|\}[^{}])*\}\}`)

var angles = strings.NewReplacer("<", "&lt;", ">", "&gt;")

// htmlParser builds an htmlTemplate from tokens.
type htmlParser struct {
	template *htmlTemplate
	pending  strings.Builder // fixed HTML that is not yet a part
	index    map[string]int  // maps a link to its index in template.links
	within   string          // name of the open element that is in opaque; "" if there is none
	outlook  bool            // in a conditional comment, which only Outlook shows
}

// opaque has the elements whose content browsers read as text up to the end tag. The value true
// means that merge fields in the element are filled. The value false means that they are removed,
// because no way of escaping is safe there.
var opaque = map[string]bool{"title": true, "textarea": true, "script": false, "style": false, "iframe": false,
	"noembed": false, "noframes": false, "noscript": false, "plaintext": false, "xmp": false}

// token adds one token. If a tag contains merge fields, or is a link that could be tracked, token
// writes the tag again from its attributes. It does not change other tags.
func (p *htmlParser) token(kind html.TokenType, raw string, z *html.Tokenizer) {
	switch {
	case kind == html.TextToken:
		p.text(raw)
	case kind == html.StartTagToken, kind == html.SelfClosingTagToken:
		token := z.Token()
		p.within = ""
		if _, ok := opaque[token.Data]; ok {
			p.within = token.Data
		}
		if strings.Contains(raw, "{{") || isLink(token.Data) {
			p.tag(token)
		} else {
			p.literal(raw)
		}
	case kind == html.EndTagToken:
		p.within = ""
		if name, _ := z.TagName(); string(name) == "body" && p.template.end < 0 && !p.outlook {
			p.flush()
			p.template.end = len(p.template.parts)
		}
		p.literal(raw)
	case raw == footMark:
		p.flush()
		p.template.end = len(p.template.parts)
	case conditional.MatchString(raw) && !p.outlook:
		begin, end := strings.Index(raw, "]>")+len("]>"), strings.LastIndex(raw, "<!")
		p.literal(raw[:begin])
		p.outlook = true
		p.source(raw[begin:end])
		p.outlook, p.within = false, ""
		p.literal(raw[end:])
	default: // comments and the doctype
		p.literal(withoutFields(raw))
	}
}

// conditional matches a comment whose content Outlook shows. An escaped value cannot end the comment, because it has
// no ">".
var conditional = regexp.MustCompile(`(?s)^<!--\[if [^\]]*\]>.*<!\[endif\]-->$`)

// isLink reports whether the href of an element is a link that a reader clicks. The elements of VML are the buttons of
// Outlook.
func isLink(element string) bool {
	return element == "a" || element == "area" || strings.HasPrefix(element, "v:")
}

// text adds a text.
func (p *htmlParser) text(raw string) {
	switch takesText, isOpaque := opaque[p.within]; {
	case isOpaque && !takesText:
		p.literal(withoutFields(raw))
	case !strings.Contains(raw, "{{"):
		p.literal(raw)
	default:
		// fields escapes the text again. So a "<" before a merge field cannot form a tag with the value.
		p.fields(html.UnescapeString(raw))
	}
}

// withoutFields returns a text without its merge fields. It is for text into which values must not
// be inserted.
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

// fields adds a text with merge fields.
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

// tag adds a start tag. It escapes the values of all attributes again.
func (p *htmlParser) tag(token html.Token) {
	p.literal("<" + token.Data)
	for _, a := range token.Attr {
		if strings.Contains(a.Key, "{{") || strings.Contains(a.Key, "}}") {
			continue // leave out an attribute whose name contains a merge field
		}
		p.literal(" " + a.Key + `="`)
		switch {
		case linkAttributes[a.Key]:
			p.link(token.Data, a)
		case refusesValues(a.Key):
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

// linkAttributes has the attributes that contain one URL.
var linkAttributes = set("href", "src", "action", "formaction", "background", "cite", "poster", "data", "longdesc",
	"lowsrc", "dynsrc", "xlink:href", "ping", "manifest", "codebase", "classid", "usemap", "profile", "icon", "archive")

// refusesValues returns true if values must not be inserted into an attribute. Such an attribute
// contains a script, a style or several URLs, or it decides what the element does.
func refusesValues(attribute string) bool {
	return strings.HasPrefix(attribute, "on") || fixedAttributes[attribute]
}

// fixedAttributes has the attributes for which refusesValues returns true, except event handlers.
var fixedAttributes = set("style", "srcdoc", "srcset", "imagesrcset", "http-equiv", "content", "type", "rel", "target",
	"sandbox", "integrity", "nonce", "attributename", "from", "to", "by", "values", "is", "slot", "xmlns")

// set returns the names as a set.
func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, name := range names {
		m[name] = true
	}
	return m
}

// link adds the value of an attribute that is a link.
func (p *htmlParser) link(element string, a html.Attribute) {
	part := htmlPart{link: merge.Parse(a.Val), track: -1}
	if a.Key == "href" && isLink(element) {
		part.track = p.tracked(strings.TrimSpace(a.Val), part.link)
	}
	if part.track < 0 && !part.link.HasFields() {
		p.literal(html.EscapeString(a.Val))
		return
	}
	p.uses(part.link)
	p.add(part)
}

// tracked returns the index of a link that can be tracked. It returns -1 for links to
// unsubscribe or confirm, and for links that do not begin with http:// or https://.
func (p *htmlParser) tracked(url string, m merge.Template) int {
	if !isTrackable(url, m) {
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

// isTrackable reports whether a link leads to a page of the author: one that can be tracked, and that gets UTM parameters.
func isTrackable(url string, m merge.Template) bool {
	lower := strings.ToLower(url[:min(len(url), len("https://"))])
	return (strings.HasPrefix(lower, "http://") || lower == "https://") &&
		!slices.ContainsFunc(m, func(p merge.Part) bool { return merge.IsLink(p.Name) })
}

// uses records that the HTML has a link which a mail needs, if m contains this merge field. One that only Outlook shows
// does not count.
func (p *htmlParser) uses(m merge.Template) {
	if t := p.template; !p.outlook {
		t.unsubscribe = t.unsubscribe || names(m, fieldUnsubscribe)
		t.tracking = t.tracking || names(m, merge.TrackingURL)
	}
}

// literal adds fixed HTML. flush makes one part from all HTML that literal added.
func (p *htmlParser) literal(source string) { p.pending.WriteString(source) }

func (p *htmlParser) flush() {
	if p.pending.Len() > 0 {
		p.template.parts = append(p.template.parts, htmlPart{html: p.pending.String()})
		p.pending.Reset()
	}
}

// add adds a part after the pending fixed HTML.
func (p *htmlParser) add(part htmlPart) {
	p.flush()
	p.template.parts = append(p.template.parts, part)
}

const (
	maxAttributePairs = 4_000_000 // sum of the squares of the numbers of attributes of all tags
	maxRootTags       = 100       // <html> and <body>
)

var (
	errAttributes = errors.New("the HTML has too many attributes: one element may have up to 2,000, and most have " +
		"fewer than 10; export it again, or remove them")
	errRootTags = fmt.Errorf("the HTML has more than %d tags <html> or <body>: leave one of each", maxRootTags)
)

// checkHTML refuses HTML that would need much time and memory: the HTML parser compares the attributes of elements with
// each other, and for each further tag <html> or <body> it copies their attributes. The error says what the author can do.
func checkHTML(source string) error {
	pairs, roots := 0, 0
	for z := html.NewTokenizer(strings.NewReader(source)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return nil
		case html.StartTagToken, html.SelfClosingTagToken:
		default:
			continue
		}
		name, more := z.TagName()
		if string(name) == "html" || string(name) == "body" {
			roots++
		}
		attributes := 0
		for more {
			_, _, more = z.TagAttr()
			attributes++
		}
		pairs += attributes * attributes
		switch {
		case pairs > maxAttributePairs:
			return errAttributes
		case roots > maxRootTags:
			return errRootTags
		}
	}
}
