package mail

import (
	"math"
	"regexp"
	"strings"

	"github.com/aymerick/douceur/css"
	"github.com/aymerick/douceur/inliner"
	"github.com/aymerick/douceur/parser"
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
	// plainSelector is what the inliner finds elements by. The rest stays in a
	// style sheet: much of it depends on what the reader does, and some takes
	// long to find.
	plainSelector = regexp.MustCompile(`^` + compound + `(?:(?: ?[>+] ?| )` + compound + `)*$`)
	simple        = regexp.MustCompile(`[.#]?[A-Za-z_][\w-]*`)
)

const compound = `(?:(?:\*|[A-Za-z][A-Za-z0-9]*)|(?:[A-Za-z][A-Za-z0-9]*|\*)?(?:[.#][A-Za-z_][\w-]*|\[[A-Za-z-]+(?:=[\w-]+)?\]|:(?:first|last|only)-(?:child|of-type))+)`

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

// cssRule is a rule that can be inlined.
type cssRule struct {
	selectors    []string
	declarations string // each ends in ";"
}

// splitCSS takes a style sheet apart: rules to inline, and the rest as it is.
func splitCSS(sheet string) (rules []cssRule, kept string) {
	var rest strings.Builder
	sheet = withoutComments(sheet)
	for sheet != "" {
		if strings.IndexByte(" \t\r\n\f;}", sheet[0]) >= 0 {
			sheet = sheet[1:]
			continue
		}
		open := find(sheet, "{;")
		if open == len(sheet) {
			break
		}
		if sheet[open] == ';' {
			if sheet[0] == '@' {
				rest.WriteString(sheet[:open+1] + "\n")
			}
			sheet = sheet[open+1:]
			continue
		}
		end := find(sheet[open+1:], "}") + open + 1
		selectors, body := sheet[:open], sheet[open+1:end]
		sheet = sheet[min(end+1, len(sheet)):]
		plain, odd := plainSelectors(selectors)
		text, ok := declarations(body)
		if strings.HasPrefix(selectors, "@") || !ok && selectors != "" {
			plain, odd = nil, []string{strings.TrimSpace(selectors)}
		}
		if plain != nil && text != "" {
			rules = append(rules, cssRule{plain, text})
		}
		if odd != nil {
			rest.WriteString(strings.Join(odd, ", ") + " {" + body + "}\n")
		}
	}
	return rules, rest.String()
}

func plainSelectors(list string) (plain, odd []string) {
	for list != "" {
		end := find(list, ",")
		s := strings.Join(strings.Fields(list[:end]), " ")
		list = list[min(end+1, len(list)):]
		switch {
		case s == "":
		case plainSelector.MatchString(s):
			plain = append(plain, s)
		default:
			odd = append(odd, s)
		}
	}
	return plain, odd
}

// declarations returns those of a rule or an attribute that can be read, each
// with a semicolon at its end. ok means that it is all of them.
func declarations(text string) (readable string, ok bool) {
	var b strings.Builder
	ok = true
	for text != "" {
		end := find(text, ";")
		one := strings.TrimSpace(text[:end])
		text = text[min(end+1, len(text)):]
		if one == "" {
			continue
		}
		if d := readDeclaration(one); d != nil {
			b.WriteString(one + ";")
		} else {
			ok = false
		}
	}
	return b.String(), ok
}

// readDeclaration returns a declaration as the inliner will read it, nil when
// it would misunderstand.
func readDeclaration(text string) *css.Declaration {
	property, _, found := strings.Cut(text, ":")
	if !found || strings.ContainsAny(text, "{}<>\\") {
		return nil
	}
	all, err := parser.ParseDeclarations(text + ";")
	if err != nil || len(all) != 1 || all[0].Property != strings.TrimSpace(property) || all[0].Value == "" {
		return nil
	}
	return all[0]
}

// find returns the index of the first of some characters that is in no string
// and no bracket, the length of the text when there is none. A bracket that is
// never closed holds all that follows, as in a browser.
func find(text, chars string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case depth == 0 && strings.IndexByte(chars, c) >= 0:
			return i
		case c == '\\':
			i++
		case c == '"' || c == '\'':
			for i++; i < len(text) && text[i] != c && text[i] != '\n'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth = max(depth-1, 0)
		}
	}
	return len(text)
}

// withoutComments puts a space in place of each comment, and of the HTML
// comment marks that hid style sheets once.
func withoutComments(sheet string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(sheet, "/*")
		b.WriteString(before)
		if !found {
			break
		}
		b.WriteByte(' ')
		_, sheet, _ = strings.Cut(rest, "*/")
	}
	return commentMarks.Replace(b.String())
}

var commentMarks = strings.NewReplacer("<!--", " ", "-->", " ")
