package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"enlist/internal/app"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// These tests compare the description of the API with the functions and the rules of OpenRPC.

func TestEveryMethodIsDescribed(t *testing.T) {
	d := Describe("test")
	used := make(map[string]bool)
	for _, m := range d.Methods {
		if !strings.HasSuffix(m.Summary, ".") || m.Result == "" || m.Noun == "" {
			t.Errorf("%s has no complete description: %q, %q", m.Name, m.Summary, m.Result)
		}
		if m.Example == nil && !alwaysRefused(m.Summary) || len(m.Errors) == 0 {
			t.Errorf("%s has no example or no errors", m.Name)
		}
		for _, p := range m.Params {
			used[p.Name] = true
			if p.Meaning == "" {
				t.Errorf("%s: parameters has no entry for %q", m.Name, p.Name)
			}
		}
		for _, e := range m.Errors {
			if e.Name == "" {
				t.Errorf("%s: the error %d has no name", m.Name, e.Code)
			}
		}
	}
	for name := range parameters() {
		if !used[name] {
			t.Errorf("no method has the parameter %q", name)
		}
	}
}

func TestEveryMeaningIsOfAKey(t *testing.T) {
	keys := make(map[string]bool)
	for _, r := range Describe("test").Records {
		for _, key := range r.Keys {
			keys[key.Name], keys[strings.TrimPrefix(r.Name, "Whole")+"."+key.Name] = true, true
		}
	}
	for key := range keyMeanings() {
		if !keys[key] {
			t.Errorf("no record has the key %s", key)
		}
	}
}

// readsMore has the number of further parameters that a method of params reads, beside the one at its position.
var readsMore = map[string]int{"query": 4, "consent": 3, "tracking": 2}

// unread are parameters that a method ignores.
var unread = map[string]string{"addAccount": "user_details", "addUser": "user_details", "editUser": "user_details",
	"deleteUser": "user_id"}

// alwaysRefused reports whether no call of a method can succeed, so it has no example.
func alwaysRefused(summary string) bool { return strings.HasPrefix(summary, "Is always refused") }

// The source of the table says which parameters each method reads. They are exactly those of its entry.
//
// covers: decision 73
func TestMethodsReadTheParametersThatTheTableNames(t *testing.T) {
	p := &parametersRead{functions: make(map[string]*ast.FuncDecl), entries: make(map[string]ast.Expr)}
	p.parse(t)
	for name, m := range methods(new(app.App)) {
		entry := p.entries[name]
		if entry == nil {
			entry = p.entries[""] // of the loop over the reports
		}
		got := p.ofMethod(t, entry)
		slices.Sort(got)
		got = slices.Compact(got)
		var want []int
		for i, param := range m.params {
			if i > 0 && unread[name] != param {
				want = append(want, i)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s reads the parameters %v, but the table has %v", name, got, want)
		}
	}
}

// parametersRead finds in the source of the package which parameters a method reads.
type parametersRead struct {
	functions map[string]*ast.FuncDecl
	entries   map[string]ast.Expr // what runs each method, by its name
}

func (p *parametersRead) parse(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			if function, ok := decl.(*ast.FuncDecl); ok && function.Recv == nil {
				p.functions[function.Name.Name] = function
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if ok && len(call.Args) == 5 && nameOf(call.Fun) == "add" {
				name := ""
				if literal, ok := call.Args[0].(*ast.BasicLit); ok {
					name, _ = strconv.Unquote(literal.Value)
				}
				p.entries[name] = call.Args[4]
			}
			return true
		})
	}
}

// nameOf returns the last name of an expression such as g.add, (*params).list or readID.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// ofMethod returns the positions of the parameters that the last argument of an entry reads.
func (p *parametersRead) ofMethod(t *testing.T, run ast.Expr) (all []int) {
	call, ok := run.(*ast.CallExpr)
	if !ok {
		return p.ofFunction(t, nameOf(run), 0)
	}
	name := nameOf(call.Fun)
	switch values := name[len(name)-1]; {
	case name == "allBefore33":
		return p.ofMethod(t, call.Args[0])
	case values <= '3': // such as run2
		for i := range int(values - '0') {
			all = append(all, p.ofReader(t, nameOf(call.Args[i]), i+1)...)
		}
		return all
	}
	return p.ofFunction(t, name, 0)
}

// ofReader returns the positions that a reader reads from a position on. A variable such as readList has the name of a
// method of params.
func (p *parametersRead) ofReader(t *testing.T, name string, from int) (all []int) {
	if p.functions[name] != nil {
		return p.ofFunction(t, name, from)
	}
	for i := range 1 + readsMore[strings.ToLower(strings.TrimPrefix(name, "read"))] {
		all = append(all, from+i)
	}
	return all
}

