package reference

import (
	"bytes"
	_ "embed" // for the files of the page
	"encoding/json"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"enlist/internal/rpc"
)

// This file makes the reference page. It is complete without its script. The script adds search, the values of
// the reader in the examples, and buttons that send a call.

//go:embed pages/reference.html
var pageText string

//go:embed pages/reference.css
var style []byte

//go:embed pages/reference.js
var script []byte

//go:embed pages/favicon.svg
var favicon []byte

var pageTemplate = template.Must(template.New("reference").Funcs(template.FuncMap{
	"code": marked, "json": indented, "result": result, "snippets": snippets, "id": anchor, "params": exampleParams,
	"ofList": listIsFirst,
}).Parse(pageText))

// chapter has the methods of one noun.
type chapter struct {
	Noun    string
	Methods []*rpc.MethodInfo
}

// page returns the reference page.
func page(d *rpc.Description) []byte {
	var chapters []*chapter
	byNoun := make(map[string]*chapter)
	for i := range d.Methods {
		m := &d.Methods[i]
		c := byNoun[m.Noun]
		if c == nil {
			c = &chapter{Noun: m.Noun}
			byNoun[m.Noun], chapters = c, append(chapters, c)
		}
		c.Methods = append(c.Methods, m)
	}
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, struct {
		Version  string
		Chapters []*chapter
		Records  []rpc.RecordInfo
	}{d.Version, chapters, d.Records})
	if err != nil {
		panic("reference page: " + err.Error()) // the template is fixed and its data are texts
	}
	return b.Bytes()
}

// listAfterKey matches the key in the code and the number after it.
var listAfterKey = regexp.MustCompile(`(` + yourKey + `</span>[^ ]* )(\d+)`)

// marked returns code of a method as HTML in which the key, the List and the address are marked for the script.
func marked(m *rpc.MethodInfo, code string) template.HTML {
	text := strings.NewReplacer(
		yourKey, `<span class="key">`+yourKey+`</span>`,
		origin, `<span class="origin">`+origin+`</span>`).Replace(template.HTMLEscapeString(code))
	if listIsFirst(m) {
		text = listAfterKey.ReplaceAllString(text, `$1<span class="list">$2</span>`)
	}
	return template.HTML(text)
}

// listIsFirst reports whether the parameter after the key is a List.
func listIsFirst(m *rpc.MethodInfo) bool { return len(m.Params) > 1 && m.Params[1].Name == "list_id" }

// anchor returns the id of the element that describes the record, if a type contains one.
func anchor(t rpc.Type) string {
	for {
		container, items := t.Items()
		if container == "" {
			break
		}
		t = items
	}
	if t.IsRecord() {
		return "record-" + string(t)
	}
	return ""
}

// harmless has the values of parameters with which a call of the page sends no mail: no recipients, and no Batch.
var harmless = map[string]string{"populations": "[]", "lists": "[]", "addresses": "[]", "batch_id": "0"}

// unixTime matches a time of an example. The script replaces tomorrow by the time in a day.
var unixTime = regexp.MustCompile(`\b1\d{9}\b`)

const tomorrow = "TOMORROW"

// exampleParams returns the parameters of the example without the key, as JSON in which tomorrow stands for times. One
// click on a method that changes data must not send the mails of the example.
func exampleParams(m *rpc.MethodInfo) string {
	if m.Example == nil {
		return "[]"
	}
	withoutKey := *m
	example := *m.Example
	example.Params = slices.Clone(example.Params[1:])
	for i := range example.Params {
		if value := harmless[m.Params[i+1].Name]; m.Writes && value != "" {
			example.Params[i] = json.RawMessage(value)
		}
	}
	withoutKey.Example = &example
	params := ofJSON.values(&withoutKey)
	if m.Writes {
		params = unixTime.ReplaceAllString(params, tomorrow)
	}
	return params
}
