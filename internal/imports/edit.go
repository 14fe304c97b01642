package imports

import (
	"context"
	"fmt"
	"slices"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file shows, pauses, continues and cancels Imports.

// Import returns an Import. Errors: ErrNoImport, Denied.
func (s *Service) Import(ctx context.Context, c *enlist.Caller, id enlist.ImportID) (*Import, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (*Import, error) { return loadImport(tx, c, id) })
}

// loadImport returns an Import, if the caller may access its List. For an Import of another Account it returns the same
// error as for one that does not exist.
func loadImport(tx *db.Tx, c *enlist.Caller, id enlist.ImportID) (*Import, error) {
	if id <= 0 {
		return nil, ErrNoImport
	}
	i, err := importByID(tx, id)
	if err != nil {
		return nil, err
	}
	if i.AccountID != c.Account.ID {
		return nil, ErrNoImport
	}
	if !c.Key.Allows(i.ListID) {
		return nil, enlist.Refuse(enlist.Denied, "this key is restricted to other Lists")
	}
	return i, nil
}

// AllImports returns the Imports of the Lists that the caller may access, in order of ID.
func (s *Service) AllImports(ctx context.Context, c *enlist.Caller) ([]Import, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]Import, error) {
		all, err := Imports(tx, c.Account.ID)
		return slices.DeleteFunc(all, func(i Import) bool { return !c.Key.Allows(i.ListID) }), err
	})
}

// PauseImport stops an Import after the step that runs, until ResumeImport continues it. Errors: ErrNoImport, Denied,
// and InvalidParameters if the Import has ended.
func (s *Service) PauseImport(ctx context.Context, c *enlist.Caller, id enlist.ImportID) error {
	return s.editImport(ctx, c, id, "pause", func(_ *db.Tx, i *Import, _ int64) error {
		i.State, i.Owner, i.LeaseUntil = ImportPaused, "", 0
		return nil
	})
}

// ResumeImport makes a paused Import wait for a process that continues it. Errors: as of PauseImport.
func (s *Service) ResumeImport(ctx context.Context, c *enlist.Caller, id enlist.ImportID) error {
	return s.editImport(ctx, c, id, "resume", func(tx *db.Tx, i *Import, _ int64) error {
		if i.State == ImportPaused {
			i.State, i.Reason = ImportWaiting, ""
		}
		return tx.Enqueue(RunImport{Import: i.ID, Account: i.AccountID})
	})
}

// CancelImport ends an Import after the step that runs. The rows that were stored stay. Errors: as of PauseImport.
func (s *Service) CancelImport(ctx context.Context, c *enlist.Caller, id enlist.ImportID) error {
	return s.editImport(ctx, c, id, "cancel", func(tx *db.Tx, i *Import, now int64) error {
		return i.end(tx, ImportCancelled, "", now)
	})
}

// editImport changes the state of an Import that has not ended.
func (s *Service) editImport(ctx context.Context, c *enlist.Caller, id enlist.ImportID, what string,
	change func(tx *db.Tx, i *Import, now int64) error) error {
	return db.Change(ctx, s.db, c, func(tx *db.Tx, now int64) error {
		if _, err := loadImport(tx, c, id); err != nil {
			return err
		}
		if !c.May(enlist.SeeContacts) {
			return enlist.Refuse(enlist.Denied, "an import needs a key of the level standard")
		}
		i, err := lockImport(tx, id)
		switch {
		case err != nil:
			return err
		case i.Ended():
			return enlist.Invalid("id", fmt.Sprintf("the import is %s already", i.State))
		case i.State == ImportUploading && what != "cancel":
			return enlist.Invalid("id", "the file of the import is still uploaded")
		}
		before := i.auditValues()
		if err := change(tx, i, now); err != nil {
			return err
		}
		if err := accounts.Audit(tx, c, now, i.audited(), before, i.auditValues()); err != nil {
			return err
		}
		return i.save(tx)
	})
}

// audited returns the Import as the object of a row of the audit log.
func (i *Import) audited() accounts.AuditObject {
	return accounts.AuditObject{Kind: "Import", ID: int64(i.ID), List: i.ListID}
}

// auditValues returns the values of the Import that callers decide.
func (i *Import) auditValues() accounts.AuditValues {
	o := &i.Options
	return accounts.AuditValues{"file_name": o.FileName, "size": i.Size, "sha256": i.SHA256, "as": o.As,
		"existing": o.Existing,
		"skip":     o.Skip, "status": o.Status, "confirm": o.Confirm, "consent_type": o.ConsentType, "consent_text": o.ConsentText, "dry_run": o.DryRun,
		"overrule_refusals": o.OverruleRefusals,
		"state":             string(i.State)}
}
