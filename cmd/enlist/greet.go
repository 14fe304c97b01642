package main

import (
	"fmt"
	"net"

	"enlist/api"
	"enlist/internal/audience"
	"enlist/internal/config"
)

// endpoint is the URL to call at an address that is listened on.
func endpoint(addr net.Addr) string { return base(addr) + api.Path }

func base(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return addr.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost" // all addresses: this one works on the machine itself
	}
	return "http://" + net.JoinHostPort(host, port)
}

// greet says where the service is and where mails and the links in them go, and
// on a new database what to call it with.
func greet(out *console, addr net.Addr, c config.Serve, first *audience.BootstrapRequest, keyGiven bool) {
	url := endpoint(addr)
	text := fmt.Sprintf("enlist serves %s from %s\n", url, c.Shown())
	switch {
	case c.SMTP == "":
		text += fmt.Sprintf("Mails are written to the folder %s; send them with --smtp.\n", c.MailDir())
	case c.PublicURL == "":
		text += fmt.Sprintf("Mails are sent with links to %s: say with --public-url where people reach this service.\n", base(addr))
	default:
		text += fmt.Sprintf("Mails are sent with links to %s.\n", publicURL(c, addr))
	}
	switch {
	case first == nil:
	case keyGiven:
		text += fmt.Sprintf("The database is new: its first key, for everything, is the one in %s; its first List is %d.\n", bootstrapKey, first.List)
	default:
		text += fmt.Sprintf(firstGreeting, first.Key, first.List, url)
	}
	fmt.Fprint(out.stdout, text)
}

const firstGreeting = `
The database is new. This is its first key, for everything; it is shown only now:

    %[1]s

Subscribe a Contact to the ready-made List %[2]d:

    curl -s %[3]s -d '{"id":1,"method":"subscribeContact","params":["%[1]s",%[2]d,{"Email":"ada@example.com"}]}'

`
