package postgres

import (
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// This file reads results in the form that package db requires: values of driver.Value's types,
// either all rows at once (bufferedRows) or row by row (streamedRows).

// bufferedRows implements db.Rows with rows in memory.
type bufferedRows struct {
	decoder decoder
	rows    [][]driver.Value
	next    int
}

func (b *bufferedRows) readAll(rows pgx.Rows) error {
	fields := rows.FieldDescriptions()
	for rows.Next() {
		row := make([]driver.Value, len(fields))
		if err := b.decoder.decodeRow(row, fields, rows.RawValues()); err != nil {
			return err
		}
		b.rows = append(b.rows, row)
	}
	return rows.Err()
}

// Next implements db.Rows.
func (b *bufferedRows) Next() ([]driver.Value, error) {
	if b.next == len(b.rows) {
		return nil, io.EOF
	}
	b.next++
	return b.rows[b.next-1], nil
}

// Close implements db.Rows.
func (b *bufferedRows) Close() error { return nil }

// streamedRows implements db.Rows with rows that the server still sends.
type streamedRows struct {
	session *session
	decoder decoder
	rows    pgx.Rows
	results results
	row     []driver.Value // reused for every row
}

// Next implements db.Rows. The values are valid until the next call.
func (r *streamedRows) Next() ([]driver.Value, error) {
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return nil, r.session.fail(err)
		}
		return nil, io.EOF
	}
	if r.row == nil {
		r.row = make([]driver.Value, len(r.rows.FieldDescriptions()))
	}
	return r.row, r.decoder.decodeRow(r.row, r.rows.FieldDescriptions(), r.rows.RawValues())
}

// Close implements db.Rows. Rows that were not read are skipped.
func (r *streamedRows) Close() error {
	s := r.session
	s.rows = nil
	r.rows.Close()
	if err := r.results.Close(); err != nil && s.failed == nil {
		return s.fail(err)
	}
	return nil // Next has returned the error, if there was one
}

// readNumber reads the first value of a result into n. If the result has no row, n does not
// change.
func readNumber(rows pgx.Rows, n *int64) error {
	if rows.Next() {
		if err := rows.Scan(n); err != nil {
			return err
		}
	}
	rows.Close()
	return rows.Err()
}

// decoder converts the values that PostgreSQL sends to the types of driver.Value.
type decoder struct {
	types    *pgtype.Map // of the connection
	copyText bool        // copy texts, because the next row overwrites their memory
}

// decodeRow fills dest with the values of a row.
func (d decoder) decodeRow(dest []driver.Value, fields []pgconn.FieldDescription, values [][]byte) (err error) {
	for i, value := range values {
		dest[i], err = d.decode(value, &fields[i])
		if err != nil {
			return fmt.Errorf("read column %s: %w", fields[i].Name, err)
		}
	}
	return nil
}

// decode reads one value. Prepared statements return numbers in binary form. Other statements
// return every value as text. decode handles the two most frequent types without pgx's codecs.
func (d decoder) decode(value []byte, f *pgconn.FieldDescription) (driver.Value, error) {
	switch {
	case value == nil:
		return nil, nil
	case f.DataTypeOID == pgtype.Int8OID && f.Format == pgx.BinaryFormatCode:
		return int64(binary.BigEndian.Uint64(value)), nil
	case f.DataTypeOID != pgtype.TextOID:
		if t, ok := d.types.TypeForOID(f.DataTypeOID); ok {
			return t.Codec.DecodeDatabaseSQLValue(d.types, f.DataTypeOID, f.Format, value)
		}
	}
	if d.copyText {
		return string(value), nil
	}
	return value, nil
}
