package mail

import (
	"strings"
	"testing"

	"enlist/internal/messages"

	"golang.org/x/net/html"
)

// The tests in this file compare the links in the text part with the links in the HTML part.

// href returns the target of the first link of an HTML part.
func href(t *testing.T, source string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "a" {
			return attribute(n.Attr, "href")
		}
	}
	t.Fatalf("the HTML part has no link: %s", source)
	return ""
}

// A link has the same target in the text part and in the HTML part. If a value makes a link unsafe,
// the text part leaves the link out.
//
// covers: decision 46, spec merge.links, spec message.text
func TestTextPartHasTheLinksOfTheHTMLPart(t *testing.T) {
	c, _ := testComposer(t)
	values := append([]string{"x", "https://ok.example/a", "www.example.com", "ann@example.com", "https://ok.example/> https://evil.example",
		"https://ok.example/?> https://evil.example", "https://ok.example> https://evil.example", "mailto:a> https://evil.example"}, hostile...)
	for _, target := range []string{"{{V}}", "{{V}}/more", "https://{{V}}/", "https://{{V}}.example.com/", "https://example.com{{V}}", "https://example.com/{{V}}.",
		"https://example.com/a b/{{V}}", "HTTPS://example.com/?a={{V}}#{{V}}", "mailto:{{V}}", "tel:{{V}}", "//{{V}}", "/{{V}}", "java{{V}}:x", "{{V|https://example.com/fallback}}"} {
		m := messages.Message{EmailType: messages.EmailRawHTML, Subject: "s",
			HTML: named(`<p>See <a href="` + target + `">my site</a>, <a href="` + target + `"><img src="x"></a>{{V}}.</p>{{unsubscribe_url}}`)}
		t.Run(target, func(t *testing.T) {
			for _, value := range values {
				r := merged(t, c, m, value)
				want := "See my site,"
				if leads := href(t, r.html); leads != noLink {
					want = "See my site <" + leads + ">, <" + leads + ">"
				}
				if !strings.HasPrefix(r.text, want) {
					t.Errorf("with the value %q the text is %q, want it to begin with %q", value, r.text, want)
				}
			}
		})
	}
}

// A link whose text is its target is written once.
//
// covers: decision 46, spec merge.links
func TestLinkThatShowsItsTargetIsWrittenOnce(t *testing.T) {
	c, _ := testComposer(t)
	for _, test := range []struct{ target, value, want string }{
		{"{{V}}", "https://ok.example/> https://evil.example", "See https://ok.example/%3E%20https://evil.example."},
		{"{{V}}", "www.example.com", "See www.example.com."}, // the HTML part also shows this text
		{"https://example.com/{{V}}", "a b", "See https://example.com/a%20b."},
		{"https://example.com{{V}}", ".evil.example", "See ."},
		{"tel:{{V}}", "+1 2> https://evil.example", "See tel:+1%202%3E%20https%3A%2F%2Fevil.example."},
		{"/{{V}}:{{V}}", "..", "See ."},
	} {
		t.Run(test.target+" with "+test.value, func(t *testing.T) {
			m := messages.Message{EmailType: messages.EmailHTML, Subject: "s", HTML: named(`<p>See <a href="` + test.target + `">` + test.target + `</a>.</p>`)}
			if text := merged(t, c, m, test.value).text; !strings.HasPrefix(text, test.want+"\n") {
				t.Errorf("the text is %q, want %q", text, test.want)
			}
		})
	}
	m := messages.Message{EmailType: messages.EmailPlain, Subject: "s", Text: named("See https://{{V}}/ now")}
	if text := merged(t, c, m, "evil.example").text; !strings.HasPrefix(text, "See  now\n") {
		t.Errorf("the text with an unsafe link is %q, want the link left out", text)
	}
}
