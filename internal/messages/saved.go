package messages

import (
	"context"
	"fmt"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has saved blocks: blocks that users keep under a name, to put copies of them into Messages. A change of a copy
// does not change the saved block. Users who may use only some Lists see those that they have saved themselves, as with
// Messages. decisions.md: 163

// SavedBlock is one block or several under a name.
type SavedBlock struct {
	ID               int64
	AccountID        enlist.AccountID
	Name             string
	Blocks           string // JSON
	Creator          int64  // the user; 0: a key
	CreationTime     int64
	LastModifiedTime int64
}

const (
	maxSaved      = 200      // of an Account
	maxSavedBytes = 32 << 10 // of the blocks
)

var savedTable = db.NewMapping("saved_block", func(m *db.Mapper, s *SavedBlock) {
	m.ID("id", &s.ID)
	m.Fixed("account_id", (*int64)(&s.AccountID))
	m.Value("name", &s.Name)
	m.Value("blocks", &s.Blocks)
	m.Fixed("creator_person_id", &s.Creator)
	m.Fixed("creation_time", &s.CreationTime)
	m.Value("last_modified_time", &s.LastModifiedTime)
})

// savedNames reads saved blocks without their blocks.
var savedNames = db.NewMapping("saved_block", func(m *db.Mapper, s *SavedBlock) {
	m.ID("id", &s.ID)
	m.Value("name", &s.Name)
	m.Fixed("creator_person_id", &s.Creator)
	m.Fixed("creation_time", &s.CreationTime)
	m.Value("last_modified_time", &s.LastModifiedTime)
})

// errNoSaved is the same for an ID that does not exist, that of another Account, and one that the caller does not see.
var errNoSaved = enlist.Invalid("saved_block_id", "the Account has no saved block with this ID")

// sees reports whether the caller sees and may change a saved block.
func (s *SavedBlock) sees(c *enlist.Caller) bool {
	return c.Key.Lists == nil || c.User != 0 && s.Creator == c.User
}

// SavedBlocks returns the saved blocks that the caller sees, without their blocks, in the order of their names. Errors: Denied.
func (s *Service) SavedBlocks(ctx context.Context, c *enlist.Caller) ([]SavedBlock, error) {
	if err := requireMessages(c); err != nil {
		return nil, err
	}
	return db.View(ctx, s.db, c, func(tx *db.Tx) (seen []SavedBlock, err error) {
		all, err := savedNames.All(tx, "WHERE account_id = ? ORDER BY lower(name), id", int64(c.Account.ID))
		for i := range all {
			if all[i].sees(c) {
				seen = append(seen, all[i])
			}
		}
		return seen, err
	})
}

// SavedBlock returns a saved block, without files that the caller could not put into a Message, such as deleted ones.
// Errors: Denied, InvalidParameters.
func (s *Service) SavedBlock(ctx context.Context, c *enlist.Caller, id int64) (*SavedBlock, error) {
	if err := requireMessages(c); err != nil {
		return nil, err
	}
	return db.View(ctx, s.db, c, func(tx *db.Tx) (*SavedBlock, error) {
		saved, err := loadSaved(tx, c, id)
		if err != nil {
			return nil, err
		}
		none := &Message{AccountID: c.Account.ID, EmailType: EmailBlocks}
		clean, err := s.withoutForbidden(tx, c, none, saved.message())
		if err == nil {
			saved.Blocks = clean.Blocks
		}
		return saved, err
	})
}

// message returns a Message with the blocks.
func (s *SavedBlock) message() *Message {
	return &Message{AccountID: s.AccountID, EmailType: EmailBlocks, Blocks: s.Blocks}
}

func loadSaved(tx *db.Tx, c *enlist.Caller, id int64) (*SavedBlock, error) {
	saved, err := savedTable.One(tx, errNoSaved, "WHERE id = ? AND account_id = ?", id, int64(c.Account.ID))
	if err == nil && !saved.sees(c) {
		err = errNoSaved
	}
	return saved, err
}

// SaveBlocks keeps blocks, as JSON, under a name that the Account does not use yet. Errors: Denied, NoFile,
// InvalidParameters.
func (s *Service) SaveBlocks(ctx context.Context, c *enlist.Caller, name, blocks string) (int64, error) {
	return s.saveBlocks(ctx, c, name, blocks, (*SavedBlock).setName)
}

// SaveBlocksAlike is SaveBlocks, but a name that the Account uses already gets a number.
func (s *Service) SaveBlocksAlike(ctx context.Context, c *enlist.Caller, name, blocks string) (int64, error) {
	return s.saveBlocks(ctx, c, name, blocks, (*SavedBlock).setFreeName)
}

func (s *Service) saveBlocks(ctx context.Context, c *enlist.Caller, name, blocks string,
	setName func(*SavedBlock, *db.Tx, string) error) (int64, error) {
	if err := requireMessages(c); err != nil {
		return 0, err
	}
	return db.Update(ctx, s.db, c, func(tx *db.Tx, now int64) (int64, error) {
		return s.addSaved(tx, c, now, enlist.TextInput(blocks), func(saved *SavedBlock) error { return setName(saved, tx, name) })
	})
}

// addSaved adds a saved block, whose name setName sets.
func (s *Service) addSaved(tx *db.Tx, c *enlist.Caller, now int64, blocks enlist.Input,
	setName func(*SavedBlock) error) (int64, error) {
	saved := &SavedBlock{AccountID: c.Account.ID, Creator: c.User, CreationTime: now, LastModifiedTime: now}
	if err := setName(saved); err != nil {
		return 0, err
	}
	if err := s.setBlocks(tx, c, saved, blocks); err != nil {
		return 0, err
	}
	if err := savedTable.Add(tx, saved); err != nil {
		return 0, err
	}
	return saved.ID, accounts.Audit(tx, c, now, saved.audited(), nil, saved.auditValues())
}

// setBlocks sets the blocks of a saved block, as a Message would have them.
func (s *Service) setBlocks(tx *db.Tx, c *enlist.Caller, saved *SavedBlock, blocks enlist.Input) error {
	old, m := saved.message(), &Message{AccountID: saved.AccountID, EmailType: EmailBlocks}
	if err := blocksKey().Set(m, blocks); err != nil {
		return enlist.Invalid("blocks", err.Error())
	}
	if m.Blocks == "" || len(m.Blocks) > maxSavedBytes {
		return enlist.Invalid("blocks", fmt.Sprintf("expected blocks of at most %d bytes", maxSavedBytes))
	}
	if err := m.SetImages(tx); err != nil {
		return err
	}
	saved.Blocks = m.Blocks
	return s.checkNewFiles(tx, c, old, m)
}

// RenameSaved changes the name of a saved block. Errors: Denied, InvalidParameters.
func (s *Service) RenameSaved(ctx context.Context, c *enlist.Caller, id int64, name string) error {
	return s.changeSaved(ctx, c, id, func(tx *db.Tx, saved *SavedBlock, now int64) error {
		before := saved.auditValues()
		if err := saved.setName(tx, name); err != nil {
			return err
		}
		saved.LastModifiedTime = now
		if err := accounts.Audit(tx, c, now, saved.audited(), before, saved.auditValues()); err != nil {
			return err
		}
		return savedTable.Save(tx, saved)
	})
}

// DeleteSaved removes a saved block. Messages keep their copies. Errors: Denied, InvalidParameters.
func (s *Service) DeleteSaved(ctx context.Context, c *enlist.Caller, id int64) error {
	return s.changeSaved(ctx, c, id, func(tx *db.Tx, saved *SavedBlock, now int64) error {
		if err := accounts.Audit(tx, c, now, saved.audited(), saved.auditValues(), nil); err != nil {
			return err
		}
		return tx.Do("DELETE FROM saved_block WHERE id = ?", saved.ID)
	})
}

func (s *Service) changeSaved(ctx context.Context, c *enlist.Caller, id int64, do func(*db.Tx, *SavedBlock, int64) error) error {
	if err := requireMessages(c); err != nil {
		return err
	}
	return db.Change(ctx, s.db, c, func(tx *db.Tx, now int64) error {
		saved, err := loadSaved(tx, c, id)
		if err != nil {
			return err
		}
		return do(tx, saved, now)
	})
}

// errSavedName refuses a name that the Account uses.
var errSavedName = enlist.Invalid("name", "the Account has a saved block of this name already")

// setName checks a name, also against the other saved blocks of the Account.
func (s *SavedBlock) setName(tx *db.Tx, name string) (err error) {
	if s.Name, err = enlist.ReadName(name); err != nil {
		return enlist.Invalid("name", err.Error())
	}
	if err := tx.LockDefinitions(); err != nil { // so no other call takes the name meanwhile
		return err
	}
	all, err := savedNames.All(tx, "WHERE account_id = ?", int64(s.AccountID))
	if err != nil {
		return err
	}
	if s.ID == 0 && len(all) >= maxSaved {
		return enlist.Invalid("name", fmt.Sprintf("the Account has %d saved blocks already, which is the limit: delete one", maxSaved))
	}
	for i := range all {
		if all[i].ID != s.ID && strings.EqualFold(all[i].Name, s.Name) {
			return errSavedName
		}
	}
	return nil
}

// setFreeName is setName with the first number, if the name needs one, that makes it free.
func (s *SavedBlock) setFreeName(tx *db.Tx, name string) error {
	err := s.setName(tx, name)
	for n := 2; err == errSavedName; n++ {
		err = s.setName(tx, fmt.Sprintf("%s (%d)", name, n))
	}
	return err
}

func (s *SavedBlock) audited() accounts.AuditObject {
	return accounts.AuditObject{Kind: "SavedBlock", ID: s.ID}
}

func (s *SavedBlock) auditValues() accounts.AuditValues {
	return accounts.AuditValues{"name": s.Name, "blocks": s.Blocks}
}

// RemoveSaved removes all saved blocks of an Account that is removed.
func RemoveSaved(tx *db.Tx, account enlist.AccountID) error {
	return tx.Do("DELETE FROM saved_block WHERE account_id = ?", int64(account))
}

// SavedTexts calls each with the texts of the saved blocks of an Account.
func SavedTexts(tx *db.Tx, account enlist.AccountID, each func(id int64, text string)) error {
	return tx.EachText(each, "SELECT id, name || ' ' || blocks FROM saved_block WHERE account_id = ? ORDER BY 1", int64(account))
}
