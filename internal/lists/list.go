package lists

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// Load returns the Schema of a List, if the caller may access the List. For a List of
// another Account it returns the same error as for an unknown List. reference.md: auth.restricted
func Load(tx *db.Tx, c *enlist.Caller, id enlist.ListID) (*enlist.Schema, error) {
	if id <= 0 {
		return nil, enlist.ErrNoList
	}
	schema, err := Schema(tx, id)
	if err != nil {
		return nil, err
	}
	if schema.List.AccountID != c.Account.ID {
		return nil, enlist.ErrNoList
	}
	if !c.Key.Allows(id) {
		return nil, enlist.Refuse(enlist.Denied, "this key is restricted to other Lists")
	}
	return schema, nil
}
