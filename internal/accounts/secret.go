package accounts

import (
	"crypto/rand"
	"errors"

	"enlist/internal/db"
)

// This file has the secrets that all processes on a database share, such as the key of the links in mails.

// StoredSecret returns the secret of the database with a name. The first call stores size random bytes.
func StoredSecret(tx *db.Tx, name string, size int) ([]byte, error) {
	fresh := make([]byte, size)
	rand.Read(fresh) // crypto/rand never returns an error
	return Secret(tx, name, fresh)
}

// Secret returns the secret with this name, which all processes on this database share. If the database
// has no such secret, Secret stores and returns fresh, unless fresh is nil.
func Secret(tx *db.Tx, name string, fresh []byte) (value []byte, err error) {
	stored := func() error {
		return tx.Each(func(row *db.Cursor) error {
			value = append(value, row.Text()...)
			return nil
		}, "SELECT value FROM secret WHERE name = ?", name)
	}
	err = stored()
	if err != nil || len(value) > 0 || fresh == nil { // most calls: a service starts also with a full disk
		return value, err
	}
	err = tx.Do("INSERT INTO secret (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING", name, fresh)
	return value, errors.Join(err, stored())
}
