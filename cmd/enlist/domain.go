package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/enlist"
)

// enlist domain: the sending domains of Accounts, and the DKIM keys that sign their mails. Running servers apply a
// change to the next mail.

type domainCommand struct {
	Add    domainAdd    `cmd:"" help:"Add a domain to an Account, make its key, and print the DNS record to publish."`
	List   domainList   `cmd:"" help:"List the sending domains."`
	Show   domainShow   `cmd:"" help:"Print the DNS records of a domain."`
	Rotate domainRotate `cmd:"" help:"Make the next key of a domain, and print the DNS record to publish."`
	Switch domainSwitch `cmd:"" help:"Sign with the next key from now on."`
	Remove domainRemove `cmd:"" help:"Remove a domain with its keys."`
}

// domainArg is the argument of the commands about one domain.
type domainArg struct {
	reporting
	Domain string `arg:"" help:"Domain such as example.com."`
}

// newKey are the flags of a new key.
type newKey struct {
	Selector string `placeholder:"NAME" help:"Selector of the key; by default a name with the date, such as enlist20270131."`
	Type     string `default:"rsa" enum:"rsa,ed25519" help:"Algorithm of the key: rsa or ed25519. Every receiver can check rsa."`
}

type domainAdd struct {
	domainArg
	newKey
	Account int64 `default:"1" placeholder:"ID" help:"Account that sends from the domain."`
}

func (c *domainAdd) Run(ctx context.Context, out *console, s *app.App) error {
	d, err := s.Accounts.AddSendingDomain(ctx, accounts.NewSendingDomain{Account: enlist.AccountID(c.Account),
		Domain: c.Domain, Selector: c.Selector, Type: accounts.DKIMKeyType(c.Type)})
	if err != nil {
		return err
	}
	return c.print(out.stdout, d, &d.Key, fmt.Sprintf("added the sending domain %s to Account %d, which can send from its "+
		"sending domains only.\nPublish this DNS record before mails are sent:", d.Domain, d.AccountID))
}

type domainList struct {
	reporting
}

func (c *domainList) Run(ctx context.Context, out *console, s *app.App) error {
	all, err := s.Accounts.SendingDomains(ctx)
	if err != nil {
		return err
	}
	return c.list(out.stdout, records(all, domainRecord), "domain", "account_id", "selector", "next_selector")
}

type domainShow struct{ domainArg }

// Run prints the records of the keys.
func (c *domainShow) Run(ctx context.Context, out *console, s *app.App) error {
	d, err := s.Accounts.SendingDomain(ctx, c.Domain)
	if err != nil {
		return err
	}
	if c.JSON {
		return printRecords(out.stdout, d)
	}
	if err := c.print(out.stdout, d, &d.Key, fmt.Sprintf("Account %d sends from %s. DNS record of the key that signs:",
		d.AccountID, d.Domain)); err != nil {
		return err
	}
	if d.Next.Selector != "" {
		err := c.print(out.stdout, d, &d.Next, "DNS record of the next key, which signs after enlist domain switch:")
		if err != nil {
			return err
		}
	}
	if d.OldRecordIsNeeded(time.Now()) {
		fmt.Fprintf(out.stdout, "Leave the record %s._domainkey.%s published until %s: receivers may still check mails "+
			"with it.\n", d.OldSelector, d.Domain, time.Unix(d.SwitchTime, 0).UTC().AddDate(0, 0,
			7).Format(time.DateOnly))
	}
	return nil
}

type domainRotate struct {
	domainArg
	newKey
}

// Run makes the next key.
func (c *domainRotate) Run(ctx context.Context, out *console, s *app.App) error {
	d, err := s.Accounts.RotateSendingDomain(ctx, accounts.NewSendingDomain{Domain: c.Domain, Selector: c.Selector,
		Type: accounts.DKIMKeyType(c.Type)})
	if err != nil {
		return err
	}
	return c.print(out.stdout, d, &d.Next, fmt.Sprintf("mails from %s are still signed with the key %s.\n"+
		"Publish this DNS record, wait until enlist doctor --dns finds it, and then run: enlist domain switch %[1]s",
		d.Domain, d.Key.Selector))
}

type domainSwitch struct{ domainArg }

// Run signs with the next key.
func (c *domainSwitch) Run(ctx context.Context, out *console, s *app.App) error {
	d, err := s.Accounts.SwitchSendingDomain(ctx, c.Domain)
	if err != nil {
		return err
	}
	return c.one(out.stdout, domainRecord(d), "mails from %s are signed with the key %s from now on. Leave the record "+
		"%s._domainkey.%[1]s published for a week, because receivers may still check mails with it", d.Domain,
		d.Key.Selector, d.OldSelector)
}

type domainRemove struct{ domainArg }

func (c *domainRemove) Run(ctx context.Context, out *console, s *app.App) error {
	d, err := s.Accounts.RemoveSendingDomain(ctx, c.Domain)
	if err != nil {
		return err
	}
	return c.one(out.stdout, domainRecord(d), "removed the sending domain %s of Account %d and its keys", d.Domain,
		d.AccountID)
}

// print prints a domain and the record of one of its keys. It never prints a private key.
func (c *domainArg) print(w io.Writer, d *accounts.SendingDomain, key *accounts.DKIMKey, line string) error {
	r, err := key.Record(d.Domain)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(w, append(domainRecord(d), value{"dns", dnsRecord(r)}))
	}
	fmt.Fprintln(w, line)
	printDNS(w, r)
	return nil
}

// printRecords prints a domain with the records of both keys. next_dns is null if there is no next key.
func printRecords(w io.Writer, d *accounts.SendingDomain) error {
	r, err := d.Key.Record(d.Domain)
	if err != nil {
		return err
	}
	row := append(domainRecord(d), value{"dns", dnsRecord(r)}, value{"next_dns", nil})
	if d.Next.Selector != "" {
		if r, err = d.Next.Record(d.Domain); err != nil {
			return err
		}
		row[len(row)-1].any = dnsRecord(r)
	}
	return printJSON(w, row)
}

// printDNS prints a DNS record to publish: in parts for a form, and as a line of a zone file.
func printDNS(w io.Writer, r accounts.DNSRecord) {
	fmt.Fprintf(w, "  name   %s\n  type   %s\n  value  %s\n  or as a line of a zone file:\n  %s\n", r.Name, r.Type,
		plainText(r.Value, ""), r.ZoneLine())
}

// dnsRecord returns a DNS record for --json.
func dnsRecord(r accounts.DNSRecord) record {
	return record{{"name", r.Name}, {"type", r.Type}, {"value", r.Value}, {"zone_line", r.ZoneLine()}}
}

// domainRecord returns the columns of a domain, without the private keys.
func domainRecord(d *accounts.SendingDomain) record {
	return record{{"domain", d.Domain}, {"account_id", d.AccountID}, {"selector", d.Key.Selector},
		{"next_selector", d.Next.Selector}, {"old_selector", d.OldSelector}, {"switch_time", d.SwitchTime},
		{"creation_time", d.CreationTime}}
}
