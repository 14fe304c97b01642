package limiter

import "net/netip"

// Networks returns what counts as one visitor and as one network: 32 and 24 bits of an IPv4 address, or 64 and 48 bits of
// an IPv6 address, since one customer of a provider can have 48 bits. They are "" for a text that is no address.
func Networks(ip string) (visitor, network string) {
	addr, err := netip.ParseAddr(ip)
	if err != nil {
		return "", ""
	}
	one, many := 64, 48
	if addr = addr.Unmap(); addr.Is4() {
		one, many = 32, 24
	}
	single, _ := addr.Prefix(one) // the numbers of bits fit
	group, _ := addr.Prefix(many)
	return single.String(), group.String()
}
