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

// This file makes the parts of doc/reference.md that name what the table of methods has, so that tests can cite them. The
// page /api/ has the rest. A part stands between two comments, of which the first names it: "methods Lists" has the
// methods of a noun, "method searchFields" the parameters and errors of one, and "record Field" the keys of a record.

const referenceFile = "../../doc/reference.md"

// chapters are the methods that have a part of their own, because transcripts cover each of their parameters.
var chapters = []string{"subscribeContact", "resubscribeContact", "searchFields", "searchContacts"}

var madePart = regexp.MustCompile(`(?s)(<!-- made: (method|methods|record) ([^\n]*) -->\n).*?(<!-- end -->)`)

func TestReferenceNamesWhatTheTableOfMethodsHas(t *testing.T) {
	text, err := os.ReadFile(referenceFile)
	if err != nil {
		t.Fatal(err)
	}
	d, found := Describe("test"), make(map[string]bool)
	want := madePart.ReplaceAllStringFunc(string(text), func(part string) string {
		m := madePart.FindStringSubmatch(part)
		found[m[2]+" "+m[3]] = true
		return m[1] + "\n" + d.part(t, m[2], m[3]) + "\n" + m[4]
	})
	for _, m := range d.Methods {
		if !found["methods "+m.Noun] && !found["method "+m.Name] {
			t.Errorf("doc/reference.md does not name %s", m.Name)
		}
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(referenceFile, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Error("doc/reference.md is not up to date: go test ./internal/rpc -run Reference -update writes these parts")
	}
}

// part returns a part of the reference.
func (d *Description) part(t *testing.T, kind, name string) string {
	switch kind {
	case "method":
		if i := slices.IndexFunc(d.Methods, func(m MethodInfo) bool { return m.Name == name }); i >= 0 {
			return d.Methods[i].chapter()
		}
	case "methods":
		return d.methodList(t, name)
	case "record":
		if r := d.record(name); r != nil {
			return r.keyNames()
		}
	}
	t.Errorf("doc/reference.md names the part %q of %q, which does not exist", kind, name)
	return ""
}

// record returns a kind of record, or nil.
func (d *Description) record(name string) *RecordInfo {
	if i := slices.IndexFunc(d.Records, func(r RecordInfo) bool { return r.Name == name }); i >= 0 {
		return &d.Records[i]
	}
	return nil
}

// methodList returns the names of the methods of a noun, each with its ID, without those that have a chapter.
func (d *Description) methodList(t *testing.T, noun string) string {
	var names []string
	for _, m := range d.Methods {
		if m.Noun == noun && !slices.Contains(chapters, m.Name) {
			names = append(names, fmt.Sprintf("%s {#%[1]s}", m.Name))
		}
	}
	if names == nil {
		t.Errorf("doc/reference.md has a list of the methods of %s, but no method has this noun", noun)
	}
	return "Methods: " + strings.Join(names, ", ") + ".\n"
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

// keyNames returns the keys of a record in their order, each with its ID.
func (r *RecordInfo) keyNames() string {
	var names []string
	for _, key := range r.Keys {
		names = append(names, fmt.Sprintf("%s {#%s.%[1]s}", key.Name, strings.ToLower(r.Name)))
	}
	return "Keys: " + strings.Join(names, ", ") + ".\n"
}
