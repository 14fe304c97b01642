package address

import (
	"net"
	"net/url"

	"golang.org/x/net/idna"
)

// This file writes the host of a link in ASCII, for programs that know no other hosts.

// ASCIILink returns a link with its host in ASCII (punycode). A header field such as Location must be ASCII, and net/http
// would write the bytes of the host as %C3%BC, which not every program reads as a host. The rest of the link stays.
func ASCIILink(link string) string {
	u, err := url.Parse(link)
	if err != nil || isASCII(u.Host) {
		return link
	}
	host, err := idna.Lookup.ToASCII(u.Hostname())
	if err != nil { // such as an emoji, which some registries allow
		host, err = idna.Punycode.ToASCII(u.Hostname())
	}
	if err != nil {
		return link
	}
	if port := u.Port(); port != "" {
		host = net.JoinHostPort(host, port)
	}
	u.Host = host
	return u.String()
}
