package messages

import (
	"cmp"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// This file has what a person reads in a Message, to compare two texts of it.

// Picture is a picture in a Message.
type Picture struct{ File, URL, Alt string } // File is the ID of a file, or ""

// Words returns the content of a Message as lines of text, with the targets of its links and without its pictures, and
// the pictures.
func (m *Message) Words() (text string, pictures []Picture) {
	var lines []string
	addHTML := func(content string) {
		words, shown := wordsOfHTML(content)
		lines, pictures = append(lines, words), append(pictures, shown...)
	}
	switch m.EmailType {
	case EmailBlocks:
		all, err := DecodeBlocks(m.Blocks)
		if err != nil {
			return m.Blocks, nil // a draft can have anything
		}
		_ = eachBlock(all, func(b *Block) error {
			for _, line := range b.words() {
				if line != "" {
					lines = append(lines, line)
				}
			}
			if b.HTML != "" {
				addHTML(b.HTML)
			}
			if b.Type == BlockImage || b.HasPicture() {
				p := Picture{URL: b.URL, Alt: b.Alt}
				if b.File != 0 {
					p.File = strconv.FormatInt(int64(b.File), 10)
				}
				pictures = append(pictures, p)
			}
			return nil
		})
	case EmailHTML, EmailRawHTML:
		addHTML(m.HTML)
		lines = append(lines, m.Text)
	default:
		lines = []string{cmp.Or(m.Text, m.HTML)}
	}
	return strings.TrimSpace(strings.Join(lines, "\n")), pictures
}

// wordsOfHTML returns the texts of HTML and the targets of its links, and its pictures.
func wordsOfHTML(content string) (string, []Picture) {
	var words strings.Builder
	var pictures []Picture
	skipped := false
	z := html.NewTokenizer(strings.NewReader(content))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		token := z.Token()
		attribute := func(name string) string {
			for _, a := range token.Attr {
				if a.Key == name {
					return a.Val
				}
			}
			return ""
		}
		switch {
		case token.Data == "style" || token.Data == "script":
			skipped = kind == html.StartTagToken
		case kind == html.TextToken && !skipped:
			words.WriteString(strings.Join(strings.Fields(token.Data), " ") + " ")
		case token.Data == "img":
			pictures = append(pictures, Picture{URL: attribute("src"), Alt: attribute("alt")})
		case token.Data == "a" && kind == html.StartTagToken:
			words.WriteString("(" + attribute("href") + ") ")
		case kind == html.EndTagToken && isLine[token.Data], token.Data == "br":
			words.WriteString("\n")
		}
	}
	return words.String(), pictures
}

// isLine has the elements that end a line.
var isLine = map[string]bool{"p": true, "div": true, "tr": true, "li": true, "h1": true, "h2": true, "h3": true, "table": true}
