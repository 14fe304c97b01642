package mail

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

// This file reads style sheets and style attributes for html_inline.go. The
// lexer is tdewolff/parse, and cascadia parses selectors. A rule that one of these
// libraries cannot parse is never dropped: it stays in a style sheet as written.

// cssRule is a rule that can be moved into style attributes.
type cssRule struct {
	selectors    []cssSelector
	declarations []cssDeclaration
}

// cssSelector is a selector as written and as it is matched.
type cssSelector struct {
	text string
	cascadia.Sel
}

// cssDeclaration is one "property: value".
type cssDeclaration struct {
	property, value string
	important       bool
}

// size is how many bytes the declaration takes in a style attribute.
func (d cssDeclaration) size() int { return len(d.property) + len(d.value) + len(": ; ") }

func (d cssDeclaration) String() string { return d.property + ": " + d.value + ";" }

// cssTokens is a piece of a style sheet. The tokens joined are its text.
type cssTokens []css.Token

// readCSS splits text into tokens. A space replaces each comment and each of
// the marks <!-- and -->, which once hid style sheets from old browsers.
func readCSS(text string) cssTokens {
	var tokens cssTokens
	for lexer := css.NewLexer(parse.NewInputString(text)); ; {
		kind, data := lexer.Next()
		switch kind {
		case css.ErrorToken: // the end of the text: the lexer has no other error
			return tokens
		case css.CommentToken, css.CDOToken, css.CDCToken:
			kind, data = css.WhitespaceToken, []byte(" ")
		}
		tokens = append(tokens, css.Token{TokenType: kind, Data: data})
	}
}

// String returns the text of the tokens.
func (t cssTokens) String() string {
	var b strings.Builder
	for i := range t {
		b.Write(t[i].Data)
	}
	return b.String()
}

// trim removes white space from both ends.
func (t cssTokens) trim() cssTokens {
	for len(t) > 0 && t[0].TokenType == css.WhitespaceToken {
		t = t[1:]
	}
	for len(t) > 0 && t[len(t)-1].TokenType == css.WhitespaceToken {
		t = t[:len(t)-1]
	}
	return t
}

// cut splits the tokens at the first one of the given kinds that is outside all
// brackets. A bracket that is never closed contains the rest, as in a browser.
// Without such a token, before is everything and end is css.ErrorToken.
func (t cssTokens) cut(kinds ...css.TokenType) (before cssTokens, end css.TokenType, after cssTokens) {
	depth := 0
	for i := range t {
		kind := t[i].TokenType
		if depth == 0 && slices.Contains(kinds, kind) {
			return t[:i], kind, t[i+1:]
		}
		switch kind {
		case css.FunctionToken, css.LeftParenthesisToken, css.LeftBracketToken, css.LeftBraceToken:
			depth++
		case css.RightParenthesisToken, css.RightBracketToken, css.RightBraceToken:
			depth = max(depth-1, 0)
		}
	}
	return t, css.ErrorToken, nil
}

// splitCSS separates the rules that can be inlined from the rest of a style
// sheet. The rest is returned as it was written, one rule a line.
func splitCSS(sheet string) (rules []cssRule, kept string) {
	var rest strings.Builder
	for tokens := readCSS(sheet); len(tokens) > 0; {
		switch tokens[0].TokenType {
		case css.WhitespaceToken, css.SemicolonToken, css.RightBraceToken: // stray, between rules
			tokens = tokens[1:]
			continue
		}
		prelude, end, after := tokens.cut(css.LeftBraceToken, css.SemicolonToken)
		isAtRule := tokens[0].TokenType == css.AtKeywordToken
		switch end {
		case css.ErrorToken: // a rule without its block
			return rules, rest.String()
		case css.SemicolonToken:
			if isAtRule { // such as @import
				rest.WriteString(prelude.String() + ";\n")
			}
			tokens = after
			continue
		}
		body, _, after := after.cut(css.RightBraceToken)
		tokens = after
		if isAtRule {
			rest.WriteString(strings.TrimSpace(prelude.String()) + " {" + body.String() + "}\n")
			continue
		}
		rule, keptSelectors := readRule(prelude, body)
		if len(rule.selectors) > 0 && len(rule.declarations) > 0 {
			rules = append(rules, rule)
		}
		if keptSelectors != "" {
			rest.WriteString(keptSelectors + " {" + body.String() + "}\n")
		}
	}
	return rules, rest.String()
}

