// This file has the method for the days of a List. The other methods for Lists are of the shapes in call.go.

package rpc

import "enlist/internal/lists"

// getListDays returns a record for each day. reference.md: listday.counts
func getListDays(c *call) error {
	list, from, to := c.list(1), c.text(2), c.text(3)
	if c.err != nil {
		return c.err
	}
	days, err := c.service.Lists.ListDays(c.ctx, c.caller, list, from, to)
	return writeRecords(c, encoder(lists.ListDayAttributes), days, err)
}
