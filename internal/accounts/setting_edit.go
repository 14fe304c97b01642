package accounts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file changes the settings and reads them again in running servers. setting.go has the table.

// StoredSetting is a value that is not the default.
type StoredSetting struct {
	Account enlist.AccountID // 0: the whole service
	Name    string
	Value   string // "" in a change: the default holds again
}

// Settings returns the values that ReadSettings has read last, and before the first time the defaults.
func (s *Service) Settings() *Settings { return s.settings.Load() }

// ReadSettings reads the settings from the database. Each server calls it every second, so that a change applies
// to all of them without a restart. After an error the values stay. Errors: InvalidParameters if a stored value
// cannot be read.
func (s *Service) ReadSettings(ctx context.Context) error {
	stored, err := s.StoredSettings(ctx)
	if err != nil {
		return err
	}
	if last := s.stored.Load(); last != nil && slices.Equal(*last, stored) {
		return nil
	}
	read, err := newSettings(withDeclared(stored, s.declared))
	if err != nil {
		return err
	}
	s.settings.Store(read)
	s.stored.Store(&stored)
	return nil
}

// StoredSettings returns all values that are not the default, in order of Account and name.
func (s *Service) StoredSettings(ctx context.Context) ([]StoredSetting, error) {
	return db.OwnView(ctx, s.db, loadSettings)
}

// ChangeSettings stores values of the service, or of an Account if the ID is not 0, all or none. A value of ""
// returns a setting to its default. Errors: InvalidParameters for an unknown name or Account, a value that cannot
// be read, a setting that an Account cannot have or that is declared, and values that do not fit together.
func (s *Service) ChangeSettings(ctx context.Context, account enlist.AccountID, values map[string]string) error {
	for name := range values {
		if err := s.mayChange(account, name); err != nil {
			return err
		}
	}
	return db.OwnChange(ctx, s.db, func(tx *db.Tx, now int64) error {
		if err := tx.LockDefinitions(); err != nil { // two changes that contradict each other must not both succeed
			return err
		}
		var owner *enlist.Account
		if account != 0 {
			found, err := FindAccount(tx, account)
			if err != nil {
				return err
			}
			owner = found
		}
		stored, err := loadSettings(tx)
		if err != nil {
			return err
		}
		before, after := make(AuditValues), make(AuditValues)
		for name := range values {
			before[name], after[name] = "", shownSetting(name, values[name])
		}
		unchanged := slices.DeleteFunc(stored, func(v StoredSetting) bool {
			_, changed := values[v.Name]
			changed = changed && v.Account == account
			if changed {
				before[v.Name] = shownSetting(v.Name, v.Value)
			}
			return changed
		})
		for name, value := range values {
			if value == "" {
				err = tx.Do("DELETE FROM setting WHERE account_id = ? AND name = ?", int64(account), name)
			} else {
				unchanged = append(unchanged, StoredSetting{account, name, value})
				err = tx.Do(`INSERT INTO setting (account_id, name, value) VALUES (?, ?, ?)
					ON CONFLICT (account_id, name) DO UPDATE SET value = excluded.value`, int64(account), name, value)
			}
			if err != nil {
				return err
			}
		}
		if _, err := newSettings(withDeclared(unchanged, s.declared)); err != nil {
			return err
		}
		return Audit(tx, OperatorIn(ctx, owner), now, AuditObject{Kind: "Settings"}, before, after)
	})
}

// mayChange refuses an unknown name, one that the Account cannot have, and one of the service that is declared.
func (s *Service) mayChange(account enlist.AccountID, name string) error {
	row, err := FindSetting(name)
	switch {
	case err != nil:
		return err
	case account == 0:
		return s.refuseDeclared(name)
	case !row.OfAccount:
		return enlist.Refuse(enlist.InvalidParameters, "%s holds for the whole service: set it without --account", name)
	}
	return nil
}

// shownSetting returns a value for the audit log. A private key is replaced by its hash.
func shownSetting(name, value string) string {
	if row, err := FindSetting(name); err == nil && row.IsFile && value != "" {
		sum := sha256.Sum256([]byte(value))
		return "sha256 " + hex.EncodeToString(sum[:])
	}
	return value
}
