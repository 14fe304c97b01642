package accounts

import (
	"cmp"
	"context"
	"fmt"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has the methods with which the operator administers Accounts. They need no key
// and can change every Account.

// operatorName is the creator name of records that the operator adds. For other callers, the
// creator name is the name of their key, but the operator has no key.
const operatorName = "command line"

// AccountDetails describe a new Account.
type AccountDetails struct {
	Name         string
	TimeZone     string // IANA name; "": that of the setting timezone, or else of the server
	ContactLimit int64  // or NoContactLimit
}

// AddAccount adds an Account with a Folder of each type. Errors: InvalidParameters.
func (s *Service) AddAccount(ctx context.Context, d AccountDetails) (*enlist.Account, error) {
	name, err := operatorText("Account", d.Name)
	if err != nil {
		return nil, err
	}
	zone := cmp.Or(d.TimeZone, s.NewZone())
	if err := cmp.Or(enlist.CheckTimeZone(zone), checkContactLimit(d.ContactLimit)); err != nil {
		return nil, err
	}
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (*enlist.Account, error) {
		a := &enlist.Account{Name: name, TimeZone: zone, ContactLimit: d.ContactLimit, CreationTime: now,
			TrackingPolicy: enlist.TrackUnlessDenied}
		if err := Insert(tx, a); err != nil {
			return nil, err
		}
		return a, AuditAccountChange(a, ctx, tx, now, nil)
	})
}

// AllAccounts returns all Accounts in order of ID.
func (s *Service) AllAccounts(ctx context.Context) ([]enlist.Account, error) {
	return db.OwnView(ctx, s.db, All)
}

// CountAccounts returns the number of Accounts.
func (s *Service) CountAccounts(ctx context.Context) (int64, error) {
	return db.OwnView(ctx, s.db, func(tx *db.Tx) (int64, error) { return tx.Number("SELECT count(*) FROM account") })
}

// SetContactLimit changes how many Contacts an Account may store. NoContactLimit removes
// the limit. If the new limit is lower than the number of Contacts, no Contact is deleted.
// Errors: InvalidParameters. reference.md: limit.contacts
func (s *Service) SetContactLimit(ctx context.Context, id enlist.AccountID, limit int64) error {
	if err := checkContactLimit(limit); err != nil {
		return err
	}
	return s.EditAccount(ctx, id, func(a *enlist.Account) { a.ContactLimit = limit })
}

// SetTimeZone changes what "today" means for an Account's date Fields. Errors:
// InvalidParameters. reference.md: type.today
func (s *Service) SetTimeZone(ctx context.Context, id enlist.AccountID, zone string) error {
	if err := enlist.CheckTimeZone(zone); err != nil {
		return err
	}
	return s.EditAccount(ctx, id, func(a *enlist.Account) { a.TimeZone = zone })
}

// RenameAccount changes the name of an Account. Errors: InvalidParameters.
func (s *Service) RenameAccount(ctx context.Context, id enlist.AccountID, name string) error {
	name, err := operatorText("Account", name)
	if err != nil {
		return err
	}
	return s.EditAccount(ctx, id, func(a *enlist.Account) { a.Name = name })
}

// Operator returns a Caller that may do everything in one Account. Errors:
// InvalidParameters when there is no such Account.
func (s *Service) Operator(ctx context.Context, id enlist.AccountID) (*enlist.Caller, error) {
	return db.OwnView(ctx, s.db, func(tx *db.Tx) (*enlist.Caller, error) {
		account, err := FindAccount(tx, id)
		return OperatorIn(ctx, account), err
	})
}

// OperatorIn returns a Caller that may do everything in an Account, with the Actor of the context. account is nil for
// an act about the complete database. The key is not stored in the database, so Caller.Hash is nil. With WithCaller, it is
// the Caller of the context.
func OperatorIn(ctx context.Context, account *enlist.Account) *enlist.Caller {
	if c, ok := ctx.Value(callerKey{}).(*enlist.Caller); ok {
		return c
	}
	actor, _ := ctx.Value(actorKey{}).(enlist.Actor)
	return &enlist.Caller{Account: account, Key: &enlist.Key{Name: operatorName, Level: enlist.Full}, Actor: actor}
}

// EditAccount changes and stores a copy of an Account, because other callers may share the
// Account that FindAccount returns.
func (s *Service) EditAccount(ctx context.Context, id enlist.AccountID, edit func(*enlist.Account)) error {
	return s.EditAccountAnd(ctx, id, edit, func(*db.Tx, *enlist.Account) error { return nil })
}

// EditAccountAnd is EditAccount, and does something else in its transaction, for which it passes the Account as it was.
func (s *Service) EditAccountAnd(ctx context.Context, id enlist.AccountID, edit func(*enlist.Account),
	and func(tx *db.Tx, before *enlist.Account) error) error {
	return db.OwnChange(ctx, s.db, func(tx *db.Tx, now int64) error {
		a, err := FindAccount(tx, id)
		if err != nil {
			return err
		}
		changed := *a
		edit(&changed)
		if err := AuditAccountChange(&changed, ctx, tx, now, accountValues(a)); err != nil {
			return err
		}
		if err := Update(tx, &changed); err != nil {
			return err
		}
		return and(tx, a)
	})
}

// AuditAccountChange adds a row to the audit log. before has the values of the Account before the change; nil: it is
// new.
func AuditAccountChange(a *enlist.Account, ctx context.Context, tx *db.Tx, now int64, before AuditValues) error {
	return Audit(tx, OperatorIn(ctx, a), now, AuditObject{"Account", int64(a.ID), 0}, before, accountValues(a))
}

func accountValues(a *enlist.Account) AuditValues {
	return AuditValues{"name": a.Name, "timezone": a.TimeZone, "contact_limit": a.ContactLimit,
		"sending_domains": a.SendingDomains, "retain_events_days": a.Retention.Events,
		"retain_deliveries_days": a.Retention.Deliveries, "retain_audit_days": a.Retention.Audit, "tracking_policy": string(a.TrackingPolicy),
		"shares_tracking": a.SharesTracking}
}

// FindAccount returns the Account with an ID that the operator typed. For an unknown ID the
// error is of kind InvalidParameters, while that of ByID is of kind Internal.
func FindAccount(tx *db.Tx, id enlist.AccountID) (*enlist.Account, error) {
	unknown := enlist.Refuse(enlist.InvalidParameters, "no Account with ID %d", id)
	return accountTable.One(tx, unknown, "WHERE id = ?", int64(id))
}

// checkContactLimit refuses a negative limit other than NoContactLimit.
func checkContactLimit(limit int64) error {
	if limit < 0 && limit != enlist.NoContactLimit {
		return enlist.Refuse(enlist.InvalidParameters, "the Contact limit must be 0 or more, or the word none")
	}
	return nil
}

// operatorText checks a name that the operator typed, as enlist.ReadName does. kind is the kind of the
// record, such as "Account". The error contains it.
func operatorText(kind, name string) (string, error) {
	name, err := enlist.ReadName(name)
	if err != nil {
		return "", enlist.Invalid("name", fmt.Sprintf("name of the %s: %v", kind, err))
	}
	return name, nil
}
