package internal_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// This test refuses words that make comments and documents hard to read.

// obscureWords are words and phrases that made comments hard to read. Write the actor (the caller, the server, the
// transaction, the operator) and the field's term in their place.
var obscureWords = regexp.MustCompile(`(?i)\b(` + strings.Join([]string{
	"nobody", "somebody", "anybody", "everybody", "whoever", "one who", "those who",
	"hindrance", "hindrances", "lookout", "forsake", "forsaken", "forsakes", "patiently", "whereupon",
	"now and then", "is at it", "was at it", "has it made", "have it made", "has it done", "have it done",
	"sees to it", "see to it", "takes for granted", "take for granted", "stands still", "stand still",
	"goes by what", "lies in wait", "as a rule", "what is what", "what was what", "comes to nothing",
	"is no good", "are no good", "by then, as", "put right", "made sure of", "make sure of", "makes sure of",
}, "|") + `)\b`)

func TestCommentsAndDocumentsUsePlainWords(t *testing.T) {
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := proseOf(path)
		if err != nil {
			return err
		}
		for n, line := range strings.Split(text, "\n") {
			if found := obscureWords.FindString(line); found != "" {
				t.Errorf("%s:%d: %q: name who acts and what happens", strings.TrimPrefix(path, "../"), n+1, found)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// proseOf returns the text of a document, or the comments of a Go file. Each comment stays on its line of the file.
// For other files and for language_test.go it returns an empty text.
func proseOf(path string) (string, error) {
	switch {
	case filepath.Base(path) == "language_test.go":
		return "", nil
	case strings.HasSuffix(path, ".md"), strings.HasSuffix(path, "Makefile"):
		text, err := os.ReadFile(path)
		return string(text), err
	case strings.HasSuffix(path, ".go"):
		return goComments(path)
	}
	return "", nil
}

// goComments returns the comments of a Go file. It adds line ends between the comments, so that each comment stays on its
// line of the file.
func goComments(path string) (string, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.ParseComments)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	line := 1
	for _, group := range file.Comments {
		for _, c := range group.List {
			at := files.Position(c.Pos()).Line
			if at > line {
				b.WriteString(strings.Repeat("\n", at-line))
				line = at
			}
			b.WriteString(c.Text)
			line += strings.Count(c.Text, "\n")
		}
	}
	return b.String(), nil
}
