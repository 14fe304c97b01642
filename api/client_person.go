// This file has the operations on everything that is stored about a person.

package api

import (
	"context"
	"encoding/json"
)

// Person maps each kind of data, such as contacts or consents, to its rows. The keys of a row are those of the reply.
type Person map[string][]map[string]json.RawMessage

// ExportPerson returns everything that the Account stores about an email address or a mobile number, in all Lists.
// specification: exportPerson
func (c *Client) ExportPerson(ctx context.Context, address string) (Person, error) {
	return call[Person](ctx, c, "exportPerson", address)
}

// Erasure says what ErasePerson has removed, or would remove.
type Erasure struct {
	Rows map[string]int64 `json:"rows"` // the number of rows of each kind of data
	Left []string         `json:"left"` // settings and texts that contain the address and stay, such as "list 3"
}

// ErasePerson erases everything that the Account stores about an email address or a mobile number. With dryRun it only
// returns what it would erase. The error has the code CodeTooManyConcurrent if the call must be repeated later.
// specification: erasePerson
func (c *Client) ErasePerson(ctx context.Context, address string, dryRun bool) (Erasure, error) {
	return call[Erasure](ctx, c, "erasePerson", address, dryRun)
}
