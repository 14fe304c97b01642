package rpc

import (
	"errors"

	"enlist/api"
	"enlist/internal/accounts"
	"enlist/internal/enlist"
)

// This file has the methods that search and count Folders. Each method reads its parameters, calls
// the service and writes the result.

// searchFolders returns the Folders of one type. The type is the parameter before the criteria.
func searchFolders(c *call) error {
	folderType, q := c.requiredText(1), c.query(2)
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.Accounts.SearchFolders(c.ctx, c.caller, folderType, q)
	return writeRecords(c, encoder(accounts.FolderAttributes), rows, unknownFolderType(err))
}

// countFolders returns the number of all Folders of one type that match the criteria.
func countFolders(c *call) error {
	folderType, q := c.requiredText(1), enlist.Query{Criteria: c.criteria(2)}
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.Accounts.SearchFolders(c.ctx, c.caller, folderType, q)
	return writeInt(c, len(rows), unknownFolderType(err))
}

// unknownFolderType gives the error of an unknown type its published code and name. It returns other errors unchanged.
func unknownFolderType(err error) error {
	if e, ok := errors.AsType[*enlist.Error](err); ok && e.Field == "folder_type" {
		return &refusal{code: api.CodeUndefined, name: "Undefined Error: Invalid Folder Type", detail: e.Detail,
			position: 2}
	}
	return err
}
