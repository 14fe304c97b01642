package messages

import (
	"strings"
	"testing"

	"enlist/internal/enlist"
	"enlist/internal/messages/merge"
)

// schemaWithEmptyField returns a List and a Contact. The Contact has values for Email, First
// Name and Website, but none for the Field Empty.
func schemaWithEmptyField() (*enlist.Schema, *enlist.Contact) {
	s := enlist.NewSchema(enlist.List{ID: 1, Name: "News & Views"}, []enlist.Field{
		{ID: 11, Name: "Email", Type: enlist.Text, AddressType: enlist.AddressEmail},
		{ID: 12, Name: "First Name", Type: enlist.Text},
		{ID: 13, Name: "Website", Type: enlist.Text},
		{ID: 14, Name: "Empty", Type: enlist.Text},
	}, nil)
	s.TimeZone = "Australia/Sydney"
	c := &enlist.Contact{ID: 7, Created: 1767225600, IsActive: true, SubscribedVia: "api"}
	c.Values = c.Values.Set(11, "ann+x@example.com").Set(12, "Ann & Bob").Set(13, "https://ann.example/?a=1&b=2")
	return s, c
}

// covers: decision 46, spec merge.fields, spec merge.fallback, spec merge.values
func TestMergeFieldsAreFilledWithValuesOfTheContact(t *testing.T) {
	schema, contact := schemaWithEmptyField()
	value := func(name string) string {
		v, _ := MergeValue(schema, contact, name)
		return v
	}
	for _, c := range []struct{ name, text, want string }{
		{"a Field by its name", "Hello {{First Name}}!", "Hello Ann & Bob!"},
		{"a Field by its ID", "{{ First Name }}{{field_12}}", "Ann & BobAnn & Bob"},
		{"a name with a line break from an editor", "{{First\u00a0\n Name}}", "Ann & Bob"},
		{"a name in another letter case is unknown", "{{first name|friend}}", "friend"},
		{"a Field without a value", "{{Empty| dear friend }}, {{Empty}}.", "dear friend, ."},
		{"a Field with a value and a fallback", "{{First Name|friend}}", "Ann & Bob"},
		{"unknown names", "{{Unknown}}{{field_99|-}}", "-"},
		{"numbers and times", "{{id}} {{creation_time}} {{last_open_time|never}}", "7 2026-01-01 11:00:00 never"},
		{"flags and texts", "{{is_active}}{{is_unsubscribed}} {{subscribed_via}}", "10 api"},
		{"the name of the List", "{{list_name}}", "News & Views"},
		{"three braces", "{{{First Name}}}", "{Ann & Bob}"},
		{"a merge field without a name or without an end", "{{ }} {{|x}} {{First Name", "{{ }} {{|x}} {{First Name"},
		{"braces without the matching braces", "}} {{a {{Empty|b}}", "}} {{a b"},
		{"no text", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			for _, p := range merge.Parse(c.text) {
				b.WriteString(p.Value(value))
			}
			if b.String() != c.want {
				t.Errorf("%q is filled as %q, want %q", c.text, b.String(), c.want)
			}
		})
	}
}

// covers: decision 46, spec merge.links
func TestLinksAreFilledWithValuesOfTheContact(t *testing.T) {
	schema, contact := schemaWithEmptyField()
	for _, c := range []struct{ template, want string }{
		{"{{Website}}", "https://ann.example/?a=1&b=2"},
		{"https://example.com/?name={{First Name}}&l={{list_name}}", "https://example.com/?name=Ann%20%26%20Bob&l=News%20%26%20Views"},
		{"https://example.com/{{Unknown|none}}", "https://example.com/none"},
		{"{{First Name}}", ""}, // refused: the filled link is not a URL
	} {
		t.Run(c.template, func(t *testing.T) {
			if got, ok := merge.Parse(c.template).URL(MailValues(schema, contact)); ok != (c.want != "") || got != c.want {
				t.Errorf("filled as %q, %v, want %q", got, ok, c.want)
			}
		})
	}
}
