package sheet

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// This file unpacks .gz and .zip files, and tells the formats apart.

// content is the content of a file, unpacked.
type content struct {
	in          *bufio.Reader // its buffer has sniffed bytes
	name        string        // of the file or the entry, without .gz
	compression string        // "", gzip or zip
	entry       string        // of a .zip file
	opened      io.Closer     // the entry of a .zip file
}

// sniffed is the number of bytes from which the encoding and the format are recognised.
const sniffed = 1 << 20

// workbookPart is a file in each .xlsx file.
const workbookPart = "[Content_Types].xml"

// unpack returns the content of a file, or of the file inside it. A workbook inside a .gz or .zip file is returned
// packed.
func unpack(file io.ReaderAt, size int64, o Options) (*content, error) {
	c := &content{name: o.FileName}
	var start [4]byte
	n, err := file.ReadAt(start[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	var in io.Reader = io.NewSectionReader(file, 0, size)
	err = nil
	switch {
	case bytes.HasPrefix(start[:n], []byte("\x1f\x8b")):
		in, err = c.gunzip(in)
	case bytes.HasPrefix(start[:n], []byte("PK\x03\x04")), bytes.HasPrefix(start[:n], []byte("PK\x05\x06")):
		in, err = c.unzip(file, size, in, o.Entry)
	}
	if err != nil {
		return nil, err
	}
	if c.compression != "" {
		in = &limited{in: in, left: o.MaxUnzipped, max: o.MaxUnzipped}
	}
	c.in = bufio.NewReaderSize(in, sniffed)
	return c, nil
}

func (c *content) gunzip(in io.Reader) (io.Reader, error) {
	unpacked, err := gzip.NewReader(bufio.NewReaderSize(in, 64<<10))
	if err != nil {
		return nil, fmt.Errorf("the .gz file is damaged: %w", err)
	}
	c.compression, c.name = "gzip", strings.TrimSuffix(c.name, ".gz")
	return &damaged{unpacked, ".gz"}, nil
}

// unzip opens the only file of a .zip file, or the one with the name that the caller gave. A workbook is also a .zip
// file, and unzip returns it as it is.
func (c *content) unzip(file io.ReaderAt, size int64, packed io.Reader, entry string) (io.Reader, error) {
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return nil, fmt.Errorf("the .zip file is damaged: %w", err)
	}
	if isWorkbook(archive) {
		return packed, nil
	}
	if err := otherSpreadsheet(archive); err != nil {
		return nil, err
	}
	chosen, err := chooseEntry(archive, entry)
	if err != nil {
		return nil, err
	}
	in, err := chosen.Open()
	if err != nil {
		return nil, fmt.Errorf("open %s in the .zip file: %w", chosen.Name, err)
	}
	c.compression, c.name, c.entry = "zip", chosen.Name, chosen.Name
	c.opened = in
	return &damaged{in, ".zip"}, nil
}

func isWorkbook(archive *zip.Reader) bool {
	for _, f := range archive.File {
		if f.Name == workbookPart {
			return true
		}
	}
	return false
}

// otherSpreadsheet returns an error for the files of other programs that are .zip files inside.
func otherSpreadsheet(archive *zip.Reader) error {
	for _, f := range archive.File {
		switch {
		case f.Name == "mimetype" || f.Name == "META-INF/manifest.xml":
			return errors.New("the file is an OpenDocument file (.ods): save the sheet as .xlsx or CSV")
		case strings.HasPrefix(f.Name, "Index/") || f.Name == "Index.zip":
			return errors.New("the file is a document of Numbers: export the sheet as Excel (.xlsx) or CSV")
		}
	}
	return nil
}

// chooseEntry returns the entry with a name. Without a name it returns the only entry.
func chooseEntry(archive *zip.Reader, name string) (*zip.File, error) {
	var names []string
	var chosen *zip.File
	for _, f := range archive.File {
		if !isData(f.Name) {
			continue
		}
		names = append(names, f.Name)
		if name == "" || f.Name == name {
			chosen = f
		}
	}
	switch {
	case len(names) == 0:
		return nil, errors.New("the .zip file contains no file")
	case chosen == nil:
		return nil, fmt.Errorf("the .zip file contains no file %q, but %s", name, listed(names))
	case name == "" && len(names) > 1:
		return nil, fmt.Errorf("the .zip file contains several files, name the one to read: %s", listed(names))
	}
	return chosen, nil
}

// isData reports whether an entry is a file of the person who packed it: no folder, and no file that macOS adds.
func isData(name string) bool {
	hidden := strings.HasPrefix(name, "__MACOSX/") || strings.HasPrefix(path.Base(name), ".")
	return !hidden && !strings.HasSuffix(name, "/")
}

// listed returns at most ten names for an error.
func listed(names []string) string {
	if len(names) > 10 {
		return strings.Join(names[:10], ", ") + fmt.Sprintf(" and %d more", len(names)-10)
	}
	return strings.Join(names, ", ")
}

// Entries returns the names of the files in a .zip file, in its order. It returns nil if the file is a workbook or no
// .zip file.
func Entries(file io.ReaderAt, size int64) []string {
	archive, err := zip.NewReader(file, size)
	if err != nil || isWorkbook(archive) {
		return nil
	}
	var names []string
	for _, f := range archive.File {
		if isData(f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// The files of spreadsheets that are not read.
var (
	errOldWorkbook = errors.New("the file is a workbook of Excel 2003 or older (.xls): save it as .xlsx, or as CSV")
	errEncrypted   = errors.New("the workbook is protected by a password: " +
		"save it without a password, or as CSV")
	errBinaryWorkbook = errors.New("the file is a binary workbook (.xlsb): save it as .xlsx, or as CSV")
	errMarkup         = errors.New("the file is a page or a document of XML, also if its name ends with .xls: " +
		"open it in a spreadsheet program and save it as .xlsx, or as CSV")
)

// encryptedStream is the name of the part of an OLE file that has a workbook with a password, in UTF-16.
const encryptedStream = "E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e"

// endings are the endings of file names that name a format.
var endings = map[string]Format{".csv": CSV, ".tsv": TSV, ".tab": TSV, ".ndjson": NDJSON, ".jsonl": NDJSON,
	".xlsx": XLSX}

// format returns the format of the content: the one of the options, or that of its first bytes, or of its name.
// Text that none of these names is CSV.
func (c *content) format(o Options) (Format, error) {
	start, err := c.in.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	named, known := endings[strings.ToLower(path.Ext(c.name))]
	switch {
	case len(start) == 0:
		return "", errEmpty
	case bytes.HasPrefix(start, []byte("PK\x03\x04")):
		if o.Format != "" && o.Format != XLSX {
			return "", fmt.Errorf("the file is a workbook and not %s", o.Format)
		}
		return XLSX, nil
	case bytes.HasPrefix(start, []byte("\xd0\xcf\x11\xe0")), isOldest(start):
		all, _ := c.in.Peek(sniffed) // a shorter file is no error
		if bytes.Contains(all, []byte(encryptedStream)) {
			return "", errEncrypted
		}
		return "", errOldWorkbook
	case isMarkup(start):
		return "", errMarkup
	case o.Format == XLSX || o.Format == "" && named == XLSX:
		return "", errors.New("the file is no .xlsx workbook")
	case o.Format != "":
		return o.Format, nil
	case known:
		return named, nil
	}
	switch text := bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\xef\xbb\xbf")), " \t\r\n"); {
	case bytes.HasPrefix(text, []byte("{")):
		return NDJSON, nil
	case bytes.HasPrefix(text, []byte("[")):
		return "", errors.New("the file is a JSON array: write one object on each line (NDJSON)")
	}
	return CSV, nil
}

// isOldest reports whether a file begins as those of Excel 2 to 4.
func isOldest(start []byte) bool {
	return len(start) > 4 && start[0] == 9 && bytes.IndexByte([]byte("\x00\x02\x04\x08"), start[1]) >= 0 && start[3] == 0
}

// isMarkup reports whether a text begins as HTML or XML. Many programs offer such files as Excel.
func isMarkup(start []byte) bool {
	text := strings.ToLower(string(bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\xef\xbb\xbf")), " \t\r\n")))
	for _, mark := range []string{"<?xml", "<!doctype", "<html", "<table", "<head", "<meta", "<workbook"} {
		if strings.HasPrefix(text, mark) {
			return true
		}
	}
	return false
}

// Close frees the unpacked content.
func (c *content) Close() error {
	if c.opened == nil {
		return nil
	}
	_ = c.opened.Close() // only repeats the errors of reading
	return nil
}

// damaged names the archive in the errors of reading from it.
type damaged struct {
	in     io.Reader
	ending string
}

func (d *damaged) Read(p []byte) (int, error) {
	n, err := d.in.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("the %s file is damaged or incomplete: %w", d.ending, err)
	}
	return n, err
}

// limited ends an archive that contains more than max bytes.
type limited struct {
	in        io.Reader
	left, max int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, errUnzipped(l.max)
	}
	n, err := l.in.Read(p[:min(int64(len(p)), l.left+1)])
	l.left -= int64(n)
	return n, err
}

func errUnzipped(max int64) error {
	return fmt.Errorf("the file contains more than %d bytes when it is unpacked; the limit is %d times its size", max,
		maxRatio)
}
