package db

import (
	"fmt"
	"math"
	"strings"

	"enlist/internal/enlist"
)

// OldRows are rows about Contacts that have data to remove. The primary key of their table begins with the columns of
// Where, and contact_id follows.
type OldRows struct {
	Table    string
	Where    string // the rows of a List, or of a Batch in a List
	Args     []any
	Time     string // the time of a row
	Test     string // which of the rows have data to remove
	TestArgs []any
	Remove   string // begins the statement that removes it
}

// Count returns how many rows have data to remove, and the time of the oldest.
func (o *OldRows) Count(tx *Tx) (rows, oldest int64, err error) {
	err = tx.Row([]any{&rows, &oldest}, "SELECT count(*), coalesce(min("+o.Time+"), 0) FROM "+o.Table+" WHERE "+o.Where+" AND "+o.Test,
		append(o.Args[:len(o.Args):len(o.Args)], o.TestArgs...)...)
	return rows, oldest, err
}

// RemoveSome removes data from the rows of some Contacts after one. It scans the primary key, in order of Contact. last
// is 0 after the last of them.
func (o *OldRows) RemoveSome(tx *Tx, after enlist.ContactID, limit int) (last enlist.ContactID, changed int64,
	err error) {
	where, args := " WHERE "+o.Where+" AND contact_id > ?", append(o.Args[:len(o.Args):len(o.Args)], int64(after))
	n := len(args)
	end, err := tx.Number("SELECT contact_id FROM "+o.Table+where+" ORDER BY contact_id"+Limited+
		" OFFSET CAST(? AS BIGINT)", append(args[:n:n], int64(1), int64(limit-1))...)
	if err != nil {
		return 0, 0, err
	}
	upto := end
	if end == 0 {
		upto = math.MaxInt64
	}
	changed, err = tx.Exec(o.Remove+where+" AND contact_id <= ? AND "+o.Test,
		append(append(args[:n:n], upto), o.TestArgs...)...)
	return enlist.ContactID(end), changed, err
}

// Recent returns the sums of columns, over the rows whose time is later than argument 1.
func Recent[C ~string](time string, columns []C) string {
	var sums strings.Builder
	for _, column := range columns {
		fmt.Fprintf(&sums, ", CAST(sum(CASE WHEN %s > ?1 THEN %s ELSE 0 END) AS BIGINT)", time, column)
	}
	return sums.String()
}
