package mail

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// This file keeps the rules for elements that only Outlook shows, such as the tables around columns. They are in
// conditional comments, where inlining does not find them. So their rules stay in a style sheet for Outlook.

// outlookOnly matches a conditional comment with its content.
var outlookOnly = regexp.MustCompile(`(?s)^\[if [^\]]*\]>(.*)<!\[endif\]$`)

// outlookElements counts the elements of a conditional comment.
func (d *styledDocument) outlookElements(comment string) {
	found := outlookOnly.FindStringSubmatch(comment)
	if found == nil {
		return
	}
	for z := html.NewTokenizer(strings.NewReader(found[1])); z.Next() != html.ErrorToken; {
		if t := z.Token(); t.Type == html.StartTagToken || t.Type == html.SelfClosingTagToken {
			count(d.outlook, t.Data, t.Attr)
		}
	}
}

// outlookSheet returns a conditional comment with the inlined rules that can match elements in conditional comments, or
// nil.
func (d *styledDocument) outlookSheet(pieces []*sheetPiece) *html.Node {
	var b strings.Builder
	for _, p := range pieces {
		var selectors []string
		for _, s := range p.rule.selectors {
			if d.outlook[s.subject()] > 0 {
				selectors = append(selectors, s.text)
			}
		}
		if len(selectors) == 0 {
			continue
		}
		b.WriteString(strings.Join(selectors, ", ") + " {")
		for _, declaration := range p.rule.declarations {
			declaration.written = declaration.important
			b.WriteString(declaration.String())
		}
		b.WriteString("}\n")
	}
	rules := b.String()
	if rules == "" || strings.Contains(rules, "-->") || strings.Contains(rules, "--!>") { // which end the comment
		return nil
	}
	return &html.Node{Type: html.CommentNode, Data: `[if mso]><style type="text/css">` + "\n" + rules + "</style><![endif]"}
}
