package movein_test

import (
	"strings"
	"testing"

	"enlist/internal/enlist"
	"enlist/internal/movein"
)

// Each spelling of the link to a moved file becomes its path, $ in this table, and no other text changes.
//
// covers: decision 98
func TestLinksToMovedFilesAreReplaced(t *testing.T) {
	const link = "https://lists.example.com/f/12/AbC_d-e"
	key := enlist.LinkKey{7}
	for _, c := range []struct{ name, text, want, unknown string }{
		{"in attributes", `<img src="` + link + `"><a href=` + link + `>x</a>`, `<img src="$"><a href=$>x</a>`, ""},
		{"as a path, as in a Message of this service", `<img src="/f/12/AbC_d-e">`, `<img src="$">`, ""},
		{"with other letter case of the host, without scheme, with a query", `'//LISTS.example.com/f/12/AbC_d-e?v=1'`, `'$'`, ""},
		{"in CSS", `style="a:url(&quot;` + link + `&quot;);b:url(` + link + `)"`, `style="a:url(&quot;$&quot;);b:url($)"`, ""},
		{"in srcset", `srcset="` + link + ` 1x, ` + link + ` 2x"`, `srcset="$ 1x, $ 2x"`, ""},
		{"in Markdown and text", "![x](" + link + ") <" + link + "> See " + link + ". And " + link + ", or\n" + link, "![x]($) <$> See $. And $, or\n$", ""},
		{"a longer path, another signature and another host are no link to it", `"` + link + `/more" "` + link + `2" "https://b.example.com/f/12/AbC_d-e"`,
			`"` + link + `/more" "` + link + `2" "https://b.example.com/f/12/AbC_d-e"`, link + "2 https://b.example.com/f/12/AbC_d-e"},
		{"a part of another text", "example.com/f/12/AbC_d-e x/f/12/AbC_d-e", "example.com/f/12/AbC_d-e x/f/12/AbC_d-e", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, unknown := movein.ReplaceLinks(link, 12, c.text, &key)
			if got = strings.ReplaceAll(got, key.FilePath(12), "$"); got != c.want || strings.Join(unknown, " ") != c.unknown {
				t.Errorf("%s becomes %s, want %s; reported are %v", c.text, got, c.want, unknown)
			}
		})
	}
}
