package mail

import (
	"math"
	"regexp"
	"strings"

	"github.com/aymerick/douceur/inliner"
	"golang.org/x/net/html"
)

// What is inlined at most: beyond it a Message keeps its style sheets, as it
// does when its HTML cannot be read. Each bounds what takes time or grows.
const (
	maxInlineHTML    = 1 << 20
	maxInlineCSS     = 64 << 10
	maxInlineSteps   = 20_000_000 // of looking for elements
	maxInlineMatches = 200_000
	maxInlineBytes   = 16 << 20
)

// inlineStyles moves style sheets into the elements' style attributes, as some
// mail programs want it. @-rules, and selectors that depend on what the reader
// does, stay in a style sheet.
//
// The library stands still at stray semicolons and loses what has none at its
// end (douceur 0.2.0), so it gets to see only what was brought into shape here.
func inlineStyles(source string) string {
	if len(source) > maxInlineHTML || !strings.Contains(strings.ToLower(source), "<style") {
		return source
	}
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return source
	}
	doc := &styled{elements: make(map[string]int)}
	doc.collect(root, 0)
	rules, kept := splitCSS(doc.css.String())
	if doc.odd || doc.head == nil || doc.css.Len() > maxInlineCSS || !doc.affordable(rules) {
		return source
	}
	for _, node := range doc.sheets {
		node.Parent.RemoveChild(node)
	}
	var sheet strings.Builder
	for _, r := range rules {
		sheet.WriteString(strings.Join(r.selectors, ", ") + " {" + r.declarations + "}\n")
	}
	const place = "enlist-kept-styles"
	doc.head.AppendChild(styleNode(sheet.String()))
	doc.head.AppendChild(&html.Node{Type: html.ElementNode, Data: "meta", Attr: []html.Attribute{{Key: "name", Val: place}}})
	var b strings.Builder
	if err := html.Render(&b, root); err != nil {
		return source
	}
	inlined, err := inliner.Inline(b.String())
	if err != nil {
		return source
	}
	if kept != "" {
		kept = `<style type="text/css">` + "\n" + kept + "</style>"
	}
	return strings.Replace(inlined, `<meta name="`+place+`"/>`, kept, 1)
}

func styleNode(sheet string) *html.Node {
	n := &html.Node{Type: html.ElementNode, Data: "style"}
	n.AppendChild(&html.Node{Type: html.TextNode, Data: sheet})
	return n
}

// styled is what inlining has to know of a document.
type styled struct {
	head     *html.Node
	sheets   []*html.Node
	css      strings.Builder
	elements map[string]int // how many there are, by name, .class and #id, and "*" of all
	depth    int
	odd      bool // it has what is better left alone
}

func (d *styled) collect(n *html.Node, depth int) {
	d.depth = max(d.depth, depth)
	if n.Type == html.ElementNode {
		d.element(n)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		d.collect(c, depth+1)
	}
}

func (d *styled) element(n *html.Node) {
	switch {
	case n.Data == "head" && d.head == nil:
		d.head = n
	case n.Data == "style":
		d.sheet(n)
	}
	d.elements["*"]++
	d.elements[n.Data]++
	for i := range n.Attr {
		switch a := &n.Attr[i]; a.Key {
		case "class":
			for class := range strings.FieldsSeq(a.Val) {
				d.elements["."+class]++
			}
		case "id":
			d.elements["#"+a.Val]++
		case "style":
			a.Val, _ = declarations(a.Val)
		}
	}
}

// sheet takes in a style sheet. One for some media goes to the @-rules.
func (d *styled) sheet(n *html.Node) {
	d.sheets = append(d.sheets, n)
	if n.FirstChild == nil {
		return
	}
	sheet := n.FirstChild.Data + "\n"
	switch media := attribute(n, "media"); {
	case media == "" || media == "all" || media == "screen":
	case plainMedia.MatchString(media):
		sheet = "@media " + media + " {" + sheet + "}\n"
	default:
		d.odd = true
	}
	d.css.WriteString(sheet)
}

var plainMedia = regexp.MustCompile(`^[\w\s(),.:/>=-]+$`)

// affordable bounds the time that inlining takes, and what comes of it.
func (d *styled) affordable(rules []cssRule) bool {
	steps, matches, bytes := 0.0, 0, 0
	for i := range rules {
		for _, selector := range rules[i].selectors {
			compounds := strings.Fields(combinators.ReplaceAllString(selector, " "))
			steps += float64(d.elements["*"]) * math.Pow(float64(d.depth), float64(len(compounds)-1))
			n := d.elements[subject(compounds[len(compounds)-1])]
			matches += n
			bytes += n * len(rules[i].declarations)
			if steps > maxInlineSteps || matches > maxInlineMatches || bytes > maxInlineBytes {
				return false
			}
		}
	}
	return true
}

var (
	combinators = regexp.MustCompile(`[>+]`)
	simple      = regexp.MustCompile(`[.#]?[A-Za-z_][\w-]*`)
)

// subject returns by what the elements that a selector can match are counted.
func subject(compound string) string {
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