// ofFunction returns the positions in the calls of a function, such as c.list(1), p.list(i + 1) and readMatching(p, i).
// i stands for the position from.
func (p *parametersRead) ofFunction(t *testing.T, name string, from int) (all []int) {
	function := p.functions[name]
	if function == nil {
		t.Fatalf("the test did not find the function %q", name)
	}
	ast.Inspect(function, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		var receiver ast.Expr = call.Args[0]
		if selector, ok := call.Fun.(*ast.SelectorExpr); ok {
			receiver = selector.X
		}
		at, isPosition := positionOf(call.Args[len(call.Args)-1], from)
		if nameOf(call.Fun) == "amount" {
			at, isPosition = positionOf(call.Args[0], from)
		}
		if (nameOf(receiver) == "c" || nameOf(receiver) == "p") && isPosition {
			all = append(all, p.ofReader(t, nameOf(call.Fun), at)...)
		}
		return true
	})
	return all
}

// positionOf returns the value of a position: a number, i, or i and a number.
func positionOf(e ast.Expr, i int) (at int, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		at, err := strconv.Atoi(e.Value)
		return at, err == nil
	case *ast.Ident:
		return i, e.Name == "i" && i > 0
	case *ast.BinaryExpr:
		more, ok := positionOf(e.Y, 0)
		return i + more, ok && nameOf(e.X) == "i"
	}
	return 0, false
}

// compiledOpenRPC returns the document of OpenRPC, and a compiler of the JSON schemas in it.
func compiledOpenRPC(t *testing.T) (document any, c *jsonschema.Compiler) {
	t.Helper()
	d := Describe("test")
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(d.OpenRPC()))
	if err != nil {
		t.Fatal(err)
	}
	c = jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft7)
	if err := c.AddResource("openrpc.json", document); err != nil {
		t.Fatal(err)
	}
	return document, c
}

// covers: spec discover.document, decision 73
func TestOpenRPCIsValid(t *testing.T) {
	text, err := os.ReadFile("testdata/openrpc.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	meta, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	document, c := compiledOpenRPC(t)
	if err := c.AddResource("meta.json", meta); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("meta.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(document); err != nil {
		t.Error(err)
	}
}

// Clients turn arrays of these records into tables, with a column for each key. So no value is an array or an object.
//
// covers: spec record.types
func TestDefinitionsHaveOnlyNumbersBoolsAndTexts(t *testing.T) {
	tables := []string{"List", "Field", "Preference", "Folder", "File", "Message", "WholeMessage", "Autoresponder", "Batch",
		"Webhook", "Contact", "Unsubscriber", "SentMessage"}
	found := 0
	for _, r := range Describe("test").Records {
		if !slices.Contains(tables, r.Name) {
			continue
		}
		found++
		for _, k := range r.Keys {
			if k.Type != "integer" && k.Type != "boolean" && k.Type != "string" {
				t.Errorf("the key %s of %s is %s", k.Name, r.Name, k.Type)
			}
		}
	}
	if found != len(tables) {
		t.Errorf("%d of %d kinds of records are described", found, len(tables))
	}
}

// Each example, and each call with valid parameters of TestInvalidParameterFailsWithoutChange, has the described types.
//
// covers: spec discover.document, decision 73
func TestExamplesHaveTheDescribedTypes(t *testing.T) {
	_, c := compiledOpenRPC(t)
	check := func(where, path string, value []byte) {
		compiled, err := c.Compile("openrpc.json#" + path)
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
		if err != nil {
			t.Fatal(where, err)
		}
		if err := compiled.Validate(v); err != nil {
			t.Errorf("%s: %.200s: %v", where, value, err)
		}
	}
	for i, m := range Describe("test").Methods {
		param := func(j int) string { return fmt.Sprintf("/methods/%d/params/%d/schema", i, j) }
		for j, value := range goodParams[m.Name] {
			check(m.Name+", a valid parameter "+m.Params[j+1].Name, param(j+1), []byte(value))
		}
		for j, p := range m.Params {
			if p.Default != "" {
				check(m.Name+", the default of "+p.Name, param(j), []byte(p.Default))
			}
		}
		if m.Example == nil {
			continue
		}
		check(m.Name+", the result", fmt.Sprintf("/methods/%d/result/schema", i), m.Example.Result)
		var call []json.RawMessage = m.Example.Params
		for j := range min(len(call), len(m.Params)) {
			if _, optional := methods(new(app.App))[m.Name].defaults[m.Params[j].Name]; !optional {
				check(m.Name+", the parameter "+m.Params[j].Name, param(j), call[j])
			}
		}
	}
}
