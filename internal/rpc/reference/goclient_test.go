package reference

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/format"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

	"enlist/api"
	"enlist/internal/rpc"
)

// This file makes the methods and the records of the Go client. The transport and the types of parameters are written
// by hand in package api.

var update = flag.Bool("update", false, "write api/methods.go")

const methodsFile = "../../../api/methods.go"

func TestGoClientIsMadeFromTheTableOfMethods(t *testing.T) {
	d := rpc.Describe("test")
	made := template.Must(template.New("methods.go.tmpl").Funcs(template.FuncMap{
		"name": goName, "recordName": recordName, "type": goType, "tag": func(key string) string { return "`json:\"" + key + "\"`" },
		"signature": goSignature, "body": goBody, "comment": comment, "doc": goDoc(t),
		"records": goRecords, "uses": recordDoc,
	}).ParseFiles("testdata/methods.go.tmpl"))
	var b bytes.Buffer
	if err := made.Execute(&b, &d); err != nil {
		t.Fatal(err)
	}
	want, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(methodsFile, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := os.ReadFile(methodsFile); !bytes.Equal(got, want) {
		t.Error("api/methods.go is not up to date: go test ./internal/rpc/reference -run GoClient -update writes it")
	}
}

// goArgument is a parameter of a method of the Go client.
type goArgument struct {
	Name, Type string
	value      string // of the parameter on the wire
	meaning    string
}

// grouped are parameters that follow one another and that one value has in Go.
var grouped = []struct {
	first string
	count int
	goArgument
}{
	{"consent_type", 4, goArgument{Name: "consent", Type: "Consent"}},
	{"tracking_consent", 3, goArgument{Name: "tracking", Type: "...Tracking", value: "decision(tracking)",
		meaning: "What the person has decided about the recording of opens and clicks; none means nothing"}},
	{"overwrite", 3, goArgument{Name: "options", Type: "AddOptions"}},
	{"returned_fields", 1, goArgument{Name: "returned", Type: "...string", value: "fields(returned)",
		meaning: "Names of Fields and system keys to return; none means every value"}},
	{"populations", 1, goArgument{Name: "populations", Type: "[]Population"}},
	{"options", 1, goArgument{Name: "options", Type: "BatchOptions"}},
	{"contacts", 1, goArgument{Name: "contacts", Type: "[]Details",
		meaning: "Up to MaxContacts Contacts; to edit, also with their ids"}},
	{"blocks", 1, goArgument{Name: "blocks", Type: "[]Details", meaning: "Blocks as in a Message, up to 32 KiB of JSON"}},
	{"is_scheduled", 1, goArgument{}},     // without effect
	{"contact_language", 1, goArgument{}}, // EditContacts sets it: no parameter can follow ...Tracking
}

// goArguments returns the parameters of a method after the key.
func goArguments(m rpc.MethodInfo) (all []goArgument) {
	for params := m.Params[1:]; len(params) > 0; {
		p, count := params[0], 1
		a := goArgument{Name: argumentName(p.Name), Type: goType(p.Type), meaning: p.Meaning}
		switch {
		case p.Name == "search_criteria" && len(params) > 1 && params[1].Name == "limit":
			a, count = goArgument{Name: "q", Type: "Query"}, 5
		case p.Name == "search_criteria":
			a = goArgument{Name: "criteria", Type: "Criteria"}
		case p.Type == "object":
			a.Type = "Details"
		case strings.HasSuffix(p.Name, "_id"):
			a.meaning = ""
		}
		for _, g := range grouped {
			if g.first == p.Name {
				a, count = g.goArgument, g.count
			}
		}
		if a.value == "" {
			a.value = a.Name
		}
		if params = params[count:]; a.Name != "" {
			all = append(all, a)
		}
	}
	return all
}

// mapKeys has the type of the keys of a result, unless they are texts.
var mapKeys = map[string]string{"addContacts": "int", "editContacts": "int64", "deleteContacts": "int64"}

// goResult returns the type of a result in Go, and the function of package api that reads it.
func goResult(m rpc.MethodInfo) (result, function string) {
	container, items := m.Result.Items()
	switch {
	case container == "array" && strings.HasPrefix(m.Returns, "with one "):
		return "*" + goType(items), "callOne[" + goType(items) + "]"
	case m.Result.IsRecord():
		result = "*" + goType(m.Result)
	case mapKeys[m.Name] != "" || strings.HasPrefix(m.Returns, "each List's ID "):
		result = "map[" + cmp.Or(mapKeys[m.Name], "int64") + "]" + goType(items)
	default:
		result = goType(m.Result)
	}
	return result, "call[" + result + "]"
}

// goSignature returns the name, the parameters and the results of a method. It breaks a long line.
func goSignature(m rpc.MethodInfo) string {
	signature := goName(m.Name) + "(ctx context.Context"
	for i, all := 0, goArguments(m); i < len(all); i++ {
		signature += ", " + all[i].Name
		if i+1 == len(all) || all[i].Type != all[i+1].Type {
			signature += " " + all[i].Type
		}
	}
	results := "error"
	if m.Result != "true" {
		result, _ := goResult(m)
		results = "(" + result + ", error)"
	}
	if len(signature)+len(results) > 95 {
		signature += ",\n"
	}
	return signature + ") " + results
}

func goBody(m rpc.MethodInfo) string {
	values := fmt.Sprintf("(ctx, c, %q", m.Name)
	for _, a := range goArguments(m) {
		values += ", " + a.value
	}
	if m.Result == "true" {
		return "_, err := call[bool]" + values + ")\n\treturn err"
	}
	_, function := goResult(m)
	return "return " + function + values + ")"
}

// goType returns a type in Go.
func goType(t rpc.Type) string {
	container, items := t.Items()
	switch {
	case container == "array":
		return "[]" + goType(items)
	case container == "object":
		return "map[string]" + goType(items)
	case t.IsRecord():
		return recordName(string(t))
	}
	return map[rpc.Type]string{"integer": "int64", "number": "float64", "string": "string", "boolean": "bool",
		"object": "map[string]json.RawMessage"}[t]
}

// recordName returns the name of a record in Go: Message has the contents of WholeMessage, and Consent is a parameter.
func recordName(name string) string {
	if name == "Consent" {
		return "ConsentRecord"
	}
	return strings.TrimPrefix(name, "Whole")
}

// goRecords returns the records without those that others contain.
func goRecords(d *rpc.Description) (all []rpc.RecordInfo) {
	for _, r := range d.Records {
		whole := func(other rpc.RecordInfo) bool { return other.Name == "Whole"+r.Name }
		if !slices.ContainsFunc(d.Records, whole) {
			all = append(all, r)
		}
	}
	return all
}

var initialisms = []string{"id", "url", "ip", "html", "sms", "gdpr"}

// goName returns a name of the API as an exported name of Go: getBatchIdByQueueId as GetBatchIDByQueueID.
func goName(name string) string {
	words := strings.FieldsFunc(regexp.MustCompile(`[A-Z]`).ReplaceAllString(name, "_$0"), func(c rune) bool { return c == '_' })
	for i, word := range words {
		switch word = strings.ToLower(word); {
		case slices.Contains(initialisms, word):
			words[i] = strings.ToUpper(word)
		case word == "ids":
			words[i] = "IDs"
		default:
			words[i] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return strings.Join(words, "")
}

// argumentName returns the name of a parameter in Go: list_id as list, and link_url as linkURL. One method has the details
// of two records.
func argumentName(name string) string {
	if _, isDetails := strings.CutSuffix(name, "_details"); isDetails && name != "user_details" {
		return "details"
	}
	name = strings.TrimSuffix(name, "_id")
	name = strings.Replace(name, "_ids", "s", 1)
	first, rest, found := strings.Cut(name, "_")
	if !found {
		return first
	}
	return first + goName(rest)
}

// goDoc returns a function that makes the comment of a method.
func goDoc(t *testing.T) func(m rpc.MethodInfo) string {
	source, err := os.ReadFile("../../../api/codes.go")
	if err != nil {
		t.Fatal(err)
	}
	constants := make(map[string]string) // by code
	for _, found := range regexp.MustCompile(`(Code\w+) +Code = (\d+)`).FindAllStringSubmatch(string(source), -1) {
		constants[found[2]] = found[1]
	}
	return func(m rpc.MethodInfo) string {
		doc := goName(m.Name) + " " + strings.ToLower(m.Summary[:1]) + m.Summary[1:]
		switch container, _ := m.Result.Items(); {
		case m.Returns == "" || m.Result == "true" || strings.HasPrefix(m.Returns, "with one "):
		case container == "object":
			doc += " The result maps " + m.Returns + "."
		default:
			doc += " The result is " + m.Returns + "."
		}
		for _, p := range m.Params {
			if strings.Contains(p.Name, "_") {
				doc = strings.ReplaceAll(doc, p.Name, argumentName(p.Name))
			}
		}
		doc += " The key needs the level " + m.Level + "."
		var codes []string
		for _, e := range m.Errors {
			if name := constants[fmt.Sprint(int(e.Code))]; !slices.Contains(commonCodes, e.Code) {
				codes = append(codes, name)
			}
		}
		if codes != nil {
			doc += " Errors: " + strings.Join(codes, ", ") + "."
		}
		for _, a := range goArguments(m) {
			if a.meaning != "" {
				doc += "\n  - " + a.Name + ": " + a.meaning
			}
		}
		return doc
	}
}

// commonCodes are the codes of errors that all methods have. The comment of Client says this.
var commonCodes = []api.Code{api.CodeInternal, api.CodeUndefined, api.CodeUnreadable, api.CodeInvalidKey, api.CodeMissingKey,
	api.CodeInvalidParameters, api.CodeDenied, api.CodeTooManyConcurrent}

// recordDoc returns the comment of a record: which methods return it, or which record has it.
func recordDoc(d *rpc.Description, r rpc.RecordInfo) string {
	contains := func(t rpc.Type) bool {
		for container, items := t.Items(); container != ""; container, items = t.Items() {
			t = items
		}
		return strings.TrimPrefix(string(t), "Whole") == strings.TrimPrefix(r.Name, "Whole")
	}
	for _, other := range d.Records {
		if slices.ContainsFunc(other.Keys, func(k rpc.KeyInfo) bool { return contains(k.Type) }) {
			return recordName(r.Name) + " is a part of " + other.Name + "."
		}
	}
	var methods []string
	for _, m := range d.Methods {
		if contains(m.Result) {
			methods = append(methods, goName(m.Name))
		}
	}
	return recordName(r.Name) + " is a record in the result of " + strings.Join(methods, ", ") + "."
}

// comment returns a text as a comment in lines of at most 100 columns.
func comment(text string) string {
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		prefix := "// "
		if strings.HasPrefix(paragraph, "  - ") {
			prefix, paragraph = "//   - ", paragraph[4:]
		}
		line := prefix
		for word := range strings.FieldsSeq(paragraph) {
			if len(line)+len(word) > 100 {
				lines = append(lines, strings.TrimRight(line, " "))
				line = "//" + strings.Repeat(" ", len(prefix)-2)
			}
			line += word + " "
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "\n")
}
