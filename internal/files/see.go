package files

import (
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has which files a user of only some Lists sees: those that the user has uploaded, those of Messages that the
// user sees, and the logo of the theme. Such a user replaces and deletes only the former. Others see all files of the Account. A
// key that is restricted to some Lists must not make these calls. A file from before its writer was stored is like one of others.
// reference.md: auth.restricted; decisions.md: 171

// requireFiles refuses keys that are restricted to some Lists. Users see only some files.
func requireFiles(c *enlist.Caller) error {
	if c.User != 0 {
		return nil
	}
	return enlist.RequireWholeAccount(c)
}

// wroteIt reports whether the caller is the user who uploaded the file.
func (f *StoredFile) wroteIt(c *enlist.Caller) bool { return c.User != 0 && f.CreatorUser == c.User }

// MayEdit reports whether a user may replace and delete a file that the user sees.
func (f *StoredFile) MayEdit(c *enlist.Caller) bool {
	return (c.User == 0 || c.May(enlist.Write)) && (c.Key.Lists == nil || f.wroteIt(c))
}

// requireWriter refuses a change of a file by a user who may not make it. Errors: Denied.
func (f *StoredFile) requireWriter(c *enlist.Caller) error {
	if !f.MayEdit(c) {
		return enlist.Refuse(enlist.Denied, "only the user who uploaded the file, and those who may use all Lists, may change it")
	}
	return nil
}

// loadSeen returns a file. One that the caller does not see is like one that does not exist.
func (s *Service) loadSeen(tx *db.Tx, c *enlist.Caller, id enlist.FileID) (*StoredFile, error) {
	f, err := LoadFile(tx, c.Account.ID, id)
	if err != nil || c.Key.Lists == nil || f.wroteIt(c) {
		return f, err
	}
	shown, err := s.above.Shown(tx, c, id)
	if err == nil && !shown[id] {
		err = enlist.ErrNoFile
	}
	return f, err
}

// seenFiles returns the files that the caller sees, in the order of their IDs.
func (s *Service) seenFiles(tx *db.Tx, c *enlist.Caller) ([]StoredFile, error) {
	all, err := Files(tx, c.Account.ID)
	if err != nil || c.Key.Lists == nil {
		return all, err
	}
	shown, err := s.above.Shown(tx, c, 0)
	return slices.DeleteFunc(all, func(f StoredFile) bool { return !f.wroteIt(c) && !shown[f.ID] }), err
}

// WrittenBy returns which files the caller, a user, has uploaded.
func WrittenBy(tx *db.Tx, c *enlist.Caller) (func(enlist.FileID) bool, error) {
	if c.User == 0 {
		return func(enlist.FileID) bool { return false }, nil
	}
	all, err := fileTable.All(tx, "WHERE account_id = ? AND creator_person_id = ?", int64(c.Account.ID), c.User)
	return func(id enlist.FileID) bool {
		return slices.ContainsFunc(all, func(f StoredFile) bool { return f.ID == id })
	}, err
}
