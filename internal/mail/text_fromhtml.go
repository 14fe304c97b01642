package mail

import (
	"strconv"
	"strings"
	"unicode"

	"enlist/internal/messages/merge"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// This file makes the text part of a Message that has only HTML.

// plainText returns the text of an HTML document. It does not change merge fields.
//
// The library html2text is not used, for two reasons: it adds spaces before punctuation
// that follows an element, and it draws frames around headings.
func plainText(source string) textSource {
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return nil
	}
	var w textWriter
	w.node(root)
	return w.source()
}

// textWriter writes text in lines. It writes a pending space or pending line breaks only
// when a word follows.
type textWriter struct {
	b      strings.Builder
	breaks int  // pending line breaks
	space  bool // a space is pending
	pre    bool // inside <pre>

	addresses []writtenLink
}

// writtenLink is the position of a link's target in the text. The target is text[from:to].
// text[begin:end] also includes the space and the angle brackets around the target.
type writtenLink struct{ begin, from, to, end int }

// source returns the text with its links. It trims the text and adds a line break at the end.
func (w *textWriter) source() textSource {
	text := strings.TrimRightFunc(w.b.String(), unicode.IsSpace)
	rest := len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	var s textSource
	for _, a := range w.addresses {
		begin := max(a.begin, rest)
		s = append(s, splitText(text[rest:begin])...)
		s = append(s, textPiece{text[a.from:a.to], true, text[begin:a.from], text[a.to:a.end]})
		rest = a.end
	}
	return append(s, splitText(text[rest:]+"\n")...)
}

func (w *textWriter) node(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		w.text(n.Data)
	case html.ElementNode:
		w.element(n)
	default:
		w.children(n)
	}
}

func (w *textWriter) children(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.node(c)
	}
}

// element writes an element, depending on its tag. It skips invisible elements.
func (w *textWriter) element(n *html.Node) {
	if hidden(n) {
		return
	}
	switch n.DataAtom {
	case atom.Head, atom.Style, atom.Script, atom.Template, atom.Noscript, atom.Iframe, atom.Object,
		atom.Svg, atom.Noembed, atom.Noframes:
		return
	case atom.Br:
		w.breaks++
		w.space = false
	case atom.Hr:
		w.block(2)
		w.word("----")
		w.block(2)
	case atom.Img:
		w.text(attribute(n.Attr, "alt"))
	case atom.A:
		w.link(n)
	case atom.Td, atom.Th:
		w.space = true
		w.children(n)
		w.space = true
	case atom.Li:
		w.item(n)
	case atom.Pre:
		w.block(2)
		w.pre = true
		w.children(n)
		w.pre = false
		w.block(2)
	default:
		lines := linesAround[n.DataAtom]
		w.block(lines)
		w.children(n)
		w.block(lines)
	}
}

// linesAround has the number of line breaks before and after block elements. With 2, there
// is an empty line.
var linesAround = map[atom.Atom]int{atom.P: 2, atom.H1: 2, atom.H2: 2, atom.H3: 2, atom.H4: 2, atom.H5: 2, atom.H6: 2,
	atom.Ul: 2, atom.Ol: 2, atom.Dl: 2, atom.Table: 2, atom.Blockquote: 2, atom.Figure: 2, atom.Form: 2,
	atom.Div: 1, atom.Tr: 1, atom.Dt: 1, atom.Dd: 1, atom.Section: 1, atom.Article: 1, atom.Header: 1, atom.Footer: 1,
	atom.Main: 1, atom.Nav: 1, atom.Aside: 1, atom.Center: 1, atom.Caption: 1, atom.Figcaption: 1, atom.Address: 1}

// hidden reports whether the style of an element hides it. Newsletters hide the preview
// text, which mail programs show in the list of mails.
func hidden(n *html.Node) bool {
	style := strings.ReplaceAll(strings.ToLower(attribute(n.Attr, "style")), " ", "")
	return strings.Contains(style, "display:none")
}

// item writes a number or "- ", and then the list item. Only the first 99 items get a number:
// for each number, item counts the items before this one, which would take too long in a long
// list.
func (w *textWriter) item(n *html.Node) {
	mark := "- "
	if p := n.Parent; p != nil && p.DataAtom == atom.Ol {
		if at, ok := numberOf(n); ok {
			mark = strconv.Itoa(at) + ". "
		}
	}
	w.block(1)
	w.word(mark)
	w.children(n)
	w.block(1)
}

