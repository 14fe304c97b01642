package sheet

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// This file opens an XLSX workbook: it finds the sheet, its shared texts and the styles, as ECMA-376
// describes them. worksheet.go then reads the sheet row by row. decisions.md: 66 says why no library does this.

// maxXML is the limit of bytes of XML for one row, one text, or a part that is read at once.
const maxXML = 16 << 20

// workbook is an open .xlsx file.
type workbook struct {
	files   map[string]*zip.File
	left    int64 // bytes that may still be unpacked
	max     int64
	xmlLeft int64        // bytes that may be unpacked for the row, the text or the part that is being read
	memory  *memoryShare // counts texts
	texts   []string
	styles  []style // by the number of a cell's style
	from    dates
	sheet   string // its name
	content io.Closer
}

// openWorkbook opens the first sheet that has rows and is not hidden, or the one with the name of o.Entry.
func openWorkbook(file io.ReaderAt, size int64, o Options, memory *memoryShare) (*workbook, *table, error) {
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return nil, nil, fmt.Errorf("the workbook is damaged: %w", err)
	}
	b := &workbook{files: map[string]*zip.File{}, left: o.MaxUnzipped, max: o.MaxUnzipped, memory: memory}
	for _, f := range archive.File {
		b.files[strings.ToLower(strings.ReplaceAll(f.Name, `\`, "/"))] = f
	}
	main := "xl/workbook.xml"
	for _, rel := range b.relations("") {
		if rel.is("officeDocument") {
			main = rel.path("")
		}
	}
	if strings.HasSuffix(main, ".bin") {
		return nil, nil, errBinaryWorkbook
	}
	parts, err := b.readBook(main, o.Entry)
	if err != nil {
		return nil, nil, err
	}
	if err := errors.Join(b.readTexts(parts.texts), b.readStyles(parts.styles)); err != nil {
		return nil, nil, err
	}
	for _, sheet := range parts.sheets {
		in, err := b.open(sheet.part)
		if err != nil {
			return nil, nil, err
		}
		rows, err := newTable(&worksheet{book: b, in: xml.NewDecoder(in)}, o.NoHeader)
		if err == nil {
			b.sheet, b.content = sheet.name, in
			return b, rows, nil
		}
		if _ = in.Close(); err != io.EOF { // only repeats the errors of reading
			return nil, nil, err
		}
	}
	if len(parts.sheets) > 1 {
		return nil, nil, errors.New("all sheets of the workbook are empty or hidden")
	}
	return nil, nil, errors.New("the sheet is empty")
}

// Close ends reading the sheet.
func (b *workbook) Close() error {
	_ = b.content.Close() // only repeats the errors of reading
	return nil
}

// part is a file of a workbook. The sizes of all parts together are limited, and those of the pieces that must be in
// memory at once.
type part struct {
	io.ReadCloser
	book *workbook
}

func (p part) Read(buf []byte) (int, error) {
	n, err := p.ReadCloser.Read(buf)
	if p.book.left -= int64(n); p.book.left < 0 {
		return 0, errUnzipped(p.book.max)
	}
	if p.book.xmlLeft -= int64(n); p.book.xmlLeft < 0 {
		return 0, fmt.Errorf("a row or a text of the workbook is longer than %d bytes of XML", maxXML)
	}
	return n, err
}

func (b *workbook) open(name string) (io.ReadCloser, error) {
	f := b.files[strings.ToLower(name)]
	if f == nil {
		return nil, fmt.Errorf("the workbook is damaged: it has no part %q", name)
	}
	in, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("the workbook is damaged: open %s: %w", name, err)
	}
	b.xmlLeft = maxXML
	return part{in, b}, nil
}

// decode reads a whole part, which is small, into a struct.
func (b *workbook) decode(name string, into any) error {
	in, err := b.open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := xml.NewDecoder(in).Decode(into); err != nil {
		return fmt.Errorf("the workbook is damaged: read %s: %w", name, err)
	}
	return nil
}

// relation leads from one part to another.
type relation struct {
	ID     string `xml:"Id,attr"`
	Type   string `xml:"Type,attr"`
	Target string `xml:"Target,attr"`
}

// is reports whether the relation has a type. The strict form of the format has other names before the last slash.
func (r relation) is(kind string) bool { return path.Base(r.Type) == kind }

// path returns the name of the part to which a relation of a part in folder leads.
func (r relation) path(folder string) string {
	target := strings.ReplaceAll(r.Target, `\`, "/")
	if strings.HasPrefix(target, "/") {
		return path.Clean(target)[1:]
	}
	return path.Join(folder, target)
}

// relations returns the relations of a part, or of the whole file for "". It returns none if they cannot be read;
// then a part that is needed is missing.
func (b *workbook) relations(name string) []relation {
	var all struct {
		Relations []relation `xml:"Relationship"`
	}
	folder, file := path.Split(name)
	if err := b.decode(path.Join(folder, "_rels", file+".rels"), &all); err != nil {
		return nil
	}
	return all.Relations
}

// parts are the names of the parts that are read, and the sheets that may be, in their order.
type parts struct {
	texts, styles string
	sheets        []struct{ name, part string }
}

// readBook finds the sheets and the parts that belong to all of them.
func (b *workbook) readBook(main, wanted string) (found parts, err error) {
	var book struct {
		Properties struct {
			Date1904 string `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []struct {
			Name     string     `xml:"name,attr"`
			State    string     `xml:"state,attr"`
			Relation []xml.Attr `xml:",any,attr"`
		} `xml:"sheets>sheet"`
	}
	if err := b.decode(main, &book); err != nil {
		return found, err
	}
	b.from = dates{from1904: isTrue(book.Properties.Date1904)}
	byID := map[string]relation{}
	for _, rel := range b.relations(main) {
		byID[rel.ID] = rel
		switch {
		case rel.is("sharedStrings"):
			found.texts = rel.path(path.Dir(main))
		case rel.is("styles"):
			found.styles = rel.path(path.Dir(main))
		}
	}
	var names []string
	for _, sheet := range book.Sheets {
		for _, attr := range sheet.Relation {
			rel, exists := byID[attr.Value]
			if attr.Name.Local != "id" || !exists || !rel.is("worksheet") {
				continue
			}
			names = append(names, sheet.Name)
			if sheet.Name == wanted || wanted == "" && !isHidden(sheet.State) {
				found.sheets = append(found.sheets, struct{ name, part string }{sheet.Name, rel.path(path.Dir(main))})
			}
		}
	}
	if len(found.sheets) == 0 && wanted != "" {
		return found, fmt.Errorf("the workbook has no sheet %q, but %s", wanted, listed(names))
	}
	if len(found.sheets) == 0 {
		return found, errors.New("the workbook has no sheet that is not hidden")
	}
	return found, nil
}

// isHidden reports whether a sheet with a state is hidden. Google Sheets and LibreOffice write the state visible.
func isHidden(state string) bool { return state == "hidden" || state == "veryHidden" }

// readTexts reads the texts that cells share. A workbook without texts has no such part.
func (b *workbook) readTexts(name string) error {
	if name == "" {
		return nil
	}
	in, err := b.open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	d := xml.NewDecoder(in)
	for {
		token, err := d.RawToken()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the workbook is damaged: read %s: %w", name, err)
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "si" {
			continue
		}
		b.xmlLeft = maxXML
		text, err := readText(d, "si")
		if err != nil {
			return fmt.Errorf("the workbook is damaged: read %s: %w", name, err)
		}
		if err := b.memory.take(int64(len(text) + textOverhead)); err != nil {
			return err
		}
		b.texts = append(b.texts, text)
	}
}

// readText reads the text of an element up to its end: its <t>, or those of its runs <r>, and not the phonetic ones.
func readText(d *xml.Decoder, end string) (string, error) {
	var text bytes.Buffer
	inText, phonetic := false, false
	for {
		token, err := d.RawToken()
		if err != nil {
			return "", unexpected(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			inText = token.Name.Local == "t"
			phonetic = phonetic || token.Name.Local == "rPh"
		case xml.CharData:
			if inText && !phonetic {
				text.Write(token)
			}
			if text.Len() > maxRow {
				return "", errTooLong
			}
		case xml.EndElement:
			inText = false
			phonetic = phonetic && token.Name.Local != "rPh"
			if token.Name.Local == end {
				return unescape(text.String()), nil
			}
		}
	}
}

func isTrue(attr string) bool { return attr == "1" || attr == "true" }

// unexpected makes an end inside an element an error.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
