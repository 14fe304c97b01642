package sqlstore

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"enlist/internal/audience"
)

// columns writes the columns of a Contact that a search reads.
func (q *searchQuery) columns(c audience.Columns) {
	q.add("id")
	if c.System {
		q.add(", " + q.sql.mappings.contactState.columns)
	}
	if !q.sql.singly(c) {
		q.add(", " + q.sql.Document)
		return
	}
	for _, id := range c.Fields {
		q.add(", "+q.sql.ValueDocument, strconv.FormatInt(int64(id), 10))
	}
}

// singly reports whether values are read each in a column, and not all in one.
func (d *Dialect) singly(c audience.Columns) bool { return !c.All && len(c.Fields) <= d.FewValues }

// columnReader reads rows of a search's columns into one Contact, of which it uses
// the storage again for the next row.
type columnReader struct {
	tx      *Tx
	of      audience.Columns
	state   mapper
	contact audience.Contact
}

func (r *columnReader) read(row *Cursor) error {
	c := &r.contact
	c.ID = audience.ContactID(row.Int())
	if r.of.System {
		r.state.cursor = row
		mapContactState(&r.state, c)
	}
	if !r.tx.sql.singly(r.of) {
		return r.tx.readValues(row.Text(), c)
	}
	c.Values = c.Values[:0]
	for _, id := range r.of.Fields {
		document := row.Value()
		if document == nil {
			continue
		}
		value, err := r.tx.sql.ReadValue(text(document))
		if err != nil {
			return fmt.Errorf("contact %d: %w", c.ID, err)
		}
		c.Values = append(c.Values, audience.FieldValue{Field: id, Text: value})
	}
	return nil
}

// readValues reads the column of field_values, in order of Field ID.
func (t *Tx) readValues(document string, c *audience.Contact) (err error) {
	if c.Values, err = t.sql.ReadValues(document, c.Values[:0]); err != nil {
		return fmt.Errorf("contact %d: %w", c.ID, err)
	}
	for i := 1; i < len(c.Values); i++ {
		if c.Values[i].Field < c.Values[i-1].Field {
			slices.SortFunc(c.Values, func(a, b audience.FieldValue) int { return cmp.Compare(a.Field, b.Field) })
			break
		}
	}
	return nil
}
