// This file has the methods that search and count Folders. Each method reads its parameters, calls
// the service and writes the result.

package rpc

import (
	"enlist/internal/accounts"
	"enlist/internal/enlist"
)

// searchFolders returns the Folders of one type. The type is the parameter before the criteria.
func searchFolders(c *call) error {
	folderType, q := c.requiredText(1), c.query(2)
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.Accounts.SearchFolders(c.ctx, c.caller, folderType, q)
	return writeRecords(c, encoder(accounts.FolderAttributes), rows, err)
}

// countFolders returns the number of all Folders of one type that match the criteria.
func countFolders(c *call) error {
	folderType, q := c.requiredText(1), enlist.Query{Criteria: c.criteria(2)}
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.Accounts.SearchFolders(c.ctx, c.caller, folderType, q)
	return writeInt(c, len(rows), err)
}
