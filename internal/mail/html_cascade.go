package mail

import (
	"regexp"
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// This file writes the style attribute of an element from the rules that match it.

type elementStyle struct {
	own     []cssDeclaration // declarations of its style attribute
	unread  string           // those that cannot be parsed, as they are; they end the style attribute
	matched []matchedRule    // rules that match the element, in the order of the style sheets
}

// matchedRule is a rule that matches the element, with the specificity of its selector.
type matchedRule struct {
	specificity  cascadia.Specificity
	declarations []cssDeclaration
}

// write sets the style attribute. It also sets older HTML attributes, such as bgcolor, which
// old mail programs read in place of the style attribute.
func (s *elementStyle) write(n *html.Node) {
	declarations := s.cascade()
	var b strings.Builder
	for i, declaration := range declarations {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(declaration.String())
	}
	if s.unread != "" {
		b.WriteString(strings.Repeat(" ", min(1, b.Len())) + s.unread)
	}
	if b.Len() > 0 {
		setAttribute(n, "style", b.String())
	}
	for _, declaration := range declarations {
		if p := presentational[declaration.property]; slices.Contains(p.elements, n.DataAtom) {
			setAttribute(n, p.attribute, declaration.value)
		}
	}
}

// cascade sorts all declarations. Of those of one property it returns the last one, and also those before it if some
// program may not know its value. The order is: rules with less specific selectors, rules with more specific
// selectors, the style attribute, and then all !important declarations. The result keeps this
// order, because a shorthand such as margin replaces a margin-top before it, but not a
// margin-top after it.
// https://www.w3.org/TR/css-cascade-3/#cascading
func (s *elementStyle) cascade() (winners []cssDeclaration) {
	slices.SortStableFunc(s.matched, func(a, b matchedRule) int {
		return slices.Compare(a.specificity[:], b.specificity[:])
	})
	var all, important []cssDeclaration
	for _, rule := range append(s.matched, matchedRule{declarations: s.own}) {
		for _, declaration := range rule.declarations {
			if declaration.important {
				important = append(important, declaration)
			} else {
				all = append(all, declaration)
			}
		}
	}
	all = append(all, important...)
	count := make(map[string]int, len(all)) // declarations of a property; 0 if those that are left are replaced
	for i := range all {
		count[all[i].property]++
	}
	seen := make(map[string]bool) // a property with its value
	for _, d := range slices.Backward(all) {
		if n := count[d.property]; n != 1 {
			text := d.property + ":" + d.value
			if n == 0 || seen[text] {
				continue
			}
			seen[text] = true
			if knownValue.MatchString(text) {
				count[d.property] = 0
			}
		}
		winners = append(winners, d)
	}
	slices.Reverse(winners)
	return winners
}

// knownValue matches declarations that every program knows. A program skips any other one if it does not know the value,
// and then the one before it applies: "border: 1px dashed solid", "width: 100", a gradient.
var knownValue = regexp.MustCompile(strings.NewReplacer("LENGTH", `(?:0|(?:\d+|\d*\.\d+)(?:px|em|pt|%))`,
	"FONT", `(?:[a-z][a-z -]*|'[^']*'|"[^"]*")`, "\n", "", "\t", "", " ", "").Replace(`(?i)^(?:
	(?:color|background|background-color):(?:#[0-9a-f]{3}|#[0-9a-f]{6}|transparent|black|silver|gray|white|maroon|
		red|purple|fuchsia|green|lime|olive|yellow|navy|blue|teal|aqua)|
	(?:padding|margin):(?:LENGTH(?:\sLENGTH){0,3}|(?:0|0px)\sauto)|
	(?:padding|margin)-(?:top|right|bottom|left):LENGTH|
	(?:max-|min-)?(?:width|height):LENGTH|(?:width|height):auto|(?:font-size|line-height|border-radius):LENGTH|
	line-height:\d(?:\.\d+)?|border:(?:0|none)|
	font-family:FONT(?:,\s?FONT)*|font-weight:(?:normal|bold|[1-9]00)|font-style:(?:normal|italic)|
	text-align:(?:left|center|right|justify)|vertical-align:(?:top|middle|bottom|baseline)|
	text-decoration:(?:none|underline)|text-transform:(?:none|uppercase|lowercase|capitalize)|
	display:(?:none|block|inline|inline-block)|border-collapse:(?:collapse|separate)
	)$`))

// presentational has HTML attributes with the same meaning as a CSS property, and the
// elements that have these attributes.
var presentational = map[string]struct {
	attribute string
	elements  []atom.Atom
}{
	"text-align": {"align", []atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.P, atom.Div,
		atom.Blockquote, atom.Tr, atom.Th, atom.Td}},
	"background-color": {"bgcolor", []atom.Atom{atom.Body, atom.Table, atom.Tr, atom.Th, atom.Td}},
	"vertical-align":   {"valign", []atom.Atom{atom.Th, atom.Td}},
	"float":            {"align", []atom.Atom{atom.Img}},
}

// setAttribute sets the value of an attribute. It adds the attribute if it is missing.
func setAttribute(n *html.Node, key, value string) {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			n.Attr[i].Val = value
			return
		}
	}
	n.Attr = append(n.Attr, html.Attribute{Key: key, Val: value})
}
