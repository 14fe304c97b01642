package main

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// enlist account: adds, lists, renames and removes Accounts, and changes their limit of Contacts, their time zone,
// whose opens and clicks they record, and the domains of their senders. A running server applies a change from its next transaction on.

type accountCommand struct {
	Add      accountAdd      `cmd:"" help:"Add an Account."`
	List     accountList     `cmd:"" help:"List the Accounts."`
	Rename   accountRename   `cmd:"" help:"Change the name of an Account."`
	Remove   accountRemove   `cmd:"" help:"Remove an Account with its Lists, Contacts, Messages and keys, for ever."`
	Limit    accountLimit    `cmd:"" help:"Limit how many Contacts an Account may store."`
	Timezone accountTimezone `cmd:"" help:"Set the time zone of an Account, for dates, mails and autoresponders."`
	Tracking accountTracking `cmd:"" help:"Set whose opens and clicks the Lists of an Account record."`
	Domains  accountDomains  `cmd:"" help:"List domains that the senders of an Account may have, besides its sending domains."`
}

// contactLimit is a flag: a number of Contacts, or "none" for no limit.
type contactLimit int64

// UnmarshalText parses a limit. Kong calls it for flags and arguments.
func (l *contactLimit) UnmarshalText(text []byte) error {
	if string(text) == "none" {
		*l = enlist.NoContactLimit
		return nil
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is neither a number of Contacts nor the word none", text)
	}
	*l = contactLimit(n)
	return nil
}

// String formats a limit in the form that UnmarshalText parses.
func (l contactLimit) String() string {
	if l == enlist.NoContactLimit {
		return "none"
	}
	return strconv.FormatInt(int64(l), 10)
}

type accountAdd struct {
	reporting
	Name     string       `required:"" help:"Name of the Account."`
	Timezone string       `env:"-" placeholder:"NAME" help:"IANA time zone, such as Europe/Berlin; by default that of the setting timezone, or else of this machine."`
	Country  int64        `name:"country-code" env:"-" placeholder:"N" help:"Telephone country code of its new Lists, such as 49; by default the setting country-code."`
	Limit    contactLimit `default:"none" placeholder:"N" help:"Largest number of Contacts to store; none: no limit."`
}

func (c *accountAdd) Run(ctx context.Context, out *console, s *app.App) error {
	country := strconv.FormatInt(c.Country, 10)
	if row, err := accounts.FindSetting("country-code"); err != nil || c.Country != 0 {
		if err := cmp.Or(err, row.Check(country)); err != nil {
			return &usageError{err}
		}
	}
	a, err := s.Accounts.AddAccount(ctx, accounts.AccountDetails{Name: c.Name, TimeZone: c.Timezone,
		ContactLimit: int64(c.Limit)})
	if err == nil && c.Country != 0 {
		err = s.Accounts.ChangeSettings(ctx, a.ID, map[string]string{"country-code": country})
	}
	if err != nil {
		return err
	}
	return c.one(out.stdout, accountRecord(a), "added Account %d with the time zone "+a.TimeZone+"; create an API key for it with: "+
		"enlist key create --account %[1]d --name NAME --level full", a.ID)
}

type accountList struct {
	reporting
}

func (c *accountList) Run(ctx context.Context, out *console, s *app.App) error {
	listed, err := s.Accounts.AllAccounts(ctx)
	if err != nil {
		return err
	}
	return c.list(out.stdout, records(listed, accountRecord), "id", "name", "timezone", "limit")
}

type accountRename struct {
	config.Database
	ID   int64  `arg:"" help:"ID of the Account."`
	Name string `arg:"" help:"New name of the Account."`
}

// Run changes the name.
func (c *accountRename) Run(ctx context.Context, out *console, s *app.App) error {
	if err := s.Accounts.RenameAccount(ctx, enlist.AccountID(c.ID), c.Name); err != nil {
		return err
	}
	fmt.Fprintf(out.stdout, "name of Account %d: %s\n", c.ID, c.Name)
	return nil
}

type accountRemove struct {
	config.Database
	ID   int64  `arg:"" help:"ID of the Account."`
	Name string `help:"Name of the Account, to confirm the removal in a script."`
}

