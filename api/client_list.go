// This file has the operations on Lists, their preferences and Folders, and on the
// Account itself. An unknown List is CodeNoList, an unknown Folder CodeNoFolder.

package api

import "context"

// GetSessionInfo returns the Account, name and access level of the key.
func (c *Client) GetSessionInfo(ctx context.Context) (*SessionInfo, error) {
	return call[*SessionInfo](ctx, c, "getSessionInfo")
}

// GetTimezoneList returns the time zones that an Account or autoresponder may have.
func (c *Client) GetTimezoneList(ctx context.Context) ([]Timezone, error) {
	return call[[]Timezone](ctx, c, "getTimezoneList")
}

// AddList creates a List and returns its ID. details need at least the name.
func (c *Client) AddList(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "addList", details)
}

// EditList changes the attributes in details, of the List whose "id" is in them,
// and returns the ID.
func (c *Client) EditList(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "editList", details)
}

// DeleteList deletes a List with its Contacts.
func (c *Client) DeleteList(ctx context.Context, list int64) error {
	return c.Call(ctx, "deleteList", []any{list}, nil)
}

// ClearList deletes all Contacts of a List and keeps the List. Contacts that are
// added while it runs stay.
func (c *Client) ClearList(ctx context.Context, list int64) error {
	return c.Call(ctx, "clearList", []any{list}, nil)
}

// GetListByID returns one List.
func (c *Client) GetListByID(ctx context.Context, list int64) (*List, error) {
	return callOne[List](ctx, c, "getListById", list)
}

// SearchLists returns the Lists of the Account that match.
func (c *Client) SearchLists(ctx context.Context, q Query) ([]List, error) {
	return call[[]List](ctx, c, "searchLists", q.params()...)
}

// CountLists counts the Lists of the Account that match.
func (c *Client) CountLists(ctx context.Context, criteria Criteria) (int64, error) {
	return call[int64](ctx, c, "countLists", criteria.param())
}

// AddListPreference adds a preference to a List and returns its ID.
func (c *Client) AddListPreference(ctx context.Context, list int64, name string) (int64, error) {
	return call[int64](ctx, c, "addListPreference", list, name)
}

// DeleteListPreference deletes a preference of a List.
func (c *Client) DeleteListPreference(ctx context.Context, list, preference int64) error {
	return c.Call(ctx, "deleteListPreference", []any{list, preference}, nil)
}

// SearchListPreferences returns the preferences of a List that match.
func (c *Client) SearchListPreferences(ctx context.Context, list int64, q Query) ([]Preference, error) {
	return call[[]Preference](ctx, c, "searchListPreferences", q.params(list)...)
}

// SearchFolders returns the Folders of a type that match. folderType is list,
// message or file.
func (c *Client) SearchFolders(ctx context.Context, folderType string, q Query) ([]Folder, error) {
	return call[[]Folder](ctx, c, "searchFolders", q.params(folderType)...)
}

// CountFolders counts the Folders of a type that match.
func (c *Client) CountFolders(ctx context.Context, folderType string, criteria Criteria) (int64, error) {
	return call[int64](ctx, c, "countFolders", folderType, criteria.param())
}

// AddFolder creates a Folder and returns its ID. details need a name and a type:
// list, message or file. Codes: CodeDuplicateFolder.
func (c *Client) AddFolder(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "addFolder", details)
}

// EditFolder renames the Folder whose ID is in details, and returns the ID.
func (c *Client) EditFolder(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "editFolder", details)
}

// DeleteFolder deletes a Folder. It must be empty, and not the last of its type:
// CodeCannotDeleteFolder.
func (c *Client) DeleteFolder(ctx context.Context, folder int64) error {
	return c.Call(ctx, "deleteFolder", []any{folder}, nil)
}

// GetFolderByID returns one Folder.
func (c *Client) GetFolderByID(ctx context.Context, folder int64) (*Folder, error) {
	return callOne[Folder](ctx, c, "getFolderById", folder)
}
