package postgres

import (
	"database/sql/driver"
	"io"

	"github.com/jackc/pgx/v5/pgconn"
)

// held are rows that were read at once.
type held struct {
	rows [][]driver.Value
	next int
}

func (h *held) take(r *pgconn.ResultReader) error {
	fields := r.FieldDescriptions()
	for r.NextRow() {
		row := make([]driver.Value, len(fields))
		for i, value := range r.Values() {
			row[i] = decode(value, fields[i].DataTypeOID, true)
		}
		h.rows = append(h.rows, row)
	}
	_, err := r.Close()
	return err
}

// Next implements sqlstore.Rows.
func (h *held) Next() ([]driver.Value, error) {
	if h.next == len(h.rows) {
		return nil, io.EOF
	}
	h.next++
	return h.rows[h.next-1], nil
}

// Close implements sqlstore.Rows.
func (h *held) Close() error { return nil }

// rows are read as they come.
type rows struct {
	session *session
	reader  *pgconn.ResultReader
	row     []driver.Value
}

// Next implements sqlstore.Rows. Texts are good until the next one.
func (r *rows) Next() ([]driver.Value, error) {
	if !r.reader.NextRow() {
		if _, err := r.reader.Close(); err != nil {
			return nil, r.session.recover(err)
		}
		return nil, io.EOF
	}
	fields := r.reader.FieldDescriptions()
	r.row = r.row[:0]
	for i, value := range r.reader.Values() {
		r.row = append(r.row, decode(value, fields[i].DataTypeOID, false))
	}
	return r.row, nil
}

// Close implements sqlstore.Rows.
func (r *rows) Close() error {
	r.session.rows = nil
	if r.session.failed != nil {
		return nil // Next has said so
	}
	if _, err := r.reader.Close(); err != nil {
		return r.session.recover(err)
	}
	return r.session.synced()
}
