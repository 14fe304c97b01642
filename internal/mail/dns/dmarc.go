package dns

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"enlist/internal/accounts"
)

// This file checks the DMARC policy of the domains of From addresses, and whether the signature and the envelope sender
// are aligned with them. RFC 9989

// policy is the DMARC record of a name.
type policy struct {
	domain string // without _dmarc
	tags   map[string]string
}

// ofSuffix reports whether the record is that of a domain below which others register theirs, such as a registry's.
func (p *policy) ofSuffix() bool { return p.tags["psd"] == "y" }

// treeWalk is what the DNS has for a domain and those above it. RFC 9989, 4.10
type treeWalk struct {
	domain   string
	policies []policy // the first is the one of the domain itself, or of the nearest domain above it that has one
	several  string   // the first name that has several records, of which receivers use none; "": there is none
}

// walk looks the records of a domain and of those above it up, at most 8.
func (c *Checker) walk(ctx context.Context, domain string) (*treeWalk, error) {
	w := &treeWalk{domain: domain}
	for labels := strings.Split(domain, "."); len(labels) > 0; labels = labels[max(1, len(labels)-7):] {
		at := strings.Join(labels, ".")
		found, err := c.tagged(ctx, "_dmarc."+at, "v=DMARC1")
		switch {
		case err != nil:
			return nil, err
		case len(found) > 1:
			w.several = cmp.Or(w.several, "_dmarc."+at)
		case len(found) == 1:
			w.policies = append(w.policies, policy{at, tags(found[0])})
			if psd := w.policies[len(w.policies)-1].tags["psd"]; psd == "y" || psd == "n" {
				return w, nil
			}
		}
	}
	return w, nil
}

// organisation returns the domain that all those belong to that are aligned with each other. RFC 9989, 4.10.2
func (w *treeWalk) organisation() string {
	if len(w.policies) == 0 {
		return w.domain
	}
	last := &w.policies[len(w.policies)-1] // the walk ended there
	if !last.ofSuffix() || last.domain == w.domain {
		return last.domain
	}
	below := strings.TrimSuffix(w.domain, "."+last.domain)
	return below[strings.LastIndexByte(below, '.')+1:] + "." + last.domain
}

// applicable returns the policy that applies to the domain: its own, that of its organisation, or that of the domain
// above the organisation. It returns nil if there is none. RFC 9989, 4.10.1
func (w *treeWalk) applicable() *policy {
	if len(w.policies) == 0 {
		return nil
	}
	if own := &w.policies[0]; own.domain == w.domain {
		return own
	}
	organisation := w.organisation()
	i := slices.IndexFunc(w.policies, func(p policy) bool { return p.domain == organisation })
	if i < 0 {
		i = len(w.policies) - 1
	}
	return &w.policies[i]
}

// dmarc checks the policy for a From domain and the alignment.
func (c *Checker) dmarc(ctx context.Context, s *Setup, domain string) Result {
	r := Result{Check: "DMARC " + domain}
	w, err := c.walk(ctx, domain)
	if err != nil {
		return r.unknown(err)
	}
	applies := w.applicable()
	switch {
	case w.several != "" && (applies == nil || w.several == "_dmarc."+domain):
		return r.is(Problem, w.several+" has several DMARC records, so receivers use none: leave only one")
	case applies == nil:
		return r.publish("there is no record, which large receivers require: publish one, and make it stricter later",
			accounts.DNSRecord{Name: "_dmarc." + registered(domain), Type: "TXT", Value: "v=DMARC1; p=none"})
	}
	asked, err := c.requested(ctx, w, applies)
	if err != nil {
		return r.unknown(err)
	}
	if !slices.Contains([]string{"none", "quarantine", "reject"}, asked) {
		return r.is(Problem, "the record of _dmarc."+applies.domain+" has no policy: p must be none, quarantine or reject")
	}
	signer, envelope := s.signer(domain), cmp.Or(s.Bounces, domain)
	signed, err := c.aligned(ctx, w, signer, applies.tags["adkim"])
	enveloped := false
	if err == nil && !signed {
		enveloped, err = c.aligned(ctx, w, envelope, applies.tags["aspf"])
	}
	if err != nil {
		return r.unknown(err)
	}
	says := "the policy is " + asked + applies.notes()
	switch {
	case signed:
		return r.is(OK, says+", and the signature of "+signer+" is aligned")
	case s.Provider != "":
		return r.is(Warning, says+", and this service does not sign mails from the domain. Either the "+
			"provider must sign them: its web pages must show "+domain+
			" as verified with DKIM. Or add the domain with enlist domain add")
	case enveloped:
		return r.is(Warning, "only the envelope sender in "+envelope+
			" is aligned, and this ends when a mail is forwarded: "+
			"add the domain with enlist domain add, so that its mails are signed by "+domain)
	case signer == "":
		return r.is(Problem, "no signature and no envelope sender of this domain: add it with enlist domain add")
	}
	return r.is(Problem, "neither the signature of "+signer+" nor the envelope sender in "+envelope+
		" is aligned, so mails fail DMARC: add the domain with enlist domain add")
}

// signer returns the domain that signs the mails from a domain, or "".
func (s *Setup) signer(domain string) string {
	if slices.ContainsFunc(s.Keys, func(k Key) bool { return k.Domain == domain && !k.Next }) {
		return domain
	}
	return s.Server
}

// requested returns what a policy asks receivers to do with forged mails of a domain: p for the policy's own domain, sp
// for those below it, np for those below it that do not exist. RFC 9989, 4.7
func (c *Checker) requested(ctx context.Context, w *treeWalk, p *policy) (string, error) {
	value := cmp.Or(p.tags["p"], "none") // a record with only rua asks for reports
	if p.domain != w.domain {
		value = cmp.Or(p.tags["sp"], value)
		if np := p.tags["np"]; np != "" {
			exists, err := c.exists(ctx, w.domain)
			if err != nil {
				return "", err
			}
			if !exists {
				value = np
			}
		}
	}
	return strings.ToLower(value), nil
}

// notes says which tags change the meaning of a policy.
func (p *policy) notes() string {
	notes := ""
	if strings.EqualFold(p.tags["t"], "y") {
		notes += " (but t=y asks receivers to do less, because the domain still tests it)"
	}
	if pct := p.tags["pct"]; pct != "" && pct != "100" {
		notes += " (receivers no longer read pct=" + pct + ": write t=y while you test)"
	}
	return notes
}

// exists reports whether a domain has a record of a kind that mail needs.
func (c *Checker) exists(ctx context.Context, domain string) (bool, error) {
	_, mx := c.Resolver.LookupMX(ctx, domain+".")
	_, host := c.Resolver.LookupHost(ctx, domain+".")
	_, txt := c.Resolver.LookupTXT(ctx, domain+".")
	failed := []error{}
	for _, err := range []error{mx, host, txt} {
		switch {
		case err == nil:
			return true, nil
		case !isMissing(err):
			failed = append(failed, err)
		}
	}
	return false, errors.Join(failed...)
}

// aligned reports whether a domain that was checked counts for the domain of From. mode is "s" for strict. RFC 9989,
// 4.4
func (c *Checker) aligned(ctx context.Context, from *treeWalk, checked, mode string) (bool, error) {
	if checked == from.domain {
		return true, nil
	}
	if checked == "" || strings.EqualFold(mode, "s") {
		return false, nil
	}
	other, err := c.walk(ctx, checked)
	return err == nil && other.organisation() == from.organisation(), err
}
