package mail

import (
	"html"
	"regexp"
	"slices"
	"strings"

	"enlist/internal/messages/merge"
)

// This file handles the text part of a Message. It finds the links in a text and parses
// the text into a template. For a Message of the type plain-html it also makes the HTML.

// textSource is the text of a Message, split into links and other text.
type textSource []textPiece

type textPiece struct {
	text          string
	link          bool
	before, after string // text around a link, such as angle brackets; left out together with an unsafe link
}

// webLink matches text that mail programs show as a link. A merge field in a link may
// contain spaces.
var webLink = regexp.MustCompile(`(?i)\bhttps?://(?:\{\{[^{}]*\}\}|[^\s<>"])+`)

func splitText(text string) textSource {
	var pieces textSource
	rest := 0
	for _, at := range webLink.FindAllStringIndex(text, -1) {
		start, end := at[0], at[0]+len(trimLink(text[at[0]:at[1]]))
		if start > rest {
			pieces = append(pieces, textPiece{text: text[rest:start]})
		}
		pieces = append(pieces, textPiece{text: text[start:end], link: true})
		rest = end
	}
	if rest < len(text) {
		pieces = append(pieces, textPiece{text: text[rest:]})
	}
	return pieces
}

// trimLink removes punctuation at the end that belongs to the sentence and not to the link.
func trimLink(link string) string {
	unopened := strings.Count(link, ")") - strings.Count(link, "(")
	for link != "" {
		switch last := link[len(link)-1]; {
		case strings.IndexByte(".,;:!?'*", last) >= 0:
		case last == ')' && unopened > 0:
			unopened--
		default:
			return link
		}
		link = link[:len(link)-1]
	}
	return link
}

// textTemplate is a text with merge fields. Values in links are escaped in the same way as
// in links of HTML.
type textTemplate struct {
	pieces      []textMerge
	unsubscribe bool // the text has a link to unsubscribe
	tracking    bool // as of htmlTemplate
}

// textMerge is a textPiece with its merge fields parsed.
type textMerge struct {
	merge.Template
	link          bool // a link with merge fields
	isFixed       bool // a link without merge fields, which is the same in all mails
	isAuthors     bool // a link that gets UTM parameters
	before, after string
}

func (s textSource) template() textTemplate {
	t := textTemplate{pieces: make([]textMerge, 0, len(s))}
	for _, p := range s {
		m := textMerge{Template: merge.Parse(p.text), link: p.link, before: p.before, after: p.after}
		m.isAuthors = p.link && isTrackable(strings.TrimSpace(p.text), m.Template)
		if m.link && !m.HasFields() {
			link, _ := m.URL(nil)
			m.Template, m.link, m.isFixed = merge.Template{{Text: link}}, false, true
		}
		t.pieces = append(t.pieces, m)
		t.unsubscribe = t.unsubscribe || names(m.Template, fieldUnsubscribe)
		t.tracking = t.tracking || names(m.Template, merge.TrackingURL)
	}
	return t
}

// names reports whether a template contains the merge field with the given name.
func names(m merge.Template, field string) bool {
	return slices.ContainsFunc(m, func(p merge.Part) bool { return p.Name == field })
}

// html returns the text as HTML with the same lines. In the HTML, links can be clicked.
func (s textSource) html() string {
	var b strings.Builder
	b.WriteString(plainBegin)
	for _, p := range s {
		if p.link {
			b.WriteString(lines.Replace(html.EscapeString(p.before)))
			writeLink(&b, p.text)
			b.WriteString(html.EscapeString(p.after))
			continue
		}
		for _, m := range merge.Parse(p.text) {
			switch {
			case merge.IsLink(m.Name):
				writeLink(&b, "{{"+m.Name+"}}")
			case m.Name != "":
				b.WriteString(html.EscapeString("{{" + m.Name + "|" + m.Fallback + "}}"))
			default:
				b.WriteString(lines.Replace(html.EscapeString(m.Text)))
			}
		}
	}
	b.WriteString(plainEnd)
	return b.String()
}

// writeLink writes a link whose text is its target. Its merge fields are filled later.
func writeLink(b *strings.Builder, link string) {
	link = html.EscapeString(link)
	b.WriteString(`<a href="` + link + `">` + link + `</a>`)
}

// lines replaces line breaks, tabs and double spaces, so that HTML shows them.
var lines = strings.NewReplacer("\n", "<br>\n", "  ", "&nbsp; ", "\t", "&nbsp; &nbsp; ")

// plainBegin and plainEnd are the HTML before and after a plain text.
const (
	plainBegin = `<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
</head>
<body style="margin: 0; padding: 16px; ` +
		`font: 16px/1.5 -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif; overflow-wrap: anywhere;">
<div dir="auto">
`
	plainEnd = `
</div>
</body>
</html>
`
)
