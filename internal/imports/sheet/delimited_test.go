package sheet

import (
	"strings"
	"testing"
)

// covers: decision 66
func TestCSV(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule string
		file string
		o    Options
		want []string
	}{
		{"commas, and LF as line end", "Email,Name\na@b,Ann\nc@d,Carl\n", Options{}, []string{"Email | Name", `1: "a@b" "Ann"`, `2: "c@d" "Carl"`}},
		{"the last line needs no line end", "Email,Name\na@b,Ann", Options{}, []string{"Email | Name", `1: "a@b" "Ann"`}},
		{"CR and LF", "Email,Name\r\na@b,Ann\r\n", Options{}, []string{"Email | Name", `1: "a@b" "Ann"`}},
		{"CR alone", "Email,Name\ra@b,Ann\rc@d,Carl\r", Options{}, []string{"Email | Name", `1: "a@b" "Ann"`, `2: "c@d" "Carl"`}},
		{"semicolons", "Email;Name\na@b;Ann, Bea\n", Options{}, []string{"Email | Name", `1: "a@b" "Ann, Bea"`}},
		{"tabs", "Email\tName\na@b\tAnn; Bea\n", Options{}, []string{"Email | Name", `1: "a@b" "Ann; Bea"`}},
		{"a delimiter inside quotes does not count", "\"a,b,c\";x\n1;2\n", Options{}, []string{"a,b,c | x", `1: "1" "2"`}},
		{"of two equal delimiters the comma belongs to numbers", "a;1,5;2,5\n", Options{NoHeader: true}, []string{"col 1 | col 2 | col 3", `1: "a" "1,5" "2,5"`}},
		{"the next lines decide between equal delimiters", "a;b|c\n1;2\n", Options{}, []string{"a | b|c", `1: "1" "2"`}},
		{"sep= names the delimiter", "sep=|\r\na|b;c;d\r\n1|2\r\n", Options{}, []string{"a | b;c;d", `1: "1" "2"`}},
		{"sep= in quotes", "\"SEP=,\"\na,b\n1,2\n", Options{}, []string{"a | b", `1: "1" "2"`}},
		{"sep= against the option", "sep=;\na;b\n", Options{Delimiter: ','}, []string{`the first line of the file says that its delimiter is ';', not ','`}},
		{"titles above the header", "Members 2024\n\nEmail;Name\na@b;Ann\n\nc@d;Carl\n", Options{}, []string{"Email | Name", `1: "a@b" "Ann"`, `3: "c@d" "Carl"`}},
		{"notes of LinkedIn", "Notes:\n\"Some addresses are missing, see below.\"\n\nName,Email,Firm\nAnn,,x\n", Options{}, []string{"Name | Email | Firm", `1: "Ann" "" "x"`}},
		{"titles in cells of a table", "Members;;\nMay 2024;;\nEmail;Name;Town\na@b;Ann;\n", Options{}, []string{"Email | Name | Town", `1: "a@b" "Ann" ""`}},
		{"one column with a wrong row is no title", "Email\nno, address\na@b\n", Options{}, []string{"Email", "1: the row has 2 cells, but the file has 1 columns", `2: "a@b"`}},
		{"a row with an address has no title", "Email\nann@example.com,x\na@b\n", Options{}, []string{"Email", "1: the row has 2 cells, but the file has 1 columns", `2: "a@b"`}},
		{"one column with gaps", "\nEmail\n\na@b\n\nc@d\n", Options{}, []string{"Email", `2: "a@b"`, `4: "c@d"`}},
		{"one column", "Email\na@b\nc@d\n", Options{}, []string{"Email", `1: "a@b"`, `2: "c@d"`}},
		{"a letter is no delimiter", "a\n", Options{Delimiter: 'x'}, []string{"the delimiter must be a tab or a punctuation mark of ASCII, such as ;, not 'x'"}},
		{"quotes, line ends and delimiters in quotes", "a,b\n\"say \"\"hi\"\"\",\"one\r\ntwo, three\"\n", Options{}, []string{"a | b", `1: "say \"hi\"" "one\r\ntwo, three"`}},
		{"spaces stay, except around quotes", "a,b\n  x , \"y \" \n", Options{}, []string{"a | b", `1: "  x " "y "`}},
		{"a quote inside a cell is a part of it", "a,b\n1,5\" pipe\n2,Ann \"Annie\" Lee\n3,\"x\" y \n", Options{}, []string{"a | b", `1: "1" "5\" pipe"`, `2: "2" "Ann \"Annie\" Lee"`, `3: "3" "x y "`}},
		{"a quote inside a cell does not hide delimiters", "5\" a;b,c;d\n1;2;3\n", Options{}, []string{"5\" a | b,c | d", `1: "1" "2" "3"`}},
		{"a quote too many does not join rows", "a,b\n1,\"x\n2,\"y\"\n3,z\n", Options{}, []string{"a | b", "1: " + errStrayQuote.Error(), `2: "2" "y"`, `3: "3" "z"`}},
		{"an address in the first row is data", "ann@example.com\r\nbob@example.com\r\n", Options{}, []string{"Email", `1: "ann@example.com"`, `2: "bob@example.com"`}},
		{"an address in the first row of several columns", "\nAnn,Ann Lee <ann@example.com>,b@x.io\n\nBob,bob@example.com\n", Options{}, []string{"col 1 | Email | col 3", `2: "Ann" "Ann Lee <ann@example.com>" "b@x.io"`, `4: "Bob" "bob@example.com" ""`}},
		{"an address with an invisible character in the first row", "\u200bann@example.com\n", Options{}, []string{"Email", `1: "\u200bann@example.com"`}},
		{"white space in a heading is a space", "\"E-Mail\r\nAddress\",First\u00a0Name,\tLast \u200b Name\na@b,Ann,Lee\n", Options{}, []string{"E-Mail Address | First Name | Last Name", `1: "a@b" "Ann" "Lee"`}},
		{"a quote that is not closed costs one row", "a,b\n1,\"x\n2,y\n3,z\n", Options{}, []string{"a | b", "1: " + errOpenQuote.Error(), `2: "2" "y"`, `3: "3" "z"`}},
		{"a row that is too short has empty values", "a,b,c\n1\n", Options{}, []string{"a | b | c", `1: "1" "" ""`}},
		{"a row that is too long is bad", "a,b\n1,2,3\n4,5\n", Options{}, []string{"a | b", "1: the row has 3 cells, but the file has 2 columns", `2: "4" "5"`}},
		{"empty cells at the end are ignored", "a,b\n1,2,, \n", Options{}, []string{"a | b", `1: "1" "2"`}},
		{"empty rows count and are left out", "\na,b\n\n1,2\n,\n3,4\n", Options{}, []string{"a | b", `2: "1" "2"`, `4: "3" "4"`}},
		{"names that are there twice or empty", "a, a ,,b,col 3,a 2,a\n1,2,3,4,5,6,7\n", Options{}, []string{"a | a 3 | col 3 2 | b | col 3 | a 2 | a 4", `1: "1" "2" "3" "4" "5" "6" "7"`}},
		{"without a header the columns have numbers", "a@b,Ann\nc@d,Carl\n", Options{NoHeader: true}, []string{"col 1 | col 2", `1: "a@b" "Ann"`, `2: "c@d" "Carl"`}},
		{"a NUL makes the row bad", "a,b\n1,x\x00\n2,\"\x00\"\n3,y\n", Options{}, []string{"a | b", "1: " + errNUL.Error(), "2: " + errNUL.Error(), `3: "3" "y"`}},
		{"a header that is not CSV", "a,\"b\n1,2\n", Options{}, []string{"the first row cannot be read: " + errOpenQuote.Error()}},
		{"an empty file", "", Options{}, []string{"the file is empty"}},
		{"a file of empty lines", "\n\r\n", Options{}, []string{"the file is empty"}},
		{"a header alone", "a,b", Options{}, []string{"a | b"}},
		{"an empty quoted cell", "a,b\n\"\",x\n", Options{}, []string{"a | b", `1: "" "x"`}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			checkShown(t, c.file, c.o, c.want...)
		})
	}
}

