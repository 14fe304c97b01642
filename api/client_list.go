// This file has the operations on Lists, List preferences, Folders and the Account.
// An error has the code CodeNoList if the List does not exist, and CodeNoFolder if
// the Folder does not exist.

package api

import "context"

// GetSessionInfo returns the name and the access level of the API key, its Account,
// and the version of the server.
func (c *Client) GetSessionInfo(ctx context.Context) (*SessionInfo, error) {
	return call[*SessionInfo](ctx, c, "getSessionInfo")
}

// GetCreditBalance returns a large number for every type of credits, such as "sms",
// because the server sells no credits. Programs call it to check their API key.
func (c *Client) GetCreditBalance(ctx context.Context, creditType string) (int64, error) {
	return call[int64](ctx, c, "getCreditBalance", creditType)
}

// GetTimezoneList returns the time zones that an Account or an autoresponder can
// have.
func (c *Client) GetTimezoneList(ctx context.Context) ([]Timezone, error) {
	return call[[]Timezone](ctx, c, "getTimezoneList")
}

// AddList creates a List and returns its ID. details must contain at least name.
func (c *Client) AddList(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "addList", details)
}

// EditList changes attributes of a List and returns its ID. details contain the
// new values, and the ID of the List as "id".
func (c *Client) EditList(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "editList", details)
}

// DeleteList deletes a List and its Contacts.
func (c *Client) DeleteList(ctx context.Context, list int64) error {
	return c.Call(ctx, "deleteList", []any{list}, nil)
}

// ClearList deletes all Contacts of a List and keeps the List. It does not delete
// Contacts that are added while it runs.
func (c *Client) ClearList(ctx context.Context, list int64) error {
	return c.Call(ctx, "clearList", []any{list}, nil)
}

// GetListByID returns one List.
func (c *Client) GetListByID(ctx context.Context, list int64) (*List, error) {
	return callOne[List](ctx, c, "getListById", list)
}

// SearchLists returns the Lists of the Account that match the query.
func (c *Client) SearchLists(ctx context.Context, q Query) ([]List, error) {
	return call[[]List](ctx, c, "searchLists", q.params()...)
}

// CountLists returns the number of Lists of the Account that match the criteria.
func (c *Client) CountLists(ctx context.Context, criteria Criteria) (int64, error) {
	return call[int64](ctx, c, "countLists", criteria.param())
}

// AddListPreference adds a preference to a List. It returns the ID of the
// preference.
func (c *Client) AddListPreference(ctx context.Context, list int64, name string) (int64, error) {
	return call[int64](ctx, c, "addListPreference", list, name)
}

// DeleteListPreference deletes a preference of a List and all answers to it.
func (c *Client) DeleteListPreference(ctx context.Context, list, preference int64) error {
	return c.Call(ctx, "deleteListPreference", []any{list, preference}, nil)
}

// SearchListPreferences returns the preferences of a List that match the query.
func (c *Client) SearchListPreferences(ctx context.Context, list int64, q Query) ([]Preference, error) {
	return call[[]Preference](ctx, c, "searchListPreferences", q.params(list)...)
}

// SearchFolders returns the Folders of one type that match the query. folderType is
// list, message or file.
func (c *Client) SearchFolders(ctx context.Context, folderType string, q Query) ([]Folder, error) {
	return call[[]Folder](ctx, c, "searchFolders", q.params(folderType)...)
}

// CountFolders returns the number of Folders of one type that match the criteria.
func (c *Client) CountFolders(ctx context.Context, folderType string, criteria Criteria) (int64, error) {
	return call[int64](ctx, c, "countFolders", folderType, criteria.param())
}

// AddFolder creates a Folder and returns its ID. details must contain name and
// type, which is list, message or file. If the name is used already, the error has
// the code CodeDuplicateFolder.
func (c *Client) AddFolder(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "addFolder", details)
}

// EditFolder renames a Folder and returns its ID. details contain the new name, and
// the ID of the Folder as "id".
func (c *Client) EditFolder(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "editFolder", details)
}

// DeleteFolder deletes a Folder. If the Folder is not empty or is the last Folder
// of its type, the error has the code CodeCannotDeleteFolder.
func (c *Client) DeleteFolder(ctx context.Context, folder int64) error {
	return c.Call(ctx, "deleteFolder", []any{folder}, nil)
}

// GetFolderByID returns one Folder.
func (c *Client) GetFolderByID(ctx context.Context, folder int64) (*Folder, error) {
	return callOne[Folder](ctx, c, "getFolderById", folder)
}
