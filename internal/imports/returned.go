package imports

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"enlist/internal/enlist"
	"enlist/internal/imports/sheet"
)

// This file returns the refused rows as a file to mend and to import again: with all columns, in the delimiter and
// encoding of the file, and the reason as a last column, which an Import ignores. decisions.md: 145

// reasonColumn is the name of the last column.
const reasonColumn = "refused because"

func isReasonColumn(name string) bool {
	return strings.EqualFold(strings.TrimSpace(name), reasonColumn)
}

// keptCells returns the cells of a refused row for its result. A date of a workbook becomes a text that a Field reads.
func keptCells(cells []any) []any {
	kept := slices.Clone(cells)
	for n, cell := range kept {
		if at, ok := cell.(time.Time); ok {
			kept[n] = isoTime(at)
		}
	}
	return kept
}

// RefusedName returns the name of the file of refused rows.
func (i *Import) RefusedName() string {
	ending := ".csv"
	if file := i.Report.File; file != nil && file.Format == sheet.NDJSON {
		ending = ".ndjson"
	}
	return fmt.Sprintf("refused-%d%s", i.ID, ending)
}

// RefusedRows writes the refused rows as a file. Cells stay as they are, also those that a spreadsheet would calculate:
// they are the caller's own, were in the file that the caller has, and would otherwise be imported changed. Errors:
// ErrNoImport, Denied, and those of the writer.
func (s *Service) RefusedRows(ctx context.Context, c *enlist.Caller, id enlist.ImportID, to io.Writer) error {
	i, err := s.Import(ctx, c, id)
	if err != nil {
		return err
	}
	file := sheet.About{Format: sheet.CSV, Delimiter: ",", Encoding: "utf-8", Header: true}
	if i.Report.File != nil {
		file = *i.Report.File
	}
	r := returned{names: make([]string, len(i.Columns))}
	for n := range i.Columns {
		r.names[n] = i.Columns[n].Name
	}
	if file.Format == sheet.NDJSON {
		r.to = json.NewEncoder(to)
		r.to.SetEscapeHTML(false)
		return s.ImportResults(ctx, c, id, r.object)
	}
	if file.Format == sheet.XLSX { // a workbook comes back as a text file that spreadsheets open
		file.Encoding, file.Delimiter = "utf-8", ","
	}
	encoded, err := sheet.Encode(to, file.Encoding)
	if err != nil {
		return err
	}
	r.lines = csv.NewWriter(encoded)
	r.lines.UseCRLF = true
	for _, delimiter := range file.Delimiter {
		r.lines.Comma = delimiter
	}
	header := slices.DeleteFunc(slices.Clone(r.names), isReasonColumn)
	err = errors.Join(r.lines.Write(append(header, reasonColumn)), s.ImportResults(ctx, c, id, r.line))
	r.lines.Flush()
	return errors.Join(err, r.lines.Error(), encoded.Close())
}

// returned writes refused rows.
type returned struct {
	names []string
	lines *csv.Writer
	to    *json.Encoder
}

// line writes a row of CSV. A file that was returned before has the reason once.
func (r *returned) line(row *RowResult) error {
	if row.Outcome != RowRefused {
		return nil
	}
	line := make([]string, 0, len(r.names)+1)
	for n := range max(len(r.names), len(row.cells)) {
		switch {
		case n < len(r.names) && isReasonColumn(r.names[n]):
		case n < len(row.cells):
			line = append(line, textOf(row.cells[n]))
		default:
			line = append(line, "")
		}
	}
	return r.lines.Write(append(line, reasonOf(row)))
}

// object writes a row of NDJSON.
func (r *returned) object(row *RowResult) error {
	if row.Outcome != RowRefused {
		return nil
	}
	object := map[string]any{reasonColumn: reasonOf(row)}
	for n, name := range r.names {
		if n < len(row.cells) && row.cells[n] != nil && !isReasonColumn(name) {
			object[name] = row.cells[n]
		}
	}
	return r.to.Encode(object)
}

// reasonOf says why a row was refused. It begins with a letter, so no spreadsheet calculates it.
func reasonOf(r *RowResult) string {
	if r.Field == "" {
		return "row: " + r.Reason
	}
	return "column " + r.Field + ": " + r.Reason
}
