package httpserver

import (
	"fmt"
	"net/netip"
	"strings"
)

// Proxies are the networks of trusted proxies. decisions.md: 80
type Proxies []netip.Prefix

// ParseProxies reads networks such as 10.0.0.0/8, and single addresses.
func ParseProxies(texts []string) (Proxies, error) {
	var p Proxies
	for _, text := range texts {
		network, err := netip.ParsePrefix(text)
		if addr, addrErr := netip.ParseAddr(text); addrErr == nil && addr.Zone() == "" {
			network, err = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%q is no address and no network such as 10.0.0.0/8", text)
		}
		if network.Addr().Is4In6() {
			return nil, fmt.Errorf("%q: leave out ::ffff: before an IPv4 network", text)
		}
		p = append(p, network.Masked())
	}
	return p, nil
}

// trusts reports whether an address is the address of a trusted proxy.
func (p Proxies) trusts(addr netip.Addr) bool {
	addr = plain(addr)
	for _, network := range p {
		if network.Contains(addr) {
			return true
		}
	}
	return false
}

// client returns the address of the client whose request came through trusted proxies. peer is the other end of the
// connection, and forwarded has the values of X-Forwarded-For. Each proxy appends the address from which it got the
// request. So Client reads from the right, and the first address that is not a trusted proxy is the client: a client
// can send further addresses to the left of it. If an item is not an address, the client is the proxy that wrote it.
func (p Proxies) client(peer netip.Addr, forwarded []string) netip.Addr {
	client := plain(peer)
	for i := len(forwarded) - 1; i >= 0; i-- {
		rest, more := forwarded[i], true
		for more {
			if !p.trusts(client) {
				return client
			}
			item := rest
			at := strings.LastIndexByte(rest, ',')
			if more = at >= 0; more {
				rest, item = rest[:at], rest[at+1:]
			}
			addr, ok := parseItem(strings.TrimSpace(item))
			if !ok {
				return client
			}
			client = addr
		}
	}
	return client
}

// parseItem reads an address of X-Forwarded-For. Some proxies add the port.
func parseItem(text string) (netip.Addr, bool) {
	if addr, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")); err == nil {
		return plain(addr), true
	}
	port, err := netip.ParseAddrPort(text)
	return plain(port.Addr()), err == nil
}

// plain returns an address without its zone, and as IPv4 if it is an IPv4 address in IPv6 form.
func plain(addr netip.Addr) netip.Addr { return addr.Unmap().WithZone("") }
