package merge

import (
	"net/url"
	"strings"
	"testing"
)

// same returns Values with the same value for every merge field.
func same(value string) Values { return func(string) string { return value } }

// covers: decision 46, spec merge.links
func TestURLKeepsTheSiteOfTheMessage(t *testing.T) {
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
		{"javascript:void(0)", "", "javascript:void(0)"}, // a link without merge fields is not checked
	} {
		t.Run(c.template+" with "+c.value, func(t *testing.T) {
			got, ok := Parse(c.template).URL(same(c.value))
			if ok != (c.want != "") || got != c.want {
				t.Errorf("URL returned %q, %v, want %q", got, ok, c.want)
			}
		})
	}
}

// FuzzURL fills links with random values of a Contact. Each link must lead to the host in the
// Message.
func FuzzURL(f *testing.F) {
	for _, v := range []string{"x", "../..", "@evil.example", "//evil.example", "\\evil", "?a#b", "%2e", "é", ".", "\x00\r\n"} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, value string) {
		for _, template := range []string{"https://example.com/a/{{V}}/b", "https://example.com/?q={{V}}&r=1", "https://example.com{{V}}", "https://example.com/#{{V}}"} {
			link, ok := Parse(template).URL(same(value))
			if !ok {
				continue
			}
			u, err := url.Parse(link)
			if err != nil || u.Host != "example.com" || u.Scheme != "https" || u.User != nil {
				t.Fatalf("%q with the value %q became %q, %v; want https://example.com", template, value, link, err)
			}
			if strings.Contains(template, "?") && (len(u.Query()) != 2 && value != "" || u.Query().Get("q") != value || u.Fragment != "") {
				t.Fatalf("%q with the value %q became %q; want the value as the parameter q, and no other change", template, value, link)
			}
		}
	})
}

// A link can have as many merge fields as fit into a Message. Before each value, URL reads the
// filled part of the link again. So without a limit on the length, the time would grow with the
// square of the length.
//
// covers: decision 46
func TestURLStopsFillingALinkThatIsTooLong(t *testing.T) {
	for _, start := range []string{"mailto:", "mailto", "https://", "https://example.com/"} {
		t.Run(start, func(t *testing.T) {
			asked := 0
			count := func(string) string { asked++; return "b" }
			link, ok := Parse(start + strings.Repeat("{{a}}", 300_000)).URL(count)
			if ok || asked > maxURL+1 {
				t.Errorf("URL returned %.50q, %v, after %d values; want false after at most %d values", link, ok, asked, maxURL+1)
			}
		})
	}
}
