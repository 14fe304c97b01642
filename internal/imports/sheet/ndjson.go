package sheet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// This file reads NDJSON: one JSON object on each line. Its keys are the columns.

// readAhead is the number of objects whose keys are known as columns when the file is opened.
const readAhead = 1000

// objects reads the rows of an NDJSON file.
type objects struct {
	w      *window
	names  []string
	column map[string]int
	number int64
	ahead  []Row // read when the file was opened
	err    error // that ended reading ahead

	line    bytes.Reader
	decoder jsontext.Decoder
}

func newObjects(w *window) (*objects, error) {
	o := &objects{w: w, column: map[string]int{}}
	for bytes := 0; len(o.ahead) < readAhead && bytes < sniffed && o.err == nil; {
		row, n, err := o.read()
		bytes += n
		if err != nil {
			o.err = err
			break
		}
		o.ahead = append(o.ahead, row)
	}
	switch {
	case o.err != nil && o.err != io.EOF:
		return nil, o.err
	case len(o.ahead) == 0:
		return nil, errEmpty
	case len(o.names) == 0:
		return nil, fmt.Errorf("the file has no JSON object with a key on its first lines: line 1: %w",
			firstFault(o.ahead))
	}
	return o, nil
}

func firstFault(rows []Row) error {
	for _, row := range rows {
		if row.Err != nil {
			return row.Err
		}
	}
	return errors.New("the object is empty")
}

func (o *objects) columns() []string { return o.names }

func (o *objects) next() (Row, error) {
	if len(o.ahead) > 0 {
		row := o.ahead[0]
		o.ahead = o.ahead[1:]
		return o.widen(row), nil
	}
	if o.err != nil {
		return Row{}, o.err
	}
	row, _, err := o.read()
	return o.widen(row), err
}

// widen adds the columns that were found after the row.
func (o *objects) widen(row Row) Row {
	if row.Err == nil && row.Values != nil && len(row.Values) < len(o.names) {
		row.Values = append(row.Values, make([]any, len(o.names)-len(row.Values))...)
	}
	return row
}

// read reads the next line that is not blank. n is the number of bytes read.
func (o *objects) read() (row Row, n int, err error) {
	for {
		line, fault, err := o.nextLine()
		if err != nil {
			return Row{}, n, err
		}
		o.number++
		n += len(line)
		if fault == nil && len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		row := Row{Number: o.number, Err: fault}
		if fault == nil {
			row.Values, row.Err = o.object(line)
		}
		return row, n, nil
	}
}

// nextLine returns the next line without its line end. It is valid until the next call. fault is errTooLong.
func (o *objects) nextLine() (line []byte, fault, err error) {
	searched := 0
	for {
		text := o.w.unread()
		if i := bytes.IndexByte(text[searched:], '\n'); i >= 0 && searched+i <= maxRow {
			o.w.start += searched + i + 1
			return text[:searched+i], nil, nil
		}
		if len(text) > maxRow {
			o.w.skipLine()
			return nil, errTooLong, nil
		}
		searched = len(text)
		if o.w.fill() {
			continue
		}
		if text = o.w.unread(); o.w.complete() && len(text) > 0 {
			o.w.start = o.w.end
			return text, nil, nil
		}
		return nil, nil, o.w.err
	}
}

// object reads one JSON object. jsontext refuses invalid UTF-8 and a key that is there twice; encoding/json hides both.
func (o *objects) object(line []byte) ([]any, error) {
	if o.w.inexact && bytes.Contains(line, []byte("\uFFFD")) {
		return nil, errNoChar
	}
	o.line.Reset(line)
	d := &o.decoder
	d.Reset(&o.line)
	if d.PeekKind() != '{' {
		return nil, errors.New("the line is not a JSON object")
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, jsonFault(err)
	}
	values := make([]any, len(o.names), len(o.names)+1)
	for d.PeekKind() != '}' {
		key, err := d.ReadValue()
		if err != nil {
			return nil, jsonFault(err)
		}
		column, err := o.columnOf(key)
		if err != nil {
			return nil, err
		}
		raw, err := d.ReadValue()
		if err != nil {
			return nil, jsonFault(err)
		}
		value, err := valueOf(raw)
		if err != nil {
			return nil, err
		}
		for len(values) <= column {
			values = append(values, nil)
		}
		values[column] = value
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, jsonFault(err)
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, errors.New("the line has more than one JSON value")
	}
	return values, nil
}

// columnOf returns the number of the column of a key, which is a string of JSON, and adds the column if it is new.
func (o *objects) columnOf(key jsontext.Value) (int, error) {
	if column, known := o.column[string(key[1:len(key)-1])]; known && bytes.IndexByte(key, '\\') < 0 {
		return column, nil
	}
	name, err := unquote(key)
	if err != nil {
		return 0, err
	}
	column, known := o.column[name]
	switch {
	case known:
		return column, nil
	case name == "":
		return 0, errors.New("the object has an empty key")
	case len(o.names) == maxColumns:
		return 0, errTooMany
	}
	o.column[name] = len(o.names)
	o.names = append(o.names, name)
	return o.column[name], nil
}

// valueOf returns a value as encoding/json would with UseNumber.
func valueOf(raw jsontext.Value) (any, error) {
	switch raw.Kind() {
	case '"':
		return unquote(raw)
	case '0':
		return json.Number(raw), nil
	}
	var value any
	plain := json.NewDecoder(bytes.NewReader(raw))
	plain.UseNumber()
	if err := plain.Decode(&value); err != nil {
		return nil, jsonFault(err)
	}
	return value, nil
}

// unquote returns the text of a string of JSON.
func unquote(raw jsontext.Value) (string, error) {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), nil
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return "", jsonFault(err)
	}
	return string(text), nil
}

func jsonFault(err error) error {
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		err = syntax.Err
		if errors.Is(err, jsontext.ErrDuplicateName) {
			return fmt.Errorf("the key %q is there twice", syntax.JSONPointer.LastToken())
		}
	}
	return fmt.Errorf("the line is not valid JSON: %w", err)
}
