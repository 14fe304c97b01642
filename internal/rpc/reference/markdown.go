package reference

import (
	"fmt"
	"strings"

	"enlist/internal/rpc"
)

// This file writes a method as Markdown, for people and for programs that read text.

// markdown returns the page of a method in Markdown.
func markdown(m *rpc.MethodInfo) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\nAccess level: %s.", m.Name, m.Summary, m.Level)
	if m.Writes {
		b.WriteString(" Accepts an Idempotency-Key.")
	}
	b.WriteString("\n\n| # | Parameter | Type | Default | Meaning |\n|---|---|---|---|---|\n")
	for i, p := range m.Params {
		standard := "required"
		if p.Default != "" {
			standard = "`" + p.Default + "`"
		}
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s |\n", i+1, p.Name, p.Type, standard, p.Meaning)
	}
	fmt.Fprintf(&b, "\nResult: %s.\n\n| Error | Name |\n|---|---|\n", result(m))
	for _, e := range m.Errors {
		fmt.Fprintf(&b, "| %d | %s |\n", e.Code, e.Name)
	}
	for _, s := range snippets(m) {
		fmt.Fprintf(&b, "\n%s:\n\n```\n%s\n```\n", s.Language, s.Code)
	}
	if m.Example != nil {
		fmt.Fprintf(&b, "\nThe result of this call:\n\n```json\n%s\n```\n", indented(m.Example.Result))
	}
	return []byte(b.String())
}

// result describes the result of a method.
func result(m *rpc.MethodInfo) string {
	if m.Returns == "" {
		return string(m.Result)
	}
	return string(m.Result) + ", " + m.Returns
}
