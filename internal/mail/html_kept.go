package mail

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/css"
	"golang.org/x/net/html"
)

// This file writes what stays of style sheets in a mail next to style attributes. html_contest.go says which
// declarations of inlined rules stay too. The rules for elements that only Outlook shows, such as the tables around
// columns, stay in a style sheet for Outlook: such elements are in conditional comments, where inlining does not find them.

// sheetPiece is a part of a style sheet, in its order.
type sheetPiece struct {
	rule      cssRule       // what can be inlined
	prelude   string        // of a rule that stays; "": the piece only has rule, or a statement
	idle      []string      // selectors of rule that match no element: they stay too
	body      cssTokens     // of a rule that stays
	nested    []*sheetPiece // the rules of body, as that of @media
	statement string        // such as @import
}

// sheet returns what stays of a style sheet, with a line break after each rule.
func (c *contests) sheet(pieces []*sheetPiece) string {
	var b strings.Builder
	for _, p := range pieces {
		if inlined := c.inlined(&p.rule); inlined != "" {
			b.WriteString(inlined + "\n")
		}
		selectors := p.keptSelectors()
		switch {
		case p.statement != "":
			b.WriteString(p.statement + "\n")
		case selectors == "":
		case p.nested != nil:
			b.WriteString(selectors + " {\n" + c.sheet(p.nested) + "}\n")
		case strings.HasPrefix(p.prelude, "@"):
			b.WriteString(selectors + " {" + p.body.String() + "}\n")
		default:
			b.WriteString(selectors + " {" + changeDeclarations(p.body, c.raise) + "}\n")
		}
	}
	return b.String()
}

// inlined returns the part of an inlined rule that stays in the style sheet, or "". An !important declaration stays if
// a kept one could win over it.
func (c *contests) inlined(r *cssRule) string {
	var selectors, declarations []string
	for _, d := range r.declarations {
		property := strings.ToLower(d.property)
		keptImportant := func(r *rank) bool { return r.keptImportant }
		switch {
		case c.raised[property], d.important && (c.apart[property] || c.any(property, keptImportant)):
			d.written = true
		case d.important || !c.apart[property]:
			continue
		}
		declarations = append(declarations, d.String())
	}
	if len(declarations) == 0 || len(r.selectors) == 0 {
		return ""
	}
	for _, s := range r.selectors {
		selectors = append(selectors, s.text)
	}
	return strings.Join(selectors, ", ") + " {" + strings.Join(declarations, " ") + "}"
}

// raise returns the text of a declaration, with !important if its contest needs it.
func (c *contests) raise(tokens cssTokens) string {
	d, ok := readDeclaration(tokens.trim())
	if !ok || d.important || !c.raised[strings.ToLower(d.property)] {
		return tokens.String()
	}
	return strings.TrimRight(tokens.String(), " \t\r\n") + " !important"
}

// keptSelectors returns the selectors of a rule that stays, or the prelude of another one.
func (p *sheetPiece) keptSelectors() string {
	all := slices.Clone(p.idle)
	if p.prelude != "" {
		all = append(all, p.prelude)
	}
	return strings.Join(all, ", ")
}

// eachRule calls fn for each kept rule, also in @media rules.
func (p *sheetPiece) eachRule(fn func(selectors string, body cssTokens)) {
	for _, inner := range p.nested {
		inner.eachRule(fn)
	}
	if p.prelude != "" && !strings.HasPrefix(p.prelude, "@") {
		fn(p.prelude, p.body)
	}
}

func changeDeclarations(tokens cssTokens, change func(cssTokens) string) string {
	var b strings.Builder
	for len(tokens) > 0 {
		one, end, rest := tokens.cut(css.SemicolonToken)
		if len(one.trim()) == 0 {
			b.WriteString(one.String())
		} else {
			b.WriteString(change(one))
		}
		if end == css.SemicolonToken {
			b.WriteByte(';')
		}
		tokens = rest
	}
	return b.String()
}

// hasRules reports whether the block after a prelude has rules that the cascade compares with other rules.
func hasRules(prelude cssTokens) bool {
	if len(prelude) == 0 || prelude[0].TokenType != css.AtKeywordToken {
		return false
	}
	switch strings.ToLower(string(prelude[0].Data)) {
	case "@media", "@supports", "@container":
		return true
	}
	return false
}

// outlookOnly matches a conditional comment with its content.
var outlookOnly = regexp.MustCompile(`(?s)^\[if [^\]]*\]>(.*)<!\[endif\]$`)

// outlookElements counts the elements of a conditional comment.
func (d *styledDocument) outlookElements(comment string) {
	found := outlookOnly.FindStringSubmatch(comment)
	if found == nil {
		return
	}
	for z := html.NewTokenizer(strings.NewReader(found[1])); z.Next() != html.ErrorToken; {
		if t := z.Token(); t.Type == html.StartTagToken || t.Type == html.SelfClosingTagToken {
			count(d.outlook, t.Data, t.Attr)
		}
	}
}

// outlookSheet returns a conditional comment with the inlined rules that can match elements in conditional comments, or
// nil.
func (d *styledDocument) outlookSheet(pieces []*sheetPiece) *html.Node {
	var b strings.Builder
	for _, p := range pieces {
		var selectors []string
		for _, s := range p.rule.selectors {
			if d.outlook[s.subject()] > 0 {
				selectors = append(selectors, s.text)
			}
		}
		if len(selectors) == 0 {
			continue
		}
		b.WriteString(strings.Join(selectors, ", ") + " {")
		for _, declaration := range p.rule.declarations {
			declaration.written = declaration.important
			b.WriteString(declaration.String())
		}
		b.WriteString("}\n")
	}
	rules := b.String()
	if rules == "" || strings.Contains(rules, "-->") || strings.Contains(rules, "--!>") { // which end the comment
		return nil
	}
	return &html.Node{Type: html.CommentNode, Data: `[if mso]><style type="text/css">` + "\n" + rules + "</style><![endif]"}
}
