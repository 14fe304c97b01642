package reference

import (
	"bytes"
	"embed"
	"slices"
	"strings"
	"text/template"

	"enlist/internal/rpc"
)

// This file makes the clients of the API: one file for each language, without dependencies. The server makes
// them from the description, so that they always have the methods of this version. decisions.md: 75

//go:embed clients
var clientFiles embed.FS

// clientTypes has the media type of each client by its file name.
var clientTypes = map[string]string{
	"enlist.mjs":   "text/javascript; charset=utf-8",
	"enlist.d.mts": "text/plain; charset=utf-8",
	"enlist.py":    "text/plain; charset=utf-8",
	"enlist.php":   "text/plain; charset=utf-8",
}

// client returns the client with this file name.
func client(d *rpc.Description, name string) []byte {
	t := template.Must(template.New(name).Funcs(template.FuncMap{
		"script": func(m rpc.MethodInfo) string { return arguments(m, "", ofJSON) },
		"python": func(m rpc.MethodInfo) string { return arguments(m, "", ofPython) },
		"php":    func(m rpc.MethodInfo) string { return arguments(m, "$", ofPHP) },
		"names":  func(m rpc.MethodInfo) string { return names(m, "") },
		"vars":   func(m rpc.MethodInfo) string { return names(m, "$") },
		"typed":  typedArguments,
		"type":   scriptType,
		"paged":  hasPages,
		"limit":  func(m rpc.MethodInfo) int { return slices.IndexFunc(m.Params, isLimit) - 1 },
	}).ParseFS(clientFiles, "clients/"+name+".tmpl"))
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, name+".tmpl", d); err != nil {
		panic("client " + name + ": " + err.Error()) // the template is fixed and its data are texts
	}
	return b.Bytes()
}

// hasPages reports whether the result of a method can be read in pages.
func hasPages(m rpc.MethodInfo) bool {
	container, _ := m.Result.Items()
	return container == "array" && slices.ContainsFunc(m.Params, isLimit)
}

func isLimit(p rpc.ParamInfo) bool { return p.Name == "limit" }

// arguments returns the parameters of a method after the key, with their defaults, as a language writes them.
func arguments(m rpc.MethodInfo, prefix string, l literals) string {
	var all []string
	for _, p := range m.Params[1:] {
		argument := prefix + p.Name
		if p.Default != "" {
			argument += " = " + l.literal(p.Default)
		}
		all = append(all, argument)
	}
	return strings.Join(all, ", ")
}

// names returns the names of the parameters after the key.
func names(m rpc.MethodInfo, prefix string) string {
	var all []string
	for _, p := range m.Params[1:] {
		all = append(all, prefix+p.Name)
	}
	return strings.Join(all, ", ")
}

// typedArguments returns the parameters of a method with their types in TypeScript.
func typedArguments(m rpc.MethodInfo) string {
	var all []string
	for _, p := range m.Params[1:] {
		mark := ": "
		if p.Default != "" {
			mark = "?: "
		}
		all = append(all, p.Name+mark+scriptType(p.Type))
	}
	return strings.Join(all, ", ")
}

// scriptType returns a type in TypeScript.
func scriptType(t rpc.Type) string {
	container, items := t.Items()
	switch {
	case container == "array":
		return scriptType(items) + "[]"
	case container == "object":
		return "Record<string, " + scriptType(items) + ">"
	case t.IsRecord():
		return string(t)
	}
	switch t {
	case "integer":
		return "number"
	case "array":
		return "unknown[]"
	case "object":
		return "Record<string, unknown>"
	}
	return string(t)
}
