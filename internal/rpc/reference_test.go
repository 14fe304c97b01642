package rpc

import (
	"cmp"
	"enlist/internal/app"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// This file makes the tables of doc/reference.md. A table stands between two comments, of which the first names it:
// "methods Lists" has the methods of a noun, "method searchFields" the parameters and errors of one method, "record List"
// the keys of a record, and "keys Batch Link" the keys of some records in a list.

const referenceFile = "../../doc/reference.md"

// chapters are the methods that have a table of their own, because transcripts cover each of their parameters.
var chapters = []string{"subscribeContact", "resubscribeContact", "searchFields", "searchContacts"}

var madePart = regexp.MustCompile(`(?s)(<!-- made: (method|methods|record|keys) ([^\n]*) -->\n).*?(<!-- end -->)`)

func TestTablesOfTheReferenceAreMadeFromTheTableOfMethods(t *testing.T) {
	text, err := os.ReadFile(referenceFile)
	if err != nil {
		t.Fatal(err)
	}
	d, found, said := Describe("test"), make(map[string]bool), make(map[string]bool)
	want := madePart.ReplaceAllStringFunc(string(text), func(part string) string {
		m := madePart.FindStringSubmatch(part)
		found[m[2]+" "+m[3]] = true
		for record := range strings.FieldsSeq(m[3]) {
			found[strings.TrimPrefix(record, "Whole")] = true
		}
		return m[1] + "\n" + d.table(t, m[2], m[3], said) + "\n" + m[4]
	})
	for _, m := range d.Methods {
		if !found["methods "+m.Noun] && !found["method "+m.Name] {
			t.Errorf("doc/reference.md has no table with %s", m.Name)
		}
	}
	for _, r := range d.Records {
		if !found[strings.TrimPrefix(r.Name, "Whole")] {
			t.Errorf("doc/reference.md does not have the keys of the record %s", r.Name)
		}
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(referenceFile, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Error("doc/reference.md is not up to date: go test ./internal/rpc -run Reference -update writes its tables")
	}
}

// table returns a table of the reference. said has the keys with the meanings that tables before it have explained.
func (d *Description) table(t *testing.T, kind, name string, said map[string]bool) string {
	switch kind {
	case "method":
		if i := slices.IndexFunc(d.Methods, func(m MethodInfo) bool { return m.Name == name }); i >= 0 {
			return d.Methods[i].chapter()
		}
	case "methods":
		return d.methodTable(t, name)
	case "record":
		if r := d.record(name); r != nil {
			return r.keyTable(said)
		}
	case "keys":
		lists := ""
		for name := range strings.FieldsSeq(name) {
			if r := d.record(name); r != nil {
				lists += r.keyList(said)
			}
		}
		return lists
	}
	t.Errorf("doc/reference.md names the table %q of %q, which does not exist", kind, name)
	return ""
}

// record returns a kind of record, or nil.
func (d *Description) record(name string) *RecordInfo {
	if i := slices.IndexFunc(d.Records, func(r RecordInfo) bool { return r.Name == name }); i >= 0 {
		return &d.Records[i]
	}
	return nil
}

// methodTable returns the table of the methods of a noun, without those that have a chapter.
func (d *Description) methodTable(t *testing.T, noun string) string {
	b := strings.Builder{}
	b.WriteString("| Method | Result | Level | Errors |\n|---|---|---|---|\n")
	rows := 0
	for _, m := range d.Methods {
		if m.Noun != noun {
			continue
		}
		rows++
		if !slices.Contains(chapters, m.Name) {
			writeRow(&b, m.Name+"("+m.arguments()+")", m.outcome(), m.Level,
				strings.Join(m.ownErrors(), ", ")+" {#"+m.Name+"}")
		}
	}
	if rows == 0 {
		t.Errorf("doc/reference.md has a table of the methods of %s, but no method has this noun", noun)
	}
	return b.String()
}

// writeRow writes a row of a table.
func writeRow(b *strings.Builder, cells ...string) {
	for _, cell := range cells {
		b.WriteString("| ")
		if cell = strings.TrimSpace(cell); cell != "" {
			b.WriteString(cell + " ")
		}
	}
	b.WriteString("|\n")
}

// arguments returns the parameters without api_key. An optional one is in brackets, with its default unless that is empty.
func (m *MethodInfo) arguments() string {
	var all []string
	for _, p := range m.Params[1:] {
		text := p.Name
		switch p.Default {
		case "":
		case `""`, "0", "[]", "{}":
			text = "[" + text + "]"
		default:
			text = "[" + text + " = " + strings.Trim(p.Default, `["]`) + "]"
		}
		all = append(all, text)
	}
	const search = "[search_criteria], [limit = 100], [offset], [sort_by], [sort_order = DESC]"
	return strings.Replace(strings.Join(all, ", "), search, "[search]", 1)
}

// outcome returns what the result is, and its type if it is an array, an object or a record.
func (m *MethodInfo) outcome() string {
	container, _ := m.Result.Items()
	if container == "" && !m.Result.IsRecord() {
		return cmp.Or(m.Returns, shortType(m.Result))
	}
	what, isReturned := strings.CutPrefix(strings.TrimSuffix(m.Summary, "."), "Returns ")
	switch {
	case strings.HasSuffix(m.Name, "ById") || strings.Contains(what, "that match"):
		return shortType(m.Result)
	case !isReturned:
		what = m.Returns
	}
	return strings.TrimSuffix(shortType(m.Result)+": "+what, ": ")
}

// shortType returns a type with the names that doc/reference.md uses.
func shortType(t Type) string {
	return strings.NewReplacer("integer", "int", "boolean", "bool").Replace(string(t))
}

// ownErrors returns the codes that not every method can return.
func (m *MethodInfo) ownErrors() []string {
	var codes []string
	for _, code := range methods(new(app.App))[m.Name].errors {
		codes = append(codes, strconv.Itoa(int(code)))
	}
	return codes
}

// chapter returns what a method does, its parameters and its errors. Each has an ID.
func (m *MethodInfo) chapter() string {
	b := strings.Builder{}
	result, _, _ := strings.Cut(m.outcome(), ":")
	fmt.Fprintf(&b, "%s Level: %s. Result: %s. {#%s.result}\n\n| # | Parameter |\n|---|---|\n", m.Summary, m.Level, result, m.Name)
	for i, p := range m.Params {
		text := fmt.Sprintf("%s, %s", p.Name, shortType(p.Type))
		if p.Default != "" {
			text += ", by default " + p.Default
		}
		writeRow(&b, strconv.Itoa(i+1), fmt.Sprintf("%s {#%s.%d}", text, m.Name, i+1))
	}
	var errors []string
	for _, code := range m.ownErrors() {
		errors = append(errors, fmt.Sprintf("%s {#%s.%[1]s}", code, m.Name))
	}
	return b.String() + "\nErrors: " + strings.Join(errors, ", ") + "\n"
}

// keyTable returns the keys of a record in their order. Those of Fields and Contacts have IDs.
func (r *RecordInfo) keyTable(said map[string]bool) string {
	b := strings.Builder{}
	b.WriteString("| Key | Type | Use | Meaning |\n|---|---|---|---|\n")
	for _, key := range r.Keys {
		var use []string
		if key.Searchable {
			use = append(use, "search")
		}
		if key.Settable {
			use = append(use, "set")
		}
		meaning := key.Meaning
		if said[key.Name+meaning] {
			meaning = ""
		}
		said[key.Name+key.Meaning] = true
		if r.Name == "Field" || r.Name == "Contact" {
			meaning += " {#" + strings.ToLower(r.Name) + "." + key.Name + "}"
		}
		writeRow(&b, key.Name, shortType(key.Type), strings.Join(use, ", "), meaning)
	}
	return b.String()
}

// keyList returns the keys of a record in their order, and which of them criteria may use.
func (r *RecordInfo) keyList(said map[string]bool) string {
	var keys, searchable, unsearchable []string
	for _, key := range r.Keys {
		text := key.Name
		if key.Meaning != "" && !said[text+key.Meaning] {
			said[text+key.Meaning] = true
			text += " (" + key.Meaning + ")"
		}
		keys = append(keys, text)
		if key.Searchable {
			searchable = append(searchable, key.Name)
		} else {
			unsearchable = append(unsearchable, key.Name)
		}
	}
	text := "- " + r.Name + ": " + strings.Join(keys, "; ") + "."
	switch {
	case len(unsearchable) == 0:
		text += " All can be searched."
	case len(searchable) == 0:
	case len(searchable) < len(unsearchable):
		text += " Only " + strings.Join(searchable, ", ") + " can be searched."
	default:
		text += " All but " + strings.Join(unsearchable, ", ") + " can be searched."
	}
	return text + "\n"
}
