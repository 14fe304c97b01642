package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template/parse"

	"github.com/pelletier/go-toml/v2"
	"golang.org/x/net/html"
)

// This file checks that pages and mails have no text of their own: all are in the catalogues of package language.

// builtKeys are the keys that code puts together: of the title of each page of package web, of times, of names of Fields,
// of reasons and of events. Those of the table said are found by what they say.
var builtKeys = regexp.MustCompile(`^(web|owner)\.[a-z_]+\.title$|^format\.|^web\.field\.|^web\.reason\.because_` +
	`|^owner\.(subscribed|unsubscribed|changed)\.|^said\.`)

// textUse is a place of the code that names a text.
type textUse struct {
	at, key string
	args    []string // names of its arguments
	isCall  bool     // args has all of them
}

// textUses returns all places of templates and Go code that name a text of the catalogues.
func textUses(t *testing.T) (all []textUse) {
	t.Helper()
	eachTextFile(t, func(path string) {
		if filepath.Ext(path) == ".html" {
			for _, tree := range templatesOf(t, path) {
				all = append(all, usesOfNode(path, tree.Root)...)
			}
			return
		}
		for _, c := range literalsOf(t, path) {
			if aKey.MatchString(c.text) {
				all = append(all, textUse{at: c.at, key: c.text, args: c.args, isCall: c.call == "Text" || c.call == "HTML"})
			}
		}
	})
	return all
}

var aKey = regexp.MustCompile(`^[a-z_]+(\.[a-z0-9_]+)+$`)

// eachTextFile calls f for all templates and Go files that can write texts.
func eachTextFile(t *testing.T, f func(path string)) {
	t.Helper()
	for _, folder := range []string{"admin", "mail", "starters", "web", "privacy/proof"} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if d.IsDir() && d.Name() == "testdata" {
				return filepath.SkipDir
			}
			if !d.IsDir() && (filepath.Ext(path) == ".html" || filepath.Ext(path) == ".go" && !strings.HasSuffix(path, "_test.go")) {
				f(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// templatesOf returns the templates of a file.
func templatesOf(t *testing.T, path string) map[string]*parse.Tree {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	trees := make(map[string]*parse.Tree)
	tree := parse.New(path)
	tree.Mode = parse.SkipFuncCheck
	if _, err := tree.Parse(string(text), "", "", trees); err != nil {
		t.Fatal(err)
	}
	return trees
}

// usesOfNode returns the texts that a part of a template names: {{t "lists.title"}}, {{.Text "web.title"}}.
func usesOfNode(path string, node parse.Node) (all []textUse) {
	eachNode(node, func(n parse.Node) {
		c, ok := n.(*parse.CommandNode)
		if !ok || len(c.Args) < 2 {
			return
		}
		name := c.Args[0].String()
		name = name[strings.LastIndex(name, ".")+1:]
		key, ok := c.Args[1].(*parse.StringNode)
		isBegin := ok && name == "printf" && aKey.MatchString(strings.ReplaceAll(key.Text, "%s", "x"))
		if !ok || name != "t" && name != "Text" && name != "About" && !isBegin {
			return
		}
		use := textUse{at: path, key: key.Text, isCall: name == "t"}
		for i := 2; i < len(c.Args); i += 2 {
			if arg, ok := c.Args[i].(*parse.StringNode); ok {
				use.args = append(use.args, arg.Text)
			}
		}
		all = append(all, use)
		if name == "About" {
			all = append(all, textUse{at: path, key: key.Text + "_you"})
		}
	})
	return all
}

// eachNode calls f for a node of a template and all nodes in it.
func eachNode(node parse.Node, f func(parse.Node)) {
	f(node)
	branch := func(pipe *parse.PipeNode, lists ...*parse.ListNode) {
		eachNode(pipe, f)
		for _, l := range lists {
			if l != nil {
				eachNode(l, f)
			}
		}
	}
	switch n := node.(type) {
	case *parse.ListNode:
		for _, one := range n.Nodes {
			eachNode(one, f)
		}
	case *parse.ActionNode:
		eachNode(n.Pipe, f)
	case *parse.TemplateNode:
		if n.Pipe != nil {
			eachNode(n.Pipe, f)
		}
	case *parse.PipeNode:
		for _, c := range n.Cmds {
			eachNode(c, f)
		}
	case *parse.CommandNode:
		for _, arg := range n.Args {
			eachNode(arg, f)
		}
	case *parse.IfNode:
		branch(n.Pipe, n.List, n.ElseList)
	case *parse.RangeNode:
		branch(n.Pipe, n.List, n.ElseList)
	case *parse.WithNode:
		branch(n.Pipe, n.List, n.ElseList)
	}
}

// literal is a text in Go code.
type literal struct {
	at, text string
	call     string   // name of the function whose argument it is, "" if it is none
	args     []string // of a call of Text or HTML: names of the other arguments
}

// literalsOf returns the texts in a Go file, without imports and tags.
func literalsOf(t *testing.T, path string) (all []literal) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	calls := make(map[ast.Expr]*ast.CallExpr) // of their arguments
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			n.Tag = nil
		case *ast.CallExpr:
			for _, arg := range n.Args {
				calls[arg] = n
			}
		case *ast.BinaryExpr: // of an argument, or a comparison
			calls[n.X], calls[n.Y] = calls[n], calls[n]
			if n.Op == token.EQL || n.Op == token.NEQ {
				calls[n.X], calls[n.Y] = comparison, comparison
			}
		case *ast.BasicLit:
			text, err := strconv.Unquote(n.Value)
			if n.Kind != token.STRING || err != nil {
				return true
			}
			l := literal{at: files.Position(n.Pos()).String(), text: text}
			if call := calls[n]; call != nil {
				l.call = nameOfCall(call)
				l.args = namesOfArguments(call)
			}
			all = append(all, l)
		}
		return true
	})
	return all
}

