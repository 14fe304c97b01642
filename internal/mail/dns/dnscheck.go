// Package dns compares the records in the DNS with those that the mails of an installation need: DKIM, SPF, DMARC,
// the address for bounces, the names of sending addresses, and the public URL. It changes nothing.
//
// A Checker runs all checks of a Setup and returns a Result for each. cmd/enlist prints them (enlist doctor --dns). The
// files domain.go (DKIM), dmarc.go, spf.go and hosts.go have the checks, and dnscheck.go the records that a domain needs.
// decisions.md: 111
package dns

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"enlist/internal/accounts"

	"golang.org/x/net/publicsuffix"
	"golang.org/x/sync/errgroup"
)

// Setup says how an installation sends. Domains are in ASCII and lower case, without a dot at the end.
type Setup struct {
	Keys      []Key        // keys of the sending domains and of the server
	Senders   []string     // the domains of all From addresses
	Server    string       // domain that signs the mails from all other domains; "": they are not signed
	Bounces   string       // domain of the address for bounces; "": bounces go to the sender
	Relay     string       // host of the mail server; "": mails are not sent
	Provider  string       // email provider of Relay, which replaces the envelope sender and adds a signature; "": there is none
	Addresses []netip.Addr // addresses from which the mail server sends; none: unknown
	PublicURL string       // "" if it is not set
}

// AddKeys adds the keys of a sending domain.
func (s *Setup) AddKeys(d *accounts.SendingDomain) error {
	for _, key := range []*accounts.DKIMKey{&d.Key, &d.Next} {
		if key.Selector == "" {
			continue
		}
		r, err := key.Record(d.Domain)
		if err != nil {
			return fmt.Errorf("sending domain %s: %w", d.Domain, err)
		}
		s.Keys = append(s.Keys, Key{Domain: d.Domain, Record: r, Next: key == &d.Next})
	}
	return nil
}

// Key is a key whose record must be in the DNS.
type Key struct {
	Domain string
	Record accounts.DNSRecord
	Next   bool // it does not sign yet
}

// Level says how bad a Result is.
type Level string

// The levels. A problem makes receivers refuse mails or treat them as suspicious.
const (
	OK      Level = "ok"
	Warning Level = "warning"
	Problem Level = "problem"
)

// Result is what one check found.
type Result struct {
	Check  string // what was checked, such as "DKIM s1._domainkey.example.org"
	Level  Level
	Text   string              // what is wrong and what to do; for OK what was found
	Record *accounts.DNSRecord // the record to publish; nil if there is none
}

// Checker looks records up. Its fields may be the zero value.
type Checker struct {
	Resolver *net.Resolver // nil: the one of the system
	Client   *http.Client  // for the public URL; nil: one that uses Resolver
	Now      func() time.Time
}

// Resolver returns a resolver that asks only the server at HOST:PORT.
func Resolver(server string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, network, server)
	}}
}

// checkTime limits each check.
const checkTime = 20 * time.Second

// atOnce is the number of checks that run at the same time.
const atOnce = 8

// Check runs all checks, and returns their results in the order of the Setup.
func (c *Checker) Check(ctx context.Context, s *Setup) []Result {
	if c.Resolver == nil {
		c.Resolver = net.DefaultResolver
	}
	var checks []func(context.Context) []Result
	for _, key := range s.Keys {
		checks = append(checks, func(ctx context.Context) []Result { return one(c.dkim(ctx, &key)) })
	}
	for _, domain := range s.envelopes() {
		checks = append(checks, func(ctx context.Context) []Result { return c.spf(ctx, s, domain) })
	}
	for _, domain := range s.Senders {
		checks = append(checks, func(ctx context.Context) []Result { return one(c.dmarc(ctx, s, domain)) })
	}
	if s.Provider != "" {
		checks = append(checks, func(context.Context) []Result { return one(s.provider()) })
	} else {
		checks = append(checks, func(ctx context.Context) []Result { return one(c.bounces(ctx, s)) })
	}
	for _, ip := range s.Addresses {
		checks = append(checks, func(ctx context.Context) []Result { return one(c.name(ctx, ip)) })
	}
	checks = append(checks, func(ctx context.Context) []Result { return one(c.publicURL(ctx, s.PublicURL)) })
	found := make([][]Result, len(checks))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, check := range checks {
		group.Go(func() error {
			ctx, cancel := context.WithTimeout(ctx, checkTime)
			defer cancel()
			found[i] = check(ctx)
			return nil
		})
	}
	group.Wait() // the functions return no error
	var all []Result
	for _, results := range found {
		all = append(all, results...)
	}
	return all
}

