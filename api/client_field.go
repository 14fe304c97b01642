// This file has the operations on Fields. An error has the code CodeNoList if the
// List does not exist, and CodeNoField if the Field does not exist.

package api

import "context"

// SearchFields returns the Fields of a List that match the query.
// specification: searchFields
func (c *Client) SearchFields(ctx context.Context, list int64, q Query) ([]Field, error) {
	return call[[]Field](ctx, c, "searchFields", q.params(list)...)
}

// CountFields returns the number of Fields of a List that match the criteria.
func (c *Client) CountFields(ctx context.Context, list int64, criteria Criteria) (int64, error) {
	return call[int64](ctx, c, "countFields", list, criteria.param())
}

// GetFieldByID returns one Field.
func (c *Client) GetFieldByID(ctx context.Context, list, field int64) (*Field, error) {
	return callOne[Field](ctx, c, "getFieldById", list, field)
}

// AddField adds a Field to a List and returns the ID of the Field. details must
// contain at least name and type. Its errors include the codes CodeDuplicateField
// and CodeReservedField.
func (c *Client) AddField(ctx context.Context, list int64, details Details) (int64, error) {
	return call[int64](ctx, c, "addField", list, details)
}

// EditField changes attributes of a Field and returns its ID. details contain the
// new values, and the ID of the Field as "id". Its errors include the codes
// CodeEmailFieldFixed and CodeDuplicateField.
func (c *Client) EditField(ctx context.Context, list int64, details Details) (int64, error) {
	return call[int64](ctx, c, "editField", list, details)
}

// GetFolderIDForField returns the ID of the Folder that a file Field uploads into, or 0
// if it has none.
func (c *Client) GetFolderIDForField(ctx context.Context, list, field int64) (int64, error) {
	return call[int64](ctx, c, "getFolderIdForField", list, field)
}

// SetFieldFolderID sets the Folder that a file Field uploads into. If the Account has
// no Folder for files with this ID, the error has the code CodeNoFolder.
func (c *Client) SetFieldFolderID(ctx context.Context, list, field, folder int64) error {
	return c.Call(ctx, "setFieldFolderId", []any{list, field, folder}, nil)
}

// DeleteField deletes a Field and its values in all Contacts. The email Field
// cannot be deleted: the error has the code CodeEmailFieldFixed.
func (c *Client) DeleteField(ctx context.Context, list, field int64) error {
	return c.Call(ctx, "deleteField", []any{list, field}, nil)
}
