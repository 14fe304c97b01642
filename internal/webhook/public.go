package webhook

import (
	"context"
	"net/netip"
	"syscall"
)

// publicOnly lets a connection be made to public addresses only. It is asked at
// every dial, after names were looked up: so neither a redirect nor a name that
// leads elsewhere than before comes past it.
func publicOnly(_ context.Context, _, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !public(to.Addr()) {
		return refusal("the address is not public")
	}
	return nil
}

// public reports whether an address belongs to the public network. What
// embeds an IPv4 address is as public as that, or not at all.
func public(a netip.Addr) bool {
	a = a.Unmap()
	if a.Is6() && translated.Contains(a) {
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
	globalIPv6 = netip.MustParsePrefix("2000::/3")     // all that is given out
	translated = netip.MustParsePrefix("64:ff9b::/96") // NAT64: a network without IPv4 reaches it so
)

// special are the ranges of the registries of special-purpose addresses that
// are not the public's.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),       // this network
	netip.MustParsePrefix("10.0.0.0/8"),      // private
	netip.MustParsePrefix("100.64.0.0/10"),   // carrier-grade NAT
	netip.MustParsePrefix("127.0.0.0/8"),     // loopback
	netip.MustParsePrefix("169.254.0.0/16"),  // link-local, metadata of clouds
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
