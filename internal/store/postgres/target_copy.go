package postgres

import (
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"enlist/internal/store/sqlstore"
)

// This file encodes rows of another database for COPY in its text format:
// https://www.postgresql.org/docs/current/sql-copy.html

// copyText writes rows as COPY reads them: a line each, with tabs between the columns.
func copyText(t *sqlstore.Table, rows [][]driver.Value) ([]byte, error) {
	b := make([]byte, 0, 256*len(rows))
	for _, row := range rows {
		for i, v := range row {
			if i > 0 {
				b = append(b, '\t')
			}
			var err error
			b, err = appendColumn(b, t.Columns[i].Form, v)
			if err != nil {
				return nil, fmt.Errorf("write %s of %s: %w", t.Columns[i].Name, t.Name, err)
			}
		}
		b = append(b, '\n')
	}
	return b, nil
}

// escape writes the bytes that have a meaning in COPY's format.
var escape = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// appendColumn appends one value in the form that the column has.
func appendColumn(b []byte, form sqlstore.Form, value driver.Value) ([]byte, error) {
	switch v := value.(type) {
	case nil:
		return append(b, `\N`...), nil
	case []byte:
		return hex.AppendEncode(append(b, `\\x`...), v), nil
	case int64:
		switch form {
		case sqlstore.Time:
			return time.UnixMilli(v).UTC().AppendFormat(b, "2006-01-02 15:04:05.000Z07:00"), nil
		case sqlstore.Bits:
			return fmt.Appendf(b, "%08b", v), nil
		}
		return strconv.AppendInt(b, v, 10), nil
	case string:
		if form == sqlstore.Documents || form == sqlstore.Texts {
			array, err := arrayText(form, v)
			if err != nil {
				return nil, err
			}
			v = array
		}
		return append(b, escape.Replace(v)...), nil
	}
	return nil, fmt.Errorf("a value of type %T cannot be copied", value)
}

// arrayText turns a JSON array into PostgreSQL's text for an array: {"a","b"}.
func arrayText(form sqlstore.Form, array string) (string, error) {
	var elements []json.RawMessage
	if err := json.Unmarshal([]byte(array), &elements); err != nil {
		return "", err
	}
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	parts := make([]string, len(elements))
	for i, e := range elements {
		text := string(e)
		if form == sqlstore.Texts {
			if err := json.Unmarshal(e, &text); err != nil {
				return "", err
			}
		}
		parts[i] = `"` + quote.Replace(text) + `"`
	}
	return "{" + strings.Join(parts, ",") + "}", nil
}