// readRule splits a rule: rule has the selectors that can be inlined, kept the
// selectors for which the rule stays in a style sheet. When a declaration cannot
// be parsed, all selectors are kept.
func readRule(prelude, body cssTokens) (rule cssRule, kept string) {
	declarations, _, all := readDeclarations(body)
	if !all {
		return cssRule{}, strings.TrimSpace(prelude.String())
	}
	rule.declarations = declarations
	var others []string
	for rest, end := prelude, css.CommaToken; end == css.CommaToken; {
		var one cssTokens
		one, end, rest = rest.cut(css.CommaToken)
		text := strings.Join(strings.Fields(one.String()), " ")
		switch selector, ok := inlinableSelector(text); {
		case text == "":
		case ok:
			rule.selectors = append(rule.selectors, selector)
		default:
			others = append(others, text)
		}
	}
	return rule, strings.Join(others, ", ")
}

// inlinable matches the selectors that are inlined. The others stay in a style
// sheet: most depend on what the reader does (:hover), and some take long to match.
var inlinable = regexp.MustCompile(`^` + compound + `(?:(?: ?[>+] ?| )` + compound + `)*$`)

// compound matches a part of a selector without white space. It may have a name, classes, an ID,
// attributes with a plain value, and pseudo-classes that depend only on the document.
const compound = `(?:(?:\*|[A-Za-z][A-Za-z0-9]*)|(?:[A-Za-z][A-Za-z0-9]*|\*)?` +
	`(?:[.#][A-Za-z_][\w-]*|\[[A-Za-z-]+(?:=[\w-]+)?\]|:(?:first|last|only)-(?:child|of-type))+)`

// inlinableSelector parses a selector, if it can be inlined.
func inlinableSelector(text string) (cssSelector, bool) {
	if !inlinable.MatchString(text) {
		return cssSelector{}, false
	}
	selector, err := cascadia.Parse(text)
	return cssSelector{text, selector}, err == nil
}

// readDeclarations reads the contents of a rule or of a style attribute. text has
// the declarations that it could read, each with a semicolon at its end. all
// reports whether these are all.
func readDeclarations(tokens cssTokens) (list []cssDeclaration, text string, all bool) {
	var b strings.Builder
	all = true
	for len(tokens) > 0 {
		var one cssTokens
		one, _, tokens = tokens.cut(css.SemicolonToken)
		one = one.trim()
		if len(one) == 0 {
			continue
		}
		declaration, ok := readDeclaration(one)
		if !ok {
			all = false
			continue
		}
		list = append(list, declaration)
		b.WriteString(one.String() + ";")
	}
	return list, b.String(), all
}

// readDeclaration reads one declaration. It refuses what mail programs parse in
// different ways: escapes, blocks, unclosed strings, and the brackets of HTML and
// merge fields. It also refuses a second colon, as in old Internet Explorer filters.
func readDeclaration(tokens cssTokens) (cssDeclaration, bool) {
	property, colon, value := tokens.cut(css.ColonToken)
	for _, token := range tokens {
		if bytes.ContainsAny(token.Data, `{}<>\`) {
			return cssDeclaration{}, false
		}
	}
	for _, token := range value {
		switch token.TokenType {
		case css.ColonToken, css.BadStringToken, css.BadURLToken:
			return cssDeclaration{}, false
		}
	}
	value, important := cutImportant(value.trim())
	d := cssDeclaration{property.trim().String(), value.String(), important}
	return d, colon == css.ColonToken && d.property != "" && d.value != ""
}

// cutImportant removes !important from the end of a value.
func cutImportant(value cssTokens) (cssTokens, bool) {
	last := len(value) - 1
	if last < 1 || !bytes.EqualFold(value[last].Data, []byte("important")) {
		return value, false
	}
	before := value[:last].trim()
	if len(before) == 0 || string(before[len(before)-1].Data) != "!" {
		return value, false
	}
	return before[:len(before)-1].trim(), true
}
