package postgres

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"enlist/internal/db"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// This file writes the rows of another database with COPY, in values that pgx can encode.

var errUnread = errors.New("COPY has ended before the last row")

// copyRows writes the rows that the function rows passes to its argument. pgx asks for one row after another.
func copyRows(ctx context.Context, tx pgx.Tx, table *db.Table,
	rows func(write func([]driver.Value) error) error) error {
	var failed error
	next, stop := iter.Pull(func(yield func([]driver.Value) bool) {
		failed = rows(func(row []driver.Value) error {
			if !yield(row) {
				return errUnread
			}
			return nil
		})
	})
	defer stop()
	names := make([]string, len(table.Columns))
	for i, c := range table.Columns {
		names[i] = c.Name
	}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{table.Name}, names, pgx.CopyFromFunc(func() ([]any, error) {
		row, more := next()
		if !more {
			return nil, failed
		}
		return copyValues(table, row)
	}))
	if err != nil {
		return fmt.Errorf("write %s: %w", table.Name, err)
	}
	return nil
}

// copyValues converts a normalised row to values that pgx can encode.
func copyValues(t *db.Table, row []driver.Value) (values []any, err error) {
	values = make([]any, len(row))
	for i, v := range row {
		values[i], err = copyValue(t.Columns[i].Form, v)
		if err != nil {
			return nil, fmt.Errorf("convert %s of %s: %w", t.Columns[i].Name, t.Name, err)
		}
	}
	return values, nil
}

func copyValue(form db.Form, value driver.Value) (any, error) {
	switch v := value.(type) {
	case int64:
		switch form {
		case db.Time:
			return time.UnixMilli(v), nil
		case db.Bits:
			return pgtype.Bits{Bytes: []byte{byte(v)}, Len: 8, Valid: true}, nil
		}
	case string:
		switch form {
		case db.Documents:
			return elements[json.RawMessage](v)
		case db.Texts:
			return elements[string](v)
		}
	}
	return value, nil
}

// elements decodes a JSON array.
func elements[T any](array string) (decoded []T, err error) {
	err = json.Unmarshal([]byte(array), &decoded)
	return decoded, err
}
