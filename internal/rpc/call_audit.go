package rpc

import (
	"cmp"

	"enlist/internal/accounts"
	"enlist/internal/enlist"
)

// This file has the methods that read the audit log.

// searchAuditLog returns rows of the audit log of the caller's Account. reference.md: searchAuditLog
func searchAuditLog(c *call) error {
	q := c.query(1)
	if c.err != nil {
		return c.err
	}
	return writeRows(c, AuditRowEncoder(), func(w enlist.RowWriter[accounts.AuditRow]) error {
		return c.service.Accounts.SearchAuditLog(c.ctx, c.caller, q, w)
	})
}

// countAuditLog returns the number of all rows that match the criteria.
func countAuditLog(c *call) error {
	criteria := c.criteria(1)
	if c.err != nil {
		return c.err
	}
	n, err := c.service.Accounts.CountAuditLog(c.ctx, c.caller, criteria)
	return writeInt(c, n, err)
}

// AuditRowEncoder returns a function that appends a row of the audit log, as searchAuditLog returns it. The keys before
// and after are objects, or null after an erasure.
func AuditRowEncoder() func([]byte, *accounts.AuditRow) []byte {
	appendKeys := encoder(accounts.AuditAttributes)
	return func(b []byte, r *accounts.AuditRow) []byte {
		b = appendKeys(b, r)
		b = append(append(b[:len(b)-1], `,"before":`...), cmp.Or(r.Before, "null")...)
		return append(append(append(b, `,"after":`...), cmp.Or(r.After, "null")...), '}')
	}
}
