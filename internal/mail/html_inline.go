package mail

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// This file moves the rules of style sheets into the style attributes of elements (inlining),
// because some mail programs ignore style sheets. html_css.go parses the CSS, and
// html_template.go parses the resulting HTML.

// Limits of inlining, for time and memory. If a Message exceeds a limit, or if its HTML
// cannot be parsed, it keeps its style sheets.
const (
	maxInlineHTML    = 1 << 20    // bytes
	maxInlineCSS     = 64 << 10   // bytes of all style sheets
	maxInlineSteps   = 20_000_000 // comparisons of an element with a selector
	maxInlineMatches = 200_000    // pairs of an element and a selector that matches it
	maxInlineBytes   = 16 << 20   // bytes of all style attributes

	maxInlineClaims     = 100_000 // pairs of a selector and a declaration
	maxInlineProperties = 2000    // names of properties: each is compared with all others
)

// inlineStyles moves the rules of style sheets into style attributes. @-rules stay in a
// style sheet, and so do selectors that cannot be inlined, such as :hover. A Message that only inlining would make so
// long that Gmail hides its end keeps its style sheets.
func inlineStyles(source string) string {
	if len(source) > maxInlineHTML || !strings.Contains(strings.ToLower(source), "<style") {
		return source
	}
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return source
	}
	d := &styledDocument{elements: make(map[string]int), outlook: make(map[string]int), styles: make(map[*html.Node]*elementStyle),
		properties: make(map[string]bool)}
	d.collect(root, 0)
	var pieces []*sheetPiece
	for _, sheet := range d.sheets {
		pieces = append(pieces, sheet.pieces...)
	}
	if d.unknownMedia || d.head == nil || d.css > maxInlineCSS || !d.affordable(pieces) || !d.apply(root, pieces) {
		return source
	}
	var b strings.Builder
	if err := html.Render(&b, root); err != nil {
		return source
	}
	if b.Len() > clipAt-endLength && len(source) <= clipAt-endLength {
		return source
	}
	return b.String()
}

type styledDocument struct {
	head         *html.Node
	sheets       []styleSheet
	css          int                          // bytes of all style sheets
	properties   map[string]bool              // names of properties
	conditional  bool                         // between <!--[if !mso]><!--> and <!--<![endif]-->
	styles       map[*html.Node]*elementStyle // elements with a style attribute; apply adds elements that a rule matches
	elements     map[string]int               // maps a name, a .class or an #id to the number of its elements; "*" stands for all elements
	outlook      map[string]int               // the same for elements in conditional comments
	depth        int
	unknownMedia bool // a style sheet has a media attribute that cannot become an @media rule
}

// styleSheet is a style element. What stays of it stays there.
type styleSheet struct {
	node   *html.Node
	pieces []*sheetPiece
}

// collect calls element for a node and all nodes below it.
func (d *styledDocument) collect(n *html.Node, depth int) {
	d.depth = max(d.depth, depth)
	switch {
	case n.Type == html.ElementNode:
		d.element(n)
	case n.Type == html.CommentNode:
		d.comment(n)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		d.collect(c, depth+1)
	}
}

// comment notes the begin and the end of what is not for Outlook. The parser makes a comment of <![if !mso]>, which
// Outlook does not understand as a comment. So comment writes the form that is one.
func (d *styledDocument) comment(n *html.Node) {
	d.outlookElements(n.Data)
	switch condition, rest, ok := strings.Cut(n.Data, "]"); {
	case n.Data == "[endif]":
		n.Data, d.conditional = "<![endif]", false
	case !strings.HasPrefix(condition, "[if "):
		d.conditional = d.conditional && !strings.Contains(n.Data, "[endif]")
	case ok && rest == "":
		n.Data, d.conditional = n.Data+"><!", true
	case !strings.Contains(rest, "[endif]"):
		d.conditional = true
	}
}

// element adds an element to the numbers in d.elements and reads its style attribute.
func (d *styledDocument) element(n *html.Node) {
	switch {
	case n.Data == "head" && d.head == nil:
		d.head = n
	case n.Data == "style":
		d.sheet(n)
	}
	count(d.elements, n.Data, n.Attr)
	for i := range n.Attr {
		if a := &n.Attr[i]; a.Key == "style" {
			s := new(elementStyle)
			s.own, a.Val, s.unread = readDeclarations(readCSS(a.Val))
			d.styles[n] = s
			d.name(s.own)
		}
	}
}

// count adds an element to the numbers of elements.
func count(elements map[string]int, name string, attributes []html.Attribute) {
	elements["*"]++
	elements[name]++
	for _, a := range attributes {
		switch a.Key {
		case "class":
			for class := range strings.FieldsSeq(a.Val) {
				elements["."+class]++
			}
		case "id":
			elements["#"+a.Val]++
		}
	}
}

func (d *styledDocument) name(all []cssDeclaration) {
	for i := range all {
		d.properties[all[i].property] = true
	}
}

