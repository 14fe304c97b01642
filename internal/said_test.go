package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// This file checks the texts with which pages translate what services say (language.Said).

// saysToUsers are the packages whose refusals and findings pages show.
var saysToUsers = []string{"accounts", "batches", "contacts", "enlist", "files", "forms", "imports", "lists", "mail", "messages", "messages/linkcheck",
	"messages/merge", "pace", "privacy", "sending", "users", "webhooks"}

var aVerb, aName = regexp.MustCompile(`%[a-z]`), regexp.MustCompile(`\{[a-z0-9_]+\}`)

// saysToPrograms are parts of refusals that only calls of the API and commands meet: their forms cannot send such values.
var saysToPrograms = regexp.MustCompile(`search criteria|search_criteria|list_id|limit and offset|sort_by|addBatch|array|object of|base64` +
	`|starts_with|takes only|takes a|Unix time|show_if|middle_if|left_if|operator|population|contact_list` +
	`|returns at most|consent_type|remove_unsubscribers|enlist settings|enlist key|--|dkim|preset|selector` +
	`|domain|setting |restore|with this ID|ID \{\}|access level|local_time: |doubt|exclude` +
	`|expected a string|expected a text$|true or false|expected 1 or 0|IDs|criteria|about the person` +
	`|import \{\}|none of the roles|this key|no key|not signed in|the Contact limit|next key|max-files` +
	`|this process|no such|neither an email nor|name of the \{\}|same list_id|the object \{\}` +
	`|expected one of (list|minute|pause|subscribe)|types list|the time now or send|\{\}: (in )?Segment` +
	`|translations has|\.labels|each language|languages of|expected an object|blocks with a type` +
	`|only in a block|expected list, contact|expected the version|send the call|wins over the database` +
	`|holds for the whole|for example: |option force|granted, denied or|expected granted or denied` +
	`|winner: |confirm=|a file of \{\} stores|needs a key of|an import|whsec|type of a key` +
	`|this is the only Account|time zones are due|expected an event|no more|leads nowhere|cid:` +
	`|text_content|html_content|columns without|conditions of blocks|expected align|expected place` +
	`|expected a level|network|the pattern|neither comma|expected one character|uses the Segment and` +
	`|\{\} Batches|of \{\} KB|^\{\} of \{\} recipients \{\}$`)

// joined returns the text of an expression of literals.
func joined(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return aVerb.ReplaceAllString(text, "{}")
		}
	case *ast.BinaryExpr:
		return strings.ReplaceAll(joined(e.X)+joined(e.Y), "{}{}", "{}")
	case *ast.CallExpr:
		if nameOfCall(e) == "Sprintf" {
			return joined(e.Args[0])
		}
	}
	return "{}"
}

// refusal returns the text with which an expression refuses something, or that it has found, or "".
func refusal(e ast.Node) string {
	switch e := e.(type) {
	case *ast.CallExpr:
		switch name := nameOfCall(e); {
		case (name == "Invalid" || name == "Refuse" || name == "RefuseKey") && len(e.Args) > 1:
			return joined(e.Args[1])
		case name == "Expected" && len(e.Args) == 1:
			return "expected " + joined(e.Args[0])
		}
	case *ast.CompositeLit:
		for _, part := range e.Elts {
			if pair, ok := part.(*ast.KeyValueExpr); ok {
				if key, ok := pair.Key.(*ast.Ident); ok && (key.Name == "Detail" || key.Name == "Text" && isNamed(e.Type, "Finding")) {
					return joined(pair.Value)
				}
			}
		}
	}
	return ""
}

func isNamed(e ast.Expr, name string) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == name
	case *ast.SelectorExpr:
		return e.Sel.Name == name
	}
	return false
}

// A service that changes its words would lose their translation.
//
// covers: decision 169
func TestServicesSayWhatTheCatalogueTranslates(t *testing.T) {
	texts := englishTexts(t)
	var patterns []*regexp.Regexp
	for key, text := range texts {
		if strings.HasPrefix(key, "said.") {
			pattern := strings.ReplaceAll(regexp.QuoteMeta(aName.ReplaceAllString(text, "\x00")), "\x00", ".+")
			patterns = append(patterns, regexp.MustCompile("^"+pattern+"$"))
		}
	}
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
				said := ""
				if folder != "mail" { // its details are of deliveries
					said = refusal(n)
				}
				matches := func(p *regexp.Regexp) bool { return p.MatchString(said) }
				if strings.ContainsAny(said, "abcdefghijklmnopqrstuvwxyz") && !saysToPrograms.MatchString(said) &&
					!slices.ContainsFunc(patterns, matches) {
					t.Errorf("%s: %q has no text in the table said", path, said)
				}
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
	for key, text := range texts {
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
