package mail

import (
	"context"
	"errors"
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"

	"enlist/internal/messages/merge"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	markdown "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
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

// Limits of all texts in Markdown of a Message.
const (
	maxMarkdown       = 256 << 10 // bytes
	maxMarkdownHTML   = 4 << 20   // bytes
	maxMarkdownEffort = 30_000_000
	maxMarkdownDepth  = 100 // quotes and lists in each other
	markEffort        = 16  // of a mark in a short paragraph
	cellEffort        = 50  // of a cell of a table
)

// The errors say what to do, because authors see them.
var (
	errMarkdownLong = fmt.Errorf("the text in Markdown has more than %d KB: shorten it, or write the Message in HTML",
		maxMarkdown>>10)
	errMarkdownHTML = fmt.Errorf("the text in Markdown makes more than %d MB of HTML: use fewer links to one reference",
		maxMarkdownHTML>>20)
	errMarkdownMarks = errors.New("the text in Markdown has too many marks such as * _ [ ` < | in one paragraph or " +
		"table: divide it by empty lines, or write \\ before marks that are no formatting")
	errMarkdownDepth = fmt.Errorf("the text in Markdown has more than %d quotes or lists in each other: "+
		"leave out levels", maxMarkdownDepth)
)

// For some texts in Markdown the parser needs time with the square of their length, it cannot be stopped, and a reference
// can be written thousands of times. So watchers, which are parsers that recognise nothing, count the work before the real
// parsers do it. A panic ends the parser; convert returns its cause.

// effort counts what the texts of one Message have cost.
type effort struct {
	ctx         context.Context
	source      int // bytes
	work        int // about one for each byte or mark that a parser looks at
	pipes, html int // escaped bars of tables; bytes of HTML
}

// stopped is the value of a panic that ends the parser.
type stopped struct{ error }

// spend adds n to the work. It panics if that is too much, or if the context has ended.
func (e *effort) spend(n int) {
	e.work += n
	if e.work > maxMarkdownEffort {
		panic(stopped{errMarkdownMarks})
	}
	if err := e.ctx.Err(); err != nil {
		panic(stopped{err})
	}
}

// limitedHTML counts the HTML that is written to it.
type limitedHTML struct {
	*effort
	to []byte
}

func (l *limitedHTML) Write(p []byte) (int, error) {
	l.html += len(p)
	if l.html > maxMarkdownHTML {
		panic(stopped{errMarkdownHTML})
	}
	l.to = append(l.to, p...)
	return len(p), nil
}

func (e *effort) convert(source string) (html []byte, err error) {
	e.source += len(source)
	if e.source > maxMarkdown {
		return nil, errMarkdownLong
	}
	defer func() {
		switch why := recover().(type) {
		case nil:
		case stopped:
			html, err = nil, why.error
		default:
			panic(why)
		}
	}()
	pc := parser.NewContext()
	pc.Set(effortKey, e)
	to := &limitedHTML{effort: e}
	err = markdownParser.Convert([]byte(source), to, parser.WithContext(pc))
	return to.to, err
}

var effortKey = parser.NewContextKey()

func effortOf(pc parser.Context) *effort { return pc.Get(effortKey).(*effort) }

// watchers are the first parsers of each kind.
var watchers = []parser.Option{
	parser.WithBlockParsers(util.Prioritized(blockWatcher{}, 0)),
	parser.WithInlineParsers(util.Prioritized(markWatcher{}, 0)),
	parser.WithParagraphTransformers(util.Prioritized(tableWatcher{}, 0)),
}

// markWatcher counts the marks of a paragraph. Each can make a parser look at all of the paragraph: forward for its
// end, or back for its begin.
type markWatcher struct{}

func (markWatcher) Trigger() []byte { return []byte("*_~[]!`<&") }

func (markWatcher) Parse(paragraph ast.Node, _ text.Reader, pc parser.Context) ast.Node {
	length := markEffort
	if lines := paragraph.Lines(); lines.Len() > 0 {
		length += lines.At(lines.Len()-1).Stop - lines.At(0).Start
	}
	effortOf(pc).spend(length)
	return nil
}

// blockWatcher limits quotes and lists: each line costs the number of those that are open.
type blockWatcher struct{ parser.BlockParser }

func (blockWatcher) Trigger() []byte {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	return all
}

func (blockWatcher) CanInterruptParagraph() bool { return true }

func (blockWatcher) CanAcceptIndentedLine() bool { return true }

func (blockWatcher) Open(_ ast.Node, _ text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if len(pc.OpenedBlocks()) > maxMarkdownDepth {
		panic(stopped{errMarkdownDepth})
	}
	effortOf(pc).spend(1)
	return nil, parser.NoChildren
}

// tableWatcher counts the cells that a paragraph has as a table. Each line gets as many as the longest one.
type tableWatcher struct{}

func (tableWatcher) Transform(paragraph *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines, source, columns, e := paragraph.Lines(), reader.Source(), 0, effortOf(pc)
	for i := range lines.Len() {
		bars, before := 0, byte(0)
		line := lines.At(i)
		for _, c := range line.Value(source) {
			if c == '|' {
				bars++
				if before == '\\' { // the parser compares all of them
					e.pipes++
					e.spend(e.pipes)
				}
			}
			before = c
		}
		columns = max(columns, bars)
	}
	e.spend(lines.Len() * columns * cellEffort)
}
