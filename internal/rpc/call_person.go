package rpc

import (
	"encoding/json"
	"strconv"

	"enlist/internal/privacy"
)

// This file has the methods about everything that is stored about a person.

// exportPerson returns an object with the rows of each section. reference.md: exportPerson
func exportPerson(c *call) error {
	address := c.address(1)
	if c.err != nil {
		return c.err
	}
	w := &PersonWriter{
		Restart: func() error { return c.reply.begin('{') },
		Write: func(part []byte) error {
			c.reply.buf = append(c.reply.buf, part...)
			return c.reply.added(true, 0)
		},
	}
	return w.End(c.service.Privacy.ExportPerson(c.ctx, c.caller, address, w))
}

// erasePerson returns what was erased or, in a dry run, what would be erased. reference.md: erasePerson
func erasePerson(c *call) error {
	address, dryRun := c.address(1), c.flag(2)
	if c.err != nil {
		return c.err
	}
	erase := c.service.Privacy.ErasePerson
	if dryRun {
		erase = c.service.Privacy.PlanErasure
	}
	e, err := erase(c.ctx, c.caller, address)
	if err != nil {
		return err
	}
	b := append(c.reply.buf, `{"rows":{`...)
	for i, s := range e.Rows {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(appendString(b, string(s.Section)), ':'), s.Rows, 10)
	}
	c.reply.buf = append(appendStrings(append(b, `},"left":`...), e.Left), '}')
	return nil
}

// PersonWriter writes the members of a JSON object: an array of rows for each section of an export. It implements
// privacy.PersonWriter.
type PersonWriter struct {
	Restart func() error            // writes what is before the first section, and discards what was written before
	Write   func(part []byte) error // gets each part, which is valid during the call
	Line    string                  // before each section, row and end of a section, such as a line break

	buf      []byte
	sections int
	rows     int // of the current section
}

// Begin implements privacy.PersonWriter.
func (w *PersonWriter) Begin() error {
	w.sections = 0
	return w.Restart()
}

// Section implements privacy.PersonWriter.
func (w *PersonWriter) Section(s privacy.PersonSection) error {
	b := w.buf[:0]
	if w.sections > 0 {
		b = append(append(b, w.Line...), ']', ',')
	}
	w.sections, w.rows = w.sections+1, 0
	w.buf = append(appendString(append(b, w.Line...), string(s)), ':', '[')
	return w.Write(w.buf)
}

// Row implements privacy.PersonWriter.
func (w *PersonWriter) Row(values []privacy.PersonValue) (err error) {
	b := w.buf[:0]
	if w.rows > 0 {
		b = append(b, ',')
	}
	w.rows++
	if w.buf, err = appendPersonValue(append(b, w.Line...), values); err != nil {
		return err
	}
	return w.Write(w.buf)
}

// End ends the object, unless the export failed.
func (w *PersonWriter) End(err error) error {
	if err == nil {
		err = w.Write(append(append(w.buf[:0], w.Line...), ']', '}'))
	}
	return err
}

// appendPersonValue appends a value of a row as JSON.
func appendPersonValue(b []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case int64:
		return strconv.AppendInt(b, v, 10), nil
	case string:
		return appendString(b, v), nil
	case []privacy.PersonValue:
		b = append(b, '{')
		for i, inner := range v {
			if i > 0 {
				b = append(b, ',')
			}
			var err error
			b, err = appendPersonValue(append(appendString(b, inner.Name), ':'), inner.Value)
			if err != nil {
				return b, err
			}
		}
		return append(b, '}'), nil
	}
	text, err := json.Marshal(v) // a bool, JSON of the database, or null
	return append(b, text...), err
}
