// This file has the operations on files. An error has the code CodeNoFolder if the Folder does not
// exist, and CodeInvalidParameters if the file does not exist.

package api

import (
	"context"
	"encoding/base64"
)

// File is the record of a file.
type File struct {
	ID               int64  `json:"id"`
	CreatorUserID    int64  `json:"creator_user_id"`
	CreatorName      string `json:"creator_name"`
	CreationTime     int64  `json:"creation_time"`
	LastModifiedTime int64  `json:"last_modified_time"` // when the content was stored last
	FolderID         int64  `json:"folder_id"`
	Name             string `json:"name"`
	Type             string `json:"type"` // media type, such as image/png
	Size             int64  `json:"size"` // in bytes
	URL              string `json:"url"`  // anyone who has the URL can read the file
}

// UploadedFile is the reply to UploadFile.
type UploadedFile struct {
	ID  int64  `json:"id"`
	URL string `json:"url"`
}

// UploadFile stores a file in a Folder for files. If the Folder has a file with the same name,
// overwrite decides: with true, this file gets the new content and keeps its ID and URL; with
// false, the new file gets a number in its name.
func (c *Client) UploadFile(ctx context.Context, folder int64, name string, content []byte,
	overwrite bool) (*UploadedFile, error) {
	action := "increment"
	if overwrite {
		action = "overwrite"
	}
	details := Details{"name": name, "data": base64.StdEncoding.EncodeToString(content)}
	return call[*UploadedFile](ctx, c, "uploadBase64FileData", details, folder, action)
}

// DeleteFile deletes a file. Its URL stops working.
func (c *Client) DeleteFile(ctx context.Context, file int64) error {
	return c.Call(ctx, "deleteFile", []any{file}, nil)
}

// GetFileByID returns one file.
func (c *Client) GetFileByID(ctx context.Context, file int64) (*File, error) {
	return callOne[File](ctx, c, "getFileById", file)
}

// FindFileInFolder returns the ID of the file with exactly this name in a Folder, or 0 if
// there is none.
func (c *Client) FindFileInFolder(ctx context.Context, name string, folder int64) (int64, error) {
	return call[int64](ctx, c, "findFileInFolder", name, folder)
}

// SearchFiles returns the files of the Account that match the query.
func (c *Client) SearchFiles(ctx context.Context, q Query) ([]File, error) {
	return call[[]File](ctx, c, "searchFiles", q.params()...)
}

// CountFiles returns the number of files of the Account that match the criteria.
func (c *Client) CountFiles(ctx context.Context, criteria Criteria) (int64, error) {
	return call[int64](ctx, c, "countFiles", criteria.param())
}