// sheet adds a style sheet. A sheet with a media attribute becomes an @media rule. A sheet that is not for Outlook stays
// as it is, because Outlook would see it in style attributes.
func (d *styledDocument) sheet(n *html.Node) {
	if n.FirstChild == nil {
		return
	}
	sheet := n.FirstChild.Data + "\n"
	switch media := attribute(n.Attr, "media"); {
	case media == "" || media == "all" || media == "screen":
	case plainMedia.MatchString(media):
		sheet = "@media " + media + " {" + sheet + "}\n"
	default:
		d.unknownMedia = true
	}
	d.css += len(sheet)
	if d.css > maxInlineCSS {
		return
	}
	pieces := splitCSS(readCSS(sheet), !d.conditional)
	for _, p := range pieces {
		d.name(p.rule.declarations)
		p.eachRule(func(_ string, body cssTokens) {
			declarations, _, _ := readDeclarations(body)
			d.name(declarations)
		})
	}
	d.sheets = append(d.sheets, styleSheet{n, pieces})
}

// plainMedia matches media queries that can be written into an @media rule. The text of other
// media queries could end the rule or the style element.
var plainMedia = regexp.MustCompile(`^[\w\s(),.:/>=-]+$`)

// affordable reports whether inlining stays within the limits. It computes an upper bound of
// the number of comparisons. For one element, a selector of k parts needs at most depth^(k-1)
// comparisons, because each part before the last one can be compared with every ancestor.
func (d *styledDocument) affordable(pieces []*sheetPiece) bool {
	steps, matches, bytes, claims := 0.0, 0, 0, 0
	for _, p := range pieces {
		p.eachRule(func(selectors string, body cssTokens) { // newContests looks for the elements of each selector once
			n := 1 + strings.Count(selectors, ",")
			steps += float64(d.elements["*"]) * float64(n)
			claims += n * (1 + len(body)/3)
		})
		claims += len(p.rule.selectors) * len(p.rule.declarations)
		size := 0
		for _, declaration := range p.rule.declarations {
			size += declaration.size()
		}
		for _, selector := range p.rule.selectors {
			steps += float64(d.elements["*"]) * math.Pow(float64(d.depth), float64(len(selector.compounds())-1))
			n := d.elements[selector.subject()]
			matches += n
			bytes += n * size
			if steps > maxInlineSteps || matches > maxInlineMatches || bytes > maxInlineBytes {
				return false
			}
		}
	}
	return steps <= maxInlineSteps && claims <= maxInlineClaims && len(d.properties) <= maxInlineProperties
}

var (
	combinators = regexp.MustCompile(`[>+]`)
	simple      = regexp.MustCompile(`[.#]?[A-Za-z_][\w-]*`)
)

// compounds returns the parts of a selector without their combinators.
func (s cssSelector) compounds() []string {
	return strings.Fields(combinators.ReplaceAllString(s.text, " "))
}

// subject returns a key of styledDocument.elements for the last part of a selector: its ID,
// or else a class, or else its name. The number under this key is an upper bound of the
// elements that the selector matches.
func (s cssSelector) subject() string {
	all := s.compounds()
	compound := all[len(all)-1]
	if at := strings.IndexAny(compound, "[:"); at >= 0 {
		compound = compound[:at]
	}
	best := "*"
	for _, s := range simple.FindAllString(compound, -1) {
		switch {
		case s[0] == '#':
			return s
		case best == "*" || best[0] != '.':
			best = s
		}
	}
	if best != "*" && best[0] != '.' {
		best = strings.ToLower(best)
	}
	return best
}

// apply writes the declarations of the rules into the style attributes of the elements that
// the rules match. Other style attributes change only if a rule that stays would win over them. apply returns false, and
// changes nothing, if that would take too long.
func (d *styledDocument) apply(root *html.Node, pieces []*sheetPiece) bool {
	for _, p := range pieces {
		p.rule.selectors = slices.DeleteFunc(p.rule.selectors, func(selector cssSelector) bool {
			found := cascadia.QueryAll(root, selector)
			for _, n := range found {
				s := d.styles[n]
				if s == nil {
					s = new(elementStyle)
					d.styles[n] = s
				}
				s.matched = append(s.matched, matchedRule{selector.Specificity(), p.rule.declarations})
			}
			if len(found) == 0 { // perhaps for an element that a mail program adds
				p.idle = append(p.idle, selector.text)
			}
			return len(found) == 0
		})
	}
	c := newContests(root, pieces, d.styles)
	if !c.findApart() {
		return false
	}
	for n, s := range d.styles {
		c.keepApart(n, s)
		if marked := c.mark(s); marked || len(s.matched) > 0 {
			s.write(n)
		}
	}
	if n := d.outlookSheet(pieces); n != nil {
		first := d.sheets[0].node
		first.Parent.InsertBefore(n, first)
	}
	for _, sheet := range d.sheets {
		kept := c.sheet(sheet.pieces)
		if kept == "" {
			sheet.node.Parent.RemoveChild(sheet.node)
			continue
		}
		sheet.node.Attr = []html.Attribute{{Key: "type", Val: "text/css"}}
		sheet.node.FirstChild.Data = "\n" + kept
	}
	return true
}
