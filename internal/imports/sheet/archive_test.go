package sheet

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
)

func gzipped(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// zipped returns a .zip file. namesAndTexts are the name and the text of each entry.
func zipped(t testing.TB, namesAndTexts ...string) string {
	t.Helper()
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	for i := 0; i < len(namesAndTexts); i += 2 {
		w, err := archive.Create(namesAndTexts[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(namesAndTexts[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// covers: spec import.stops
func TestArchiveUnpacksTo200TimesItsSize(t *testing.T) {
	t.Parallel()
	file := gzipped(t, "Email\n"+strings.Repeat(strings.Repeat("x", 999)+"\n", smallUnzipped/900))
	r, err := Open(strings.NewReader(file), int64(len(file)), Options{})
	check(t, err)
	for err == nil {
		_, err = r.Next()
	}
	if want := errUnzipped(smallUnzipped); err.Error() != want.Error() {
		t.Errorf("%v; want %v", err, want)
	}
	workbook := workbookOf(t, "<row><c><v>1</v></c></row>", "<si><t>"+strings.Repeat("x", maxRow-1)+"</t></si>", false)
	large := workbookOf(t, "", strings.Repeat("<si><t>"+strings.Repeat("x", maxRow-1)+"</t></si>", 17), false)
	for file, refused := range map[string]bool{workbook: false, large: true} {
		if got := shown(file, Options{}); strings.Contains(got, "when it is unpacked") != refused {
			t.Errorf("a workbook of %d bytes: %.200s", len(file), got)
		}
	}
}

// covers: decision 66
func TestArchives(t *testing.T) {
	t.Parallel()
	text := "a,b\n1,2\n"
	read := []string{"a | b", `1: "1" "2"`}
	several := zipped(t, "subscribed.csv", text, "cleaned.csv", "c\n3\n")
	damaged := gzipped(t, strings.Repeat(text, 1000))
	bomb := gzipped(t, strings.Repeat(text, 100_000))
	for _, c := range []struct {
		rule string
		file string
		o    Options
		want []string
	}{
		{".gz", gzipped(t, text), Options{FileName: "x.csv.gz"}, read},
		{"the name in .gz tells the format", gzipped(t, "a,b\tc\n"), Options{FileName: "x.tsv.gz"}, []string{"a,b | c"}},
		{".zip with one file", zipped(t, "x.csv", text), Options{}, read},
		{".zip with folders and files of macOS", zipped(t, "x/", "", "x/x.csv", text, "__MACOSX/x/._x.csv", "?", "x/.DS_Store", "?"), Options{}, read},
		{".zip with NDJSON", zipped(t, "x.jsonl", `{"a":"1"}`), Options{}, []string{"a", `1: "1"`}},
		{".zip with several files", several, Options{}, []string{"the .zip file contains several files, name the one to read: subscribed.csv, cleaned.csv"}},
		{".zip with several files, and the name of one", several, Options{Entry: "cleaned.csv"}, []string{"c", `1: "3"`}},
		{".zip without the named file", several, Options{Entry: "x.csv"}, []string{`the .zip file contains no file "x.csv", but subscribed.csv, cleaned.csv`}},
		{"an empty .zip", zipped(t), Options{}, []string{"the .zip file contains no file"}},
		{"a .zip that is cut off", several[:len(several)-10], Options{}, []string{"the .zip file is damaged: zip: not a valid zip file"}},
		{"a .gz that is cut off", damaged[:len(damaged)-20], Options{}, []string{"the .gz file is damaged or incomplete: unexpected EOF"}},
		{"a .gz that contains too much", bomb, Options{MaxUnzipped: 2000}, []string{"the file contains more than 2000 bytes when it is unpacked; the limit is 200 times its size"}},
		{"a .gz of nothing", gzipped(t, ""), Options{}, []string{"the file is empty"}},
		{"an old workbook", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Options{}, []string{errOldWorkbook.Error()}},
		{"the oldest workbook", "\x09\x04\x06\x00\x00\x00", Options{}, []string{errOldWorkbook.Error()}},
		{"a workbook with a password", "\xd0\xcf\x11\xe0" + strings.Repeat(" ", 1000) + encryptedStream, Options{}, []string{errEncrypted.Error()}},
		{"a binary workbook", zipped(t, workbookPart, "", "_rels/.rels", `<Relationships><Relationship Id="1" Type="x/officeDocument" Target="xl/workbook.bin"/></Relationships>`), Options{}, []string{errBinaryWorkbook.Error()}},
		{"an OpenDocument file", zipped(t, "mimetype", "application/vnd.oasis.opendocument.spreadsheet", "content.xml", "<x/>"), Options{}, []string{"the file is an OpenDocument file (.ods): save the sheet as .xlsx or CSV"}},
		{"a document of Numbers", zipped(t, "Index/Document.iwa", "x", "preview.jpg", "x"), Options{}, []string{"the file is a document of Numbers: export the sheet as Excel (.xlsx) or CSV"}},
		{"a table of HTML that is called a workbook", "\xef\xbb\xbf\r\n<HTML><table><tr><td>Email", Options{FileName: "x.xls"}, []string{errMarkup.Error()}},
		{"a file that is no workbook", text, Options{FileName: "x.xlsx"}, []string{"the file is no .xlsx workbook"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			checkShown(t, c.file, c.o, c.want...)
		})
	}
	if got := strings.Join(Entries(strings.NewReader(several), int64(len(several))), " "); got != "subscribed.csv cleaned.csv" {
		t.Errorf("Entries: %s", got)
	}
}

// broken is a file of which only the first bytes can be read.
type broken struct {
	*strings.Reader
	readable int64
}

var errDisk = errors.New("the disk is broken")

func (b broken) ReadAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) > b.readable {
		return 0, errDisk
	}
	return b.Reader.ReadAt(p, at)
}

func TestAnErrorOfTheFileIsNotTheEndOfTheFile(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a,b\n", 1<<20)
	for _, file := range []string{text, strings.Repeat("{\"a\":1}\n", 1<<20)} {
		r, err := Open(broken{strings.NewReader(file), 3 << 20}, int64(len(file)), Options{})
		for err == nil {
			_, err = r.Next()
		}
		if err == io.EOF || !errors.Is(err, errDisk) {
			t.Errorf("reading ended with %v", err)
		}
	}
}
