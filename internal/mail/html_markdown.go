package mail

import (
	"html"
	"regexp"
	"strconv"
	"strings"

	"enlist/internal/messages/merge"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	markdown "github.com/yuin/goldmark/renderer/html"
)

// This file makes HTML of texts in Markdown: of a Message, or of its blocks. The text part is made from the HTML of the
// mail, like that of every Message without a text. decisions.md: 65

// markdownParser reads CommonMark with tables, strikethrough, and web addresses that become links. HTML in
// the text is kept, because the caller could also send it as HTML.
var markdownParser = goldmark.New(
	goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify),
	goldmark.WithParserOptions(watchers...),
	goldmark.WithRendererOptions(markdown.WithUnsafe()),
)

// fieldWord is in no text, or else followed by another number of the letter x.
const fieldWord = "mergefield"

var fieldWords = regexp.MustCompile(fieldWord + `x*`)

// markdownHTML returns a text in Markdown as HTML for a cell. Markdown gives spaces, bars and underscores a meaning,
// which merge fields may contain. So each merge field is replaced by a word of letters and digits before the text is
// parsed, and put back afterwards. An error says what the author can do, or is that of the context.
func markdownHTML(e *effort, source string) (string, error) {
	word := fieldWord
	for _, found := range fieldWords.FindAllString(source, -1) {
		if len(found) >= len(word) {
			word = found + "x"
		}
	}
	fields := merge.Parse(source)
	var text strings.Builder
	for i := range fields {
		if fields[i].Name == "" {
			text.WriteString(fields[i].Text)
		} else {
			text.WriteString(word + strconv.Itoa(i) + "z")
		}
	}
	converted, err := e.convert(text.String())
	if err != nil {
		return "", err
	}
	replaced := regexp.MustCompile(word + `(\d+)z`)
	body := replaced.ReplaceAllStringFunc(string(converted), func(found string) string {
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
	return balanced(body), nil
}
