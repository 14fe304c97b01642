package sheet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// This file opens a file and returns its rows. The other files of the package each read one format.

// Limits of a file. The error of a row says which one it exceeds.
const (
	maxRow      = 1 << 20 // bytes of one row, with its quotes and delimiters; so also of one cell
	maxColumns  = 10_000
	maxUnzipped = 16 << 30 // bytes, unless Options say otherwise
	// A file may unpack to maxRatio times its size, and always to smallUnzipped bytes.
	maxRatio      = 200
	smallUnzipped = 16 << 20
	maxMemory     = 512 << 20 // bytes for a workbook, unless Options say otherwise
)

// Format is the format of the content of a file.
type Format string

// The formats. TSV is CSV with tabs between the cells.
const (
	CSV    Format = "csv"
	TSV    Format = "tsv"
	NDJSON Format = "ndjson"
	XLSX   Format = "xlsx"
)

// Options say how to read a file. The zero value recognises everything from the content.
type Options struct {
	Format      Format  // "": from the content and the name
	FileName    string  // its ending tells formats apart, for example .csv, .tsv.gz, .ndjson
	Entry       string  // the file to read from a .zip file with several files, or the sheet of a workbook
	Encoding    string  // a name such as utf-8, windows-1252, ibm850; "": the rules of encoding.go
	Delimiter   rune    // a tab or a punctuation mark of ASCII; 0: the rule of delimiter.go
	NoHeader    bool    // the first row is data, and the columns are named "col 1", "col 2", ...
	MaxUnzipped int64   // bytes that a .gz, .zip or .xlsx file may contain; 0: 16 GiB. 200 times the size of the file, if that is less
	Memory      *Memory // of all workbooks that are read at the same time; nil: 512 MiB for this one
}

// About says what Open recognised.
type About struct {
	Format      Format `json:"format"`
	Compression string `json:"compression,omitempty"` // gzip or zip
	Entry       string `json:"entry,omitempty"`       // the file in the .zip file, or the sheet of the workbook
	Encoding    string `json:"encoding,omitempty"`    // of CSV and NDJSON, for example utf-8
	Guess       *Guess `json:"guess,omitempty"`       // of the encoding; nil: the caller or a rule has named it
	Delimiter   string `json:"delimiter,omitempty"`   // of CSV and TSV
	Header      bool   `json:"header"`                // the file names its columns
	Titles      int    `json:"titles,omitempty"`      // number of rows above the header, which are left out
}

// Row is one row of a file.
type Row struct {
	// Number counts the rows of the file from 1. The header is not counted. Empty rows are counted and not returned.
	Number int64
	// Values are in the order of Reader.Columns. A value of CSV is a string. A value of NDJSON is a value as of
	// encoding/json with UseNumber, and nil also stands for a missing key. A value of XLSX is a string, a
	// json.Number, a bool, a time.Time in UTC or a CellError; an empty cell is "".
	Values []any
	// Err says why this row cannot be read. Values then has what was read, which can be more or less than the columns. It is a sentence for a person. Reading goes on with the next row.
	Err error
}

// rows reads the rows of one format.
type rows interface {
	// next returns the next row that is not empty. Its errors are those of Reader.Next.
	next() (Row, error)
	// columns returns the names of the columns. NDJSON may add names with each row.
	columns() []string
}

// Reader reads the rows of one file. It is not for use by several goroutines at the same time.
type Reader struct {
	rows    rows
	about   About
	closers []io.Closer
	memory  *memoryShare
}

