package main

import (
	"context"
	"fmt"

	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/enlist"
	"enlist/internal/users"
)

// enlist user invite, link, list, language and remove: the users of the pages of the administration.

// linkURL has the flag with which a command prints the URL of a link.
type linkURL struct {
	PublicURL string `default:"http://localhost:8080" placeholder:"URL" help:"URL of the server, as --public-url of enlist serve."`
}

func (l linkURL) of(text string) string { return linkPath(l.PublicURL, text) }

// linkPath returns the URL of a sign-in link.
func linkPath(base, text string) string { return base + users.LinkPath + text }

type userCommand struct {
	Invite   inviteUserCommand   `cmd:"" help:"Let a user use the pages at /admin/, and print a link to sign in."`
	Link     linkUserCommand     `cmd:"" help:"Print a link with which a user signs in once."`
	List     listUserCommand     `cmd:"" help:"List the users of the pages."`
	Language languageUserCommand `cmd:"" help:"Set the language of the pages and mails for a user."`
	Remove   removeUserCommand   `cmd:"" help:"End a user's use of the pages."`
}

type inviteUserCommand struct {
	config.Database
	linkURL
	Email   string  `arg:"" help:"Email address with which the user signs in."`
	Name    string  `required:"" help:"Name of the user, as the pages greet."`
	Role    string  `enum:",reader,writer,sender,manager,owner" default:"" help:"What the user may do: reader, writer, sender, manager or owner."`
	Account int64   `placeholder:"ID" help:"ID of the Account; needed if there are several Accounts."`
	List    []int64 `placeholder:"ID" help:"ID of a List that the user may use; may be repeated; default: all."`

	// As before there were roles.
	Level   string `enum:",read,standard,full" default:"" hidden:"" help:"Rights as before there were roles: read, standard (also Contacts) or full."`
	MaySend bool   `hidden:"" help:"With --level: the user may send."`

	AllAccounts bool `help:"The user may do everything in all Accounts, also in those added later."`
}

// Run invites the user and prints a link.
func (c *inviteUserCommand) Run(ctx context.Context, out *console) error {
	if c.AllAccounts {
		return c.inviteToAll(ctx, out)
	}
	to := users.Membership{Role: enlist.Role(c.Role), Lists: listIDs(c.List), MaySend: c.MaySend}
	switch {
	case (c.Role == "") == (c.Level == ""):
		return usage("choose one role of the user with --role, or --all-accounts for everything in all Accounts")
	case c.Level != "":
		to.Level, _ = enlist.ParseLevel(c.Level) // one of those of the flag
	}
	return withService(ctx, c.Database, func(s *app.App) error {
		account, err := chooseAccount(ctx, s, c.Account)
		if err != nil {
			return err
		}
		to.Account = account
		if _, err := s.Users.Invite(ctx, users.Invitation{Email: c.Email, Name: c.Name, Membership: to}); err != nil {
			return err
		}
		return c.print(ctx, s, out, c.Email)
	})
}

// inviteToAll gives the user all rights in all Accounts, and prints a link.
func (c *inviteUserCommand) inviteToAll(ctx context.Context, out *console) error {
	if c.Role != "" || c.Level != "" || c.Account != 0 || c.List != nil || c.MaySend {
		return usage("--all-accounts gives all rights: leave out --role, --account and --list")
	}
	return withService(ctx, c.Database, func(s *app.App) error {
		if err := s.Users.InviteToAll(ctx, c.Email, c.Name); err != nil {
			return err
		}
		return c.print(ctx, s, out, c.Email)
	})
}

// print prints a new link for a user.
func (l linkURL) print(ctx context.Context, s *app.App, out *console, email string) error {
	text, valid, err := s.Users.NewLinkFor(ctx, email)
	if err == nil {
		within := map[int64]string{users.LinkTime: "an hour", users.InviteTime: "seven days"}[valid]
		fmt.Fprintf(out.stdout, "%s\nThis link signs %s in once, within %s.\n", l.of(text), email, within)
	}
	return err
}

type linkUserCommand struct {
	config.Database
	linkURL
	Email string `arg:"" help:"Email address of the user."`
}

// Run prints a link.
func (c *linkUserCommand) Run(ctx context.Context, out *console, s *app.App) error {
	return c.print(ctx, s, out, c.Email)
}

type listUserCommand struct {
	reporting
}

// Run lists the users with their Accounts.
func (c *listUserCommand) Run(ctx context.Context, out *console, s *app.App) error {
	all, err := s.Users.Members(ctx, 0)
	if err != nil {
		return err
	}
	if c.JSON {
		return c.list(out.stdout, records(all, memberRecord))
	}
	return c.list(out.stdout, records(all, memberLine), "email", "name", "account", "role", "lists", "signed in")
}

// memberRecord returns a user for JSON: times are Unix times.
func memberRecord(m *users.Member) record {
	return record{{"email", m.Email}, {"name", m.Name}, {"account_id", m.Account}, {"role", m.Role},
		{"lists", append([]enlist.ListID{}, m.Lists...)}, {"may_send", m.Role.May(enlist.Send)}, {"all_accounts", m.AllAccounts},
		{"sign_in_time", m.SignInTime}, {"language", m.Language}}
}

// memberLine returns a user for a table: times are dates.
func memberLine(m *users.Member) record {
	var account any = m.Account
	if m.AllAccounts {
		account = "all, also new"
	}
	return record{{"email", m.Email}, {"name", m.Name}, {"account", account}, {"role", m.Role},
		{"lists", listsText(m.Lists)}, {"signed in", formatTime(minute, m.SignInTime, "never")}}
}

type languageUserCommand struct {
	config.Database
	Email string `arg:"" help:"Email address of the user."`
	Code  string `arg:"" optional:"" help:"Language, such as de; without it, that of the browser."`
}

// Run sets the language of a user.
func (c *languageUserCommand) Run(ctx context.Context, out *console, s *app.App) error {
	if err := s.Users.SetLanguage(ctx, c.Email, c.Code); err != nil {
		return err
	}
	fmt.Fprintf(out.stdout, "set the language of %s\n", c.Email)
	return nil
}

type removeUserCommand struct {
	config.Database
	Email   string `arg:"" help:"Email address of the user."`
	Account int64  `placeholder:"ID" help:"ID of the Account that the user may no longer use; default: all."`
}

func (c *removeUserCommand) Run(ctx context.Context, out *console, s *app.App) error {
	if err := s.Users.Remove(ctx, c.Email, enlist.AccountID(c.Account)); err != nil {
		return err
	}
	fmt.Fprintf(out.stdout, "removed %s\n", c.Email)
	return nil
}
