package db

import (
	"encoding/json"

	"enlist/internal/enlist"
)

// This file executes a call with an Idempotency-Key only once. The transaction of the change
// also stores the result, and a repeated call returns the stored result.

// Idempotent returns a function for Engine.Update. The function confirms the caller's key and
// runs fn. If the call has an Idempotency-Key, it stores the result of fn, or returns the
// stored result of an earlier call without running fn.
func Idempotent[R any](db *DB, c *enlist.Caller, result *R, fn func(tx *Tx, now int64) (R, error)) func(*Tx) error {
	return func(tx *Tx) error {
		if err := db.Confirm(tx, c); err != nil {
			return err
		}
		now := db.Now().Unix()
		if c.Retry != nil {
			saved, err := tx.ClaimRetry(c.Account.ID, c.Key.ID, c.Retry, now)
			if err == nil {
				return json.Unmarshal(saved, result)
			}
			if enlist.KindOf(err) != enlist.NotFound {
				return err
			}
		}
		var err error
		*result, err = fn(tx, now)
		if err != nil || c.Retry == nil {
			return err
		}
		saved, err := json.Marshal(*result)
		if err != nil {
			return err
		}
		return tx.SaveRetry(c.Account.ID, c.Key.ID, c.Retry, saved, now)
	}
}

// RetryLife is how long the result of a call with an Idempotency-Key is kept, in
// seconds. reference.md: idempotency
const RetryLife = 24 * 60 * 60

// ClaimRetry returns the result that SaveRetry stored for the same call. For the first call it returns
// ErrNotFound. In a transaction that writes, it locks the Idempotency-Key, so that a repeated call
// waits until the first call ends.
func (t *Tx) ClaimRetry(account enlist.AccountID, key enlist.KeyID, r *enlist.Retry, now int64) (
	result []byte, err error) {
	if err := t.LockToWrite("retry %d %d %s", account, key, r.Header); err != nil {
		return nil, err
	}
	found := false
	err = t.Each(func(row *Cursor) error {
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
	err = t.Each(func(row *Cursor) error {
		oldest = append(oldest, key{row.Int(), row.Int(), row.Text()})
		return nil
	}, "SELECT account_id, key_id, header FROM retry WHERE time < ? ORDER BY time"+Limited, before, int64(limit))
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