// Open recognises a file of size bytes and reads its header. Its errors are sentences for a person; an error of file
// itself is wrapped in one. The caller closes the Reader, and keeps file open until then.
func Open(file io.ReaderAt, size int64, o Options) (*Reader, error) {
	if o.MaxUnzipped <= 0 {
		o.MaxUnzipped = maxUnzipped
	}
	o.MaxUnzipped = min(o.MaxUnzipped, max(smallUnzipped, size*maxRatio))
	if o.Delimiter != 0 && !isDelimiter(o.Delimiter) {
		return nil, fmt.Errorf("the delimiter must be a tab or a punctuation mark of ASCII, such as ;, not %q",
			o.Delimiter)
	}
	if size == 0 {
		return nil, errEmpty
	}
	if o.Memory == nil {
		o.Memory = NewMemory(maxMemory)
	}
	r := &Reader{memory: &memoryShare{of: o.Memory}}
	r.closers = append(r.closers, r.memory)
	if err := r.open(file, size, o); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// open unpacks the content and starts the reader of its format.
func (r *Reader) open(file io.ReaderAt, size int64, o Options) (err error) {
	c, err := unpack(file, size, o)
	if err != nil {
		return err
	}
	r.closers = append(r.closers, c)
	r.about.Compression, r.about.Entry = c.compression, c.entry
	r.about.Format, err = c.format(o)
	if err != nil {
		return err
	}
	if r.about.Format == XLSX {
		return r.openWorkbook(file, size, c, o)
	}
	text, err := decode(c.in, &r.about, o.Encoding)
	if err != nil {
		return err
	}
	w := &window{in: text, inexact: r.about.Encoding != utf8Name}
	if r.about.Format == NDJSON {
		r.about.Header = true
		r.rows, err = newObjects(w)
		return err
	}
	return r.openDelimited(w, o)
}

// openWorkbook opens a workbook. One that is inside another file is read into memory first, because its directory is at
// its end.
func (r *Reader) openWorkbook(file io.ReaderAt, size int64, c *content, o Options) error {
	if r.about.Compression != "" {
		packed, err := r.readPacked(c.in)
		if err != nil {
			return err
		}
		file, size, o.Entry = bytes.NewReader(packed), int64(len(packed)), ""
	}
	book, sheet, err := openWorkbook(file, size, o, r.memory)
	if err != nil {
		return err
	}
	r.closers = append(r.closers, book)
	r.rows, r.about.Entry, r.about.Header, r.about.Titles = sheet, book.sheet, sheet.header > 0, sheet.titles
	return nil
}

// readPacked reads a workbook inside another file into memory.
func (r *Reader) readPacked(in io.Reader) ([]byte, error) {
	var packed bytes.Buffer
	for {
		before := int64(packed.Cap())
		n, err := io.CopyN(&packed, in, 1<<20)
		if err := r.memory.take(int64(packed.Cap()) - before); err != nil {
			return nil, err
		}
		if n < 1<<20 {
			if err == io.EOF {
				err = nil
			}
			return packed.Bytes(), err
		}
	}
}

func (r *Reader) openDelimited(w *window, o Options) error {
	if r.about.Format == TSV && o.Delimiter == 0 {
		o.Delimiter = '\t'
	}
	delimiter, err := findDelimiter(w, o.Delimiter)
	if err != nil {
		return err
	}
	t, err := newTable(&delimited{records: newRecords(w, delimiter)}, o.NoHeader)
	if err == io.EOF {
		err = errEmpty
	}
	if err != nil {
		return err
	}
	r.rows, r.about.Delimiter, r.about.Header, r.about.Titles = t, string(rune(delimiter)), t.header > 0, t.titles
	return nil
}

// Columns returns the names of the columns. They are unique and not empty. The columns of an NDJSON file are the keys
// of its objects: Open has read the first 1,000 objects or 1 MiB, and a later object may add columns, which Next
// appends to Columns and to Values.
func (r *Reader) Columns() []string { return r.rows.columns() }

// About returns what Open recognised.
func (r *Reader) About() About { return r.about }

// Next returns the next row. The caller may keep it. Next returns io.EOF after the last row. Any other error is a
// sentence for a person and ends the file: for example, a .gz file is damaged, or the file itself cannot be read,
// whose error is wrapped.
func (r *Reader) Next() (Row, error) { return r.rows.next() }

// Close frees what the Reader holds. It does not close the file.
func (r *Reader) Close() error {
	var err error
	for _, c := range r.closers {
		err = errors.Join(err, c.Close())
	}
	r.closers = nil
	return err
}

var errEmpty = errors.New("the file is empty")
