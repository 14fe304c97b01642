package messages

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/files"
)

// This file has what programs do with saved blocks, and moves them in from another service.

// SavedAttributes are the keys of a SavedBlock record without its blocks, in the order of a reply.
var SavedAttributes = []enlist.Attribute[SavedBlock]{
	enlist.Searchable(enlist.ReadOnlyInt("id", func(s *SavedBlock) int64 { return s.ID })),
	enlist.Searchable(enlist.ReadOnlyText("name", func(s *SavedBlock) string { return s.Name })),
	enlist.Searchable(enlist.ReadOnlyInt("creation_time", func(s *SavedBlock) int64 { return s.CreationTime })),
	enlist.Searchable(enlist.ReadOnlyInt("last_modified_time", func(s *SavedBlock) int64 { return s.LastModifiedTime })),
}

// WholeSavedAttributes are SavedAttributes and the blocks.
var WholeSavedAttributes = append(SavedAttributes[:len(SavedAttributes):len(SavedAttributes)],
	enlist.ReadOnlyText("blocks", func(s *SavedBlock) string { return s.Blocks }))

// SearchSaved returns the saved blocks that match and that the caller sees, without their blocks. Errors: Denied,
// InvalidSearch.
func (s *Service) SearchSaved(ctx context.Context, c *enlist.Caller, q enlist.Query) ([]SavedBlock, error) {
	all, err := s.SavedBlocks(ctx, c)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b SavedBlock) int { return cmp.Compare(a.ID, b.ID) })
	return enlist.SearchRecords(SavedAttributes, all, q)
}

// SavedRequest is a call of setSavedBlock.
type SavedRequest struct {
	ID     int64 // 0: the saved block with the name, or a new one
	Name   string
	Blocks enlist.Input
}

// SetSaved adds a saved block, or replaces the name and the blocks of one. It returns the ID. Errors: Denied, NoFile,
// InvalidParameters. reference.md: message.saved
func (s *Service) SetSaved(ctx context.Context, c *enlist.Caller, r SavedRequest) (int64, error) {
	if err := requireMessages(c); err != nil {
		return 0, err
	}
	return db.Update(ctx, s.db, c, func(tx *db.Tx, now int64) (int64, error) {
		if err := tx.LockDefinitions(); err != nil { // so no other call adds the name meanwhile
			return 0, err
		}
		old, err := r.replaced(tx, c)
		if err != nil {
			return 0, err
		}
		if old == nil {
			return s.addSaved(tx, c, now, r.Blocks, func(saved *SavedBlock) error { return saved.setName(tx, r.Name) })
		}
		before, saved := old.auditValues(), *old
		if err := saved.setName(tx, r.Name); err != nil {
			return 0, err
		}
		if err := s.setBlocks(tx, c, &saved, r.Blocks); err != nil {
			return 0, err
		}
		saved.LastModifiedTime = now
		if err := accounts.Audit(tx, c, now, saved.audited(), before, saved.auditValues()); err != nil {
			return 0, err
		}
		return saved.ID, savedTable.Save(tx, &saved)
	})
}

// replaced returns the saved block that the call replaces, or nil if it adds one.
func (r *SavedRequest) replaced(tx *db.Tx, c *enlist.Caller) (*SavedBlock, error) {
	if r.ID != 0 {
		return loadSaved(tx, c, r.ID)
	}
	all, err := savedNames.All(tx, "WHERE account_id = ?", int64(c.Account.ID))
	for i := range all {
		if all[i].sees(c) && strings.EqualFold(all[i].Name, strings.TrimSpace(r.Name)) {
			return loadSaved(tx, c, all[i].ID)
		}
	}
	return nil, err
}

// RestoreSaved stores a saved block that moves in from another service, under its ID. Errors: NoFile, InvalidParameters.
func (s *Service) RestoreSaved(tx *db.Tx, c *enlist.Caller, saved *SavedBlock, blocks enlist.Input) error {
	if err := saved.setFreeName(tx, saved.Name); err != nil { // two can have exchanged their names
		return err
	}
	if err := s.setBlocks(tx, c, saved, blocks); err != nil {
		return err
	}
	return savedTable.RestoreDefinition(tx, "saved_block", saved)
}

// savedWithFile returns the name of a saved block that shows a file, or "".
func savedWithFile(tx *db.Tx, f *files.StoredFile) (name string, err error) {
	names, err := db.RowsOf(tx, func(row *db.Cursor) string { return row.Text() },
		"SELECT name FROM saved_block WHERE account_id = ? AND "+blocksShow+" ORDER BY id LIMIT 1",
		append([]any{int64(f.AccountID)}, blocksShowing(f.ID)...)...)
	if len(names) > 0 {
		name = names[0]
	}
	return name, err
}
