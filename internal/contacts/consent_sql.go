package contacts

import (
	"math"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores the consent ledger, and the results of calls with an Idempotency-Key.

// AddLedgerRow adds one row to the consent ledger.
func AddLedgerRow(tx *db.Tx, r *enlist.LedgerRow) error {
	if tx.IsBatched() {
		tx.BatchLedgerRow(r)
		return nil
	}
	if r.Tracking != enlist.TrackingUnknown {
		return tx.Do(trackingLedger.Of(tx.SQL), int64(r.ListID), int64(r.ContactID), r.Time, r.Method, r.Text, r.IP,
			int64(r.KeyID), int64(r.Tracking), r.TextVersion, int64(r.ImportID), r.ImportRow)
	}
	return ledgerTable.Of(tx.SQL).Queue(tx, r)
}

// trackingLedger is the INSERT of a decision about being recorded. It has a text of its own, so that the INSERT of all
// other rows stays short.
var trackingLedger = db.NewPerDialect(func(d *db.Dialect) string {
	return `INSERT INTO consent (list_id, contact_id, time, method, type, text, ip, preferences, key_id,
			tracking_consent, text_version, import_id, import_row, number)
		VALUES (?1, ?2, ?3, ?4, '', ?5, ?6, '', ?7, ?8, ?9, ?10, ?11, ` + d.LedgerNumber + ")"
})

// addFirstLedgerRow adds the first row of a new Contact. It does not look for rows before it.
func addFirstLedgerRow(tx *db.Tx, r *enlist.LedgerRow) error {
	if tx.IsBatched() {
		tx.BatchLedgerRow(r)
		return nil
	}
	return ledgerTable.Of(tx.SQL).Do(tx, firstLedgerRow.Of(tx.SQL), db.Inserted, r)
}

// firstLedgerRow is the INSERT of the row with the number 1. On PostgreSQL a sequence has the numbers.
var firstLedgerRow = db.NewPerDialect(func(d *db.Dialect) string {
	t := ledgerTable.Of(d)
	insert := t.Into + "VALUES (" + t.Values + ")"
	if d.ConcurrentWriters {
		return insert
	}
	return strings.Replace(insert, d.LedgerNumber, "1", 1)
})

var ledgerTable = db.NewDialectMapping("consent", mapLedgerRow)

// mapLedgerRow describes the table consent. An expression of the INSERT (LedgerNumber) gives the
// next number to a Contact's row.
func mapLedgerRow(d *db.Dialect, m *db.Mapper, r *enlist.LedgerRow) {
	m.Fixed("list_id", (*int64)(&r.ListID))       // ?1 in LedgerNumber
	m.Fixed("contact_id", (*int64)(&r.ContactID)) // ?2 in LedgerNumber
	m.Generated("number", d.LedgerNumber)
	m.Fixed("time", &r.Time)
	m.Fixed("method", &r.Method)
	m.Fixed("type", (*string)(&r.Type))
	m.Fixed("text", &r.Text)
	m.Fixed("ip", &r.IP)
	m.Fixed("preferences", (*db.Choices)(&r.Preferences))
	m.Fixed("key_id", (*int64)(&r.KeyID))
	m.Computed("import_id", (*int64)(&r.ImportID)) // AddImportedRows inserts them
	m.Computed("import_row", &r.ImportRow)
	m.Computed("tracking_consent", (*int64)(&r.Tracking))
	m.Computed("text_version", &r.TextVersion)
}

var importLedger = db.NewPerDialect(importLedgerText)

// importLedgerText is the INSERT of rows of the ledger that come from an Import. Its arguments are those of the mapping
// of the ledger, and the Import with the number of the row.
func importLedgerText(d *db.Dialect) string {
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

// AddImportedRows adds rows of one List, which come from an Import, to the consent ledger.
func AddImportedRows(tx *db.Tx, rows []enlist.LedgerRow) error {
	if len(rows) == 0 {
		return nil
	}
	if !tx.SQL.ConcurrentWriters {
		for i := range rows {
			r := &rows[i]
			preferences, err := (*db.Choices)(&r.Preferences).Text()
			if err != nil {
				return err
			}
			err = tx.Do(importLedger.Of(tx.SQL), int64(r.ListID), int64(r.ContactID), r.Time, r.Method,
				string(r.Type), r.Text, r.IP, preferences, int64(r.KeyID), int64(r.ImportID), r.ImportRow)
			if err != nil {
				return err
			}
		}
		return nil
	}
	var ids, times, keys, imports, numbers []int64
	var methods, types, texts, ips, preferences []string
	for i := range rows {
		r := &rows[i]
		chosen, err := (*db.Choices)(&r.Preferences).Text()
		if err != nil {
			return err
		}
		ids, times = append(ids, int64(r.ContactID)), append(times, r.Time)
		methods, types, texts = append(methods, r.Method), append(types, string(r.Type)), append(texts, r.Text)
		ips, preferences, keys = append(ips, r.IP), append(preferences, chosen), append(keys, int64(r.KeyID))
		imports, numbers = append(imports, int64(r.ImportID)), append(numbers, r.ImportRow)
	}
	return tx.Do(importLedgerMany, int64(rows[0].ListID), ids, times, methods, types, texts, ips, preferences,
		keys, imports, numbers)
}

// EraseLedger empties the columns of a Contact's ledger rows that say something about the person. The trigger of the
// table allows no other change.
func EraseLedger(tx *db.Tx, list enlist.ListID, contact enlist.ContactID) error {
	return tx.Do(`UPDATE consent SET text = '', ip = '', preferences = '', import_row = 0
		WHERE list_id = ? AND contact_id = ?`, int64(list), int64(contact))
}

// LedgerRows returns a Contact's rows of the consent ledger, newest first. With limit 0 it
// returns all of them.
func LedgerRows(tx *db.Tx, list enlist.ListID, contact enlist.ContactID, limit, offset int64) (
	[]enlist.LedgerRow, error) {
	return ledger(tx, "", list, contact, limit, offset)
}

// Consents returns those of a Contact's ledger rows that record a consent, newest first.
func Consents(tx *db.Tx, list enlist.ListID, contact enlist.ContactID, limit, offset int64) (
	[]enlist.LedgerRow, error) {
	return ledger(tx, " AND type <> ''", list, contact, limit, offset)
}

// ledger returns a page of those of a Contact's ledger rows that satisfy a test.
func ledger(tx *db.Tx, test string, list enlist.ListID, contact enlist.ContactID, limit, offset int64) (
	[]enlist.LedgerRow, error) {
	if limit == 0 {
		limit = math.MaxInt64
	}
	page := "WHERE list_id = ? AND contact_id = ?" + test + " ORDER BY number DESC" + db.Limited +
		" OFFSET CAST(? AS BIGINT)"
	ledger, err := ledgerTable.Of(tx.SQL).All(tx, page, int64(list), int64(contact), limit, offset)
	if err != nil {
		return nil, err
	}
	return ledger, nameKeys(tx, ledger)
}

// ConsentsOf returns all rows of some Contacts that record a consent, or a decision about the recording of opens and
// clicks, newest first.
func ConsentsOf(tx *db.Tx, list enlist.ListID, ids []enlist.ContactID) (map[enlist.ContactID][]enlist.LedgerRow, error) {
	test, args, err := tx.ContactTest("contact_id", ids)
	if err != nil {
		return nil, err
	}
	rows, err := ledgerTable.Of(tx.SQL).All(tx, "WHERE list_id = ? AND "+test+
		" AND (type <> '' OR tracking_consent <> 0 AND method <> '"+MethodTick+"') ORDER BY contact_id, number DESC", append([]any{int64(list)}, args...)...)
	if err == nil {
		err = nameKeys(tx, rows)
	}
	of := make(map[enlist.ContactID][]enlist.LedgerRow)
	for i := range rows {
		of[rows[i].ContactID] = append(of[rows[i].ContactID], rows[i])
	}
	return of, err
}

// lastSubscriptions returns the newest time of a Contact's ledger rows that record a subscription by the person.
func lastSubscriptions(tx *db.Tx, list enlist.ListID, ids []enlist.ContactID) (map[enlist.ContactID]int64, error) {
	test, args, err := tx.ContactTest("contact_id", ids)
	if err != nil {
		return nil, err
	}
	times := make(map[enlist.ContactID]int64)
	return times, tx.Each(func(row *db.Cursor) error {
		times[enlist.ContactID(row.Int())] = row.Int()
		return nil
	}, "SELECT contact_id, max(time) FROM consent WHERE list_id = ? AND "+test+` AND method IN ('subscribeContact',
		'`+methodAgain+"', '"+MethodForm+"', '"+MethodConfirmLink+"') GROUP BY contact_id",
		append([]any{int64(list)}, args...)...)
}

// nameKeys sets KeyName in each row. The query of the rows does not join consent with api_key,
// because a distributed PostgreSQL database can store these two tables on different servers.
func nameKeys(tx *db.Tx, ledger []enlist.LedgerRow) error {
	if len(ledger) == 0 {
		return nil
	}
	ids := make([]enlist.KeyID, len(ledger))
	for i := range ledger {
		ids[i] = ledger[i].KeyID
	}
	names, err := accounts.KeyNames(tx, ids)
	for i := range ledger {
		ledger[i].KeyName = names[ledger[i].KeyID]
	}
	return err
}