// comparison stands for == and !=.
var comparison = &ast.CallExpr{Fun: ast.NewIdent("==")}

func nameOfCall(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

// namesOfArguments returns the names of the arguments of a text, or "..." if a slice has them.
func namesOfArguments(call *ast.CallExpr) (names []string) {
	if call.Ellipsis.IsValid() {
		return []string{"..."}
	}
	for i := 1; i < len(call.Args); i += 2 {
		if l, ok := call.Args[i].(*ast.BasicLit); ok {
			name, _ := strconv.Unquote(l.Value)
			names = append(names, name)
		}
	}
	return names
}

// englishTexts returns the texts of the English catalogue. Plural forms are joined.
func englishTexts(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile("language/texts/en.toml")
	if err != nil {
		t.Fatal(err)
	}
	var table map[string]any
	if err := toml.Unmarshal(data, &table); err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	var add func(prefix string, table map[string]any)
	add = func(prefix string, table map[string]any) {
		for name, value := range table {
			switch value := value.(type) {
			case string:
				all[prefix+name] = value
			case map[string]any:
				if other, ok := value["other"].(string); ok {
					one, _ := value["one"].(string)
					all[prefix+name] = other + one
				} else {
					add(prefix+name+".", value)
				}
			}
		}
	}
	add("", table)
	return all
}

// covers: decision 150
func TestEachTextOfThePagesIsInTheCatalogue(t *testing.T) {
	texts := englishTexts(t)
	keys, used := slices.Sorted(maps.Keys(texts)), make(map[string]bool)
	marks := regexp.MustCompile(`[{<]([a-z_][a-z0-9_]*)[}>]`)
	plain := []string{"b", "bdi", "code", "em", "small"}
	for _, use := range textUses(t) {
		text, ok := texts[use.key]
		used[use.key] = true
		begin, _, _ := strings.Cut(use.key, "%") // the code puts the rest of the key together
		isBegin := slices.ContainsFunc(keys, func(key string) bool { return strings.HasPrefix(key, begin) })
		section := use.key[:strings.IndexByte(use.key, '.')+1]
		isOther := !slices.ContainsFunc(keys, func(key string) bool { return strings.HasPrefix(key, section) })
		switch {
		case !ok && (use.isCall || !isBegin && !isOther && filepath.Ext(use.key) != ".html"):
			t.Errorf("%s: no catalogue has the text %s", use.at, use.key)
		case ok && use.isCall && !slices.Contains(use.args, "..."):
			for _, m := range marks.FindAllStringSubmatch(text, -1) {
				if !slices.Contains(use.args, m[1]) && !slices.Contains(plain, m[1]) {
					t.Errorf("%s: the text %s needs the argument %s, and gets %q", use.at, use.key, m[1], use.args)
				}
			}
		}
	}
	for _, key := range keys {
		if !used[key] && !builtKeys.MatchString(key) && !strings.HasPrefix(key, "language.") {
			t.Errorf("nothing uses the text %s", key)
		}
	}
}

var aWord = regexp.MustCompile(`\pL{2,}`)

// Words in a template are no names of things: they are in a catalogue.
func TestTemplatesHaveNoTextsOfTheirOwn(t *testing.T) {
	eachTextFile(t, func(path string) {
		if filepath.Ext(path) != ".html" {
			return
		}
		for _, tree := range templatesOf(t, path) {
			for _, text := range wordsOf(tree) {
				if aWord.MatchString(text) && text != "enlist" && !strings.Contains(text, `="`) &&
					!strings.HasPrefix(text, "https://www.example.com") {
					t.Errorf("%s: %q is in no catalogue", path, text)
				}
			}
		}
	})
}

// wordsOf returns the texts that a template shows, also those of attributes. Actions are left out.
func wordsOf(tree *parse.Tree) (all []string) {
	var page strings.Builder
	eachNode(tree.Root, func(n parse.Node) {
		if text, ok := n.(*parse.TextNode); ok {
			page.Write(text.Text)
			page.WriteByte('1') // in place of an action
		}
	})
	z := html.NewTokenizer(strings.NewReader(page.String()))
	for hidden := false; ; {
		switch z.Next() {
		case html.ErrorToken:
			return all
		case html.TextToken:
			if !hidden {
				all = append(all, strings.Trim(string(z.Text()), "1 \n"))
			}
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			tag := z.Token()
			hidden = tag.Type == html.StartTagToken && (tag.Data == "style" || tag.Data == "script")
			for _, a := range tag.Attr {
				if slices.Contains([]string{"alt", "title", "placeholder", "aria-label", "label"}, a.Key) {
					all = append(all, strings.Trim(a.Val, "1 "))
				}
			}
		}
	}
}

// programTexts are functions whose arguments are read by programs, operators and developers.
var programTexts = []string{"Text", "HTML", "T", "plain", "About", "New", "Errorf", "Error", "Info", "Warn", "Debug", "Fatal",
	"panic", "MustCompile", "Set", "Get", "Add", "Del", "Has", "Format", "==", "logFailure", "Refuse", "Invalid"}

// proseWords is what a text for people has: two words, or one that begins like a sentence.
var proseWords = regexp.MustCompile(`\pL{2,} \p{Ll}{2,}|^\p{Lu}\p{Ll}+[.:!?…]?$`)

// Go code of pages has no texts for people.
func TestGoCodeOfPagesHasNoTextsOfItsOwn(t *testing.T) {
	// answers to scripts of other sites; what is signed; kinds of records as the audit log has them
	toPrograms := []string{"web/form_json.go", "privacy/proof/sign.go", "admin/audit/words.go"}
	names := []string{"Verdana", "Georgia", "Times", "Courier", "Ada", "Jan"}
	eachTextFile(t, func(path string) {
		path = filepath.ToSlash(path)
		if filepath.Ext(path) != ".go" || strings.HasPrefix(path, "mail/") || slices.Contains(toPrograms, path) {
			return
		}
		for _, l := range literalsOf(t, path) {
			if proseWords.MatchString(l.text) && !strings.ContainsAny(l.text, "<>{};=/") &&
				!slices.Contains(names, l.text) && !slices.Contains(programTexts, l.call) {
				t.Errorf("%s: %q is in no catalogue", l.at, l.text)
			}
		}
	})
}
