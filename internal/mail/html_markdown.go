package mail

import (
	"html"
	"regexp"
	"strconv"
	"strings"

	"enlist/internal/mail/merge"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	markdown "github.com/yuin/goldmark/renderer/html"
)

// This file makes the HTML of a Message that is written in Markdown. The text part is made from this HTML,
// like that of every Message without a text. decisions.md: 65

// markdownParser reads CommonMark with tables, strikethrough, and web addresses that become links. HTML in
// the text is kept, because the caller could also send it as HTML.
var markdownParser = goldmark.New(
	goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify),
	goldmark.WithRendererOptions(markdown.WithUnsafe()),
)

// markdownHTML returns a text in Markdown as an HTML document with a style sheet. Markdown gives spaces,
// bars and underscores a meaning, which merge fields may contain. So each merge field is replaced by a word
// of letters and digits before the text is parsed, and put back afterwards.
func markdownHTML(source string) string {
	word := "mergefield"
	for strings.Contains(source, word) {
		word += "x"
	}
	fields := merge.Parse(source)
	var text, b strings.Builder
	for i := range fields {
		if fields[i].Name == "" {
			text.WriteString(fields[i].Text)
		} else {
			text.WriteString(word + strconv.Itoa(i) + "z")
		}
	}
	if err := markdownParser.Convert([]byte(text.String()), &b); err != nil {
		panic(err) // only a writer returns an error, and a strings.Builder does not
	}
	replaced := regexp.MustCompile(word + `(\d+)z`)
	body := replaced.ReplaceAllStringFunc(b.String(), func(found string) string {
		i, err := strconv.Atoi(found[len(word) : len(found)-1])
		if err != nil || i >= len(fields) {
			return found
		}
		field := "{{" + fields[i].Name + "}}"
		if fields[i].Fallback != "" {
			field = "{{" + fields[i].Name + "|" + fields[i].Fallback + "}}"
		}
		return html.EscapeString(field)
	})
	return markdownBegin + body + markdownEnd
}

// markdownBegin and markdownEnd are the HTML before and after the text. inlineStyles moves the rules into
// style attributes.
const (
	markdownBegin = `<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { margin: 0; padding: 16px; font: 16px/1.5 -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif; }
.text { max-width: 640px; margin: 0 auto; overflow-wrap: anywhere; }
h1, h2, h3, h4 { line-height: 1.25; margin: 24px 0 12px; }
p, ul, ol, table, blockquote, pre { margin: 0 0 16px; }
img { max-width: 100%; height: auto; }
blockquote { padding: 0 0 0 16px; border-left: 4px solid #c9ced6; }
pre { padding: 12px; background: #f2f4f7; white-space: pre-wrap; }
code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 14px; }
table { border-collapse: collapse; }
th, td { padding: 6px 12px; border: 1px solid #c9ced6; text-align: left; }
hr { border: 0; border-top: 1px solid #c9ced6; margin: 24px 0; }
</style>
</head>
<body>
<div class="text" dir="auto">
`
	markdownEnd = "</div>\n</body>\n</html>\n"
)
