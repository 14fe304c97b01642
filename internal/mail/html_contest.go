package mail

import (
	"regexp"
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// This file finds the properties that both inlined and kept rules set, and says how html_kept.go writes them. A style
// attribute wins over every normal declaration of a sheet, so an inlined rule would win over a kept one, such as that
// of a media query, which wins in the browser.
//
// A declaration that is !important wins over style attributes anyway, and begins no contest. In a contest, all normal
// declarations become !important: those of kept rules, of inlined rules, which then stay in the sheet too, and of the
// author's style attributes. So the cascade decides as before. But one of them could win over a declaration that was
// !important. Then the inlined rules only stay in the sheet, and are not inlined into elements that a kept rule can
// match.

// contests has what both inlined and kept rules set. Properties are in lower case.
type contests struct {
	ranks  map[string]*rank // of all properties, also of style attributes
	raised map[string]bool  // normal declarations become !important
	apart  map[string]bool  // normal declarations of inlined rules stay in the sheet, also without !important
	strong map[string]bool  // a sheet has the property with !important, so a style attribute needs it too

	claims  []claim
	root    *html.Node
	subject map[string]map[*html.Node]bool // caches candidates
	steps   int                            // of meet, and elements in subject
	apartOf map[*html.Node][]string        // the properties in apart that a kept rule can set
}

// rank says which declarations of a property there are. own is that of a style attribute.
type rank struct{ own, kept, inlined, keptImportant, inlinedImportant bool }

type claim struct {
	selector, property string
	important, kept    bool
	specificity        [3]int
}

// maxMeetSteps limits the work to compare claims, and the memory for that. Beyond it, contests.meet assumes that they
// meet.
const maxMeetSteps = 2_000_000

// overlap reports whether a declaration of one property can change what the other one sets.
func overlap(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	family, _, _ := strings.Cut(a, "-")
	switch {
	case a == b, strings.HasPrefix(b, a+"-"):
		return true
	case family == "border": // border-color and border-left set parts of each other
		return strings.HasPrefix(b, "border-") && strings.Contains(a, "radius") == strings.Contains(b, "radius")
	}
	return a == "font" && b == "line-height" || a == "flex" && strings.HasPrefix(b, "flex-") || a == "all"
}

// newContests compares the rules of the pieces. Kept rules that match no element, such as those for the page around
// the mail in a mail program, begin no contest.
func newContests(root *html.Node, pieces []*sheetPiece, styles map[*html.Node]*elementStyle) *contests {
	c := &contests{ranks: make(map[string]*rank), raised: make(map[string]bool), apart: make(map[string]bool),
		strong: make(map[string]bool), root: root, subject: make(map[string]map[*html.Node]bool)}
	for _, p := range pieces {
		for _, s := range p.rule.selectors {
			c.claim(s.text, p.rule.declarations, false)
		}
		p.eachRule(func(selectors string, body cssTokens) {
			declarations, _, _ := readDeclarations(body)
			for text := range strings.SplitSeq(selectors, ",") {
				c.claim(text, declarations, true)
			}
		})
	}
	for _, s := range styles {
		for _, d := range s.own {
			c.rank(d).own = true
		}
	}
	for property, r := range c.ranks {
		if r.kept && !c.raised[property] && !c.apart[property] && c.any(property, func(r *rank) bool { return r.inlined }) {
			c.begin(property)
		}
	}
	for property := range c.ranks {
		c.strong[property] = c.raised[property] || c.any(property, func(r *rank) bool { return r.keptImportant }) ||
			c.apart[property] && c.any(property, func(r *rank) bool { return r.inlinedImportant })
	}
	return c
}

// claim adds the claims of a rule with one of its selectors.
func (c *contests) claim(selector string, declarations []cssDeclaration, kept bool) {
	for _, d := range declarations {
		c.claims = append(c.claims, claim{selector, strings.ToLower(d.property), d.important, kept, specificity(selector)})
		switch r := c.rank(d); {
		case kept && d.important:
			r.keptImportant = true
		case kept:
			r.kept = true
		case d.important:
			r.inlinedImportant = true
		default:
			r.inlined = true
		}
	}
}

var (
	idSelectors    = regexp.MustCompile(`#[\w-]+`)
	classSelectors = regexp.MustCompile(`\.[\w-]+|\[[^\]]*\]|:[a-z-]+`)
	nameSelectors  = regexp.MustCompile(`(?:^|[\s>+~])[A-Za-z][\w-]*`)
)

// specificity returns about the specificity of any selector.
func specificity(text string) (s [3]int) {
	for i, all := range []*regexp.Regexp{idSelectors, classSelectors, nameSelectors} {
		s[i] = len(all.FindAllString(text, -1))
	}
	return s
}

// takesRank reports whether a normal declaration of one of the properties would win over an !important one if both were
// so. That of a style attribute wins over each.
func (c *contests) takesRank(properties map[string]bool) bool {
	var normal, important []int
	for i := range c.claims {
		switch n := &c.claims[i]; {
		case !properties[n.property]:
		case n.important:
			important = append(important, i)
			if c.any(n.property, func(r *rank) bool { return r.own }) {
				return true
			}
		case !dynamic.MatchString(n.selector):
			normal = append(normal, i)
		}
	}
	for _, i := range important {
		for _, n := range normal {
			c.steps++
			if c.steps > maxMeetSteps {
				return true
			}
			a, b := &c.claims[n], &c.claims[i]
			order := slices.Compare(a.specificity[:], b.specificity[:])
			if (order > 0 || order == 0 && n > i) && overlap(a.property, b.property) && c.meet(a.selector, b.selector) {
				return true
			}
		}
	}
	return false
}

// meet reports whether two selectors can match the same element.
func (c *contests) meet(a, b string) bool {
	few, many := c.candidates(a), c.candidates(b)
	if len(few) > len(many) {
		few, many = many, few
	}
	c.steps += len(few)
	if c.steps > maxMeetSteps {
		return true
	}
	for n := range few {
		if many[n] {
			return true
		}
	}
	return false
}

func (c *contests) rank(d cssDeclaration) *rank {
	property := strings.ToLower(d.property)
	if c.ranks[property] == nil {
		c.ranks[property] = new(rank)
	}
	return c.ranks[property]
}

// any reports whether a property that overlaps has the quality.
func (c *contests) any(property string, quality func(*rank) bool) bool {
	for other, r := range c.ranks {
		if quality(r) && overlap(property, other) {
			return true
		}
	}
	return false
}

// begin adds a property, and all that overlap with it or with each other.
func (c *contests) begin(property string) {
	found := []string{property}
	known := map[string]bool{property: true}
	for i := 0; i < len(found); i++ {
		for other := range c.ranks {
			if !known[other] && overlap(found[i], other) {
				known[other] = true
				found = append(found, other)
			}
		}
	}
	into := c.raised
	if c.takesRank(known) {
		into = c.apart
	}
	for _, property := range found {
		into[property] = true
	}
}

// mark makes declarations of an element !important in its style attribute, where a rule of the style sheet would win
// over them although it does not in the browser.
func (c *contests) mark(s *elementStyle) (changed bool) {
	for i := range s.own {
		d := &s.own[i]
		property := strings.ToLower(d.property)
		d.written = c.raised[property] || d.important && c.strong[property]
		changed = changed || d.written
	}
	return changed
}

// dynamic matches selectors of states and of pseudo-elements. What an element shows is not decided by them.
var dynamic = regexp.MustCompile(`::|:(?:before|after|first-l|hover|active|focus|visited)`)

// pseudoClass matches a pseudo-class with or without an argument.
var pseudoClass = regexp.MustCompile(`:[a-z-]+(?:\([^()]*\))?`)

// findApart finds the elements that kept rules can match, for the properties that stay apart. It returns false if they
// are too many.
func (c *contests) findApart() bool {
	c.apartOf = make(map[*html.Node][]string)
	pairs := 0
	for i := range c.claims {
		n := &c.claims[i]
		if !n.kept || n.important || !c.apart[n.property] || dynamic.MatchString(n.selector) {
			continue
		}
		for node := range c.candidates(n.selector) {
			c.apartOf[node] = append(c.apartOf[node], n.property)
			pairs++
		}
		if pairs > maxInlineMatches {
			return false
		}
	}
	return true
}

// candidates returns at least the elements that a selector can match: those of its last part, or all.
func (c *contests) candidates(text string) map[*html.Node]bool {
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n>+~", r) })
	last := "*"
	if len(parts) > 0 {
		last = pseudoClass.ReplaceAllString(parts[len(parts)-1], "")
	}
	selector, ok := inlinableSelector(last)
	if !ok {
		last = "*"
		selector.Sel, _ = cascadia.Parse(last)
	}
	if c.subject[last] == nil {
		found := cascadia.QueryAll(c.root, selector)
		c.steps += len(found)
		c.subject[last] = make(map[*html.Node]bool, len(found))
		for _, n := range found {
			c.subject[last][n] = true
		}
	}
	return c.subject[last]
}

// keepApart removes declarations of inlined rules that a kept rule could otherwise not change.
func (c *contests) keepApart(n *html.Node, s *elementStyle) {
	properties := c.apartOf[n]
	if len(properties) == 0 {
		return
	}
	for i := range s.matched {
		s.matched[i].declarations = slices.DeleteFunc(slices.Clone(s.matched[i].declarations),
			func(d cssDeclaration) bool {
				return !d.important && slices.ContainsFunc(properties,
					func(p string) bool { return overlap(p, strings.ToLower(d.property)) })
			})
	}
}
