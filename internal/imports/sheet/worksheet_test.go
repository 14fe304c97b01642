package sheet

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
)

// sheetRows are a sheet with its rows.
type sheetRows struct {
	name string
	rows [][]any
}

// madeByExcelize returns a workbook with these rows on its first sheet that is not hidden.
func madeByExcelize(t testing.TB, rows ...[]any) string {
	t.Helper()
	return madeOf(t, sheetRows{"People", rows})
}

// madeOf returns a workbook with these sheets after a hidden one.
func madeOf(t testing.TB, sheets ...sheetRows) string {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	for n, sheet := range sheets {
		_, err := f.NewSheet(sheet.name)
		check(t, err)
		if n == 0 {
			f.SetActiveSheet(1)
			check(t, f.SetSheetVisible("Sheet1", false))
		}
		for i, row := range sheet.rows {
			check(t, f.SetSheetRow(sheet.name, fmt.Sprint("A", i+1), &row))
		}
	}
	var b bytes.Buffer
	check(t, f.Write(&b))
	return b.String()
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// covers: decision 66
func TestWorkbookOfALibrary(t *testing.T) {
	t.Parallel()
	day := time.Date(2024, 2, 29, 13, 45, 10, 0, time.UTC)
	file := madeByExcelize(t, []any{"Email", " Name ", "Email", "", "Joined", "Score", "OK"},
		[]any{"a@b", "Ann\n & <Bea>", nil, "00123", day, 0.1, true},
		nil,
		[]any{"c@d", " Carl ", "", 61412345678, nil, -1.5e-7, false})
	want := []string{"Email | Name | Email 2 | col 4 | Joined | Score | OK",
		`1: "a@b" "Ann\n & <Bea>" "" "00123" time.Date(2024, time.February, 29, 13, 45, 10, 0, time.UTC) "0.1" true`,
		`3: "c@d" " Carl " "" "61412345678" "" "-0.00000015" false`}
	checkShown(t, file, Options{}, want...)
	t.Run("inside .gz", func(t *testing.T) { checkShown(t, gzipped(t, file), Options{}, want...) })
	t.Run("inside .zip", func(t *testing.T) { checkShown(t, zipped(t, "x.xlsx", file), Options{}, want...) })
	t.Run("the hidden sheet by name", func(t *testing.T) {
		checkShown(t, file, Options{Entry: "Sheet1"}, "the sheet is empty")
	})
	t.Run("the first sheet that is not hidden is empty", func(t *testing.T) {
		file := madeOf(t, sheetRows{name: "Cover"}, sheetRows{"Blank", [][]any{{"", " "}}}, sheetRows{"List", [][]any{{"Email"}, {"a@b"}}},
			sheetRows{"Other", [][]any{{"Email"}, {"c@d"}}})
		checkShown(t, file, Options{}, "Email", `1: "a@b"`)
		r, err := Open(strings.NewReader(file), int64(len(file)), Options{})
		check(t, err)
		if sheet := r.About().Entry; sheet != "List" {
			t.Errorf("the sheet is %q, want List", sheet)
		}
		check(t, r.Close())
		checkShown(t, file, Options{Entry: "Cover"}, "the sheet is empty")
		checkShown(t, madeOf(t, sheetRows{name: "A"}, sheetRows{name: "B"}), Options{}, "all sheets of the workbook are empty or hidden")
	})
	t.Run("titles above the header", func(t *testing.T) {
		rows := [][]any{{"Members"}, nil, {"May", "", ""}, {"Email", "Name"}, {"a@b", "Ann"}, nil, {"c@d", ""}, {"e@f", "Eve"}}
		checkShown(t, madeOf(t, sheetRows{"List", rows}), Options{}, "Email | Name", `1: "a@b" "Ann"`, `3: "c@d" ""`, `4: "e@f" "Eve"`)
	})
	t.Run("a sheet that does not exist", func(t *testing.T) {
		checkShown(t, file, Options{Entry: "x"}, `the workbook has no sheet "x", but Sheet1, People`)
	})
	t.Run("too many bytes", func(t *testing.T) {
		got := shown(file, Options{MaxUnzipped: 1000})
		if !strings.Contains(got, "the file contains more than 1000 bytes when it is unpacked") {
			t.Error(got)
		}
	})
}

// workbookOf returns a workbook with the XML of a sheet and its shared texts.
func workbookOf(t testing.TB, sheetData, texts string, date1904 bool) string {
	t.Helper()
	return zipped(t, "[Content_Types].xml", "<Types/>",
		"_rels/.rels", `<Relationships><Relationship Id="1" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml", fmt.Sprintf(`<workbook xmlns:r="x"><workbookPr date1904="%t"/><sheets><sheet name="One" r:id="a"/></sheets></workbook>`, date1904),
		"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="a" Type="x/worksheet" Target="/xl/one.xml"/>`+
			`<Relationship Id="b" Type="x/sharedStrings" Target="texts.xml"/><Relationship Id="c" Type="x/styles" Target="styles.xml"/></Relationships>`,
		"xl/texts.xml", "<sst>"+texts+"</sst>",
		"xl/styles.xml", `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[$-409]d\-mmm&quot;x&quot;;@"/><numFmt numFmtId="165" formatCode="0.00&quot; days&quot;"/></numFmts>`+
			`<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="20"/></cellXfs></styleSheet>`,
		"xl/one.xml", "<worksheet><sheetData>"+sheetData+"</sheetData></worksheet>")
}

// The texts of all workbooks that are open count together, and a closed one gives its part back.
//
// covers: decision 66, spec import.memory
func TestWorkbooksShareTheirMemory(t *testing.T) {
	t.Parallel()
	header := `<row><c t="s"><v>0</v></c></row>`
	file := workbookOf(t, header, "<si><t>"+strings.Repeat("a", 1500)+"</t></si>", false)
	packed := gzipped(t, file)
	memory := NewMemory(2000)
	open := func(file string) (*Reader, error) {
		return Open(strings.NewReader(file), int64(len(file)), Options{Memory: memory})
	}
	first, err := open(file)
	check(t, err)
	if _, err := open(file); !errors.Is(err, ErrNoMemory) {
		t.Errorf("a second workbook: error %v, want %v", err, ErrNoMemory)
	}
	check(t, first.Close())
	for _, large := range []string{packed, workbookOf(t, header, "<si><t>"+strings.Repeat("a", 2000)+"</t></si>", false)} {
		if _, err := open(large); err == nil || errors.Is(err, ErrNoMemory) {
			t.Errorf("a workbook that needs more than all memory: error %v, want a lasting one", err)
		}
	}
	again, err := open(file)
	check(t, err)
	check(t, again.Close())
	if used := memory.used.Load(); used != 0 {
		t.Errorf("%d bytes are in use after all workbooks are closed", used)
	}
}

// covers: decision 66
func TestRowsOfAWorkbook(t *testing.T) {
	t.Parallel()
	header := `<row r="2"><c t="s"><v>0</v></c><c t="inlineStr"><is><t>b</t></is></c></row>`
	texts := `<si><r><t>a</t></r><r><t xml:space="preserve"> x</t></r><rPh><t>no</t></rPh></si><si><t>one_x000D_&#10;_x0041</t></si>`
	for _, c := range []struct {
		rule  string
		sheet string
		want  []string
	}{
		{"shared texts with runs, and escaped characters", header + `<row r="3"><c r="A3" t="s"><v>1</v></c><c r="B3" t="str"><f>1</f><v>y</v></c></row>`, []string{"a x | b", `1: "one\r\n_x0041" "y"`}},
		{"rows and cells may leave out their places", header + `<row><c/><c><v>7</v></c></row><row><c><v>8</v></c></row>`, []string{"a x | b", `1: "" "7"`, `2: "8" ""`}},
		{"rows that are left out count", header + `<row r="9"><c r="B9"><v>7</v></c></row>`, []string{"a x | b", `7: "" "7"`}},
		{"dates are numbers with a style", header + `<row><c s="1"><v>45351.5</v></c><c s="2"><v>59</v></c></row><row><c s="3"><v>45351</v></c><c s="4"><v>0.5</v></c></row>`,
			[]string{"a x | b", `1: time.Date(2024, time.February, 29, 12, 0, 0, 0, time.UTC) time.Date(1900, time.February, 28, 0, 0, 0, 0, time.UTC)`, `2: "45351" "0.5"`}},
		{"dates of ISO 8601", header + `<row><c t="d"><v>2024-02-29T01:02:03</v></c></row>`, []string{"a x | b", `1: time.Date(2024, time.February, 29, 1, 2, 3, 0, time.UTC) ""`}},
		{"an error of Excel is one of its cell", header + `<row><c r="A3" t="e"><v>#N/A</v></c><c><v>1</v></c></row>`, []string{"a x | b", `1: "cell A3 contains the error #N/A" "1"`}},
		{"a text that does not exist", header + `<row><c r="A3" t="s"><v>9</v></c></row>`, []string{"a x | b", `1: "cell A3 has a text that is not in the workbook" ""`}},
		{"empty cells of each kind", header + `<row><c t="s"/><c t="s"><v></v></c></row><row><c t="b"/><c t="n"/></row><row><c t="inlineStr"/><c t="str"/></row><row><c t="s"/><c><v>1</v></c></row>`, []string{"a x | b", `4: "" "1"`}},
		{"an address in the first row is data", `<row r="3"><c t="inlineStr"><is><t>ann@example.com</t></is></c><c><v>7</v></c></row>`, []string{"Email | col 2", `3: "ann@example.com" "7"`}},
		{"white space in a heading is a space", `<row><c t="inlineStr"><is><t>First&#xa0;&#10;Name</t></is></c></row>`, []string{"First Name"}},
		{"a namespace with a prefix", `<x:row xmlns:x="y"><x:c t="inlineStr"><x:is><x:t>a</x:t></x:is></x:c></x:row><x:row><x:c><x:v>1</x:v></x:c></x:row>`, []string{"a", `1: "1"`}},
		{"a row that is too long", header + `<row><c r="C3"><v>1</v></c></row>`, []string{"a x | b", "1: the row has 3 cells, but the file has 2 columns"}},
		{"a column that is too far", header + `<row><c r="ZZZZZZ3"><v>1</v></c></row>`, []string{"a x | b", "1: " + errTooMany.Error()}},
		{"rows in a wrong order", header + `<row r="1"></row>`, []string{`the workbook is damaged: row "1" follows row 2`}},
		{"XML that ends too early", header + `<row><c><v>1`, []string{"the workbook is damaged: read row 3: unexpected EOF"}},
		{"no rows", "", []string{"the sheet is empty"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			checkShown(t, workbookOf(t, c.sheet, texts, false), Options{}, c.want...)
		})
	}
	t.Run("a format of zeros keeps its zeros", func(t *testing.T) {
		t.Parallel()
		for _, c := range []struct{ format, number, want string }{
			{"00000", "2134", "02134"}, {"00000", "123456", "123456"}, {"00000", "2134.5", "2134.5"}, {"00000", "-5", "-5"}, {"[$-407]00000", "1067", "01067"}, {"0000", "0", "0000"},
			{`00000\-0000`, "21340001", "02134-0001"}, {`000\-00\-0000`, "12345678", "012-34-5678"}, {`0#\ ##\ ##\ ##\ ##`, "612345678", "06 12 34 56 78"},
			{`\+00 000 000 000`, "61412345678", "+61 412 345 678"}, {`"0"0000000`, "4123456", "04123456"}, {`0000;-0000`, "7", "0007"},
			{"0", "7", "7"}, {"0.00", "7", "7"}, {"#,##0", "7000", "7000"}, {"0%", "0.5", "0.5"}, {"00.00", "7", "7"}, {`00" kg"`, "7", "7"}, {`#,##0\ [$USD]`, "45351", "45351"}, {`0" days"`, "45351", "45351"},
			{`[<=9999999]###\-####;\(###\)\ ###\-####`, "5550123", "5550123"}, {`"Standard"`, "45351", "45351"}, {"000,000", "7", "7"}, {"# ?/?", "0.5", "0.5"},
		} {
			shown, literals := formatParts(c.format)
			b := &workbook{styles: []style{{}, {isDate: isDateCode(shown), code: codeFormat(shown, literals)}}}
			number, err := strconv.ParseFloat(c.number, 64)
			check(t, err)
			if got := fmt.Sprint(b.number(number, 1)); got != c.want {
				t.Errorf("%s in the format %s is %s, want %s", c.number, c.format, got, c.want)
			}
		}
	})
	t.Run("without a header", func(t *testing.T) {
		t.Parallel()
		checkShown(t, workbookOf(t, header, texts, false), Options{NoHeader: true}, "col 1 | col 2", `2: "a x" "b"`)
	})
	t.Run("days since 1904", func(t *testing.T) {
		t.Parallel()
		checkShown(t, workbookOf(t, header+`<row><c s="1"><v>1</v></c></row>`, texts, true), Options{}, "a x | b",
			`1: time.Date(1904, time.January, 2, 0, 0, 0, 0, time.UTC) ""`)
	})
	t.Run("a row of too much XML", func(t *testing.T) {
		t.Parallel()
		if testing.Short() {
			t.Skip("reads 16 MiB of XML")
		}
		row := []string{strings.Repeat(" ", maxXML)}
		for range 10_000 { // so much that the file does not unpack to 200 times its size
			row = append(row, rand.Text())
		}
		checkShown(t, workbookOf(t, header+"<row>"+strings.Join(row, " ")+"</row>", texts, false), Options{},
			fmt.Sprintf("the workbook is damaged: read row 3: a row or a text of the workbook is longer than %d bytes of XML", maxXML))
	})
}
