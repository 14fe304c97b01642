package rpc

import (
	"bytes"
	"encoding/json"
	"enlist/internal/app"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

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
	for name := range parameters {
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
	for key := range keyMeanings {
		if !keys[key] {
			t.Errorf("no record has the key %s", key)
		}
	}
}

// readsMore has the number of further parameters that a function reads, beside the one at its position.
var readsMore = map[string]int{"query": 4, "consent": 3}

// unread are parameters that a method ignores.
var unread = map[string]string{"addAccount": "user_details", "addUser": "user_details", "editUser": "user_details",
	"deleteUser": "user_id"}

// alwaysRefused reports whether no call of a method can succeed, so it has no example.
func alwaysRefused(summary string) bool { return strings.HasPrefix(summary, "Is always refused") }

// The source of each function names the positions that it reads. They are exactly the positions of its parameters.
//
// covers: decision 73
func TestFunctionsReadTheParametersThatTheTableNames(t *testing.T) {
	read := positionsRead(t)
	for name, m := range methods(new(app.App)) {
		function := runtime.FuncForPC(reflect.ValueOf(m.run).Pointer()).Name()
		function = regexp.MustCompile(`\[\.\.\.\]|(\.func\d+)+$`).ReplaceAllString(function, "")
		function = function[strings.LastIndex(function, ".")+1:] // a function literal may have the name of a caller before it
		if function == "allBefore33" {
			continue // it calls the function of its argument, which other methods have too
		}
		got, ok := read[function]
		if !ok {
			t.Errorf("%s: the test did not find the function %q", name, function)
			continue
		}
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

// positionsRead returns the positions that each function of call*.go reads, by the name of the function.
func positionsRead(t *testing.T) map[string][]int {
	files, err := filepath.Glob("call*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files call*.go (error %v)", err)
	}
	read := make(map[string][]int)
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			if function, ok := decl.(*ast.FuncDecl); ok && function.Recv == nil {
				read[function.Name.Name] = positionsIn(function)
			}
		}
	}
	return read
}

// positionsIn returns the positions in the calls c.name(position) of a function.
func positionsIn(function *ast.FuncDecl) (positions []int) {
	ast.Inspect(function, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		selector, ok := call.Fun.(*ast.SelectorExpr)
		literal, isLiteral := call.Args[0].(*ast.BasicLit)
		if !ok || !isLiteral || literal.Kind != token.INT {
			return true
		}
		if receiver, ok := selector.X.(*ast.Ident); !ok || receiver.Name != "c" {
			return true
		}
		first, _ := strconv.Atoi(literal.Value)
		for i := range 1 + readsMore[selector.Sel.Name] {
			positions = append(positions, first+i)
		}
		return true
	})
	slices.Sort(positions)
	return slices.Compact(positions)
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
