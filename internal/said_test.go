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

var aVerb, aName = regexp.MustCompile(`%(?:\[\d\]|\.\d)?[a-z]`), regexp.MustCompile(`\{[a-z0-9_]+\}`)

// largeNumber is a limit that the code can write into its text: at most 5,000 characters.
var largeNumber = regexp.MustCompile(`\b\d[\d,]{2,}\b`)

// withoutNames returns a text with {} for each name and each large number.
func withoutNames(text string) string {
	return largeNumber.ReplaceAllString(aName.ReplaceAllString(text, "{}"), "{}")
}

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
	`|expected a level|network|the pattern|neither comma|expected one character|an event of Lists|uses the Segment and` +
	`|reader, writer, sender or manager|only an owner changes|\{\} Batches|of \{\} KB|^\{\} of \{\} recipients \{\}$`)

// joined returns the text of an expression of literals.
func joined(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return strings.ReplaceAll(withoutNames(aVerb.ReplaceAllString(text, "{}")), "%%", "%")
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

// alsoSay are packages with other texts that pages show: reasons of a refused row, errors of jobs, results of checks.
var alsoSay = []string{"imports/sheet", "jobs", "mail/dns", "recipients"}

// sayingsOf returns the English texts of the table said, a line each, with {} for their names.
func sayingsOf(texts map[string]string) string {
	var all strings.Builder
	for key, text := range texts {
		if strings.HasPrefix(key, "said.") {
			all.WriteString(withoutNames(text) + "\n")
		}
	}
	return all.String()
}

// aSentence is what services say in words: three of them, in lower case.
var aSentence = regexp.MustCompile(`(?:^|[ ,:;(])\p{Ll}{2,},? \p{Ll}+,? \p{Ll}+`)

// toPrograms are functions whose texts are statements, patterns, markup, and errors and lines of the log.
var toPrograms = []string{"Errorf", "New", "Info", "Warn", "Debug", "Error", "Do", "Query", "One", "panic", "MustCompile", "Fatal"}

// toOperators are files whose texts are for commands, metrics and logs, and those with words that other programs write.
var toOperators = regexp.MustCompile(`^(accounts/setting|batches/shown|enlist/nearest|files/file_sql|forms/send|imports/(preset|status)` +
	`|mail/(dns/(dnscheck|hosts)|mail|report|smtp_reply|smtp_trial|transport)|pace/agent|sending/sender|users/(passkey|tries))[a-z_]*\.go$`)

// noSayings are texts of services that no page shows: statements, markup, columns, and what commands and calls print.
var noSayings = regexp.MustCompile(`SELECT|FROM|WHERE|INSERT|UPDATE|DELETE|<|margin|list_id|^[a-z,0-9 éñõôüäíó是否]*$`)

// What a service says to a user can be in a variable, in a constant or in a part of a text. So each sentence in the code of
// the services has a text, or is known as one for programs.
//
// covers: decision 174
func TestEverySentenceOfAServiceHasATranslation(t *testing.T) {
	said := sayingsOf(englishTexts(t))
	for _, folder := range append(saysToUsers, alsoSay...) {
		files, err := filepath.Glob(folder + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			for _, text := range sentencesOf(t, path) {
				isMissing := func(part string) bool { return aSentence.MatchString(part) && !strings.Contains(said, part) }
				if slices.ContainsFunc(strings.Split(text, "{}"), isMissing) && !saysToPrograms.MatchString(text) {
					t.Errorf("%s: %q has no text in the table said", path, text)
				}
			}
		}
	}
}

// sentencesOf returns the texts of a Go file that can be for users.
func sentencesOf(t *testing.T, path string) (all []string) {
	if strings.HasSuffix(path, "_test.go") || toOperators.MatchString(filepath.ToSlash(path)) {
		return nil
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	inText := make(map[ast.Node]bool)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			return n.Tag == nil
		case *ast.CallExpr:
			if slices.Contains(toPrograms, nameOfCall(n)) {
				return false
			}
		}
		e, ok := n.(ast.Expr)
		if !ok || inText[n] {
			return true
		}
		if text := joined(e); text != "{}" {
			ast.Inspect(e, func(part ast.Node) bool { inText[part] = true; return true })
			if aSentence.MatchString(text) && !noSayings.MatchString(text) {
				all = append(all, text)
			}
		}
		return true
	})
	return all
}

// A service that changes its words would lose their translation.
//
// covers: decision 169
func TestServicesSayWhatTheCatalogueTranslates(t *testing.T) {
	texts := englishTexts(t)
	sayings := sayingsOf(texts)
	var all strings.Builder
	for _, folder := range append(saysToUsers, alsoSay...) {
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
				isMissing := func(part string) bool { return !strings.Contains(sayings, part) }
				if strings.ContainsAny(said, "abcdefghijklmnopqrstuvwxyz") && !saysToPrograms.MatchString(said) &&
					slices.ContainsFunc(strings.Split(said, "{}"), isMissing) {
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
		for part := range strings.SplitSeq(withoutNames(text), "{}") {
			words := strings.Fields(strings.Trim(strings.TrimPrefix(part, "expected "), " ,")) // enlist.Expected adds it
			if len(words) > 1 && !slices.ContainsFunc(runsOf(words), func(run string) bool { return strings.Contains(said, run) }) {
				t.Errorf("%s: no service says %q any more: change the text as the code has it, or remove it", key, part)
			}
		}
	}
}

// runsOf returns all three words that follow each other, or fewer of a short text: the code may put its ends together.
func runsOf(words []string) (all []string) {
	n := max(1, min(3, len(words)-1))
	for i := range len(words) - n + 1 {
		all = append(all, strings.Join(words[i:i+n], " "))
	}
	return all
}
