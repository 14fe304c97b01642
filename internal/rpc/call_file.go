package rpc

import (
	"strconv"

	"enlist/internal/enlist"
	"enlist/internal/files"
)

// This file has the methods of files. Each method reads its parameters, calls the service and writes the
// result.

// findFileInFolder returns the ID of a file, or 0. reference.md: findFileInFolder
func findFileInFolder(c *call) error {
	name, folder := c.requiredText(1), enlist.FolderID(c.id(2))
	if c.err != nil {
		return c.err
	}
	id, err := c.service.Files.FindFile(c.ctx, c.caller, name, folder)
	return writeInt(c, id, err)
}

// uploadBase64FileData returns the ID and the URL of the stored file. reference.md: uploadBase64FileData
func uploadBase64FileData(c *call) error {
	r := files.UploadRequest{Details: c.recordDetails(1), Folder: enlist.FolderID(c.id(2)), OnDuplicate: c.text(3)}
	if c.err != nil {
		return c.err
	}
	f, err := c.service.Files.UploadFile(c.ctx, c.caller, r)
	if err != nil {
		return err
	}
	b := strconv.AppendInt(append(c.reply.buf, `{"id":`...), int64(f.ID), 10)
	c.reply.buf = append(appendString(append(b, `,"url":`...), f.URL), '}')
	return nil
}
