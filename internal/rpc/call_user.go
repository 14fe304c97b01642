package rpc

import (
	"enlist/internal/accounts"
	"enlist/internal/enlist"
)

// This file has the methods about Accounts and users. A key sees only its own Account, and its keys stand for users.

// searchUsers returns the keys of the Account.
func searchUsers(c *call) error {
	account, q := enlist.AccountID(c.id(1)), c.query(2)
	if account == 0 || c.at(1).IsBlank() {
		account = c.caller.Account.ID
	}
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.Accounts.SearchUsers(c.ctx, c.caller, account, q)
	return writeRecords(c, encoder(accounts.UserAttributes), rows, err)
}

// countUsers returns the number of keys that match.
func countUsers(c *call) error {
	account, q := enlist.AccountID(c.id(1)), enlist.Query{Criteria: c.criteria(2)}
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.Accounts.SearchUsers(c.ctx, c.caller, account, q)
	return writeInt(c, len(rows), err)
}

// getUserByID returns an array of one key.
func getUserByID(c *call) error {
	user, err := c.service.Accounts.User(c.ctx, c.caller, enlist.AccountID(c.id(1)), enlist.KeyID(c.id(2)))
	return writeRecord(c, encoder(accounts.UserAttributes), user, err)
}

// searchAccounts returns the Account of the key. No Account has sub-Accounts.
func searchAccounts(c *call) error {
	q := c.query(1)
	c.flag(6)
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.Accounts.SearchAccounts(c.ctx, c.caller, q)
	return writeRecords(c, encoder(accounts.AccountAttributes), rows, err)
}

// countAccounts returns 1, or 0 if the Account of the key does not match.
func countAccounts(c *call) error {
	q := enlist.Query{Criteria: c.criteria(1)}
	c.flag(2)
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.Accounts.SearchAccounts(c.ctx, c.caller, q)
	return writeInt(c, len(rows), err)
}

// refuseChange refuses to change users and Accounts, which only the operator can do. Its parameter is the Account, if
// ofAccount is true.
func refuseChange(ofAccount bool) func(*call) error {
	return func(c *call) error {
		account := c.caller.Account.ID
		if ofAccount {
			account = enlist.AccountID(c.id(1))
		}
		if _, err := c.service.Accounts.Account(c.ctx, c.caller, account); err != nil {
			return err
		}
		return enlist.Refuse(enlist.Denied, "the operator changes Accounts and keys with the command enlist")
	}
}
