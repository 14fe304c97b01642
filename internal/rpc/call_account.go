// This file has the methods about the caller's key and Account.

package rpc

import "strconv"

// getSessionInfo returns the Account, the name and the access level of the key, and the version
// of the server. Recheck asks the database whether the key is still valid, because Authenticate
// may have used a cached key.
func getSessionInfo(c *call) error {
	if err := c.service.Accounts.Recheck(c.ctx, c.caller); err != nil {
		return err
	}
	b := append(c.reply.buf, `{"account_id":`...)
	b = strconv.AppendInt(b, int64(c.caller.Account.ID), 10)
	b = appendString(append(b, `,"account_name":`...), c.caller.Account.Name)
	b = appendString(append(b, `,"key_name":`...), c.caller.Key.Name)
	b = appendString(append(b, `,"access_level":`...), c.caller.Key.Level.String())
	b = appendString(append(b, `,"version":`...), c.version)
	c.reply.buf = append(b, '}')
	return nil
}

// credits is the result of getCreditBalance. It is below 1<<31, so that every client can store it.
const credits = 1_000_000_000

// getCreditBalance returns a large number for every type of credits, because the service sells no
// credits. Clients call it to check a key, and send nothing if the balance is low. reference.md: getCreditBalance
func getCreditBalance(c *call) error {
	return writeInt(c, credits, c.service.Accounts.Recheck(c.ctx, c.caller))
}
