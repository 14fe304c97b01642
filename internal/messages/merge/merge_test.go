package merge

import (
	"slices"
	"strings"
	"testing"
)

// values returns the values of the merge fields in these tests: those of one Contact, and the
// name of its List.
func values(name string) string {
	switch name {
	case "First Name":
		return "Ann & Bob"
	case ListName:
		return "News & Views"
	}
	return ""
}

// covers: decision 46, spec merge.fields, spec merge.fallback
func TestPartsOfATemplateAreFilled(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       string
		parts      int
	}{
		{"a field between texts", "Hello {{First Name}}!", "Hello Ann & Bob!", 3},
		{"space around a name", "{{ First Name }}", "Ann & Bob", 1},
		{"a fallback with space around it", "{{Empty| dear friend }}, {{Empty}}.", "dear friend, .", 4},
		{"a fallback that is not needed", "{{First Name|friend}}", "Ann & Bob", 1},
		{"the List's name", "{{list_name}}", "News & Views", 1},
		{"the innermost pair of nested marks is the field", "{{{First Name}}}", "{Ann & Bob}", 3},
		{"a field without a name, and a field without its closing mark", "{{ }} {{|x}} {{First Name", "{{ }} {{|x}} {{First Name", 1},
		{"a closing mark first, and an opening mark inside a text", "}} {{a {{Empty|b}}", "}} {{a b", 2},
		{"no text", "", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			template := Parse(c.text)
			var b strings.Builder
			for i := range template {
				b.WriteString(template[i].Value(values))
			}
			if b.String() != c.want || len(template) != c.parts {
				t.Errorf("%q has %d parts and is filled as %q, want %d parts and %q", c.text, len(template), b.String(), c.parts, c.want)
			}
			named := slices.ContainsFunc(template, func(p Part) bool { return p.Name != "" })
			if template.HasFields() != named {
				t.Errorf("HasFields of %q = %v, want %v", c.text, template.HasFields(), named)
			}
		})
	}
}
