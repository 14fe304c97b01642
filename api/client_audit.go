// This file has the operations that read the audit log.

package api

import (
	"context"
	"encoding/json"
)

// AuditRow is a row of the audit log: who changed which definition, or read out or erased Contacts. specification: Audit log
type AuditRow struct {
	ID        int64  `json:"id"`
	Time      int64  `json:"time"`       // Unix time
	Method    string `json:"method"`     // a method of the API, a request such as "GET /api/exports", or a command
	KeyID     int64  `json:"key_id"`     // 0: the command line
	KeyName   string `json:"key_name"`   // at the time of the act
	UserName  string `json:"user_name"`  // who ran the command, such as ada@mail1; "" for a call
	IPAddress string `json:"ip_address"` // from which the call came; "" for a command
	Object    string `json:"object"`     // the kind of the record, such as List
	ObjectID  int64  `json:"object_id"`  // 0: the record has no ID
	ListID    int64  `json:"list_id"`    // that the record belongs to; 0: none

	// Before and After have the values that the act changed. They are nil after the erasure of a person whose address
	// they contained.
	Before map[string]json.RawMessage `json:"before"`
	After  map[string]json.RawMessage `json:"after"`
}

// SearchAuditLog returns the rows of the key's Account that match. The key needs the level full. specification:
// searchAuditLog
func (c *Client) SearchAuditLog(ctx context.Context, q Query) ([]AuditRow, error) {
	return call[[]AuditRow](ctx, c, "searchAuditLog", q.params()...)
}

// CountAuditLog returns how many rows match the criteria. specification: countAuditLog
func (c *Client) CountAuditLog(ctx context.Context, criteria Criteria) (int64, error) {
	return call[int64](ctx, c, "countAuditLog", criteria)
}
