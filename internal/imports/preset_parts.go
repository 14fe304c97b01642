package imports

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"enlist/internal/imports/sheet"
)

// This file splits the files of a preset into parts whose rows are all of one kind, because an import has one kind.

// Part is one import of a preset.
type Part struct {
	Options ImportOptions
	open    func() (io.ReadCloser, error)
}

// Open returns the file of the part. The caller closes it.
func (p *Part) Open() (io.ReadCloser, error) { return p.open() }

// presetOrder is the order of imports: Contacts first, because the other kinds change the state of Contacts.
var presetOrder = []string{AsContacts, AsUnsubscribers, AsComplained, AsBounced}

// Parts returns the imports of an exported file, in the order in which to run them, and notes for the operator. A part
// is a file of a .zip file, the file itself, or the rows of one state as CSV. file must stay open. Errors:
// InvalidParameters, and those of package sheet.
func (p *Preset) Parts(file io.ReaderAt, size int64, o ImportOptions) (parts []Part, notes []string,
	err error) {
	entries := sheet.Entries(file, size)
	if entries == nil {
		entries = []string{""}
	}
	for _, entry := range entries {
		name := o.FileName
		if entry != "" {
			name = path.Base(entry)
		}
		kind, err := p.kindOf(name)
		if err != nil {
			return nil, nil, err
		}
		if kind == "" {
			notes = append(notes, fmt.Sprintf("%s is left out: its persons did not agree to mails", name))
			continue
		}
		source := presetSource{preset: p, file: file, size: size, entry: entry, options: o}
		source.options.FileName, source.options.As = name, kind
		found, note, err := source.parts()
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		parts = append(parts, found...)
		if note != "" {
			notes = append(notes, note)
		}
	}
	slices.SortStableFunc(parts, func(a, b Part) int {
		return cmp.Compare(slices.Index(presetOrder, a.Options.As), slices.Index(presetOrder, b.Options.As))
	})
	return parts, notes, nil
}

// presetSource is one exported file.
type presetSource struct {
	preset  *Preset
	file    io.ReaderAt
	size    int64
	entry   string // in a .zip file
	options ImportOptions
}

// read opens the rows of the file.
func (s *presetSource) read() (*sheet.Reader, error) {
	delimiter := rune(0)
	for _, c := range s.options.Delimiter {
		delimiter = c
	}
	return sheet.Open(s.file, s.size, sheet.Options{Format: sheet.Format(s.options.Format),
		FileName: s.options.FileName,
		Entry:    s.entry, Encoding: s.options.Encoding, Delimiter: delimiter})
}

// parts returns the file as one part, or a part for each state of its rows.
func (s *presetSource) parts() (parts []Part, note string, err error) {
	r, err := s.read()
	if err != nil {
		return nil, "", err
	}
	defer r.Close()
	o := s.options
	o.AddFields = o.AddFields && o.As == AsContacts
	if o.Status == "" && s.preset.state != "" && o.As == AsContacts {
		o.Status = StatusSubscribe // the preset knows what each row is
	}
	o.Map = s.preset.mapping(r.Columns(), &o)
	state := slices.IndexFunc(r.Columns(), func(name string) bool { return strings.EqualFold(name, s.preset.state) })
	if s.preset.state == "" || state < 0 {
		if s.preset.state != "" {
			note = fmt.Sprintf("the file has no column %s, so all its persons become subscribers: "+
				"import those who have unsubscribed with --as unsubscribers", s.preset.state)
		}
		return []Part{{Options: o, open: s.whole}}, note, nil
	}
	counts, err := s.count(r, state)
	for _, kind := range presetOrder {
		if counts[kind] == 0 {
			continue
		}
		part := Part{Options: o, open: func() (io.ReadCloser, error) { return s.rowsOf(kind, state) }}
		part.Options.As, part.Options.Format, part.Options.Encoding, part.Options.Delimiter = kind, "csv", "utf-8", ","
		part.Options.FileName, part.Options.AddFields = kind+".csv", o.AddFields && kind == AsContacts
		parts = append(parts, part)
	}
	return parts, "", err
}

// count counts the rows of each kind. A row that cannot be read is an error, because its state is not known.
func (s *presetSource) count(r *sheet.Reader, state int) (map[string]int64, error) {
	counts := map[string]int64{}
	for {
		row, err := r.Next()
		if err == io.EOF {
			return counts, nil
		}
		if err = cmp.Or(err, row.Err); err != nil {
			return nil, fmt.Errorf("row %d cannot be read: %w", row.Number, err)
		}
		kind, err := s.preset.kindOfRow(row.Number, row.Values[state])
		if err != nil {
			return nil, err
		}
		counts[kind]++
	}
}

// whole returns the bytes of the file.
func (s *presetSource) whole() (io.ReadCloser, error) {
	if s.entry == "" {
		return io.NopCloser(io.NewSectionReader(s.file, 0, s.size)), nil
	}
	archive, err := zip.NewReader(s.file, s.size)
	if err != nil {
		return nil, err
	}
	return archive.Open(s.entry)
}

// rowsOf returns the rows of one kind as CSV.
func (s *presetSource) rowsOf(kind string, state int) (io.ReadCloser, error) {
	r, err := s.read()
	if err != nil {
		return nil, err
	}
	f := &filtered{Reader: r, preset: s.preset, kind: kind, state: state}
	f.to = csv.NewWriter(&f.buf)
	return f, f.write(r.Columns())
}

// filtered encodes the rows of one kind as CSV while it is read.
type filtered struct {
	*sheet.Reader
	preset *Preset
	kind   string
	state  int
	to     *csv.Writer
	buf    bytes.Buffer // was not read yet
}

func (f *filtered) write(cells []string) error {
	err := f.to.Write(cells)
	f.to.Flush()
	return err
}

// Read implements io.Reader.
func (f *filtered) Read(b []byte) (int, error) {
	for f.buf.Len() == 0 {
		row, err := f.Next()
		if err = cmp.Or(err, row.Err); err != nil {
			return 0, err
		}
		kind, err := f.preset.kindOfRow(row.Number, row.Values[f.state])
		if err != nil {
			return 0, errors.Join(errChanged, err)
		}
		if kind != f.kind {
			continue
		}
		cells := make([]string, len(row.Values))
		for i, v := range row.Values {
			cells[i] = fmt.Sprint(v)
		}
		if err := f.write(cells); err != nil {
			return 0, err
		}
	}
	return f.buf.Read(b)
}

var errChanged = errors.New("the file was changed while it was read")
