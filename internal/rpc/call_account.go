package rpc

import (
	"cmp"
	"strings"

	"enlist/api"
	"enlist/internal/accounts"
	"enlist/internal/enlist"
)

// This file has the methods about the caller's key and Account, about users, and what the audit log needs. A key sees
// only its own Account, and its keys stand for users.

// session is a call, which is a session of its own. Its key stands for a user.
type session struct {
	*enlist.Caller
	time    int64 // Unix time
	version string
}

// sessionAttributes are the keys of getSessionInfo, in their order on the wire. A key is always used with its own
// Account, so the login is the same.
var sessionAttributes = []enlist.Attribute[session]{
	enlist.ReadOnlyInt("account_id", (*session).accountID),
	enlist.ReadOnlyInt("user_id", (*session).keyID),
	enlist.ReadOnlyText("username", (*session).keyName),
	enlist.ReadOnlyInt("session_start_time", func(s *session) int64 { return s.time }),
	enlist.ReadOnlyInt("login_account_id", (*session).accountID),
	enlist.ReadOnlyInt("login_user_id", (*session).keyID),
	enlist.ReadOnlyText("login_username", (*session).keyName),
}

// keyInfoAttributes are the keys of getKeyInfo.
var keyInfoAttributes = []enlist.Attribute[session]{
	enlist.ReadOnlyInt("account_id", (*session).accountID),
	enlist.ReadOnlyText("account_name", func(s *session) string { return s.Account.Name }),
	enlist.ReadOnlyText("key_name", (*session).keyName),
	enlist.ReadOnlyText("access_level", func(s *session) string { return s.Key.Level.String() }),
	enlist.ReadOnlyText("version", func(s *session) string { return s.version }),
}

func (s *session) accountID() enlist.AccountID { return s.Account.ID }

func (s *session) keyID() enlist.KeyID { return s.Key.ID }

func (s *session) keyName() string { return s.Key.Name }

// sessionInfo returns a method that returns keys of the session. Session asks the database whether the API key is
// still valid, because Authenticate may have used a cached key.
func sessionInfo(attributes []enlist.Attribute[session]) func(*call) error {
	write := writeObject(Encoder(attributes))
	return func(c *call) error {
		at, err := c.service.Accounts.Session(c.ctx, c.caller)
		return write(c, &session{c.caller, at, c.version}, err)
	}
}

// unlimitedCredits is the balance of each type of credits, because the service sells none. The published interface has
// no word for unlimited. The number is below 1<<31, so that every client can store it.
const unlimitedCredits = 1_000_000_000

// creditType is a type of credits: sms or email_test.
type creditType string

// creditAttributes are the keys of getCreditBalance, in their order on the wire.
var creditAttributes = []enlist.Attribute[creditType]{
	enlist.ReadOnlyText("type", func(t *creditType) creditType { return *t }),
	enlist.ReadOnlyInt("credits", func(*creditType) int64 { return unlimitedCredits }),
	enlist.ReadOnlyInt("post_paid", func(*creditType) int64 { return 0 }),
}

// getCreditBalance returns an array with the balance of one type. Clients call it to check a key, and send nothing if
// the balance is low. reference.md: getCreditBalance
func getCreditBalance(c *call) error {
	kind := creditType(cmp.Or(c.text(1), "sms"))
	if c.err == nil && kind != "sms" && kind != "email_test" {
		c.refuseAs(api.CodeInvalidParameters, 1, "sms or email_test", "another string")
	}
	if c.err != nil {
		return c.err
	}
	return writeOne(creditAttributes)(c, &kind, c.service.Accounts.Recheck(c.ctx, c.caller))
}

// getTimezoneList returns the names of all time zones. Recheck asks the database whether the key is
// still valid, because Authenticate may have used a cached key.
func getTimezoneList(c *call) error {
	err := c.service.Accounts.Recheck(c.ctx, c.caller)
	return writeRecords(c, appendTimezone, enlist.TimeZones(), err)
}

func appendTimezone(b []byte, name *string) []byte {
	b = appendString(append(b, `{"timezone":`...), *name)
	b = appendString(append(b, `,"display_name":`...), displayName(*name))
	return append(b, '}')
}

// displayName returns a name that an application can show to people, such as
// "America / Argentina / Buenos Aires".
func displayName(name string) string { return shownTimezone.Replace(name) }

var shownTimezone = strings.NewReplacer("_", " ", "/", " / ") // about 1 MiB for a call if built for each name

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
	return writeRecords(c, Encoder(accounts.UserAttributes), rows, err)
}

// readSearchOfAccounts reads the five parameters of a search, and include_sub_accounts: no Account has sub-Accounts.
func readSearchOfAccounts(p *params, i int) enlist.Query {
	q := p.query(i)
	p.flag(i + 5)
	return q
}

// readCountOfAccounts reads criteria and include_sub_accounts.
func readCountOfAccounts(p *params, i int) enlist.Query {
	q := readMatching(p, i)
	p.flag(i + 1)
	return q
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

// AuditRowEncoder returns a function that appends a row of the audit log, as searchAuditLog returns it. The keys before
// and after are objects, or null after an erasure.
func AuditRowEncoder() func([]byte, *accounts.AuditRow) []byte {
	appendKeys := Encoder(accounts.AuditAttributes)
	return func(b []byte, r *accounts.AuditRow) []byte {
		b = appendKeys(b, r)
		b = append(append(b[:len(b)-1], `,"before":`...), cmp.Or(r.Before, "null")...)
		return append(append(append(b, `,"after":`...), cmp.Or(r.After, "null")...), '}')
	}
}
