package audience

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

func mergeSchema() (*Schema, *Contact) {
	s := NewSchema(List{ID: 1, Name: "News & Views"}, []Field{
		{ID: 11, Name: "Email", Type: Text, AddressType: AddressEmail},
		{ID: 12, Name: "First Name", Type: Text},
		{ID: 13, Name: "Website", Type: Text},
		{ID: 14, Name: "Empty", Type: Text},
	}, nil)
	s.TimeZone = "Australia/Sydney"
	c := &Contact{ID: 7, Created: 1767225600, IsActive: true, SubscribedVia: "api"}
	c.Values = c.Values.Set(11, "ann+x@example.com").Set(12, "Ann & Bob").Set(13, "https://ann.example/?a=1&b=2")
	return s, c
}

// covers: decision 46, spec merge.fields, spec merge.fallback, spec merge.values
func TestMergeFields(t *testing.T) {
	schema, contact := mergeSchema()
	value := func(name string) string {
		v, _ := schema.MergeValue(contact, name)
		return v
	}
	for _, c := range []struct{ text, want string }{
		{"Hello {{First Name}}!", "Hello Ann & Bob!"},
		{"{{ First Name }}{{field_12}}", "Ann & BobAnn & Bob"},
		{"{{First\u00a0\n Name}}", "Ann & Bob"},
		{"{{first name|friend}}", "friend"},
		{"{{Empty| dear friend }}, {{Empty}}.", "dear friend, ."},
		{"{{First Name|friend}}", "Ann & Bob"},
		{"{{Unknown}}{{field_99|-}}", "-"},
		{"{{id}} {{creation_time}} {{last_open_time|never}}", "7 2026-01-01 11:00:00 never"},
		{"{{is_active}}{{is_unsubscribed}} {{subscribed_via}}", "10 api"},
		{"{{list_name}}", "News & Views"},
		{"{{{First Name}}}", "{Ann & Bob}"},
		{"{{ }} {{|x}} {{First Name", "{{ }} {{|x}} {{First Name"},
		{"}} {{a {{Empty|b}}", "}} {{a b"},
		{"", ""},
	} {
		var b strings.Builder
		for _, p := range ParseMerge(c.text) {
			b.WriteString(p.Value(value))
		}
		if b.String() != c.want {
			t.Errorf("%q came to %q, want %q", c.text, b.String(), c.want)
		}
	}
}