func one(r Result) []Result { return []Result{r} }

// envelopes returns the domains of the envelope senders. Those of a provider are not known.
func (s *Setup) envelopes() []string {
	if s.Provider != "" {
		return nil
	}
	if s.Bounces != "" {
		return []string{s.Bounces}
	}
	return s.Senders
}

// provider says what only the provider can check: it chooses the envelope sender and the names of its keys.
func (s *Setup) provider() Result {
	return Result{Check: "provider " + s.Provider}.is(Warning,
		"the provider replaces the envelope sender, so SPF and the "+
			"address for bounces are not checked here: its web pages say which records it needs and whether they are right")
}

// is sets the level and the text of a Result.
func (r Result) is(level Level, text string) Result {
	r.Level, r.Text = level, text
	return r
}

// publish sets a problem that a record would solve.
func (r Result) publish(text string, record accounts.DNSRecord) Result {
	r.Record = &record
	return r.is(Problem, text)
}

// tagged returns those TXT records of a name that begin with a version, such as v=spf1. A name without records is no
// error.
func (c *Checker) tagged(ctx context.Context, name, version string) (found []string, err error) {
	all, err := c.Resolver.LookupTXT(ctx, name+".")
	if isMissing(err) {
		return nil, nil
	}
	for _, text := range all {
		first, _, _ := strings.Cut(strings.ReplaceAll(text, " ", ";"), ";")
		if strings.EqualFold(first, version) {
			found = append(found, text)
		}
	}
	return found, err
}

// isMissing reports whether the DNS answered that there is no such record.
func isMissing(err error) bool {
	failed, ok := errors.AsType[*net.DNSError](err)
	return ok && failed.IsNotFound
}

// unknown is the Result if the DNS did not answer.
func (r Result) unknown(err error) Result {
	return r.is(Problem, "the DNS did not answer: try again, or choose a resolver with --resolver: "+err.Error())
}

// tags reads a list such as "v=DMARC1; p=none". The names are in lower case. RFC 6376, 3.2
func tags(text string) map[string]string {
	all := make(map[string]string)
	for part := range strings.SplitSeq(text, ";") {
		name, value, _ := strings.Cut(part, "=")
		all[strings.ToLower(strings.TrimSpace(name))] = strings.TrimSpace(value)
	}
	return all
}

// registered returns the domain that an organisation has registered, such as example.co.uk for a.b.example.co.uk: the
// place for records that it does not have yet.
func registered(domain string) string {
	if found, err := publicsuffix.EffectiveTLDPlusOne(domain); err == nil {
		return found
	}
	return domain
}

// Suggested returns the SPF and the DMARC record that a domain of senders needs, without looking any up. The Value of
// the SPF record is "" if it is not known: an email provider says what it is, and without a mail server there is none.
func (s *Setup) Suggested(domain string) (spf, dmarc accounts.DNSRecord) {
	envelope := domain
	if s.Bounces != "" {
		envelope = s.Bounces
	}
	spf = accounts.DNSRecord{Name: envelope, Type: "TXT"}
	if s.Provider == "" && (s.Relay != "" || len(s.Addresses) > 0) {
		spf.Value = spfRecord(s.Addresses, s.Relay)
	}
	return spf, accounts.DNSRecord{Name: "_dmarc." + registered(domain), Type: "TXT", Value: "v=DMARC1; p=none"}
}
