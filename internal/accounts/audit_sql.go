package accounts

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/search"
)

// This file stores and searches the audit log.

func mapAuditRow(m *db.Mapper, r *AuditRow) {
	m.ID("id", &r.ID)
	m.Fixed("account_id", (*int64)(&r.AccountID))
	m.Fixed("time", &r.Time)
	m.Fixed("method", &r.Method)
	m.Fixed("key_id", (*int64)(&r.KeyID))
	m.Fixed("key_name", &r.KeyName)
	m.Fixed("user_name", &r.User)
	m.Fixed("ip_address", &r.IP)
	m.Fixed("object", &r.Object)
	m.Fixed("object_id", &r.ObjectID)
	m.Fixed("list_id", (*int64)(&r.ListID))
	m.Fixed("before_values", &r.Before)
	m.Fixed("after_values", &r.After)
}

var auditTable = db.NewMapping("audit", mapAuditRow)

// AddAuditRow adds a row to the audit log.
func AddAuditRow(tx *db.Tx, r *AuditRow) error { return auditTable.Add(tx, r) }

// rows calls each with the rows that a search finds. Rows with equal sort values are in the order of their IDs, in
// the same direction.
func (s *AuditSearch) rows(tx *db.Tx, each func(*AuditRow) error) error {
	q := s.where(tx)
	q.OrderRecords(s.Sort, "id", s.Descending)
	q.Limit(&enlist.Search{Limit: s.Limit, Offset: s.Offset})
	return auditTable.Each(tx, each, q.Text.String(), q.Args...)
}

func (s *AuditSearch) count(tx *db.Tx) (int64, error) {
	q := s.where(tx)
	return tx.Number("SELECT count(*) FROM audit "+q.Text.String(), q.Args...)
}

// OldAuditRows counts the rows of an Account from before a time.
func OldAuditRows(tx *db.Tx, account enlist.AccountID, before int64) (rows, oldest int64, err error) {
	err = tx.Row([]any{&rows, &oldest},
		"SELECT count(*), coalesce(min(time), 0) FROM audit WHERE account_id = ? AND time < ?", int64(account), before)
	return rows, oldest, err
}

// RemoveAuditRows deletes the oldest rows of an Account from before a time.
func RemoveAuditRows(tx *db.Tx, account enlist.AccountID, before int64, limit int) (removed int64, err error) {
	return tx.Exec("DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE account_id = ? AND time < ? ORDER BY time"+
		db.Limited+")", int64(account), before, int64(limit))
}

// where begins a statement with the WHERE clause of a search.
func (s *AuditSearch) where(tx *db.Tx) *search.Query {
	where, args := "WHERE account_id >= 0", []any(nil)
	if s.Account != 0 {
		where, args = "WHERE account_id = ?", []any{int64(s.Account)}
	}
	q := search.Records(tx, where, args, nil)
	q.And(s.Where)
	return q
}

// EraseAuditRows empties the columns of rows that can contain an address. The trigger of the table allows no other
// change.
func EraseAuditRows(tx *db.Tx, ids []int64) error {
	test, arg, err := db.OneOfIDs(tx, ids)
	if err != nil {
		return err
	}
	return tx.Do("UPDATE audit SET before_values = '', after_values = '' WHERE id"+test, arg)
}
