package sheet

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
)

// This file finds the delimiter of a CSV file.

// delimiters are the characters that the rule considers. If it finds two of them equally often, the first in this
// list is the delimiter: a comma is more often part of a number or of a text.
const delimiters = "\t;|,"

// isDelimiter reports whether a character can separate cells: a tab or a punctuation mark of ASCII, but no quote.
func isDelimiter(c rune) bool {
	return c == '\t' || c < unicode.MaxASCII && c != '"' && (unicode.IsPunct(c) || unicode.IsSymbol(c))
}

// findDelimiter returns the delimiter and skips a line such as "sep=;", which Excel writes and reads. Without such a
// line and without a given delimiter it is the character of delimiters that is most often outside quotes in the first
// line, and if two are equal there or the line has none of them, in the first ten lines. A file with none has one column.
func findDelimiter(w *window, given rune) (byte, error) {
	for len(w.unread()) < maxRow && w.fill() {
		continue
	}
	if w.err != nil && !w.complete() {
		return 0, w.err
	}
	if d := separatorLine(w.unread()); d != 0 {
		if given != 0 && byte(given) != d {
			return 0, fmt.Errorf("the first line of the file says that its delimiter is %q, not %q", d, given)
		}
		w.skipLine()
		return d, nil
	}
	if given != 0 {
		return byte(given), nil
	}
	first, all := countDelimiters(w.unread(), 1), countDelimiters(w.unread(), 10)
	if first == ([len(delimiters)]int{}) { // a title, or one column
		first = all
	}
	best := len(delimiters) - 1
	for i := len(delimiters) - 2; i >= 0; i-- {
		if first[i] > first[best] || first[i] == first[best] && first[i] > 0 && all[i] >= all[best] {
			best = i
		}
	}
	return delimiters[best], nil
}

// separatorLine returns the delimiter that a line such as "sep=;" names, or 0 if the text begins otherwise.
func separatorLine(text []byte) byte {
	line := text
	if i := bytes.IndexAny(text, "\r\n"); i >= 0 {
		line = text[:i]
	}
	line = bytes.Trim(line, `"`)
	if len(line) != 5 || !bytes.EqualFold(line[:4], []byte("sep=")) || !isDelimiter(rune(line[4])) {
		return 0
	}
	return line[4]
}

// countDelimiters counts each delimiter outside quotes in the first lines that are not empty.
func countDelimiters(text []byte, lines int) (counts [len(delimiters)]int) {
	quoted, empty, inCell := false, true, false // a quote inside a cell is a part of it
	for _, c := range text {
		switch {
		case c == '"' && !inCell:
			quoted, empty = !quoted, false
		case quoted:
		case c == '\n' || c == '\r':
			if !empty {
				lines--
			}
			if lines == 0 {
				return counts
			}
			empty, inCell = true, false
		default:
			empty, inCell = false, inCell || c != ' '
			if i := strings.IndexByte(delimiters, c); i >= 0 {
				counts[i]++
				inCell = false
			}
		}
	}
	return counts
}
