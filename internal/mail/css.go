package mail

import (
	"regexp"
	"strings"

	"github.com/aymerick/douceur/css"
	"github.com/aymerick/douceur/parser"
)

// plainSelector is what the inliner finds elements by. The rest stays in a
// style sheet: much of it depends on what the reader does, and some takes
// long to find.
var plainSelector = regexp.MustCompile(`^` + compound + `(?:(?: ?[>+] ?| )` + compound + `)*$`)

const compound = `(?:(?:\*|[A-Za-z][A-Za-z0-9]*)|(?:[A-Za-z][A-Za-z0-9]*|\*)?(?:[.#][A-Za-z_][\w-]*|\[[A-Za-z-]+(?:=[\w-]+)?\]|:(?:first|last|only)-(?:child|of-type))+)`

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
