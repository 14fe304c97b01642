package dns

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/httpserver"
)

// This file checks hosts: the mail server for bounces, the names of sending addresses, and the public URL.

// bounces checks that the domain of bounces has a mail server.
func (c *Checker) bounces(ctx context.Context, s *Setup) Result {
	if s.Bounces == "" {
		return Result{Check: "bounces"}.is(Warning, "the setting bounce-address is not set: bounces go to the senders of the mails, "+
			"and the service does not learn of them")
	}
	r := Result{Check: "MX " + s.Bounces}
	found, err := c.Resolver.LookupMX(ctx, s.Bounces+".")
	if err != nil && !isMissing(err) && len(found) == 0 {
		return r.unknown(err)
	}
	if len(found) == 0 {
		host := cmp.Or(s.Relay, "mail."+registered(s.Bounces))
		if net.ParseIP(host) != nil || host == "localhost" {
			host = "mail." + registered(s.Bounces)
		}
		return r.publish("there is no record, so bounces do not arrive: publish the name of the mail server that "+
			"receives them", accounts.DNSRecord{Name: s.Bounces, Type: "MX", Value: "10 " + host + "."})
	}
	var names []string
	for _, mx := range found {
		host := strings.TrimSuffix(mx.Host, ".")
		if host == "" {
			return r.is(Problem, "the record says that the domain receives no mail (RFC 7505), so bounces do not arrive")
		}
		if _, err := c.Resolver.LookupHost(ctx, mx.Host); err != nil {
			return r.is(Problem, "the mail server "+host+" has no address: "+err.Error())
		}
		names = append(names, host)
	}
	return r.is(OK, "bounces go to "+strings.Join(names, ", "))
}

// name checks that an address that sends has a name which leads back to the address.
func (c *Checker) name(ctx context.Context, ip netip.Addr) Result {
	r := Result{Check: "PTR " + ip.String()}
	names, err := c.Resolver.LookupAddr(ctx, ip.String())
	if err != nil && !isMissing(err) {
		return r.unknown(err)
	}
	if len(names) == 0 {
		return r.is(Problem, "the address has no name: ask your provider to set one (PTR), because many receivers refuse "+
			"mails without it")
	}
	for _, name := range names {
		back, err := c.Resolver.LookupNetIP(ctx, "ip", name)
		if err == nil && slices.ContainsFunc(back, func(b netip.Addr) bool { return b.Unmap() == ip }) {
			return r.is(OK, "the name is "+strings.TrimSuffix(name, "."))
		}
	}
	name, kind := strings.TrimSuffix(names[0], "."), "A"
	if !ip.Is4() {
		kind = "AAAA"
	}
	return r.publish("the name "+name+" does not lead back to the address", accounts.DNSRecord{Name: name, Type: kind,
		Value: ip.String()})
}

// publicURL asks the service for its health through its public name.
func (c *Checker) publicURL(ctx context.Context, public string) Result {
	if public == "" {
		return Result{Check: "public URL"}.is(Warning, "--public-url is not set: the links in mails work only on this machine")
	}
	r := Result{Check: "public URL " + public}
	u, err := url.Parse(public)
	if err != nil || u.Hostname() == "" {
		return r.is(Problem, "--public-url is no URL such as https://lists.example.org")
	}
	request, err := http.NewRequestWithContext(ctx, "GET", strings.TrimSuffix(public, "/")+"/healthz", nil)
	if err != nil {
		return r.is(Problem, err.Error())
	}
	reply, err := c.client().Do(request)
	if err != nil {
		if failed, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
			return r.is(Problem, "the certificate is not valid: "+failed.Err.Error())
		}
		return r.is(Problem, "the service cannot be reached: "+errors.Unwrap(err).Error()) // without "Get" and the URL
	}
	defer reply.Body.Close()
	io.Copy(io.Discard, io.LimitReader(reply.Body, 4096)) // so that the connection can be closed in order
	switch {
	case reply.StatusCode != http.StatusOK:
		return r.is(Problem, fmt.Sprintf("/healthz answers %s: the name does not lead to the service", reply.Status))
	case reply.TLS == nil:
		return r.is(Warning, "the URL has no https, so mail programs show no button to unsubscribe (RFC 8058)")
	}
	if len(reply.TLS.PeerCertificates) > 0 {
		if trouble := httpserver.ValidityOf(reply.TLS.PeerCertificates[0]).Trouble(c.now()); trouble != "" {
			return r.is(Warning, trouble)
		}
	}
	return r.is(OK, "the service answers, and its certificate is valid")
}

// client returns the client for the public URL. It follows no redirect, because the URL must lead to the service
// itself.
func (c *Checker) client() *http.Client {
	if c.Client != nil {
		return c.Client
	}
	dialer := &net.Dialer{Timeout: checkTime, Resolver: c.Resolver}
	return &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func (c *Checker) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}
