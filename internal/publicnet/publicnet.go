// Package publicnet tells public addresses from others. It is for connections to a host that an outsider has chosen: a
// caller of the API chooses the URL of a webhook, and another service the URL of a file that moves in. With this URL
// the outsider must not reach a machine that only the server can reach.
package publicnet

import (
	"context"
	"errors"
	"net/netip"
	"syscall"
)

// ErrNotPublic is the error of Only.
var ErrNotPublic = errors.New("the address is not public")

// Only returns ErrNotPublic for an address that is not public. It is the ControlContext of a net.Dialer, which calls it
// for every connection after it has resolved the host name. So the check also covers redirects, and host names that now
// resolve to another address than before. The connection must not go through a proxy, which would resolve the host
// name itself.
func Only(_ context.Context, _, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !Contains(to.Addr()) {
		return ErrNotPublic
	}
	return nil
}

// Contains reports whether an address belongs to the public network. A NAT64 address is public if
// the IPv4 address in it is public. Addresses of other IPv6 transition mechanisms, such as 6to4
// and Teredo, are not public.
func Contains(a netip.Addr) bool {
	a = a.Unmap()
	if a.Is6() && nat64.Contains(a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
	}
	if a.Is6() && !globalIPv6.Contains(a) {
		return false // loopback, link-local, unique local, multicast, site-local, discard, …
	}
	for _, p := range special {
		if p.Contains(a) {
			return false
		}
	}
	return a.IsValid()
}

var (
	globalIPv6 = netip.MustParsePrefix("2000::/3")     // all global unicast addresses that IANA has assigned so far
	nat64      = netip.MustParsePrefix("64:ff9b::/96") // NAT64: IPv4 addresses for networks without IPv4
)

// special has the address ranges that are not public, from IANA's registries of special-purpose
// addresses. IPv6 ranges outside of globalIPv6 need no entry.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),       // this network
	netip.MustParsePrefix("10.0.0.0/8"),      // private
	netip.MustParsePrefix("100.64.0.0/10"),   // carrier-grade NAT
	netip.MustParsePrefix("127.0.0.0/8"),     // loopback
	netip.MustParsePrefix("169.254.0.0/16"),  // link-local; cloud providers serve metadata here
	netip.MustParsePrefix("172.16.0.0/12"),   // private
	netip.MustParsePrefix("192.0.0.0/24"),    // protocol assignments
	netip.MustParsePrefix("192.0.2.0/24"),    // documentation
	netip.MustParsePrefix("192.88.99.0/24"),  // 6to4 relays
	netip.MustParsePrefix("192.168.0.0/16"),  // private
	netip.MustParsePrefix("198.18.0.0/15"),   // benchmarking
	netip.MustParsePrefix("198.51.100.0/24"), // documentation
	netip.MustParsePrefix("203.0.113.0/24"),  // documentation
	netip.MustParsePrefix("224.0.0.0/4"),     // multicast
	netip.MustParsePrefix("240.0.0.0/4"),     // reserved, broadcast
	netip.MustParsePrefix("2001::/23"),       // protocol assignments, Teredo, benchmarking
	netip.MustParsePrefix("2001:db8::/32"),   // documentation
	netip.MustParsePrefix("2002::/16"),       // 6to4
	netip.MustParsePrefix("3fff::/20"),       // documentation
}
