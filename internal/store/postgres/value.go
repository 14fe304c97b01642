package postgres

import (
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgtype"
)

// Values go to and fro as text, for which nobody has to know the types of a
// statement's arguments before it is prepared.

// encode writes an argument.
func encode(arg any) []byte {
	switch v := arg.(type) {
	case nil:
		return nil
	case int64:
		return strconv.AppendInt(make([]byte, 0, 20), v, 10)
	case string:
		return storable(v)
	case []byte:
		b := make([]byte, 2, 2+hex.EncodedLen(len(v)))
		copy(b, `\x`)
		return hex.AppendEncode(b, v)
	case float64:
		return strconv.AppendFloat(nil, v, 'g', -1, 64)
	case []int64:
		return array(len(v), func(b []byte, i int) []byte { return strconv.AppendInt(b, v[i], 10) })
	case []string:
		return array(len(v), func(b []byte, i int) []byte { return quoted(b, storable(v[i])) })
	}
	panic(fmt.Sprintf("an argument of type %T", arg))
}

// array writes {a,b}.
func array(length int, element func(b []byte, i int) []byte) []byte {
	b := append(make([]byte, 0, 64*length+2), '{')
	for i := range length {
		if i > 0 {
			b = append(b, ',')
		}
		b = element(b, i)
	}
	return append(b, '}')
}

// quoted writes a text as an element of an array.
func quoted(b, text []byte) []byte {
	b = append(b, '"')
	for _, c := range text {
		if c == '"' || c == '\\' {
			b = append(b, '\\')
		}
		b = append(b, c)
	}
	return append(b, '"')
}

// storable is a text as the server takes it: UTF-8, without NUL.
func storable(text string) []byte {
	if strings.IndexByte(text, 0) >= 0 {
		text = strings.ReplaceAll(text, "\x00", string(utf8.RuneError))
	}
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, string(utf8.RuneError))
	}
	return []byte(text)
}

// decode reads a column. A text is a part of value unless it is to be kept.
func decode(value []byte, oid uint32, keep bool) driver.Value {
	if value == nil {
		return nil
	}
	switch oid {
	case pgtype.Int8OID, pgtype.Int4OID, pgtype.Int2OID:
		n, _ := strconv.ParseInt(string(value), 10, 64) // the server wrote it
		return n
	case pgtype.BoolOID:
		return string(value) == "t"
	case pgtype.ByteaOID:
		b, _ := hex.DecodeString(strings.TrimPrefix(string(value), `\x`))
		return b
	}
	if keep {
		return string(value)
	}
	return value
}
