package imports

import (
	"context"
	"errors"
	"io"
	"slices"

	"enlist/internal/enlist"
	"enlist/internal/imports/sheet"
)

// This file reads the header and the first rows of a file: what its columns are, how their values are written, and
// whether a user has to say something before a run.

// readHeader returns the columns of the file with their meaning. It reads the first rows if Fields are to be added. An
// Import that keeps its file becomes a dry run if a user has to say something first.
func (s *Service) readHeader(ctx context.Context, i *Import,
	schema *enlist.Schema) (columns []ImportColumn, err error) {
	content := s.contentOf(ctx, i)
	defer func() {
		if content.err != nil {
			err = content.err // not a fault of the file
		}
	}()
	file, err := s.open(content, i.Size, &i.Options)
	if errors.Is(err, ErrNoMemory) {
		return nil, err
	}
	if err != nil {
		return nil, enlist.Invalid("file", err.Error())
	}
	defer file.Close()
	about := file.About()
	i.Report.File = &about
	rows := &firstRows{file: file}
	first := rows.values()
	columns, err = planColumns(schema, file.Columns(), first, &i.Options)
	if err != nil {
		return columns, err
	}
	namesLeft, err := guessFields(rows, columns, i, schema)
	i.Report.Unused = unusedColumns(columns, first)
	if o := &i.Options; o.KeepFile && !o.DryRun {
		o.DryRun = namesLeft || about.Guess != nil && !about.Guess.Sure ||
			slices.ContainsFunc(columns, func(c ImportColumn) bool { return c.Format != nil && c.Format.Choices != nil })
	}
	return columns, err
}

// sampleRows is the number of rows from which samples of columns are taken.
const sampleRows = 20

// firstRows reads a file whose first rows are also read before.
type firstRows struct {
	file *sheet.Reader
	rows []sheet.Row
	err  error // after the rows
}

// values reads the first rows, and returns their values.
func (f *firstRows) values() (all [][]any) {
	for len(f.rows) < sampleRows && f.err == nil {
		var row sheet.Row
		if row, f.err = f.file.Next(); f.err == nil {
			f.rows, all = append(f.rows, row), append(all, row.Values)
		}
	}
	return all
}

// next returns all rows of the file.
func (f *firstRows) next() (row sheet.Row, err error) {
	switch {
	case len(f.rows) > 0:
		row, f.rows = f.rows[0], f.rows[1:]
	case f.err != nil:
		return row, f.err
	default:
		return f.file.Next()
	}
	return row, nil
}

// guessFields sets the types of the Fields that are to be added, and how the dates and numbers of columns are written. A
// column without any value gets no Field. namesLeft reports whether rows may be of people who have left, without an
// answer what becomes of them.
func guessFields(file *firstRows, columns []ImportColumn, i *Import,
	schema *enlist.Schema) (namesLeft bool, err error) {
	guesses := make(map[int]*Guess)
	bound := bindColumns(&Import{Options: i.Options, Columns: columns}, schema)
	for n := range columns {
		b := &bound[n]
		if columns[n].New != nil || b.isTime() || b.field != nil && (b.field.Type == enlist.Date || b.field.Numeric()) {
			guesses[n] = newGuess(b)
		}
	}
	status := &rowParser{options: &i.Options, columns: bound}
	asksStatus := i.Options.KeepFile && i.Options.Status == ""
	hasNew, isWhole := slices.ContainsFunc(columns, func(c ImportColumn) bool { return c.New != nil }), false
	for range guessRows {
		if len(guesses) == 0 && !asksStatus {
			break
		}
		row, err := file.next()
		if isWhole = err == io.EOF; isWhole || err != nil && !hasNew { // the run says why
			break
		}
		if err != nil {
			return false, enlist.Invalid("file", err.Error())
		}
		for n, g := range guesses {
			if n < len(row.Values) {
				g.See(row.Values[n])
			}
		}
		namesLeft = namesLeft || asksStatus && status.statusOf(row.Values).says != ""
	}
	for n, g := range guesses {
		c := &columns[n]
		switch {
		case c.New == nil:
			c.Format = g.format(bound[n].field, bound[n].isTime())
		case g.values == 0 && isWhole:
			c.Target, c.New = "", nil
		default:
			*c.New, c.Format = g.fieldOfColumn()
		}
	}
	isState := func(b boundColumn) bool { return b.status != noStatus && b.key == "" }
	return namesLeft || asksStatus && !isWhole && slices.ContainsFunc(bound, isState), nil
}
