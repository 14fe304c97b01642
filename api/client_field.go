// This file has the operations on Fields. Unknown IDs are CodeNoList and CodeNoField.

package api

import "context"

// SearchFields returns the Field definitions of a List that match.
// specification: searchFields
func (c *Client) SearchFields(ctx context.Context, list int64, q Query) ([]Field, error) {
	return call[[]Field](ctx, c, "searchFields", q.params(list)...)
}

// CountFields counts the Fields of a List that match.
func (c *Client) CountFields(ctx context.Context, list int64, criteria Criteria) (int64, error) {
	return call[int64](ctx, c, "countFields", list, criteria.param())
}

// GetFieldByID returns one Field.
func (c *Client) GetFieldByID(ctx context.Context, list, field int64) (*Field, error) {
	return callOne[Field](ctx, c, "getFieldById", list, field)
}

// AddField adds a Field to a List and returns its ID. details need at least the
// name and the type. Codes: CodeDuplicateField, CodeReservedField.
func (c *Client) AddField(ctx context.Context, list int64, details Details) (int64, error) {
	return call[int64](ctx, c, "addField", list, details)
}

// EditField changes the attributes in details, of the Field whose "id" is in
// them, and returns the ID. Codes: CodeEmailFieldFixed, CodeDuplicateField.
func (c *Client) EditField(ctx context.Context, list int64, details Details) (int64, error) {
	return call[int64](ctx, c, "editField", list, details)
}

// DeleteField deletes a Field and its values in all Contacts. The email Field
// cannot be deleted: CodeEmailFieldFixed.
func (c *Client) DeleteField(ctx context.Context, list, field int64) error {
	return c.Call(ctx, "deleteField", []any{list, field}, nil)
}
