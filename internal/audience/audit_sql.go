package audience

import (
	"slices"
	"strings"

	"enlist/internal/enlist"

	"github.com/go-json-experiment/json/jsontext"
)

// This file stores and searches the audit log.

func mapAuditRow(m *mapper, r *AuditRow) {
	m.id("id", &r.ID)
	m.fixed("account_id", (*int64)(&r.AccountID))
	m.fixed("time", &r.Time)
	m.fixed("method", &r.Method)
	m.fixed("key_id", (*int64)(&r.KeyID))
	m.fixed("key_name", &r.KeyName)
	m.fixed("user_name", &r.User)
	m.fixed("ip_address", &r.IP)
	m.fixed("object", &r.Object)
	m.fixed("object_id", &r.ObjectID)
	m.fixed("list_id", (*int64)(&r.ListID))
	m.fixed("before_values", &r.Before)
	m.fixed("after_values", &r.After)
}

var auditTable = newMapping("audit", mapAuditRow)

// AddAuditRow adds a row to the audit log.
func (t *Tx) AddAuditRow(r *AuditRow) error { return auditTable.add(t, r) }

// AuditRows calls each with the rows that a search finds. Rows with equal sort values are in the order of their IDs, in
// the same direction.
func (t *Tx) AuditRows(s *AuditSearch, each func(*AuditRow) error) error {
	q := t.auditWhere(s)
	direction := ""
	q.add(" ORDER BY ")
	if s.Sort != nil {
		if s.Descending {
			direction = " DESC"
		}
		q.add(q.ordered(s.Sort) + direction + ", ")
	}
	q.add("id" + direction)
	q.limit(&enlist.Search{Limit: s.Limit, Offset: s.Offset})
	return auditTable.each(t, each, q.text.String(), q.args...)
}

// CountAuditRows returns how many rows a search finds.
func (t *Tx) CountAuditRows(s *AuditSearch) (int64, error) {
	q := t.auditWhere(s)
	return t.number("SELECT count(*) FROM audit "+q.text.String(), q.args...)
}

// OldAuditRows counts the rows of an Account from before a time.
func (t *Tx) OldAuditRows(account enlist.AccountID, before int64) (rows, oldest int64, err error) {
	err = t.each(func(row *Cursor) error {
		rows, oldest = row.Int(), row.Int()
		return nil
	}, "SELECT count(*), coalesce(min(time), 0) FROM audit WHERE account_id = ? AND time < ?", int64(account), before)
	return rows, oldest, err
}

// RemoveAuditRows deletes the oldest rows of an Account from before a time.
func (t *Tx) RemoveAuditRows(account enlist.AccountID, before int64, limit int) (removed int64, err error) {
	return t.Exec("DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE account_id = ? AND time < ? ORDER BY time"+
		limited+")", int64(account), before, int64(limit))
}

// auditWhere begins a statement with the WHERE clause of a search.
func (t *Tx) auditWhere(s *AuditSearch) *searchQuery {
	q := &searchQuery{sql: t.SQL, schema: new(enlist.Schema)}
	if s.Account != 0 {
		q.add("WHERE account_id = ?", int64(s.Account))
	} else {
		q.add("WHERE account_id >= 0")
	}
	if s.Where != nil {
		q.add(" AND ")
		q.condition(s.Where)
	}
	return q
}

// EraseAuditRows empties the columns of rows that can contain an address. The trigger of the table allows no other
// change.
func (t *Tx) EraseAuditRows(ids []int64) error {
	test, arg, err := oneOfIDs(t, ids)
	if err != nil {
		return err
	}
	return t.Do("UPDATE audit SET before_values = '', after_values = '' WHERE id"+test, arg)
}

// auditOfPerson calls each for the rows of the audit log that contain an address or its hash. It leaves out who acted and
// from where: this is data about other persons. There is no index for the rows, so all rows of the Account are read.
func (t *Tx) auditOfPerson(k *PersonKeys, each func([]PersonValue) error) error {
	erased, err := t.erasedKeys(k.Account)
	if err != nil {
		return err
	}
	var hashes []string
	for _, key := range k.Keys {
		hashes = append(hashes, erased.Of(key))
	}
	isTheirs := func(r *AuditRow) bool {
		return k.Mentions(r.Before) || k.Mentions(r.After) ||
			slices.ContainsFunc(hashes, func(hash string) bool { return strings.Contains(r.After, hash) })
	}
	texts, err := inJSON(k.Addresses)
	if err != nil {
		return err
	}
	for _, hash := range hashes {
		texts = append(texts, strings.ToLower(hash))
	}
	test, args := t.containsOneOf("before_values || after_values", texts)
	return auditTable.each(t, func(r *AuditRow) error {
		if !isTheirs(r) {
			return nil
		}
		return each([]PersonValue{{Name: "id", Value: r.ID}, {Name: "time", Value: r.Time},
			{Name: "method", Value: r.Method}, {Name: "object", Value: r.Object}, {Name: "object_id", Value: r.ObjectID},
			{Name: "list_id", Value: int64(r.ListID)},
			{Name: "before", Value: jsontext.Value(r.Before)}, {Name: "after", Value: jsontext.Value(r.After)}})
	}, "WHERE account_id = ? AND ("+test+") ORDER BY id", append([]any{int64(k.Account)}, args...)...)
}
