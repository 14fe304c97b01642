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

// This file reads style sheets and style attributes for html_inline.go. The library
// tdewolff/parse splits CSS into tokens, and cascadia parses selectors. A rule that one of
// these libraries cannot parse is not lost: it stays in a style sheet without changes.

// cssRule is a rule that can be moved into style attributes.
type cssRule struct {
	selectors    []cssSelector
	declarations []cssDeclaration
}

// cssSelector is a selector: its text in the style sheet, and its parsed form.
type cssSelector struct {
	text string
	cascadia.Sel
}

// cssDeclaration is one declaration "property: value".
type cssDeclaration struct {
	property, value string
	important       bool // in the source
	written         bool // !important is written
}

// size returns the number of bytes of the declaration in a style attribute.
func (d cssDeclaration) size() int { return len(d.property) + len(d.value) + len(": ; ") }

func (d cssDeclaration) String() string {
	if d.written {
		return d.property + ": " + d.value + " !important;"
	}
	return d.property + ": " + d.value + ";"
}

// cssTokens is a piece of a style sheet, split into tokens.
type cssTokens []css.Token

// readCSS splits text into tokens. It replaces each comment by a space. It also replaces
// the marks <!-- and -->, which authors used to hide style sheets from old browsers.
func readCSS(text string) cssTokens {
	var tokens cssTokens
	for lexer := css.NewLexer(parse.NewInputString(text)); ; {
		kind, data := lexer.Next()
		switch kind {
		case css.ErrorToken: // the end of the text; the lexer has no other error
			return tokens
		case css.CommentToken, css.CDOToken, css.CDCToken:
			kind, data = css.WhitespaceToken, []byte(" ")
		}
		tokens = append(tokens, css.Token{TokenType: kind, Data: data})
	}
}

func (t cssTokens) String() string {
	var b strings.Builder
	for i := range t {
		b.Write(t[i].Data)
	}
	return b.String()
}

func (t cssTokens) trim() cssTokens {
	for len(t) > 0 && t[0].TokenType == css.WhitespaceToken {
		t = t[1:]
	}
	for len(t) > 0 && t[len(t)-1].TokenType == css.WhitespaceToken {
		t = t[:len(t)-1]
	}
	return t
}

// cut splits the tokens at the first token of the given kinds that is outside all brackets.
// As in a browser, a bracket that is never closed contains all tokens after it. If there is
// no such token, before has all tokens and end is css.ErrorToken.
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

// splitCSS splits a style sheet into its rules: what of them can be inlined, and what stays.
func splitCSS(tokens cssTokens, inline bool) (pieces []*sheetPiece) {
	for len(tokens) > 0 {
		switch tokens[0].TokenType {
		case css.WhitespaceToken, css.SemicolonToken, css.RightBraceToken: // not part of a rule
			tokens = tokens[1:]
			continue
		}
		prelude, end, after := tokens.cut(css.LeftBraceToken, css.SemicolonToken)
		isAtRule := tokens[0].TokenType == css.AtKeywordToken
		switch end {
		case css.ErrorToken: // the style sheet ends before the block of a rule
			return pieces
		case css.SemicolonToken:
			if isAtRule { // such as @import
				pieces = append(pieces, &sheetPiece{statement: prelude.String() + ";"})
			}
			tokens = after
			continue
		}
		p := &sheetPiece{prelude: prelude.trim().String()}
		p.body, _, tokens = after.cut(css.RightBraceToken)
		switch {
		case hasRules(prelude):
			p.nested = splitCSS(p.body, false)
		case inline && !isAtRule:
			p.rule, p.prelude = readRule(prelude, p.body)
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// readRule splits a rule. rule has the selectors that can be inlined. kept is the text of the
// other selectors: for them, the rule stays in a style sheet. If a declaration cannot be
// parsed, kept is the text of all selectors.
func readRule(prelude, body cssTokens) (rule cssRule, kept string) {
	declarations, _, unread := readDeclarations(body)
	if unread != "" {
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

// inlinable matches the selectors that are inlined. The other selectors stay in a style
// sheet. Most of them depend on what the reader does, such as :hover. Some are slow to match.
var inlinable = regexp.MustCompile(`^` + compound + `(?:(?: ?[>+] ?| )` + compound + `)*$`)

// compound matches a part of a selector without white space. The part can have a name, classes,
// IDs, attributes with a plain value, and pseudo-classes that depend only on the document.
const compound = `(?:(?:\*|[A-Za-z][A-Za-z0-9]*)|(?:[A-Za-z][A-Za-z0-9]*|\*)?` +
	`(?:[.#][A-Za-z_][\w-]*|\[[A-Za-z-]+(?:=[\w-]+)?\]|:(?:first|last|only)-(?:child|of-type))+)`

// inlinableSelector parses a selector. It returns false if the selector cannot be inlined.
func inlinableSelector(text string) (cssSelector, bool) {
	if !inlinable.MatchString(text) {
		return cssSelector{}, false
	}
	selector, err := cascadia.Parse(text)
	return cssSelector{text, selector}, err == nil
}

// readDeclarations reads the declarations of a rule or of a style attribute. list contains the
// declarations that it can parse. text is the CSS text of all declarations, each with a
// semicolon at its end. unread is the text of those that it cannot parse, which a browser perhaps skips alone. Only the
// last one can have a bracket or string that does not end.
func readDeclarations(tokens cssTokens) (list []cssDeclaration, text, unread string) {
	var b strings.Builder
	var bad []string
	for len(tokens) > 0 {
		var one cssTokens
		one, _, tokens = tokens.cut(css.SemicolonToken)
		one = one.trim()
		if len(one) == 0 {
			continue
		}
		declaration, ok := readDeclaration(one)
		if !ok {
			bad = append(bad, one.String())
		} else {
			list = append(list, declaration)
		}
		b.WriteString(one.String() + ";")
	}
	return list, b.String(), strings.Join(bad, ";")
}

// readDeclaration reads one declaration. It returns false for text that mail programs parse
// in different ways: escapes, blocks, unclosed strings, and the brackets of HTML and merge
// fields. It also returns false for a second colon, as in old Internet Explorer filters.
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
	d := cssDeclaration{property.trim().String(), value.String(), important, false}
	return d, colon == css.ColonToken && d.property != "" && d.value != ""
}

// cutImportant removes !important from the end of a value. It returns false if the value
// does not end with !important.
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
