package mail

import (
	"embed"
	"html/template"
	"strings"
)

//go:embed builtin.html
var builtInFile embed.FS

// builtInHTML is the form of the mails that no Message describes.
var builtInHTML = template.Must(template.ParseFS(builtInFile, "builtin.html"))

// builtIn is a mail in this service's own words: a notification, or the request
// to confirm.
type builtIn struct {
	List    string
	Title   string
	Heading string
	Before  string // text above the rows
	Rows    []row
	Button  string // leads to Link
	Link    string
	After   string
}

// row is a name with a value, which may have several lines.
type row struct{ Name, Value string }

// tidied has no characters that are no text. Nothing in it is a link: those of
// mail programs lead where they say.
func (b *builtIn) tidied() *builtIn {
	t := *b
	t.List, t.Title, t.Heading = oneLine(b.List), oneLine(b.Title), oneLine(b.Heading)
	t.Rows = make([]row, len(b.Rows))
	for i, r := range b.Rows {
		t.Rows[i] = row{oneLine(r.Name), strings.TrimSpace(plain(excerpt(r.Value)))}
	}
	return &t
}

// longestValue bounds what a row shows, in bytes. A value can be as long as a
// request, and is in a mail four times; the whole of it is behind the link.
const longestValue = 10_000

func excerpt(value string) string {
	if len(value) <= longestValue {
		return value
	}
	return strings.ToValidUTF8(value[:longestValue], "") + "…"
}

func (b *builtIn) html() string {
	var s strings.Builder
	s.Grow(4096)
	// It fails only when writing does, or when a name in it is wrong, as every test would show.
	if err := builtInHTML.Execute(&s, b.tidied()); err != nil {
		panic(err)
	}
	return s.String()
}

// text writes the lines of a value under each other and all but the first after
// spaces, so that no value looks like another row.
func (b *builtIn) text() string {
	t := b.tidied()
	var s strings.Builder
	s.Grow(1024)
	s.WriteString(t.Heading + "\n" + t.List + "\n")
	if t.Before != "" {
		s.WriteString("\n" + t.Before + "\n")
	}
	if len(t.Rows) > 0 {
		s.WriteByte('\n')
	}
	for _, r := range t.Rows {
		s.WriteString(r.Name + ": " + strings.ReplaceAll(r.Value, "\n", "\n    ") + "\n")
	}
	if t.Link != "" {
		s.WriteString("\n" + t.Button + ": " + t.Link + "\n")
	}
	if t.After != "" {
		s.WriteString("\n" + t.After + "\n")
	}
	return s.String()
}
