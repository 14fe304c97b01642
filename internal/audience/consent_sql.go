package audience

import (
	"math"

	"enlist/internal/enlist"
)

// This file stores the consent ledger, and the results of calls with an Idempotency-Key.

// AddLedgerRow adds one row to the consent ledger.
func (t *Tx) AddLedgerRow(r *LedgerRow) error {
	if t.part != nil {
		t.part.ledger = append(t.part.ledger, *r)
		return nil
	}
	return ledgerTable.of(t.SQL).queue(t, r)
}

var ledgerTable = newDialectMapping("consent", mapLedgerRow)

// mapLedgerRow describes the table consent. An expression of the INSERT (LedgerNumber) gives the
// next number to a Contact's row.
func mapLedgerRow(d *Dialect, m *mapper, r *LedgerRow) {
	m.fixed("list_id", (*int64)(&r.ListID))       // ?1 in LedgerNumber
	m.fixed("contact_id", (*int64)(&r.ContactID)) // ?2 in LedgerNumber
	m.generated("number", d.LedgerNumber)
	m.fixed("time", &r.Time)
	m.fixed("method", &r.Method)
	m.fixed("type", (*string)(&r.Type))
	m.fixed("text", &r.Text)
	m.fixed("ip", &r.IP)
	m.fixed("preferences", (*choices)(&r.Preferences))
	m.fixed("key_id", (*int64)(&r.KeyID))
	m.computed("import_id", (*int64)(&r.ImportID)) // AddLedger inserts them
	m.computed("import_row", &r.ImportRow)
}

// LedgerRows returns a Contact's rows of the consent ledger, newest first. With limit 0 it
// returns all of them.
func (t *Tx) LedgerRows(list enlist.ListID, contact enlist.ContactID, limit, offset int64) (
	[]LedgerRow, error) {
	return t.ledger("", list, contact, limit, offset)
}

// Consents returns those of a Contact's ledger rows that record a consent, newest first.
func (t *Tx) Consents(list enlist.ListID, contact enlist.ContactID, limit, offset int64) (
	[]LedgerRow, error) {
	return t.ledger(" AND type <> ''", list, contact, limit, offset)
}

// ledger returns a page of those of a Contact's ledger rows that satisfy a test.
func (t *Tx) ledger(test string, list enlist.ListID, contact enlist.ContactID, limit, offset int64) (
	[]LedgerRow, error) {
	if limit == 0 {
		limit = math.MaxInt64
	}
	page := "WHERE list_id = ? AND contact_id = ?" + test + " ORDER BY number DESC" + limited + " OFFSET CAST(? AS BIGINT)"
	ledger, err := ledgerTable.of(t.SQL).all(t, page, int64(list), int64(contact), limit, offset)
	if err != nil || len(ledger) == 0 {
		return ledger, err
	}
	return ledger, t.nameKeys(ledger)
}

// LastSubscriptions returns the newest time of a Contact's ledger rows that record a subscription by the person.
func (t *Tx) LastSubscriptions(list enlist.ListID, ids []enlist.ContactID) (map[enlist.ContactID]int64, error) {
	test, args, err := t.contactTest("contact_id", ids)
	if err != nil {
		return nil, err
	}
	found := make(map[enlist.ContactID]int64)
	return found, t.each(func(row *Cursor) error {
		found[enlist.ContactID(row.Int())] = row.Int()
		return nil
	}, "SELECT contact_id, max(time) FROM consent WHERE list_id = ? AND "+test+` AND method IN ('subscribeContact',
		'resubscribeContact', '`+MethodConfirmLink+"') GROUP BY contact_id", append([]any{int64(list)}, args...)...)
}

// nameKeys sets KeyName in each row. The query of the rows does not join consent with api_key,
// because a distributed PostgreSQL database can store these two tables on different servers.
func (t *Tx) nameKeys(ledger []LedgerRow) error {
	ids := make([]enlist.KeyID, len(ledger))
	for i := range ledger {
		ids[i] = ledger[i].KeyID
	}
	test, arg, err := oneOfIDs(t, ids)
	if err != nil {
		return err
	}
	names := make(map[enlist.KeyID]string)
	err = t.each(func(row *Cursor) error {
		names[enlist.KeyID(row.Int())] = row.Text()
		return nil
	}, "SELECT id, name FROM api_key WHERE id"+test, arg)
	for i := range ledger {
		ledger[i].KeyName = names[ledger[i].KeyID]
	}
	return err
}

// ClaimRetry returns the result that SaveRetry stored for the same call. For the first call it returns
// ErrNotFound. In a transaction that writes, it locks the Idempotency-Key, so that a repeated call
// waits until the first call ends.
func (t *Tx) ClaimRetry(account enlist.AccountID, key enlist.KeyID, r *enlist.Retry, now int64) (
	result []byte, err error) {
	if err := t.lockToWrite("retry %d %d %s", account, key, r.Header); err != nil {
		return nil, err
	}
	found := false
	err = t.each(func(row *Cursor) error {
		found = true
		if row.Text() != string(r.Fingerprint[:]) {
			return enlist.Refuse(enlist.InvalidParameters,
				"this Idempotency-Key was used with another method or other parameters")
		}
		result = []byte(row.Text())
		return nil
	}, "SELECT fingerprint, result FROM retry WHERE account_id = ? AND key_id = ? AND header = ? AND time > ?",
		int64(account), int64(key), r.Header, now-RetryLife)
	if err == nil && !found {
		err = enlist.ErrNotFound
	}
	return result, err
}

// SaveRetry stores the result of a call. ClaimRetry returns this result when a client repeats the
// call.
func (t *Tx) SaveRetry(account enlist.AccountID, key enlist.KeyID, r *enlist.Retry,
	result []byte, now int64) error {
	return t.Do(`INSERT INTO retry (account_id, key_id, header, fingerprint, time, result)
		VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (account_id, key_id, header) DO UPDATE
		SET fingerprint = excluded.fingerprint, time = excluded.time, result = excluded.result`,
		int64(account), int64(key), r.Header, r.Fingerprint[:], now, string(result))
}

// DeleteRetries removes at most limit results that SaveRetry stored before the given time. It names the
// complete key of each row: for one statement with a list of keys, SQLite would read all results of the same
// account_id and key_id.
func (t *Tx) DeleteRetries(before int64, limit int) (deleted int64, err error) {
	type key struct {
		account, key int64
		header       string
	}
	var oldest []key
	err = t.each(func(row *Cursor) error {
		oldest = append(oldest, key{row.Int(), row.Int(), row.Text()})
		return nil
	}, "SELECT account_id, key_id, header FROM retry WHERE time < ? ORDER BY time"+limited, before, int64(limit))
	if err != nil {
		return 0, err
	}
	for _, k := range oldest {
		const remove = "DELETE FROM retry WHERE account_id = ? AND key_id = ? AND header = ?"
		if err := t.Do(remove, k.account, k.key, k.header); err != nil {
			return 0, err
		}
	}
	return int64(len(oldest)), nil
}
