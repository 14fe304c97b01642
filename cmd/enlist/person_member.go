package main

import (
	"context"
	"fmt"

	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/enlist"
	"enlist/internal/people"
)

// enlist person invite, link, list and remove: the people who use the pages of the administration.

// linkURL has the flag with which a command prints the URL of a link.
type linkURL struct {
	PublicURL string `default:"http://localhost:8080" placeholder:"URL" help:"URL of the server, as --public-url of enlist serve."`
}

func (l linkURL) of(text string) string { return linkPath(l.PublicURL, text) }

// linkPath returns the URL of a sign-in link.
func linkPath(base, text string) string { return base + people.LinkPath + text }

type invitePersonCommand struct {
	config.Database
	linkURL
	Email   string  `arg:"" help:"Email address with which the person signs in."`
	Name    string  `required:"" help:"Name of the person, as the pages greet."`
	Level   string  `enum:",read,standard,full" default:"" help:"Rights: read, standard (also Contacts) or full."`
	Account int64   `placeholder:"ID" help:"ID of the Account; needed if there are several Accounts."`
	List    []int64 `placeholder:"ID" help:"ID of a List that the person may use; may be repeated; default: all."`
	MaySend bool    `help:"The person may send: pause, continue and cancel Batches."`

	AllAccounts bool `help:"The person may do everything in all Accounts, also in those added later."`
}

// Run invites the person and prints a link.
func (c *invitePersonCommand) Run(ctx context.Context, out *console) error {
	if c.AllAccounts {
		return c.inviteToAll(ctx, out)
	}
	if c.Level == "" {
		return usage("choose the rights of the person with --level, or --all-accounts for everything in all Accounts")
	}
	level, err := enlist.ParseLevel(c.Level)
	if err != nil {
		return err
	}
	return withService(ctx, c.Database, func(s *app.App) error {
		account, err := chooseAccount(ctx, s, c.Account)
		if err != nil {
			return err
		}
		i := people.Invitation{Email: c.Email, Name: c.Name,
			Membership: people.Membership{Account: account, Level: level, Lists: listIDs(c.List), MaySend: c.MaySend}}
		if _, err := s.People.Invite(ctx, i); err != nil {
			return err
		}
		return c.print(ctx, s, out, c.Email)
	})
}

// inviteToAll gives the person all rights in all Accounts, and prints a link.
func (c *invitePersonCommand) inviteToAll(ctx context.Context, out *console) error {
	if c.Level != "" || c.Account != 0 || c.List != nil || c.MaySend {
		return usage("--all-accounts gives all rights: leave out --level, --account, --list and --may-send")
	}
	return withService(ctx, c.Database, func(s *app.App) error {
		if err := s.People.InviteToAll(ctx, c.Email, c.Name); err != nil {
			return err
		}
		return c.print(ctx, s, out, c.Email)
	})
}

// print prints a new link for a person.
func (l linkURL) print(ctx context.Context, s *app.App, out *console, email string) error {
	text, err := s.People.NewLink(ctx, email)
	if err == nil {
		fmt.Fprintf(out.stdout, "%s\nThis link signs %s in once, within an hour.\n", l.of(text), email)
	}
	return err
}

type linkPersonCommand struct {
	config.Database
	linkURL
	Email string `arg:"" help:"Email address of the person."`
}

// Run prints a link.
func (c *linkPersonCommand) Run(ctx context.Context, out *console) error {
	return withService(ctx, c.Database, func(s *app.App) error { return c.print(ctx, s, out, c.Email) })
}

type listPersonCommand struct {
	config.Database
	format
}

// Run lists the people with their Accounts.
func (c *listPersonCommand) Run(ctx context.Context, out *console) error {
	return withService(ctx, c.Database, func(s *app.App) error {
		all, err := s.People.Members(ctx, 0)
		if err != nil {
			return err
		}
		if c.JSON {
			return c.list(out.stdout, records(all, memberRecord))
		}
		return c.list(out.stdout, records(all, memberLine), "email", "name", "account", "level", "lists", "may send",
			"signed in")
	})
}

// memberRecord returns a person for JSON: times are Unix times.
func memberRecord(m *people.Member) record {
	return record{{"email", m.Email}, {"name", m.Name}, {"account_id", m.Account}, {"level", m.Level.String()},
		{"lists", append([]enlist.ListID{}, m.Lists...)}, {"may_send", m.MaySend}, {"all_accounts", m.AllAccounts},
		{"sign_in_time", m.SignInTime}}
}

// memberLine returns a person for a table: times are dates.
func memberLine(m *people.Member) record {
	maySend := "no"
	if m.MaySend {
		maySend = "yes"
	}
	var account any = m.Account
	if m.AllAccounts {
		account = "all, also new"
	}
	return record{{"email", m.Email}, {"name", m.Name}, {"account", account}, {"level", m.Level},
		{"lists", listsText(m.Lists)}, {"may send", maySend}, {"signed in", formatTime(minute, m.SignInTime, "never")}}
}

type removePersonCommand struct {
	config.Database
	Email   string `arg:"" help:"Email address of the person."`
	Account int64  `placeholder:"ID" help:"ID of the Account that the person may no longer use; default: all."`
}

func (c *removePersonCommand) Run(ctx context.Context, out *console) error {
	return withService(ctx, c.Database, func(s *app.App) error {
		if err := s.People.Remove(ctx, c.Email, enlist.AccountID(c.Account)); err != nil {
			return err
		}
		fmt.Fprintf(out.stdout, "removed %s\n", c.Email)
		return nil
	})
}
