package api

import "context"

// GetSessionInfo returns what the key belongs to.
func (c *Client) GetSessionInfo(ctx context.Context) (*SessionInfo, error) {
	return call[*SessionInfo](ctx, c, "getSessionInfo")
}

// GetTimezoneList returns the time zones that the server knows.
func (c *Client) GetTimezoneList(ctx context.Context) ([]Timezone, error) {
	return call[[]Timezone](ctx, c, "getTimezoneList")
}

// AddList makes a List, of which details give at least the name, and returns its ID.
func (c *Client) AddList(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "addList", details)
}

// EditList changes what details name, of the List whose ID is in them, and returns the ID.
func (c *Client) EditList(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "editList", details)
}

// DeleteList removes a List with its Contacts.
func (c *Client) DeleteList(ctx context.Context, list int64) error {
	return c.Call(ctx, "deleteList", []any{list}, nil)
}

// ClearList removes the Contacts that a List has now.
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

// AddListPreference defines a preference on a List and returns its ID.
func (c *Client) AddListPreference(ctx context.Context, list int64, name string) (int64, error) {
	return call[int64](ctx, c, "addListPreference", list, name)
}

// DeleteListPreference removes a preference from a List.
func (c *Client) DeleteListPreference(ctx context.Context, list, preference int64) error {
	return c.Call(ctx, "deleteListPreference", []any{list, preference}, nil)
}

// SearchListPreferences returns the preferences of a List that match.
func (c *Client) SearchListPreferences(ctx context.Context, list int64, q Query) ([]Preference, error) {
	return call[[]Preference](ctx, c, "searchListPreferences", q.params(list)...)
}

// SearchFolders returns the Account's Folders of a type, list, message or file, that match.
func (c *Client) SearchFolders(ctx context.Context, folderType string, q Query) ([]Folder, error) {
	return call[[]Folder](ctx, c, "searchFolders", q.params(folderType)...)
}

// CountFolders counts the Account's Folders of a type, list, message or file, that match.
func (c *Client) CountFolders(ctx context.Context, folderType string, criteria Criteria) (int64, error) {
	return call[int64](ctx, c, "countFolders", folderType, criteria.param())
}

// AddFolder makes a Folder of a name and type, list, message or file, and returns its ID.
func (c *Client) AddFolder(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "addFolder", details)
}

// EditFolder renames the Folder whose ID is in details, and returns the ID.
func (c *Client) EditFolder(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "editFolder", details)
}

// DeleteFolder removes an empty Folder that is not the last one of its type.
func (c *Client) DeleteFolder(ctx context.Context, folder int64) error {
	return c.Call(ctx, "deleteFolder", []any{folder}, nil)
}

// GetFolderByID returns one Folder.
func (c *Client) GetFolderByID(ctx context.Context, folder int64) (*Folder, error) {
	return callOne[Folder](ctx, c, "getFolderById", folder)
}
