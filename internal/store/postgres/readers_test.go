package postgres

import (
	"database/sql/driver"
	"errors"
	"testing"
)

// A transaction of one query sends no BEGIN and COMMIT. It is still read-only and has
// one snapshot, and it verifies the version of the catalogue. No other query can
// follow.
func TestSingleQueryIsATransactionWithoutBegin(t *testing.T) {
	s := open(t)
	conn, err := s.readers.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	const settings = "SELECT current_setting('transaction_isolation'), current_setting('transaction_read_only'), version FROM catalogue"
	for _, only := range []bool{true, false} {
		r := newReading(t.Context(), conn, 0)
		query := r.Query
		if only {
			query = r.QueryLast
		}
		var row []driver.Value
		read := func() error {
			rows, err := query(t.Context(), settings)
			if err != nil {
				return err
			}
			row, err = rows.Next()
			return errors.Join(err, rows.Close())
		}
		if err := read(); err != nil {
			t.Fatal(err)
		}
		if string(row[0].([]byte)) != "repeatable read" || string(row[1].([]byte)) != "on" {
			t.Errorf("only query: %t; isolation %s, read only %s; want repeatable read, on", only, row[0], row[1])
		}
		if !r.verified {
			t.Errorf("only query: %t; the version of the catalogue was not verified, want it verified", only)
		}
		if err := read(); errors.Is(err, errEnded) != only {
			t.Errorf("only query: %t; a second query: error %v, want errEnded only after QueryLast", only, err)
		}
		if err := r.end(); err != nil {
			t.Error(err)
		}
		if status := conn.Conn().PgConn().TxStatus(); status != 'I' {
			t.Errorf("only query: %t; after the end the connection has the status %c, want I (idle)", only, status)
		}
	}
}
