package main

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"

	"enlist/internal/accounts"
	"enlist/internal/address"
	"enlist/internal/app"
	"enlist/internal/mail/dns"
	"enlist/internal/mail/feedback"
)

// enlist doctor --dns: compares the records in the DNS with those that the mails of the installation need.

// toPublish is a DNS record in a finding.
type toPublish struct{ accounts.DNSRecord }

// MarshalJSON implements json.Marshaler.
func (r toPublish) MarshalJSON() ([]byte, error) { return dnsRecord(r.DNSRecord).MarshalJSON() }

// checkDNS adds a finding for each result of package dns. A warning has ok true.
func (c *doctorCommand) checkDNS(ctx context.Context, found *findings) error {
	setup, err := c.dnsSetup(ctx)
	if err != nil {
		return err
	}
	checker := new(dns.Checker)
	if c.Resolver != "" {
		if _, _, err := net.SplitHostPort(c.Resolver); err != nil {
			return &usageError{fmt.Errorf("--resolver %s: give a host and a port, such as 192.0.2.53:53", c.Resolver)}
		}
		checker.Resolver = dns.Resolver(c.Resolver)
	}
	for _, r := range checker.Check(ctx, setup) {
		text, more := r.Text, []value(nil)
		if r.Level == dns.OK {
			text = ""
		}
		if r.Record != nil {
			more = append(more, value{"dns", toPublish{*r.Record}})
		}
		found.addOne(r.Check, string(r.Level), text, more...)
	}
	return nil
}

// dnsSetup returns how the installation sends, by its database and by flags of enlist serve.
func (c *doctorCommand) dnsSetup(ctx context.Context) (s *dns.Setup, err error) {
	flags, err := c.DNS.Serve(c.Database)
	if err != nil {
		return nil, &usageError{err}
	}
	if c.SMTPProvider != "" && feedback.HeaderFields(c.SMTPProvider) == nil {
		return nil, &usageError{fmt.Errorf("--smtp-provider %s: expected mailgun, postmark, sendgrid or ses",
			c.SMTPProvider)}
	}
	s = &dns.Setup{PublicURL: flags.PublicURL, Provider: c.SMTPProvider}
	for _, text := range c.SendingIP {
		ip, err := netip.ParseAddr(text)
		if err != nil {
			return nil, &usageError{fmt.Errorf("--sending-ip %s is not an IP address", text)}
		}
		s.Addresses = append(s.Addresses, ip.Unmap())
	}
	if server, err := url.Parse(flags.SMTP); err == nil {
		s.Relay = server.Hostname()
	}
	var sender string
	err = withService(ctx, c.Database, func(service *app.App) error {
		settings := service.Accounts.Settings()
		s.Bounces, sender = settings.Bounces.Domain, address.Domain(settings.From)
		if key := settings.DKIM; key != nil {
			s.Server = key.Domain
			r, err := accounts.DKIMRecord(key.Domain, key.Selector, key.Signer.Public())
			if err != nil {
				return err
			}
			s.Keys = append(s.Keys, dns.Key{Domain: key.Domain, Record: r})
		}
		if s.Senders, err = service.Accounts.FromDomains(ctx); err != nil {
			return err
		}
		domains, err := service.Accounts.SendingDomains(ctx)
		for i := range domains {
			if err := s.AddKeys(&domains[i]); err != nil {
				return err
			}
		}
		return err
	})
	if sender != "" && !slices.Contains(s.Senders, sender) {
		s.Senders = append([]string{sender}, s.Senders...)
	}
	return s, err
}
