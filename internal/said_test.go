package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// This file checks the texts with which pages translate what services say (language.Said).

// saysToUsers are the packages whose refusals and findings pages show.
var saysToUsers = []string{"accounts", "batches", "contacts", "enlist", "files", "forms", "imports", "lists", "mail", "messages",
	"pace", "sending", "users", "webhooks"}

var aVerb, aName = regexp.MustCompile(`%[a-z]`), regexp.MustCompile(`\{[a-z0-9_]+\}`)

// joined returns the text of an expression of literals.
func joined(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return aVerb.ReplaceAllString(text, "{}")
		}
	case *ast.BinaryExpr:
		return joined(e.X) + joined(e.Y)
	}
	return "{}"
}

// A service that changes its words would lose their translation.
//
// covers: decision 169
func TestServicesSayWhatTheCatalogueTranslates(t *testing.T) {
	var all strings.Builder
	for _, folder := range saysToUsers {
		files, err := filepath.Glob(folder + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				e, ok := n.(ast.Expr)
				if ok {
					if text := joined(e); text != "{}" {
						all.WriteString(text + "\n")
					}
				}
				return true
			})
		}
	}
	said := all.String()
	for key, text := range englishTexts(t) {
		if !strings.HasPrefix(key, "said.") {
			continue
		}
		for part := range strings.SplitSeq(aName.ReplaceAllString(text, "{}"), "{}") {
			words := strings.Fields(strings.Trim(strings.TrimPrefix(part, "expected "), " ,")) // enlist.Expected adds it
			part = strings.Join(words[max(0, len(words)-3):], " ")                             // code may put the first ones together
			if len(words) > 1 && !strings.Contains(said, part) {
				t.Errorf("%s: no service says %q any more: change the text as the code has it, or remove it", key, part)
			}
		}
	}
}
