package main

// The text that serve prints when it is ready, and the URLs of a listening address.

import (
	"fmt"
	"net"

	"enlist/api"
	"enlist/internal/audience"
	"enlist/internal/config"
)

// endpoint returns the URL of the API at a listening address.
func endpoint(addr net.Addr) string { return base(addr) + api.Path }

// base returns the URL of a listening address without a path.
func base(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return addr.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost" // it listens on all addresses: this one works on the same machine
	}
	return "http://" + net.JoinHostPort(host, port)
}

// printBanner prints the service's URL, where mails are sent and where their links lead. For a new database it
// also prints the first key and a call that works as pasted. Tests read it as one write.
func printBanner(out *console, addr net.Addr, c config.Serve, first *audience.Bootstrapped, keyGiven bool) {
	url := endpoint(addr)
	text := fmt.Sprintf("enlist serves %s from %s\n", url, c.Shown())
	switch {
	case c.SMTP == "":
		text += fmt.Sprintf("Mails are written to the folder %s; set a mail server with --smtp to send them.\n",
			c.MailDir())
	case c.PublicURL == "":
		text += fmt.Sprintf("Mails are sent with links to %s: set the URL that people use with --public-url.\n",
			base(addr))
	default:
		text += fmt.Sprintf("Mails are sent with links to %s.\n", publicURL(c, addr))
	}
	switch {
	case first == nil:
	case keyGiven:
		text += fmt.Sprintf("The database is new: its first key, of level full, is the one in %s; "+
			"its first List is %d.\n", bootstrapKey, first.List)
	default:
		text += fmt.Sprintf(newDatabaseText, first.Key, first.List, url)
	}
	fmt.Fprint(out.stdout, text)
}

// newDatabaseText has the key, the ID of the first List, and the endpoint.
const newDatabaseText = `
The database is new. This is its first key, of level full; it is shown only now:

    %[1]s

Subscribe a Contact to the ready-made List %[2]d:

    curl -s %[3]s -d '{"id":1,"method":"subscribeContact","params":["%[1]s",%[2]d,{"Email":"ada@example.com"}]}'

`
