package language

import (
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/feature/plural"
)

// This file fills the texts of catalogues with arguments.

// text is a text in its plural forms.
type text struct {
	other []piece
	forms map[plural.Form][]piece // all of them; nil: other is the only one
}

// piece is a part of a text.
type piece struct {
	kind pieceKind
	text string // words, or a name
}

type pieceKind byte

const (
	words    pieceKind = iota
	argument           // {name}
	begin              // <name>
	end                // </name>
)

var marks = regexp.MustCompile(`\{[a-z][a-z0-9_]*\}|</?[a-z][a-z0-9_]*>`)

// parse splits a text at its marks.
func parse(s string) (all []piece) {
	at := 0
	for _, m := range marks.FindAllStringIndex(s, -1) {
		if m[0] > at {
			all = append(all, piece{words, s[at:m[0]]})
		}
		mark := s[m[0]:m[1]]
		switch name := strings.Trim(mark, "{</>}"); {
		case mark[0] == '{':
			all = append(all, piece{argument, name})
		case mark[1] == '/':
			all = append(all, piece{end, name})
		default:
			all = append(all, piece{begin, name})
		}
		at = m[1]
	}
	if at < len(s) || all == nil {
		all = append(all, piece{words, s[at:]})
	}
	return all
}

// Text returns a text with its arguments, names and values in turn, without markup. An unknown key is returned as it is.
func (l *Language) Text(key string, args ...any) string {
	l, pieces := l.find(key, args)
	if len(pieces) == 1 && pieces[0].kind == words {
		return pieces[0].text
	}
	var b strings.Builder
	for _, p := range pieces {
		switch p.kind {
		case words:
			b.WriteString(p.text)
		case argument:
			b.WriteString(l.write(p.text, args))
		}
	}
	return b.String()
}

// HTML returns a text with its arguments as HTML. Only an argument of the type template.HTML is not escaped.
func (l *Language) HTML(key string, args ...any) template.HTML {
	l, pieces := l.find(key, args)
	var b strings.Builder
	for _, p := range pieces {
		switch p.kind {
		case words:
			template.HTMLEscape(&b, []byte(p.text))
		case argument:
			if markup, ok := argumentOf(p.text, args).(template.HTML); ok {
				b.WriteString(string(markup))
				continue
			}
			template.HTMLEscape(&b, []byte(l.write(p.text, args)))
		case begin:
			b.WriteString("<" + l.opening(p.text, args) + ">")
		case end:
			b.WriteString("</" + element(p.text) + ">")
		}
	}
	return template.HTML(b.String())
}

// T is the function t of templates: HTML if the text has markup or an argument is HTML, and otherwise a text, which the
// template escapes by its place.
func (l *Language) T(key string, args ...any) any {
	isMarkup := func(p piece) bool { return p.kind == begin }
	isHTML := func(value any) bool { _, ok := value.(template.HTML); return ok }
	if _, pieces := l.find(key, args); slices.ContainsFunc(pieces, isMarkup) || slices.ContainsFunc(args, isHTML) {
		return l.HTML(key, args...)
	}
	return l.Text(key, args...)
}

// find returns the text of a key, in the plural form of the argument n, and the language that has it.
func (l *Language) find(key string, args []any) (*Language, []piece) {
	of, ok := l.texts()[key]
	switch {
	case !ok && l.english != nil:
		return l.english.find(key, args)
	case !ok:
		return l, []piece{{words, key}}
	case of.forms != nil:
		n, _ := integer(argumentOf("n", args))
		if form, ok := of.forms[plural.Cardinal.MatchPlural(l.tag, int(max(n, -n)), 0, 0, 0, 0)]; ok {
			return l, form
		}
	}
	return l, of.other
}

// argumentOf returns the argument with a name, or nil.
func argumentOf(name string, args []any) any {
	for i := 0; i+1 < len(args); i += 2 {
		if args[i] == name {
			return args[i+1]
		}
	}
	return nil
}

// write returns an argument as text. One that is missing stays a name in braces.
func (l *Language) write(name string, args []any) string {
	value := argumentOf(name, args)
	switch value := value.(type) {
	case nil:
		return "{" + name + "}"
	case string:
		return value
	}
	if n, ok := integer(value); ok {
		return l.Number(n)
	}
	return fmt.Sprint(value)
}

func integer(value any) (n int64, ok bool) {
	switch value := value.(type) {
	case int:
		return int64(value), true
	case int64:
		return value, true
	}
	return 0, false
}

// element returns the HTML element for a name in a text: a link for all but some.
func element(name string) string {
	switch name {
	case "b", "bdi", "code", "em", "small":
		return name
	}
	return "a"
}

// opening returns the begin of an element, with the URL of a link. A URL that could run a script is left out. The style
// sheet of the administration underlines links of the class in.
func (l *Language) opening(name string, args []any) string {
	if element(name) != "a" {
		return name
	}
	url := l.write(name, args)
	if scheme, _, ok := strings.Cut(url, ":"); ok && scheme != "https" && scheme != "http" && scheme != "mailto" &&
		!strings.ContainsAny(scheme, "/?#") {
		url = "#"
	}
	return `a class="in" href="` + template.HTMLEscapeString(url) + `"`
}
