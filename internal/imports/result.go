package imports

import (
	"bufio"
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has the results of an Import's rows. The results of a step are stored together, as lines of JSON that are
// compressed: a result takes about five bytes.

// RowResult is what became of a row. In a dry run it is what would become of it. reference.md: import.results
type RowResult struct {
	Row     int64            `json:"row"` // number of the row in the file, without the header
	Outcome RowOutcome       `json:"outcome"`
	Contact enlist.ContactID `json:"contact_id"`       // 0: none
	Reason  string           `json:"reason,omitempty"` // why the row was not stored
	Field   string           `json:"field,omitempty"`  // name of the Field or key that was refused
	Value   string           `json:"value,omitempty"`  // the value that was refused, at most 200 bytes of it

	cells []any // of a refused row, in the order of the columns; RefusedRows returns them
}

// storedResult is a result as the database has it.
type storedResult struct {
	*RowResult
	Cells []any `json:"cells,omitempty"`
}

// Cells returns the cells of a refused row as texts.
func (r *RowResult) Cells() string {
	texts := make([]string, len(r.cells))
	for n := range r.cells {
		texts[n] = textOf(r.cells[n])
	}
	return strings.Join(texts, ", ")
}

// resultHeader is the first line of the results as CSV.
const resultHeader = "row,outcome,contact_id,reason,field,value\r\n"

// appendCSV appends the result as a line of CSV. A text that a spreadsheet would calculate begins with an apostrophe,
// because a value can come from outside.
func (r *RowResult) appendCSV(b []byte) []byte {
	b = strconv.AppendInt(b, r.Row, 10)
	b = append(append(b, ','), r.Outcome...)
	b = strconv.AppendInt(append(b, ','), int64(r.Contact), 10)
	for _, text := range []string{r.Reason, r.Field, r.Value} {
		text = strings.ReplaceAll(enlist.SpreadsheetText(text), `"`, `""`)
		b = append(append(append(b, ',', '"'), text...), '"')
	}
	return append(b, "\r\n"...)
}

// resultPacker packs the results of steps. It keeps its memory for the next step.
type resultPacker struct {
	lines   []byte
	packed  bytes.Buffer
	deflate *flate.Writer
}

// pack returns the results of a step as the database has them, valid until the next call.
func (p *resultPacker) pack(rows []RowResult) ([]byte, error) {
	p.lines = p.lines[:0]
	for i := range rows {
		var err error
		p.lines, err = rows[i].appendJSON(p.lines)
		if err != nil {
			return nil, err
		}
	}
	p.packed.Reset()
	if p.deflate == nil {
		p.deflate, _ = flate.NewWriter(nil, flate.BestSpeed) // the level is valid
	}
	p.deflate.Reset(&p.packed)
	if _, err := p.deflate.Write(p.lines); err != nil {
		return nil, err
	}
	err := p.deflate.Close()
	return p.packed.Bytes(), err
}

// maxRefusals is the number of refused rows whose results are kept. An Import of which so many rows are refused, and no
// others read, ends.
const maxRefusals = 100_000

// resultsOf returns the results of a step, with at most so many refused rows.
func resultsOf(all []*decision, refusals int64) []RowResult {
	rows := make([]RowResult, 0, len(all))
	for _, d := range all {
		if d.outcome == RowRefused {
			refusals--
			if refusals < 0 {
				continue
			}
		}
		rows = append(rows, d.result())
	}
	return rows
}

// appendJSON appends the result as a line of JSON. Nearly all results have no text, and package json would need
// several times as long for these.
func (r *RowResult) appendJSON(b []byte) ([]byte, error) {
	if r.Reason != "" || r.Field != "" || r.Value != "" {
		line, err := json.Marshal(storedResult{r, r.cells})
		return append(append(b, line...), '\n'), err
	}
	b = strconv.AppendInt(append(b, `{"row":`...), r.Row, 10)
	b = append(append(append(b, `,"outcome":"`...), r.Outcome...), `","contact_id":`...)
	return append(strconv.AppendInt(b, int64(r.Contact), 10), "}\n"...), nil
}

// result returns the result of a row.
func (d *decision) result() RowResult {
	r := RowResult{Row: d.row.number, Outcome: d.outcome, Reason: d.reason}
	if d.contact != nil {
		r.Contact = d.contact.ID
	}
	if d.outcome == RowRefused {
		r.cells = keptCells(d.row.raw)
	}
	if d.row.err != nil {
		r.Value = d.row.value
		if refusal, ok := errors.AsType[*enlist.Error](d.row.err); ok {
			r.Field = refusal.Field
		}
	}
	return r
}

// unpackResults calls each with the results of a step.
func unpackResults(data []byte, each func(*RowResult) error) error {
	lines := json.NewDecoder(flate.NewReader(bytes.NewReader(data)))
	lines.UseNumber()
	for {
		stored := storedResult{RowResult: new(RowResult)}
		if err := lines.Decode(&stored); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
		stored.cells = stored.Cells
		if err := each(stored.RowResult); err != nil {
			return err
		}
	}
}

// resultSteps is the number of steps whose results one View reads.
const resultSteps = 16

// ImportResults calls each with the result of every row that is done, in the order of the file. The results are removed
// seven days after the end of the Import. Errors: ErrNoImport, Denied, and those of each.
func (s *Service) ImportResults(ctx context.Context, c *enlist.Caller, id enlist.ImportID,
	each func(*RowResult) error) error {
	return s.eachStep(ctx, c, id, func(_ *Import, step stepResults) (more bool, err error) {
		return true, unpackResults(step.Data, each)
	})
}

// eachStep calls each with the results of the steps of an Import, until it returns false or an error. Errors:
// ErrNoImport, Denied, and those of each.
func (s *Service) eachStep(ctx context.Context, c *enlist.Caller, id enlist.ImportID,
	each func(*Import, stepResults) (more bool, err error)) error {
	for from := int64(0); ; {
		var i *Import
		steps, err := db.View(ctx, s.db, c, func(tx *db.Tx) (found []stepResults, err error) {
			if i, err = loadImport(tx, c, id); err != nil {
				return nil, err
			}
			return importResults(tx, id, from, resultSteps)
		})
		if err != nil {
			return err
		}
		for _, step := range steps {
			if more, err := each(i, step); err != nil || !more {
				return err
			}
			from = step.Number + 1
		}
		if len(steps) < resultSteps {
			return nil
		}
	}
}

// ResultFile says how WriteResults writes results.
type ResultFile struct {
	CSV  bool     // without it, each line is an object of JSON
	Only []string // outcomes of the rows to write; empty: all rows
}

// WriteResults writes what became of each row. Errors: as of ImportResults, and those of the writer.
func (s *Service) WriteResults(ctx context.Context, c *enlist.Caller, id enlist.ImportID, f ResultFile,
	to io.Writer) error {
	w := bufio.NewWriterSize(to, 64<<10)
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	if f.CSV {
		w.WriteString(resultHeader) // Flush returns the error
	}
	err := s.ImportResults(ctx, c, id, func(r *RowResult) error {
		switch {
		case len(f.Only) > 0 && !slices.Contains(f.Only, string(r.Outcome)):
			return nil
		case f.CSV:
			_, err := w.Write(r.appendCSV(w.AvailableBuffer()))
			return err
		}
		return lines.Encode(r)
	})
	if err != nil {
		return err
	}
	return w.Flush()
}

// RemoveImportResults does one step of the job that removes the results of an Import.
func (s *Service) RemoveImportResults(ctx context.Context, e RemoveImportResults) (done bool, err error) {
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, _ int64) (bool, error) {
		n, err := deleteImportResults(tx, e.Import, resultSteps)
		if err != nil || n == resultSteps {
			return false, err
		}
		i, err := lockImport(tx, e.Import)
		if err != nil {
			return true, ignoreNoImport(err)
		}
		i.Report.forget()
		return true, i.save(tx)
	})
}