// numberOf returns the number of a list item, from its value, an item before it, or the start of the list. ok is false
// if it is not one of the first 99 after such a number.
func numberOf(n *html.Node) (at int, ok bool) {
	before := 0
	for s := n; s != nil; s = s.PrevSibling {
		if s.DataAtom != atom.Li {
			continue
		}
		if value, err := strconv.Atoi(attribute(s.Attr, "value")); err == nil {
			return value + before, true
		}
		before++
		if before > 99 {
			return 0, false
		}
	}
	start, err := strconv.Atoi(attribute(n.Parent.Attr, "start"))
	if err != nil {
		start = 1
	}
	return start + before - 1, true
}

// link writes the text of a link and then its target. It writes the target only if the
// target differs from the text.
func (w *textWriter) link(n *html.Node) {
	before, known := w.b.Len(), len(w.addresses)
	if known > 0 && w.addresses[known-1].end == before {
		w.space = true // two links, such as images, would be one word
	}
	w.children(n)
	text := strings.TrimLeftFunc(w.b.String()[before:], unicode.IsSpace)
	before = w.b.Len() - len(text)
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	target := strings.TrimSpace(merge.LineEnds.Replace(attribute(n.Attr, "href")))
	mailbox, isMail := strings.CutPrefix(target, "mailto:")
	switch {
	case target == "" || target[0] == '#' || isMail && mailbox == text:
	case attribute(n.Attr, "tabindex") == "-1" && text != "": // another link of the same block has this target
	case target == text:
		if end := before + len(text); known == len(w.addresses) && !readsAsLink(target) {
			w.addresses = append(w.addresses, writtenLink{before, before, end, end})
		}
	default:
		w.space = w.space || text != ""
		w.address(target)
	}
}

// readsAsLink reports whether splitText finds the complete target as one link. It also
// returns true for a target without merge fields, which needs no check.
func readsAsLink(target string) bool {
	s := splitText(target)
	return len(s) == 1 && s[0].link || !merge.Parse(target).HasFields()
}

// address writes a target in angle brackets. The brackets separate it from the text after it.
func (w *textWriter) address(target string) {
	a := writtenLink{begin: w.b.Len()}
	w.word("<")
	a.from = w.b.Len()
	w.b.WriteString(target)
	a.to = w.b.Len()
	w.b.WriteByte('>')
	a.end = w.b.Len()
	w.addresses = append(w.addresses, a)
}

// block begins a new line if lines is 1. If lines is 2, it leaves an empty line before the
// new line.
func (w *textWriter) block(lines int) {
	if lines > 0 {
		w.breaks, w.space = max(w.breaks, lines), false
	}
}

// text writes a text. As in a browser, it replaces a sequence of white space by one space.
func (w *textWriter) text(text string) {
	text = strings.ReplaceAll(merge.LineEnds.Replace(text), "\u00a0", " ")
	if w.pre {
		w.word(text)
		return
	}
	for i, word := range strings.FieldsFunc(text, asciiSpace) {
		if i > 0 || asciiSpace(rune(text[0])) {
			w.space = true
		}
		w.word(word)
	}
	if text != "" && asciiSpace(rune(text[len(text)-1])) {
		w.space = true
	}
}

// asciiSpace reports whether browsers show a sequence of the character as one space.
func asciiSpace(r rune) bool { return r == ' ' || r == '\n' || r == '\t' || r == '\f' }

// word writes a pending space or pending line breaks, and then the word.
func (w *textWriter) word(word string) {
	switch {
	case w.b.Len() == 0:
	case w.breaks > 0:
		w.b.WriteString("\n\n"[:min(w.breaks, 2)])
	case w.space && !strings.HasSuffix(w.b.String(), " "):
		w.b.WriteByte(' ')
	}
	w.breaks, w.space = 0, false
	w.b.WriteString(word)
}

// attribute returns the value of an attribute, or "" if the element does not have it.
func attribute(all []html.Attribute, key string) string {
	for _, a := range all {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
