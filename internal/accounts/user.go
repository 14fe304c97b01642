package accounts

import (
	"context"
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has the Account and its API keys as clients of the published interface see them. A key stands for a user. A
// caller sees only its own Account; any other is answered like one that does not exist.

// User is an API key, which was not revoked, with its Account.
type User struct {
	enlist.Key
	timeZone string
}

// UserAttributes are the keys of a User record, in their order on the wire. A key has no data of a person.
var UserAttributes = []enlist.Attribute[User]{
	enlist.Searchable(enlist.ReadOnlyInt("id", func(u *User) enlist.KeyID { return u.ID })),
	enlist.Searchable(enlist.ReadOnlyInt("account_id", func(u *User) enlist.AccountID { return u.AccountID })),
	enlist.Searchable(enlist.ReadOnlyText("username", func(u *User) string { return u.Name })),
	emptyText[User]("first_name"), emptyText[User]("last_name"), emptyText[User]("email"), emptyText[User]("phone"),
	emptyText[User]("mobile"), emptyText[User]("fax"), emptyText[User]("position"),
	enlist.ReadOnlyFlag("has_accepted_terms", func(*User) bool { return true }),
	enlist.Searchable(enlist.ReadOnlyInt("creation_time", func(u *User) int64 { return u.CreationTime })),
	enlist.Searchable(enlist.ReadOnlyInt("last_login_time", func(u *User) int64 { return u.LastUsedTime })),
	noNumber[User]("login_count"),
	enlist.Searchable(enlist.ReadOnlyFlag("is_read_only", func(u *User) bool { return u.Level == enlist.Read })),
	enlist.ReadOnlyText("timezone", func(u *User) string { return u.timeZone }),
	enlist.Searchable(enlist.ReadOnlyText("name", func(u *User) string { return u.Name })),
	noFlag[User]("receives_promotional"),
}

// AccountAttributes are the keys of an Account record, in their order on the wire.
var AccountAttributes = []enlist.Attribute[enlist.Account]{
	enlist.Searchable(enlist.ReadOnlyInt("id", func(a *enlist.Account) enlist.AccountID { return a.ID })),
	enlist.ReadOnlyText("account_type", func(*enlist.Account) string { return "single" }),
	enlist.ReadOnlyText("account_status", func(*enlist.Account) string { return "ok" }),
	emptyText[enlist.Account]("packages"), emptyText[enlist.Account]("sub_packages"),
	noNumber[enlist.Account]("parent_account_id"),
	enlist.Searchable(enlist.ReadOnlyInt("creation_time", func(a *enlist.Account) int64 { return a.CreationTime })),
	enlist.ReadOnlyInt("last_modified_time", func(a *enlist.Account) int64 { return a.CreationTime }),
	noNumber[enlist.Account]("expiry_time"),
	enlist.Searchable(enlist.ReadOnlyText("company_name", func(a *enlist.Account) string { return a.Name })),
	emptyText[enlist.Account]("company_address"), emptyText[enlist.Account]("company_suburb"),
	emptyText[enlist.Account]("company_state"), emptyText[enlist.Account]("company_country"),
	emptyText[enlist.Account]("company_zip"), emptyText[enlist.Account]("company_industry"),
	emptyText[enlist.Account]("website"), emptyText[enlist.Account]("business_registration_number"),
	emptyText[enlist.Account]("billing_email"),
	enlist.ReadOnlyText("balance", func(*enlist.Account) string { return "0.00" }),
	noFlag[enlist.Account]("is_trial"), noFlag[enlist.Account]("is_free"), noFlag[enlist.Account]("is_deactivated"),
	noFlag[enlist.Account]("is_expired"), noNumber[enlist.Account]("trial_activation_time"),
	enlist.ReadOnlyText("trial_activation_method", func(*enlist.Account) string { return "none" }),
	noFlag[enlist.Account]("trial_email_opened"),
}

// emptyText, noNumber and noFlag are keys of the published interface for which this service has no value. Criteria may
// test them.
func emptyText[T any](name string) enlist.Attribute[T] {
	return enlist.Searchable(enlist.ReadOnlyText(name, func(*T) string { return "" }))
}

func noNumber[T any](name string) enlist.Attribute[T] {
	return enlist.Searchable(enlist.ReadOnlyInt(name, func(*T) int64 { return 0 }))
}

func noFlag[T any](name string) enlist.Attribute[T] {
	return enlist.Searchable(enlist.ReadOnlyFlag(name, func(*T) bool { return false }))
}

// Account returns the caller's Account. Errors: NoAccount for any other.
func (s *Service) Account(ctx context.Context, c *enlist.Caller, id enlist.AccountID) (*enlist.Account, error) {
	if err := s.Recheck(ctx, c); err != nil {
		return nil, err
	}
	if id != c.Account.ID {
		return nil, enlist.Refuse(enlist.NoAccount, "this key has no Account with this ID")
	}
	return c.Account, nil
}

// SearchAccounts returns the caller's Account if it matches. Errors: InvalidSearch.
func (s *Service) SearchAccounts(ctx context.Context, c *enlist.Caller, q enlist.Query) ([]enlist.Account, error) {
	if err := s.Recheck(ctx, c); err != nil {
		return nil, err
	}
	return enlist.SearchRecords(AccountAttributes, []enlist.Account{*c.Account}, q)
}

// SearchUsers returns the matching keys of the caller's Account. Errors: NoAccount, Denied, InvalidSearch.
func (s *Service) SearchUsers(ctx context.Context, c *enlist.Caller, account enlist.AccountID,
	q enlist.Query) ([]User, error) {
	if _, err := s.Account(ctx, c, account); err != nil {
		return nil, err
	}
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]User, error) {
		if err := enlist.RequireWholeAccount(c); err != nil {
			return nil, err
		}
		keys, err := Keys(tx, account)
		if err != nil {
			return nil, err
		}
		var users []User
		for _, k := range keys {
			if k.RevokedTime == 0 {
				users = append(users, User{k, c.Account.TimeZone})
			}
		}
		return enlist.SearchRecords(UserAttributes, users, q)
	})
}

// User returns a key of the caller's Account. Errors: Denied, and NoAccount also for an unknown key.
func (s *Service) User(ctx context.Context, c *enlist.Caller, account enlist.AccountID,
	id enlist.KeyID) (*User, error) {
	users, err := s.SearchUsers(ctx, c, account, enlist.Query{})
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(users, func(u User) bool { return u.ID == id })
	if i < 0 {
		return nil, &enlist.Error{Kind: enlist.NoAccount, Field: "user_id",
			Detail: "the Account has no key with this ID"}
	}
	return &users[i], nil
}
