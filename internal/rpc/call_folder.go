// This file has the methods about Folders: each reads its parameters, calls the
// service and writes the result.

package rpc

import "enlist/internal/audience"

// searchFolders returns the Folders of one type. The type comes before the criteria.
func searchFolders(c *call) error {
	folderType, q := c.requiredText(1), c.query(2)
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.SearchFolders(c.ctx, c.caller, folderType, q)
	return writeRecords(c, encoder(audience.FolderAttributes), rows, err)
}

// countFolders counts what searchFolders finds without a page.
func countFolders(c *call) error {
	folderType, q := c.requiredText(1), audience.Query{Criteria: c.criteria(2)}
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.SearchFolders(c.ctx, c.caller, folderType, q)
	return writeInt(c, len(rows), err)
}
