package mail

import (
	"strings"

	"github.com/tdewolff/parse/v2/css"
)

// This file writes the style sheet that stays in a mail next to style attributes. A style attribute wins over every
// rule of a style sheet, so an inlined rule would win over a kept one, such as that of a media query, which wins in the
// browser. Therefore properties that both set are !important in the sheet. The inlined rules with them stay in the
// sheet too, so that the cascade decides as before. In a style attribute of the author, they become !important, unless
// a kept rule was so before.

// sheetPiece is a part of a style sheet, in its order.
type sheetPiece struct {
	rule      cssRule   // what can be inlined
	prelude   string    // of a rule that stays; "": the piece only has rule, or a statement
	body      cssTokens // of a rule that stays
	nested    bool      // body has rules, as that of @media
	statement string    // such as @import
}

// contest says which groups of properties both inlined and kept rules set. A group is a shorthand with its longhands,
// such as margin.
type contest struct {
	groups map[string]bool // true: in conflict
	strong map[string]bool // a kept rule has the group with !important
}

// groupOf returns the group of a property: margin for margin-top.
func groupOf(property string) string {
	property = strings.ToLower(property)
	if strings.HasPrefix(property, "-") {
		return property
	}
	group, _, _ := strings.Cut(property, "-")
	if property == "line-height" {
		return "font" // font sets it
	}
	return group
}

// newContest compares the rules of the pieces.
func newContest(pieces []sheetPiece) contest {
	kept, c := make(map[string]bool), contest{make(map[string]bool), make(map[string]bool)}
	note := func(tokens cssTokens) string {
		if d, ok := readDeclaration(tokens.trim()); ok {
			kept[groupOf(d.property)] = true
			c.strong[groupOf(d.property)] = c.strong[groupOf(d.property)] || d.important
		}
		return ""
	}
	for i := range pieces {
		if pieces[i].prelude != "" {
			pieces[i].write(note)
		}
	}
	for i := range pieces {
		for _, d := range pieces[i].rule.declarations {
			if group := groupOf(d.property); kept[group] {
				c.groups[group] = true
			}
		}
	}
	return c
}

// sheet returns the style sheet that stays, with a line break after each rule.
func (c contest) sheet(pieces []sheetPiece) string {
	var b strings.Builder
	for i := range pieces {
		p := &pieces[i]
		if inlined := c.inlined(&p.rule); inlined != "" {
			b.WriteString(inlined + "\n")
		}
		if p.prelude != "" {
			b.WriteString(p.prelude + " {" + p.write(c.strengthen) + "}\n")
		}
		if p.statement != "" {
			b.WriteString(p.statement + "\n")
		}
	}
	return b.String()
}

// inlined returns the part of an inlined rule that stays in the style sheet, or "".
func (c contest) inlined(r *cssRule) string {
	var selectors, declarations []string
	for _, d := range r.declarations {
		if c.groups[groupOf(d.property)] {
			d.written = true
			declarations = append(declarations, d.String())
		}
	}
	if len(declarations) == 0 {
		return ""
	}
	for _, s := range r.selectors {
		selectors = append(selectors, s.text)
	}
	return strings.Join(selectors, ", ") + " {" + strings.Join(declarations, " ") + "}"
}

// strengthen returns the text of a declaration, with !important if its group is in conflict.
func (c contest) strengthen(tokens cssTokens) string {
	d, ok := readDeclaration(tokens.trim())
	if !ok || d.important || !c.groups[groupOf(d.property)] {
		return tokens.String()
	}
	return strings.TrimRight(tokens.String(), " \t\r\n") + " !important"
}

// mark makes declarations of an element !important in its style attribute, where a rule of the style sheet would win
// over them although it does not in the browser.
func (c contest) mark(s *elementStyle) (changed bool) {
	for i := range s.own {
		d := &s.own[i]
		group := groupOf(d.property)
		d.written = c.groups[group] && (d.important || !c.strong[group])
		changed = changed || d.written
	}
	return changed
}

// write returns the body with each declaration replaced by what change returns.
func (p *sheetPiece) write(change func(cssTokens) string) string {
	switch {
	case p.nested:
		return changeRules(p.body, change)
	case strings.HasPrefix(p.prelude, "@"):
		return p.body.String()
	}
	return changeDeclarations(p.body, change)
}

// changeDeclarations changes the declarations of a rule.
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

// changeRules changes the declarations of rules, also of those in further @media rules.
func changeRules(tokens cssTokens, change func(cssTokens) string) string {
	var b strings.Builder
	for len(tokens) > 0 {
		prelude, end, after := tokens.cut(css.LeftBraceToken, css.SemicolonToken)
		b.WriteString(prelude.String())
		switch end {
		case css.ErrorToken:
			return b.String()
		case css.SemicolonToken:
			b.WriteByte(';')
			tokens = after
			continue
		}
		body, closed, after := after.cut(css.RightBraceToken)
		inner := sheetPiece{prelude: prelude.trim().String(), body: body, nested: hasRules(prelude.trim())}
		b.WriteString("{" + inner.write(change))
		if closed == css.RightBraceToken {
			b.WriteByte('}')
		}
		tokens = after
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
