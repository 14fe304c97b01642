package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// This file checks which packages read and write which table. Go limits imports, but a transaction reaches any table.

// tables has the package that writes each table, and other packages that read it. Every package may ask the owner.
// Packages below db may use all tables: they copy and migrate them, and count their rows.
var tables = map[string]struct{ writer, readers string }{
	"account":             {"accounts", "lists messages sending"},
	"account_move":        {"accounts", ""},
	"asked_mailbox":       {"contacts", ""},
	"api_key":             {"accounts", ""},
	"audit":               {"accounts", ""},
	"autoresponder":       {"batches", "accounts lists"},
	"autoresponder_batch": {"batches", ""},
	"backup":              {"backup", ""},
	"batch":               {"batches", "contacts"},
	"batch_agent":         {"recipients", ""},
	"batch_departure":     {"recipients", ""},
	"batch_domain":        {"recipients", ""},
	"batch_edition":       {"recipients", ""},
	"batch_approval":      {"batches", ""},
	"batch_exclusion":     {"batches", ""},
	"batch_link":          {"recipients", ""},
	"batch_population":    {"batches", ""},
	"batch_slice":         {"recipients", ""},
	"batch_sum":           {"recipients", ""},
	"consent":             {"contacts", ""},
	"contact":             {"contacts", "lists recipients search"},
	"contact_change":      {"contacts", ""},
	"contact_change_part": {"contacts", ""},
	"delivery":            {"messages", ""},
	"departure":           {"contacts", ""},
	"field":               {"lists", ""},
	"file":                {"files", "accounts"},
	"file_content":        {"files", ""},
	"file_piece":          {"files", ""},
	"folder":              {"accounts", "lists"},
	"form":                {"forms", ""},
	"form_day":            {"forms", ""},
	"image_copy":          {"files", ""},
	"import":              {"imports", ""},
	"import_result":       {"imports", ""},
	"link":                {"messages", ""},
	"list":                {"lists", "accounts batches contacts forms sending webhooks"},
	"list_day":            {"lists", ""},
	"list_day_part":       {"lists", ""},
	"mail_day":            {"sending", ""},
	"mail_hold":           {"sending", ""},
	"mail_pace":           {"sending", ""},
	"mail_rate":           {"sending", ""},
	"membership":          {"users", ""},
	"message":             {"messages", "accounts batches"},
	"message_version":     {"messages", ""},
	"passkey":             {"users", ""},
	"passkey_challenge":   {"users", ""},
	"person":              {"users", ""},
	"preference":          {"lists", ""},
	"queue_age":           {"sending", ""},
	"recipient":           {"recipients", "search"},
	"recipient_event":     {"recipients", "search"},
	"retry":               {"accounts", ""},
	"search_index":        {"search", ""},
	"secret":              {"accounts", ""},
	"saved_block":         {"messages", ""},
	"segment":             {"contacts", ""},
	"sending_domain":      {"accounts", ""},
	"session":             {"users", ""},
	"setting":             {"accounts", ""},
	"person_link":         {"users", ""},
	"sign_in_link":        {"users", ""},
	"unsubscriber":        {"contacts", ""},
	"untrusted_proxy":     {"app", ""},
	"webhook":             {"webhooks", "events lists"},
	"webhook_event":       {"events", ""},
	"webhook_target":      {"events", "lists"},
}

// anyTable has packages besides db that may use all tables: tests and measurements, the latter in their own database.
var anyTable = []string{"apptest", "search/searchtest", "cmd/enlist-bench"}

var (
	createTable = regexp.MustCompile(`(?m)^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?([a-z_]+)`)
	dropTable   = regexp.MustCompile(`(?m)^DROP TABLE (?:IF EXISTS )?([a-z_]+)`)
	renameTable = regexp.MustCompile(`(?m)^ALTER TABLE ([a-z_]+) RENAME TO ([a-z_]+)`)

	// The name of a table in a statement follows one of these words. ? is a name that the code computes.
	namedTable = regexp.MustCompile(`\b(INSERT INTO|UPDATE|DELETE FROM|FROM|JOIN)\s+([a-z_]+|\?)`)
	moreTables = regexp.MustCompile(`\bFROM\s+[a-z_]+(?:\s+[a-z]+)?((?:,\s*[a-z_]+(?:\s+[a-z]+)?)+)`)
)

func TestEachTableIsUsedByItsPackages(t *testing.T) {
	u := &tableUses{mappings: make(map[string]string), writers: make(map[string][]string), readers: make(map[string][]string)}
	u.readMigrations(t)
	for _, visit := range []func(string, *ast.File){u.addMappings, u.addUses} {
		eachFile(t, func(path, text string) {
			if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, text, 0)
			if err != nil {
				t.Fatal(err)
			}
			folder := strings.TrimPrefix(strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../"), "internal/")
			if folder != "db" && !strings.HasPrefix(folder, "db/") && !slices.Contains(anyTable, folder) {
				visit(folder, file)
			}
		})
	}
	for _, name := range slices.Sorted(maps.Keys(u.known)) {
		slices.Sort(u.writers[name])
		slices.Sort(u.readers[name])
		want, writers := tables[name], strings.Join(slices.Compact(u.writers[name]), " ")
		others := slices.DeleteFunc(slices.Compact(u.readers[name]), func(p string) bool { return p == want.writer })
		if readers := strings.Join(others, " "); writers != want.writer || readers != want.readers ||
			strings.Contains(writers, " ") {
			t.Errorf("%q is written by %q and read by %q, and not as the map tables says: ask the package that owns it "+
				"(%s), or change the map; only one package may write it", name, writers, readers, want.writer)
		}
	}
	for name := range tables {
		if !u.known[name] {
			t.Errorf("no migration creates the table %s: remove it from the map tables", name)
		}
	}
}