// Run removes the Account after the operator has typed its name. It can be interrupted and repeated.
func (c *accountRemove) Run(ctx context.Context, out *console, s *app.App) error {
	caller, err := s.Accounts.Operator(ctx, enlist.AccountID(c.ID))
	if err != nil {
		return err
	}
	question := fmt.Sprintf("Remove the Account %d with its Lists, Contacts, Messages and keys? There is no way back.", c.ID)
	if err := out.confirmName(c.Name, "--name NAME", caller.Account.Name, question); err != nil {
		return err
	}
	if err := s.RemoveAccount(ctx, caller.Account.ID); err != nil {
		return next(err, "run the same command again to go on")
	}
	fmt.Fprintf(out.stdout, "removed Account %d; the consent ledger, the Unsubscriber List and the audit log keep their rows\n", c.ID)
	return nil
}

type accountLimit struct {
	config.Database
	ID    int64        `arg:"" help:"ID of the Account."`
	Limit contactLimit `arg:"" help:"Largest number of Contacts that the Account may store; none: no limit."`
}

// Run sets the limit of Contacts.
func (c *accountLimit) Run(ctx context.Context, out *console, s *app.App) error {
	if err := s.Accounts.SetContactLimit(ctx, enlist.AccountID(c.ID), int64(c.Limit)); err != nil {
		return err
	}
	fmt.Fprintf(out.stdout, "Contact limit of Account %d: %v\n", c.ID, c.Limit)
	return nil
}

type accountTimezone struct {
	config.Database
	ID   int64  `arg:"" help:"ID of the Account."`
	Name string `arg:"" help:"IANA name of the time zone, such as Europe/Berlin."`
}

// Run sets the time zone.
func (c *accountTimezone) Run(ctx context.Context, out *console, s *app.App) error {
	if err := s.Accounts.SetTimeZone(ctx, enlist.AccountID(c.ID), c.Name); err != nil {
		return err
	}
	fmt.Fprintf(out.stdout, "time zone of Account %d: %s\n", c.ID, c.Name)
	return nil
}

type accountTracking struct {
	config.Database
	ID     int64  `arg:"" help:"ID of the Account."`
	Policy string `arg:"" help:"off: of none; ask: of people who agreed; inform: of all but people who refused."`
	Shared bool   `help:"What a person decides in one List holds for all Lists of the Account."`
}

// Run sets the policy. A job gives the decisions of a List to the others.
func (c *accountTracking) Run(ctx context.Context, out *console, s *app.App) error {
	caller, err := s.Accounts.Operator(ctx, enlist.AccountID(c.ID))
	if err == nil {
		err = s.Contacts.SetTracking(ctx, caller, contacts.TrackingSettings{Policy: enlist.TrackingPolicy(c.Policy),
			Shares: c.Shared})
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out.stdout, "opens and clicks of Account %d: %s\n", c.ID, c.Policy)
	return nil
}

type accountDomains struct {
	config.Database
	ID      int64    `arg:"" help:"ID of the Account."`
	Domains []string `arg:"" help:"Domains such as example.com, or the word any."`
}

// Run sets the domains.
func (c *accountDomains) Run(ctx context.Context, out *console, s *app.App) error {
	domains := c.Domains
	if len(domains) == 1 && domains[0] == "any" {
		domains = nil
	}
	if err := s.Accounts.SetSendingDomains(ctx, enlist.AccountID(c.ID), domains); err != nil {
		return err
	}
	fmt.Fprintf(out.stdout, "domains of the senders of Account %d: %s\n", c.ID, strings.Join(c.Domains, ", "))
	return nil
}

// accountRecord returns the columns of the table in their order. Only --json prints sending_domains, the days of
// retention (0: for ever) and creation_time. The limit is a number or "none".
func accountRecord(a *enlist.Account) record {
	var limit any = contactLimit(a.ContactLimit).String()
	if a.ContactLimit != enlist.NoContactLimit {
		limit = a.ContactLimit
	}
	return record{{"id", a.ID}, {"name", a.Name}, {"timezone", a.TimeZone}, {"limit", limit},
		{"sending_domains", a.SendingDomains}, {"retain_events", a.Retention.Events},
		{"retain_deliveries", a.Retention.Deliveries}, {"retain_audit", a.Retention.Audit},
		{"tracking", string(a.TrackingPolicy)}, {"shares_tracking", a.SharesTracking}, {"creation_time", a.CreationTime}}
}
