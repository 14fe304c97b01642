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
	w := &personWriter{reply: c.reply}
	if err := c.service.Privacy.ExportPerson(c.ctx, c.caller, address, w); err != nil {
		return err
	}
	w.reply.buf = append(w.reply.buf, ']', '}')
	return nil
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

// personWriter encodes the rows of an export when the service finds them. It implements privacy.PersonWriter.
type personWriter struct {
	reply    *reply
	sections int
	rows     int // of the current section
}

// Begin begins the object. A later call discards the rows that were written before.
func (w *personWriter) Begin() error {
	if !w.reply.restart() {
		return errRestarted
	}
	w.sections = 0
	w.reply.buf = append(w.reply.buf, '{')
	return nil
}

// Section begins the rows of a section.
func (w *personWriter) Section(s privacy.PersonSection) error {
	b := w.reply.buf
	if w.sections > 0 {
		b = append(b, ']', ',')
	}
	w.sections, w.rows = w.sections+1, 0
	w.reply.buf = append(appendString(b, string(s)), ':', '[')
	return nil
}

// Row appends one row.
func (w *personWriter) Row(values []privacy.PersonValue) error {
	if w.rows > 0 {
		w.reply.buf = append(w.reply.buf, ',')
	}
	w.rows++
	var err error
	w.reply.buf, err = AppendPersonValue(w.reply.buf, values)
	switch {
	case err != nil:
		return err
	case w.reply.silent:
		w.reply.restart()
	case len(w.reply.buf) >= firstBytes:
		return w.reply.flush()
	}
	return nil
}

// AppendPersonValue appends a value of a row as JSON.
func AppendPersonValue(b []byte, v any) ([]byte, error) {
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
			b, err = AppendPersonValue(append(appendString(b, inner.Name), ':'), inner.Value)
			if err != nil {
				return b, err
			}
		}
		return append(b, '}'), nil
	}
	text, err := json.Marshal(v) // a bool, JSON of the database, or null
	return append(b, text...), err
}
