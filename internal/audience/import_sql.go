package audience

import (
	"database/sql/driver"
	"encoding/json"

	"enlist/internal/enlist"
)

// This file stores Imports and the results of their rows. file.go stores their files.

func mapImport(m *mapper, i *Import) {
	m.id("id", (*int64)(&i.ID))
	m.fixed("account_id", (*int64)(&i.AccountID))
	m.fixed("list_id", (*int64)(&i.ListID))
	m.fixed("creator_key_id", (*int64)(&i.CreatorKeyID))
	m.fixed("creator_name", &i.CreatorName)
	m.fixed("creation_time", &i.CreationTime)
	m.fixed("options", jsonColumn{&i.Options})
	m.value("content_id", (*int64)(&i.Content))
	m.value("size", &i.Size)
	m.value("sha256", &i.SHA256)
	m.value("columns", jsonColumn{&i.Columns})
	m.value("state", (*string)(&i.State))
	m.value("reason", &i.Reason)
	m.value("owner", &i.Owner)
	m.value("lease_until", &i.LeaseUntil)
	m.value("start_time", &i.StartTime)
	m.value("end_time", &i.EndTime)
	m.value("done_rows", &i.Rows)
	m.value("done_bytes", &i.Bytes)
	m.value("added", &i.Added)
	m.value("updated", &i.Updated)
	m.value("unchanged", &i.Unchanged)
	m.value("skipped", &i.Skipped)
	m.value("refused", &i.Refused)
	m.value("published", jsonColumn{&i.Published})
}

// jsonColumn is a value that is stored as JSON. at points to the value.
type jsonColumn struct{ at any }

func (c jsonColumn) decode(v driver.Value) error { return json.Unmarshal([]byte(text(v)), c.at) }

func (c jsonColumn) encode() (any, error) {
	b, err := json.Marshal(c.at)
	return string(b), err
}

var importTable = newMapping("import", mapImport)

// AddImport stores a new Import.
func (t *Tx) AddImport(i *Import) error { return importTable.add(t, i) }

// Import returns an Import by its ID, or ErrNoImport.
func (t *Tx) Import(id enlist.ImportID) (*Import, error) {
	return importTable.one(t, ErrNoImport, "WHERE id = ?", int64(id))
}

// LockImport returns an Import. With concurrent writers it locks the row.
func (t *Tx) LockImport(id enlist.ImportID) (*Import, error) {
	return importTable.one(t, ErrNoImport, "WHERE id = ?"+t.locking(), int64(id))
}

// Imports returns an Account's Imports in the order of their IDs.
func (t *Tx) Imports(account enlist.AccountID) ([]Import, error) {
	return importTable.all(t, "WHERE account_id = ? ORDER BY id", int64(account))
}

// SetImport stores the columns of an Import that change.
func (t *Tx) SetImport(i *Import) error { return importTable.save(t, i) }

// AddImportResults stores the results of a step.
func (t *Tx) AddImportResults(id enlist.ImportID, number int64, data []byte) error {
	const add = "INSERT INTO import_result (import_id, number, data) VALUES (?, ?, ?)"
	return t.Do(add, int64(id), number, data)
}

// ImportResults returns the results of steps in the order of their numbers.
func (t *Tx) ImportResults(id enlist.ImportID, from int64, limit int) (found []StepResults, err error) {
	err = t.each(func(row *Cursor) error {
		r := StepResults{Number: row.Int()}
		r.Data = []byte(row.Text()) // a copy: the engine may use its bytes again
		found = append(found, r)
		return nil
	}, "SELECT number, data FROM import_result WHERE import_id = ? AND number >= ? ORDER BY number"+limited,
		int64(id), from, int64(limit))
	return found, err
}

// DeleteImportResults removes the results of at most limit steps, and returns how many it removed.
func (t *Tx) DeleteImportResults(id enlist.ImportID, limit int) (deleted int64, err error) {
	const remove = `DELETE FROM import_result WHERE import_id = ? AND number IN (
		SELECT number FROM import_result WHERE import_id = ? ORDER BY number` + limited + ")"
	return t.Exec(remove, int64(id), int64(id), int64(limit))
}

// SetContentSize stores the size of content.
func (t *Tx) SetContentSize(id enlist.ContentID, size int64) error {
	return t.Do("UPDATE file_content SET size = ? WHERE id = ?", size, int64(id))
}

var importLedger = newPerDialect(importLedgerText)

// importLedgerText is the INSERT of rows of the ledger that come from an Import. Its arguments are those of the mapping of
// the ledger, and the Import with the number of the row.
func importLedgerText(d *Dialect) string {
	const columns = `INSERT INTO consent (list_id, contact_id, time, method, type, text, ip, preferences, key_id,
		import_id, import_row, number) `
	return columns + "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, " + d.LedgerNumber + ")"
}

// importLedgerMany inserts the rows of the ledger in arrays.
const importLedgerMany = `INSERT INTO consent (list_id, contact_id, time, method, type, text, ip, preferences, key_id,
		import_id, import_row)
	SELECT CAST(? AS BIGINT), added.* FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS TEXT[]),
		CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS BIGINT[]),
		CAST(? AS BIGINT[]), CAST(? AS BIGINT[])) AS added`

// AddLedger adds rows of one List to the consent ledger.
func (t *Tx) AddLedger(rows []LedgerRow) error {
	if len(rows) == 0 {
		return nil
	}
	if !t.SQL.ConcurrentWriters {
		for i := range rows {
			r := &rows[i]
			preferences, err := (*choices)(&r.Preferences).text()
			if err != nil {
				return err
			}
			err = t.Do(importLedger.of(t.SQL), int64(r.ListID), int64(r.ContactID), r.Time, r.Method,
				string(r.Type), r.Text, r.IP, preferences, int64(r.KeyID), int64(r.ImportID), r.ImportRow)
			if err != nil {
				return err
			}
		}
		return nil
	}
	var contacts, times, keys, imports, numbers []int64
	var methods, types, texts, ips, preferences []string
	for i := range rows {
		r := &rows[i]
		chosen, err := (*choices)(&r.Preferences).text()
		if err != nil {
			return err
		}
		contacts, times = append(contacts, int64(r.ContactID)), append(times, r.Time)
		methods, types, texts = append(methods, r.Method), append(types, string(r.Type)), append(texts, r.Text)
		ips, preferences, keys = append(ips, r.IP), append(preferences, chosen), append(keys, int64(r.KeyID))
		imports, numbers = append(imports, int64(r.ImportID)), append(numbers, r.ImportRow)
	}
	return t.Do(importLedgerMany, int64(rows[0].ListID), contacts, times, methods, types, texts, ips, preferences,
		keys, imports, numbers)
}
