package main

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/mail"

	"enlist/api"
	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/users"
)

// This file prints the text of a server that is ready, and makes URLs from a listening address.

// endpoint returns the URL of the API at a listening address.
func endpoint(c config.Serve, addr net.Addr) string { return base(c, addr) + api.Path }

// base returns the URL of a listening address without a path.
func base(c config.Serve, addr net.Addr) string {
	url, err := localURL(addr.String(), c.HasTLS())
	if err != nil {
		return addr.String()
	}
	return url
}

// localURL returns the URL at which this machine reaches a server that listens on an address.
func localURL(listen string, tls bool) (string, error) {
	scheme := "http://"
	if tls {
		scheme = "https://"
	}
	host, port, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost" // the server listens on all addresses, and localhost works on the same machine
	}
	return scheme + net.JoinHostPort(host, port), err
}

// printBanner prints the service's URL, the destination of mails and the URL of their links. For a new database it
// also prints the first key and a curl command that works without changes. signIn is the text of signInText. It prints
// all in one write, because tests read the first write.
func printBanner(out *console, addr net.Addr, c config.Serve, sender string, first *app.Bootstrapped, keyGiven bool,
	signIn string) {
	url := endpoint(c, addr)
	text := fmt.Sprintf("enlist serves %s from %s\n", url, c.Shown())
	switch {
	case c.Mail != "":
		text += fmt.Sprintf("Mails are written to the folder %s.\n", c.MailDir())
	case c.SMTP == "":
		text += fmt.Sprintf("Mails are written to the folder %s; set a mail server with --smtp to send them.\n",
			c.MailDir())
	case c.PublicURL == "":
		text += fmt.Sprintf("Mails are sent with links to %s. Set the public URL of this service with --public-url.\n",
			base(c, addr))
	default:
		text += fmt.Sprintf("Mails are sent with links to %s.\n", publicURL(c, addr))
	}
	if c.SMTP != "" && sender == "" {
		text += "Mails wait if neither their Message nor their List has a sender: set one with: " +
			"enlist settings set mail-from=news@example.com\n"
	}
	switch {
	case first == nil:
	case keyGiven:
		text += fmt.Sprintf("The database is new. Its first key has the level full and is the value of %s. "+
			"The ID of its first List is %d.\n", bootstrapKey, first.List)
	default:
		text += fmt.Sprintf(newDatabaseText, first.Key, first.List, url)
	}
	fmt.Fprint(out.stdout, text+signIn)
}

// newDatabaseText has the key, the ID of the first List, and the endpoint.
const newDatabaseText = `
The database is new. This is its first key, with the level full. The key is shown only once:

    %[1]s

Subscribe a Contact to List %[2]d, which a new database already has:

    curl -s %[3]s -d '{"id":1,"method":"subscribeContact","params":["%[1]s",%[2]d,{"Email":"ada@example.com"}]}'

`

// firstUserText has the URL of the link.
const firstUserText = `The pages of the administration have no user yet. This link makes the first one, within an hour:

    %s

`

// signInText returns a link to the pages with the words before it, or "" if there are users and c names none. url is
// the public URL.
func (c *serveCommand) signInText(ctx context.Context, s *app.App, url string) (string, error) {
	if c.users != nil {
		return c.userLinks(ctx, s, url)
	}
	if c.FirstUser != "" {
		return c.firstUserText(ctx, s, url)
	}
	link, err := s.Users.FirstLink(ctx)
	if err != nil || link == "" {
		return "", err
	}
	return fmt.Sprintf(firstUserText, linkPath(url, link)), nil
}

// userLinks returns a link for each of the users.
func (c *serveCommand) userLinks(ctx context.Context, s *app.App, url string) (text string, err error) {
	for i, u := range c.users {
		link, err := s.Users.NewLink(ctx, u.Email)
		if err != nil {
			return "", err
		}
		if i == 0 {
			text = fmt.Sprintf(userText, u.Email, linkPath(url, link)) + otherUsersText
			continue
		}
		text += fmt.Sprintf("    %-8s %s\n", u.Role, linkPath(url, link))
	}
	return text, nil
}

// firstUserText invites the declared first user, and returns what the banner says about it.
func (c *serveCommand) firstUserText(ctx context.Context, s *app.App, url string) (string, error) {
	to, err := mail.ParseAddress(c.FirstUser)
	if err != nil {
		return "", usage("ENLIST_FIRST_USER %q is not an address", c.FirstUser)
	}
	link, err := s.Users.InviteFirst(ctx, to.Address, cmp.Or(to.Name, users.NameOf(to.Address)), url)
	switch {
	case err != nil || link == nil:
		return "", err
	case link.URL == "":
		return fmt.Sprintf("A link that signs in once, within an hour, was mailed to %s.\n", to.Address), nil
	case link.Mail != nil:
		return fmt.Sprintf("No mail reaches %s: %v\n", to.Address, link.Mail) +
			fmt.Sprintf(userText, to.Address, link.URL), nil
	}
	return fmt.Sprintf(userText, to.Address, link.URL), nil
}

// otherUsersText stands above the roles and the links of further users.
const otherUsersText = "These links sign in users of the other roles:\n\n"

// userText has the address of a user, and the URL of the link.
const userText = `This link signs %s in once, within an hour:

    %s

`
