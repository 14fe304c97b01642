package postgres

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"enlist/internal/db"

	"github.com/jackc/pgx/v5/pgtype"
)

// This file converts rows of another database to values that pgx writes with COPY.

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
