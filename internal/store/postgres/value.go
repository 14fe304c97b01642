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
	}
	panic(fmt.Sprintf("an argument of type %T", arg))
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