// tableUses are the packages that use each table.
type tableUses struct {
	known            map[string]bool
	mappings         map[string]string // the table of each variable with a mapping, by package and name
	writers, readers map[string][]string
}

// readMigrations sets the tables of both engines.
func (u *tableUses) readMigrations(t *testing.T) {
	u.known = make(map[string]bool)
	eachFile(t, func(path, text string) {
		if filepath.Ext(path) != ".sql" || filepath.Base(filepath.Dir(path)) != "migrations" {
			return
		}
		up, _, _ := strings.Cut(text, "-- +goose Down")
		for _, m := range createTable.FindAllStringSubmatch(up, -1) {
			u.known[m[1]] = true
		}
		for _, m := range dropTable.FindAllStringSubmatch(up, -1) {
			delete(u.known, m[1])
		}
		for _, m := range renameTable.FindAllStringSubmatch(up, -1) {
			delete(u.known, m[1])
			u.known[m[2]] = true
		}
	})
}

// addMappings finds the variables with a mapping: name = db.NewMapping("table", …).
func (u *tableUses) addMappings(folder string, file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && len(v.Values) == 1 {
			if call, ok := v.Values[0].(*ast.CallExpr); ok && strings.HasSuffix(calledName(call), "Mapping") {
				u.mappings[filepath.Base(folder)+"."+v.Names[0].Name] = text(call.Args[0])
			}
		}
		return true
	})
}

// addUses finds the tables in the statements of a file, and the mappings that it uses.
func (u *tableUses) addUses(folder string, file *ast.File) {
	var computed, names []string // words before a computed name; texts that may be such a name
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.ADD {
				computed = append(computed, u.addStatement(folder, text(n))...)
				return true
			}
		case *ast.BasicLit:
			names = append(names, text(n))
			u.addStatement(folder, text(n))
		case *ast.CallExpr:
			u.addCall(folder, file.Name.Name, n)
		case *ast.CompositeLit: // db reads the table
			if of, ok := n.Type.(*ast.SelectorExpr); ok && (of.Sel.Name == "PersonTable" || of.Sel.Name == "OldRows") {
				u.add(folder, "FROM", text(n.Elts[0].(*ast.KeyValueExpr).Value))
			}
		}
		return true
	})
	for _, word := range computed {
		for _, name := range names {
			u.add(folder, word, name)
		}
	}
}

// writing are the methods of a mapping that change rows, and the functions that make such a statement of a table.
var writing = []string{"Add", "AddNew", "AddDefinition", "Save", "SaveDefinition", "Queue", "RestoreDefinition", "Put", "addTo"}

// addCall adds a call of a method of a mapping, or of a function that takes the name of a table.
func (u *tableUses) addCall(folder, pkg string, call *ast.CallExpr) {
	name, word := calledName(call), "FROM"
	if slices.Contains(writing, name) {
		word = "UPDATE"
	}
	for _, arg := range call.Args {
		if name == "addTo" || name == "lookUpInBatches" {
			u.add(folder, word, text(arg))
		}
	}
	if method, ok := call.Fun.(*ast.SelectorExpr); ok {
		switch of := method.X.(type) {
		case *ast.Ident:
			u.add(folder, word, u.mappings[pkg+"."+of.Name])
		case *ast.SelectorExpr:
			if from, ok := of.X.(*ast.Ident); ok {
				u.add(folder, word, u.mappings[from.Name+"."+of.Sel.Name])
			}
		}
	}
}

// addStatement adds the tables of a statement. It returns the words before names that the code computes.
func (u *tableUses) addStatement(folder, statement string) (computed []string) {
	for _, m := range namedTable.FindAllStringSubmatch(statement, -1) {
		if m[2] == "?" {
			computed = append(computed, m[1])
		}
		u.add(folder, m[1], m[2])
	}
	for _, m := range moreTables.FindAllStringSubmatch(statement, -1) {
		for _, name := range strings.Split(m[1], ",")[1:] {
			u.add(folder, "FROM", strings.Fields(name)[0])
		}
	}
	return computed
}

func (u *tableUses) add(folder, word, name string) {
	switch {
	case !u.known[name]:
	case word == "FROM" || word == "JOIN":
		u.readers[name] = append(u.readers[name], folder)
	default:
		u.writers[name] = append(u.writers[name], folder)
	}
}

// calledName returns the name of the function or method that is called.
func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// text returns the text of an expression: ? stands for a part that is not a literal.
func text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return s
		}
	case *ast.BinaryExpr:
		return text(e.X) + text(e.Y)
	case *ast.CallExpr:
		if calledName(e) == "Items" {
			return "(items)"
		}
	}
	return "?"
}
