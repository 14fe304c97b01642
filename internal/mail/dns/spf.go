package dns

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"

	"enlist/internal/accounts"

	"blitiri.com.ar/go/spf"
)

// This file checks the SPF record of the domain of envelope senders. RFC 7208

// stranger is an address that no record should allow: it is reserved, so every mechanism is evaluated for it, and the
// result is what the record says about all other addresses. RFC 1112, 4
var stranger = netip.MustParseAddr("240.0.0.1")

// spf checks the record of a domain of envelope senders, and whether it allows the addresses that send.
func (c *Checker) spf(ctx context.Context, s *Setup, domain string) []Result {
	r := Result{Check: "SPF " + domain}
	found, err := c.tagged(ctx, domain, "v=spf1")
	addresses, known := s.Addresses, len(s.Addresses) > 0
	if !known {
		addresses = c.relayAddresses(ctx, s.Relay)
	}
	wanted := accounts.DNSRecord{Name: domain, Type: "TXT", Value: spfRecord(addresses, s.Relay)}
	switch {
	case err != nil:
		return one(r.unknown(err))
	case len(found) == 0:
		return one(r.publish("there is no record: publish one with the addresses of the mail server", wanted))
	case len(found) > 1:
		return one(r.is(Problem, "there are several SPF records, which is an error for receivers: leave only one"))
	}
	result, why := c.evaluate(ctx, stranger, domain)
	switch {
	case errors.Is(why, spf.ErrLookupLimitReached):
		return one(r.is(Problem, "the record needs more than 10 look-ups, which is an error for receivers: "+
			"remove include, a, mx, ptr, exists or redirect, or write addresses"))
	case errors.Is(why, spf.ErrVoidLookupLimitReached):
		return one(r.is(Problem, "the record names more than two domains that have no records, which is an error for "+
			"receivers: remove them"))
	case result == spf.PermError:
		return one(r.is(Problem, "receivers cannot read the record: "+why.Error()))
	case result == spf.TempError:
		return one(r.unknown(why))
	case result == spf.Pass:
		return one(r.is(Problem, "the record allows every address: end it with -all"))
	case result == spf.Fail:
		r = r.is(OK, "the record is valid")
	default:
		r = r.is(Warning, "the record does not end with -all, so receivers accept other addresses too")
	}
	return append(one(r), c.spfAllows(ctx, addresses, known, domain, found[0])...)
}

// spfAllows checks that a record allows the addresses that send. Addresses that are not known for certain are those of
// the mail server's name: it may send from others.
func (c *Checker) spfAllows(ctx context.Context, addresses []netip.Addr, known bool,
	domain, record string) (all []Result) {
	for _, ip := range addresses {
		r := Result{Check: "SPF " + domain + " for " + ip.String()}
		result, _ := c.evaluate(ctx, ip, domain)
		switch {
		case result == spf.Pass:
			r = r.is(OK, "the record allows the address")
		default:
			r = r.publish("the record does not allow the address of the mail server ("+string(result)+")",
				accounts.DNSRecord{Name: domain, Type: "TXT", Value: withAddress(record, ip)})
			if !known {
				r.Level = Warning
				r.Text += "; if the mail server sends from other addresses, give them with --sending-ip"
			}
		}
		all = append(all, r)
	}
	return all
}

func (c *Checker) evaluate(ctx context.Context, ip netip.Addr, domain string) (spf.Result, error) {
	return spf.CheckHostWithSender(net.IP(ip.AsSlice()), domain, "bounces@"+domain, spf.WithContext(ctx),
		spf.WithResolver(c.Resolver))
}

// relayAddresses returns the addresses of the mail server's name. The addresses of this machine say nothing about those
// that other servers see.
func (c *Checker) relayAddresses(ctx context.Context, host string) (found []netip.Addr) {
	if host == "" {
		return nil
	}
	all, err := c.Resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil
	}
	for _, ip := range all {
		if ip = ip.Unmap(); ip.IsGlobalUnicast() && !ip.IsPrivate() {
			found = append(found, ip)
		}
	}
	return found
}

// spfRecord returns a record that allows only the mail server.
func spfRecord(addresses []netip.Addr, relay string) string {
	record := "v=spf1"
	for _, ip := range addresses {
		record += " " + mechanism(ip)
	}
	if len(addresses) == 0 && relay != "" && net.ParseIP(relay) == nil && relay != "localhost" {
		record += " a:" + relay
	}
	if record == "v=spf1" {
		record += " mx"
	}
	return record + " -all"
}

// withAddress returns a record that also allows an address.
func withAddress(record string, ip netip.Addr) string {
	version, rest, _ := strings.Cut(record, " ")
	return strings.TrimSpace(version + " " + mechanism(ip) + " " + rest)
}

func mechanism(ip netip.Addr) string {
	if ip.Is4() {
		return "ip4:" + ip.String()
	}
	return "ip6:" + ip.String()
}