// covers: decision 46, spec merge.links
func TestMergeURL(t *testing.T) {
	schema, contact := mergeSchema()
	contact.Values = contact.Values.Set(14, "")
	for _, c := range []struct{ template, value, want string }{
		{"https://example.com/a?b={{V}}&c=d", "x y&z=/é", "https://example.com/a?b=x%20y%26z%3D%2F%C3%A9&c=d"},
		{"https://example.com/{{V}}", "../../x", "https://example.com/..%2F..%2Fx"},
		{"https://example.com/{{V}}/x", "..", ""},
		{" https://example.com/\n{{V}} ", "v", "https://example.com/v"},
		{"https://example.com/#{{V|top}}", "", "https://example.com/#top"},
		{"{{V}}", "https://x.example/?a=1&b=2", "https://x.example/?a=1&b=2"},
		{"{{V}}", " HTTP://x.example ", "http://x.example"},
		{"{{V}}", "mailto:a@example.com", "mailto:a@example.com"},
		{"{{V}}", "tel:+61412345678", "tel:+61412345678"},
		{"{{V|https://example.com}}", "", "https://example.com"},
		{"{{V}}/more", "https://x.example", "https://x.example/more"},
		{"{{V}}", "https://x.example/?a> https://evil.example#é>", "https://x.example/?a%3E%20https://evil.example#%C3%A9%3E"},
		{"{{V}}", "https://x.example>.evil.example/", "https://x.example%3E.evil.example/"},
		{"{{V}}", "mailto:a@example.com> \"https://evil.example", "mailto:a@example.com%3E%20%22https://evil.example"},
		{"{{V}}", "javascript:alert(1)", ""},
		{"{{V}}", "java\nscript:alert(1)", ""},
		{"{{V}}", "\x01javascript:alert(1)", ""},
		{"{{V}}", "data:text/html,x", ""},
		{"{{V}}", "//evil.example", ""},
		{"{{V}}", "www.example.com", ""},
		{"{{V}}", "", ""},
		{"{{V}}:alert(1)", "javascript", ""},
		{"java{{V}}:alert(1)", "script", ""},
		{"javascript:'{{V}}'", "x", ""},
		{"data:text/html,{{V}}", "x", ""},
		{"https:{{V}}", "evil.example", ""},
		{"https:/{{V}}", "evil.example", ""},
		{"https:///{{V}}", "evil.example", ""},
		{`https:\\{{V}}`, "evil.example", ""},
		{"//{{V}}", "evil.example", ""},
		{"///{{V}}", "evil.example", ""},
		{"https://{{V}}/", "evil.example", ""},
		{"https://example.com{{V}}", ".evil.example", ""},
		{"https://example.com{{V}}", "@evil.example", ""},
		{"https://{{V}}.example.com/", "ann", "https://ann.example.com/"},
		{"https://{{V}}.example.com/", "evil.example/", ""},
		{"https://{{V}}.example.com/", "", ""},
		{"mailto:{{V}}?subject=Hi", "a+b@example.com?bcc=x@evil.example", "mailto:a+b@example.com%3Fbcc%3Dx@evil.example?subject=Hi"},
		{"tel:{{V}}", "+61 4", "tel:+61%204"},
		{"/page?x={{V}}", ":a", "/page?x=%3Aa"},
		{"javascript:void(0)", "", "javascript:void(0)"}, // of the Message alone
	} {
		contact.Values = contact.Values.Set(12, c.value)
		got, ok := MergeURL(strings.ReplaceAll(c.template, "{{V", "{{First Name"), schema, contact)
		if ok != (c.want != "") || got != c.want {
			t.Errorf("%q with %q: %q, %v, want %q", c.template, c.value, got, ok, c.want)
		}
	}
}

// Whatever a reader's value is, a link leads to the Message's host.
func FuzzMergeURL(f *testing.F) {
	for _, v := range []string{"x", "../..", "@evil.example", "//evil.example", "\\evil", "?a#b", "%2e", "é", ".", "\x00\r\n"} {
		f.Add(v)
	}
	schema, contact := mergeSchema()
	f.Fuzz(func(t *testing.T, value string) {
		contact.Values = contact.Values.Set(12, value)
		for _, template := range []string{"https://example.com/a/{{First Name}}/b", "https://example.com/?q={{First Name}}&r=1", "https://example.com{{First Name}}", "https://example.com/#{{First Name}}"} {
			link, ok := MergeURL(template, schema, contact)
			if !ok {
				continue
			}
			u, err := url.Parse(link)
			if err != nil || u.Host != "example.com" || u.Scheme != "https" || u.User != nil {
				t.Fatalf("%q with %q leads to %q: %v", template, value, link, err)
			}
			if strings.Contains(template, "?") && (len(u.Query()) != 2 && value != "" || u.Query().Get("q") != value || u.Fragment != "") {
				t.Fatalf("%q with %q leads to %q", template, value, link)
			}
		}
	})
}

// A link of a Message of the greatest size takes no long time.
//
// covers: decision 46
func TestMergeURLOfManyFields(t *testing.T) {
	for _, begin := range []string{"mailto:", "mailto", "https://", "https://example.com/"} {
		began := time.Now()
		link, ok := ParseMerge(begin + strings.Repeat("{{a|b}}", 300_000)).URL(func(string) string { return "" })
		if took := time.Since(began); ok || took > 5*time.Second {
			t.Errorf("%s…: %.50s, %v, it took %v", begin, link, ok, took)
		}
	}
}
