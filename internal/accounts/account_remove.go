package accounts

import (
	"context"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file begins and ends the removal of an Account. app.RemoveAccount removes what is between.

// CloseAccount revokes all keys of an Account. Errors: InvalidParameters for an unknown Account, and for the only one.
func (s *Service) CloseAccount(ctx context.Context, id enlist.AccountID) error {
	return db.OwnChange(ctx, s.db, func(tx *db.Tx, now int64) error {
		known, err := All(tx)
		if err != nil {
			return err
		}
		a, err := FindAccount(tx, id)
		if err != nil {
			return err
		}
		if len(known) == 1 {
			return enlist.Refuse(enlist.InvalidParameters,
				"this is the only Account: delete the database instead")
		}
		before, after := accountValues(a), AuditValues{"removal": "begun"}
		if err := Audit(tx, OperatorIn(ctx, a), now, AuditObject{"Account", int64(id), 0}, before, after); err != nil {
			return err
		}
		return tx.Define("UPDATE api_key SET revoked_time = CASE revoked_time WHEN 0 THEN ? ELSE revoked_time END WHERE account_id = ?",
			now, int64(id))
	})
}

// DeleteAccount removes an Account that has no Lists, Batches, Messages and files any more. rest removes what other
// subjects still have of it. Errors: InvalidParameters.
func (s *Service) DeleteAccount(ctx context.Context, id enlist.AccountID,
	rest ...func(*db.Tx, enlist.AccountID) error) error {
	return db.OwnChange(ctx, s.db, func(tx *db.Tx, now int64) error {
		a, err := FindAccount(tx, id)
		if err != nil {
			return err
		}
		caller := OperatorIn(ctx, a)
		if err := Audit(tx, caller, now, AuditObject{"Account", int64(id), 0}, accountValues(a), nil); err != nil {
			return err
		}
		for _, remove := range rest {
			if err := remove(tx, id); err != nil {
				return err
			}
		}
		for _, remove := range []string{"DELETE FROM retry WHERE account_id = ?",
			"DELETE FROM account_move WHERE account_id = ?"} {
			if err := tx.Do(remove, int64(id)); err != nil {
				return err
			}
		}
		for _, remove := range []string{"DELETE FROM folder WHERE account_id = ?",
			"DELETE FROM api_key WHERE account_id = ?",
			"DELETE FROM account WHERE id = ?"} {
			if err := tx.Define(remove, int64(id)); err != nil {
				return err
			}
		}
		return nil
	})
}