// covers: decision 66
func TestALongRowIsBadAndReadingGoesOn(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxRow)
	open := strings.Repeat("y,z\n", maxRow/4+1)
	t.Run("without quotes", func(t *testing.T) {
		t.Parallel()
		checkShown(t, "a,b\n1,"+long+long+long+"\n2,x\n", Options{}, "a | b", "1: "+errTooLong.Error(), `2: "2" "x"`)
	})
	t.Run("in quotes", func(t *testing.T) {
		t.Parallel()
		checkShown(t, "a,b\n1,\""+long+"\"\n2,x\n", Options{}, "a | b", "1: "+errOpenQuote.Error(), `2: "2" "x"`)
	})
	t.Run("a quote that is not closed within the limit", func(t *testing.T) {
		t.Parallel()
		got := strings.Split(shown("a,b\n1,\"\n"+open+"1,\"\n2,x\n", Options{}), "\n")
		if want := maxRow/4 + 5; len(got) != want || got[1] != "1: "+errOpenQuote.Error() || got[len(got)-1] != `262148: "2" "x"` {
			t.Errorf("read %d lines, want %d; the first row is %q, the last %q", len(got), want, got[1], got[len(got)-1])
		}
	})
	t.Run("at the limit", func(t *testing.T) {
		t.Parallel()
		checkShown(t, "a\n"+long[:maxRow-1]+"\n", Options{}, "a", `1: "`+long[:maxRow-1]+`"`)
	})
	t.Run("too many columns", func(t *testing.T) {
		t.Parallel()
		checkShown(t, "a,b\n"+strings.Repeat(",", maxColumns)+"x\n1,2\n", Options{}, "a | b", "1: "+errTooMany.Error(), `2: "1" "2"`)
	})
}
