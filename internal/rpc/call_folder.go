// This file has the methods about Folders: each reads its parameters, calls the
// service and writes the result.

package rpc

import "enlist/internal/audience"

func addFolder(c *call) error {
	details := c.recordDetails(1)
	if c.err != nil {
		return c.err
	}
	id, err := c.service.AddFolder(c.ctx, c.caller, details)
	return writeInt(c, id, err)
}

func editFolder(c *call) error {
	details, folder := c.recordDetails(1), audience.FolderID(c.recordID(1))
	if c.err != nil {
		return c.err
	}
	id, err := c.service.EditFolder(c.ctx, c.caller, folder, details)
	return writeInt(c, id, err)
}

func deleteFolder(c *call) error {
	folder := audience.FolderID(c.id(1))
	if c.err != nil {
		return c.err
	}
	return writeTrue(c, c.service.DeleteFolder(c.ctx, c.caller, folder))
}

func searchFolders(c *call) error {
	folderType, q := c.requiredText(1), c.query(2)
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.SearchFolders(c.ctx, c.caller, folderType, q)
	return writeRecords(c, encoder(audience.FolderAttributes), rows, err)
}

func countFolders(c *call) error {
	folderType, q := c.requiredText(1), audience.Query{Criteria: c.criteria(2)}
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.SearchFolders(c.ctx, c.caller, folderType, q)
	return writeInt(c, len(rows), err)
}

func getFolderByID(c *call) error {
	id := audience.FolderID(c.id(1))
	if c.err != nil {
		return c.err
	}
	folder, err := c.service.Folder(c.ctx, c.caller, id)
	return writeRecord(c, encoder(audience.FolderAttributes), folder, err)
}
