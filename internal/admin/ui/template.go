package ui

import (
	"html/template"
	"io/fs"
	"regexp"
	"strings"
	"sync"

	"enlist/internal/language"
)

// This file has the templates of pages. They are parsed once for each language in which a page is shown, so that their
// function t knows the language.

// Template is the templates of a page, in each language.
type Template struct {
	files  fs.FS
	names  []string
	mu     sync.Mutex
	parsed map[*language.Language]*template.Template
}

// Parse returns the templates of a page, of which one defines "content". They are parsed together with the layout when
// the page is first shown in a language.
func Parse(page fs.FS, names ...string) *Template {
	return &Template{files: page, names: names, parsed: make(map[*language.Language]*template.Template)}
}

// in returns the templates in a language. It panics if they have a mistake, because they are part of the program.
func (t *Template) in(l *language.Language) *template.Template {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.parsed[l] == nil {
		t.parsed[l] = parse(template.New("").Funcs(funcs(l)), files, "layout.html", "form.html", "conditions.html", "table.html")
		parse(t.parsed[l], t.files, t.names...)
	}
	return t.parsed[l]
}

// indent is the white space by which a template is easy to read. A page has a third less without it.
var indent = regexp.MustCompile(`\n\s+`)

func parse(t *template.Template, page fs.FS, names ...string) *template.Template {
	for _, name := range names {
		text, err := fs.ReadFile(page, name)
		template.Must(template.Must(t, err).New(name).Parse(indent.ReplaceAllString(string(text), "\n")))
	}
	return t
}

// funcs returns the functions of templates.
func funcs(l *language.Language) template.FuncMap {
	paths := assetPaths()
	return template.FuncMap{
		"asset": func(name string) string { return paths[name] },
		// t is a text of the catalogue, with names and values of arguments in turn: {{t "lists.rows" "n" .Rows}}.
		"t": l.T,
		// said is what a service says in English; told is this, or the key of a text.
		"said": l.Said,
		"told": func(text string) any {
			if told := l.T(text); told != text {
				return told
			}
			return l.Said(text)
		},
		"language": func() string { return l.Code },
		"number":   l.Number,
		"signed":   l.Signed,
		"percent":  l.Percent,
		// parts splits a URL without its scheme after each slash, where a browser may begin a new line.
		"parts": func(url string) []string { return strings.SplitAfter(WithoutScheme(url), "/") },
	}
}
