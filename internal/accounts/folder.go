package accounts

import (
	"context"
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has the Folder record, its keys, and the calls about Folders.

// The Folder types.
const (
	FolderOfLists    = "list"
	FolderOfMessages = "message"
	FolderOfFiles    = "file"
)

// Folder groups Lists (Type "list"), Messages ("message") or files ("file").
type Folder struct {
	ID           enlist.FolderID
	AccountID    enlist.AccountID
	Name         string
	Type         string
	CreationTime int64
	ItemCount    int64
}

// FirstFolders returns the Folders of a new Account: one of each type, because the last Folder of a
// type cannot be deleted and clients expect to find one.
func FirstFolders(account enlist.AccountID, now int64) []Folder {
	return []Folder{
		{AccountID: account, Name: "Lists", Type: FolderOfLists, CreationTime: now},
		{AccountID: account, Name: "Messages", Type: FolderOfMessages, CreationTime: now},
		{AccountID: account, Name: "Files", Type: FolderOfFiles, CreationTime: now},
	}
}

// AddMissingFolders adds the FirstFolders whose type an Account has no Folder of.
func AddMissingFolders(tx *db.Tx, now int64) error {
	for i, first := range FirstFolders(0, now) {
		accounts, err := accountsWithoutFolder(tx, first.Type)
		if err != nil {
			return err
		}
		for _, account := range accounts {
			f := FirstFolders(account, now)[i]
			if err := f.Add(tx); err != nil {
				return err
			}
		}
	}
	return nil
}

// FolderAttributes are the keys of a Folder record, in the order of a reply.
var FolderAttributes = []enlist.Attribute[Folder]{
	enlist.Searchable(enlist.ReadOnlyInt("id", func(f *Folder) enlist.FolderID { return f.ID })),
	enlist.Searchable(enlist.TextKey("name", func(f *Folder) *string { return &f.Name }, enlist.ReadName)),
	enlist.Searchable(enlist.ReadOnlyInt("creation_time", func(f *Folder) int64 { return f.CreationTime })),
	enlist.Searchable(enlist.EnumKey("type", func(f *Folder) *string { return &f.Type },
		FolderOfLists, FolderOfMessages, FolderOfFiles)),
	enlist.Searchable(enlist.ReadOnlyInt("item_count", func(f *Folder) int64 { return f.ItemCount })),
}

// SearchFolders returns the Account's Folders of a type (list, message, file)
// that match. Errors: Denied, InvalidParameters for another type, InvalidSearch.
func (s *Service) SearchFolders(ctx context.Context, c *enlist.Caller, folderType string,
	q enlist.Query) ([]Folder, error) {
	return db.ViewUnrestricted(ctx, s.db, c, func(tx *db.Tx) ([]Folder, error) {
		if _, err := enlist.OneOf(FolderOfLists, FolderOfMessages, FolderOfFiles)(folderType); err != nil {
			return nil, enlist.Invalid("folder_type", err.Error())
		}
		folders, err := Folders(tx, c.Account.ID)
		if err != nil {
			return nil, err
		}
		ofType := slices.DeleteFunc(slices.Clone(folders), func(f Folder) bool { return f.Type != folderType })
		return enlist.SearchRecords(FolderAttributes, ofType, q)
	})
}

// Folder returns one Folder. Errors: Denied, NoFolder.
func (s *Service) Folder(ctx context.Context, c *enlist.Caller, id enlist.FolderID) (*Folder, error) {
	return db.ViewUnrestricted(ctx, s.db, c, func(tx *db.Tx) (*Folder, error) {
		folder, _, err := LoadFolder(tx, c, id)
		return folder, err
	})
}

// LoadFolder returns a copy of one of the Account's Folders, and all Folders of the Account.
func LoadFolder(tx *db.Tx, c *enlist.Caller, id enlist.FolderID) (*Folder, []Folder, error) {
	folders, err := Folders(tx, c.Account.ID)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range folders {
		if f.ID == id {
			return &f, folders, nil
		}
	}
	return nil, nil, enlist.Refuse(enlist.NoFolder, "the Account has no Folder with this ID")
}

// MustExist returns an error if the Account has no Folder with the ID and the type of f. The
// error names attribute and has the text detail. ID 0 means no Folder, and is allowed.
func (f Folder) MustExist(tx *db.Tx, attribute, detail string) error {
	if f.ID == 0 {
		return nil
	}
	folders, err := Folders(tx, f.AccountID)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(folders, func(o Folder) bool { return o.ID == f.ID && o.Type == f.Type }) {
		return enlist.Invalid(attribute, detail)
	}
	return nil
}

// AddFolder adds a Folder. Errors: Denied, InvalidParameters, and DuplicateFolder if the
// Account has a Folder with the same name and type.
func (s *Service) AddFolder(ctx context.Context, c *enlist.Caller, details []enlist.Detail) (enlist.FolderID, error) {
	return db.UpdateUnrestricted(ctx, s.db, c, func(tx *db.Tx, now int64) (enlist.FolderID, error) {
		f := Folder{AccountID: c.Account.ID, CreationTime: now}
		if err := enlist.Assign(&f, FolderAttributes, details); err != nil {
			return 0, err
		}
		switch {
		case f.Name == "":
			return 0, enlist.Invalid("name", "expected a name")
		case f.Type == "":
			return 0, enlist.Invalid("type", "expected one of list, message, file")
		}
		folders, err := Folders(tx, c.Account.ID)
		if err == nil {
			err = f.checkUnique(folders)
		}
		if err != nil {
			return 0, err
		}
		if err := f.Add(tx); err != nil {
			return 0, err
		}
		return f.ID, Audit(tx, c, now, AuditObject{"Folder", int64(f.ID), 0}, nil, SettableValues(FolderAttributes, &f))
	})
}

// EditFolder changes a Folder's name. It ignores a new type. Errors: Denied, NoFolder,
// InvalidParameters, DuplicateFolder.
func (s *Service) EditFolder(ctx context.Context, c *enlist.Caller, id enlist.FolderID,
	details []enlist.Detail) (enlist.FolderID, error) {
	return db.UpdateUnrestricted(ctx, s.db, c, func(tx *db.Tx, now int64) (enlist.FolderID, error) {
		f, folders, err := LoadFolder(tx, c, id)
		if err != nil {
			return 0, err
		}
		folderType, before := f.Type, SettableValues(FolderAttributes, f)
		if err := enlist.Assign(f, FolderAttributes, details); err != nil {
			return 0, err
		}
		f.Type = folderType
		if err := f.checkUnique(folders); err != nil {
			return 0, err
		}
		if err := Audit(tx, c, now, AuditObject{"Folder", int64(id), 0}, before,
			SettableValues(FolderAttributes, f)); err != nil {
			return 0, err
		}
		return id, f.Update(tx)
	})
}

// checkUnique refuses the name if another Folder of the same type has it.
func (f *Folder) checkUnique(folders []Folder) error {
	if slices.ContainsFunc(folders, func(o Folder) bool { return o.ID != f.ID && o.Type == f.Type && o.Name == f.Name }) {
		return &enlist.Error{Kind: enlist.DuplicateFolder, Field: "name",
			Detail: "there is a Folder of this name and type already"}
	}
	return nil
}

// DeleteFolder removes a Folder. Errors: Denied, NoFolder, and FolderNeeded if the Folder has
// items, is the last one of its type, or is the file_folder_id of a Field.
func (s *Service) DeleteFolder(ctx context.Context, c *enlist.Caller, id enlist.FolderID) error {
	return db.ChangeUnrestricted(ctx, s.db, c, func(tx *db.Tx, now int64) error {
		f, folders, err := LoadFolder(tx, c, id)
		if err != nil {
			return err
		}
		if f.ItemCount > 0 {
			return enlist.Refuse(enlist.FolderNeeded,
				"The folder is not empty; move or delete its items first (items in it: %d)", f.ItemCount)
		}
		if !slices.ContainsFunc(folders, func(o Folder) bool { return o.ID != id && o.Type == f.Type }) {
			return enlist.Refuse(enlist.FolderNeeded, "You cannot delete the last Folder of this type")
		}
		if err := s.unusedByFields(tx, f.ID); err != nil {
			return err
		}
		if err := Audit(tx, c, now, AuditObject{"Folder", int64(id), 0}, SettableValues(FolderAttributes, f),
			nil); err != nil {
			return err
		}
		return DeleteFolder(tx, id)
	})
}
