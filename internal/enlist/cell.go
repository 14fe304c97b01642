package enlist

import "strings"

// This file has texts in files that people open with a spreadsheet.

// SpreadsheetText returns a text of outside as a cell of a file for spreadsheets. A text that a spreadsheet would
// calculate gets an apostrophe in front.
func SpreadsheetText(text string) string {
	if text != "" && strings.IndexByte("=+-@\t\r", text[0]) >= 0 {
		return "'" + text
	}
	return text
}
