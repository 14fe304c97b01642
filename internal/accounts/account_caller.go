package accounts

import (
	"context"
	"strconv"
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has what a person does with the own Account. account.go has the rest, for the operator. decisions.md: 138

// OwnAccount is the caller's Account.
type OwnAccount struct {
	enlist.Account
	Contacts int64 // in all Lists, which count for the limit
}

// RequireAdministrator refuses callers who may not administer their Account. Errors: Denied.
func RequireAdministrator(c *enlist.Caller) error {
	if !c.May(enlist.Administer) {
		return enlist.Refuse(enlist.Denied, "only an owner, or a key of the level full, may administer the Account")
	}
	return enlist.RequireWholeAccount(c)
}

// OwnAccount returns the caller's Account. Errors: Denied.
func (s *Service) OwnAccount(ctx context.Context, c *enlist.Caller) (*OwnAccount, error) {
	if err := RequireAdministrator(c); err != nil {
		return nil, err
	}
	return db.View(ctx, s.db, c, func(tx *db.Tx) (*OwnAccount, error) {
		a, err := ByID(tx, c.Account.ID)
		if err != nil {
			return nil, err
		}
		n, err := tx.AccountContacts(a.ID)
		return &OwnAccount{*a, n}, err
	})
}

// OwnAccountChange is what a user changes of the own Account, as typed. A CountryCode, SendDelay or ApproveAbove
// of "" changes none, and ApproveKeys counts only with an ApproveAbove.
type OwnAccountChange struct {
	Name, TimeZone, CountryCode, SendDelay, ApproveAbove string
	ApproveKeys                                          bool
}

// approvals adds the changes of approvals to the values of settings.
func (c *OwnAccountChange) approvals(typed, now *Settings, values map[string]string) error {
	if c.ApproveAbove == "" {
		return nil
	}
	if err := parseApproveAbove(typed, c.ApproveAbove); err != nil {
		return err
	}
	if typed.ApproveAbove != now.ApproveAbove {
		values["approve-above"] = strconv.FormatInt(typed.ApproveAbove, 10)
	}
	if c.ApproveKeys != now.ApproveKeys {
		values["approve-keys"] = map[bool]string{true: "yes", false: "no"}[c.ApproveKeys]
	}
	return nil
}

// EditOwnAccount changes the name and the time zone of the caller's Account, the telephone country code of its new
// Lists, and for how long a Batch can be stopped. Errors: Denied, and InvalidParameters about name, timezone,
// country_code or send_delay, with all mistakes.
func (s *Service) EditOwnAccount(ctx context.Context, c *enlist.Caller, change OwnAccountChange) error {
	if err := RequireAdministrator(c); err != nil {
		return err
	}
	var mistakes []*enlist.Error
	refuse := func(field string, err error) {
		if err != nil {
			mistakes = append(mistakes, enlist.Invalid(field, err.Error()))
		}
	}
	name, err := enlist.ReadName(change.Name)
	refuse("name", err)
	zone := strings.TrimSpace(change.TimeZone)
	if enlist.CheckTimeZone(zone) != nil {
		refuse("timezone", enlist.Expected("an IANA time zone, such as Europe/Berlin"))
	}
	now, typed := s.Settings().Of(c.Account.ID), new(Settings)
	values := make(map[string]string)
	if change.CountryCode != "" {
		refuse("country_code", parseCountryCode(typed, change.CountryCode))
		if typed.CountryCode != now.CountryCode {
			values["country-code"] = strconv.FormatInt(typed.CountryCode, 10)
		}
	}
	if change.SendDelay != "" {
		refuse("send_delay", parseSendDelay(typed, change.SendDelay))
		if typed.SendDelay != now.SendDelay {
			values["send-delay"] = strconv.FormatInt(typed.SendDelay, 10)
		}
	}
	refuse("approve_above", change.approvals(typed, now, values))
	if err := enlist.Together(mistakes); err != nil {
		return err
	}
	ctx = WithActor(ctx, c.Actor)
	if len(values) > 0 {
		if err := s.ChangeSettings(ctx, c.Account.ID, values); err != nil {
			return err
		}
		if err := s.ReadSettings(ctx); err != nil { // this page shows it at once, other servers in a second
			return err
		}
	}
	return s.EditAccount(ctx, c.Account.ID, func(a *enlist.Account) { a.Name, a.TimeZone = name, zone })
}
