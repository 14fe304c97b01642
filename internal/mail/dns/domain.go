package dns

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"enlist/internal/accounts"
)

// This file checks the records of DKIM keys (RFC 6376, 3.6.1), and the DMARC records of the domains of From addresses, and whether the signature and the envelope
// sender are aligned with them. RFC 7489

// dmarc checks the record for a From domain and the alignment.
func (c *Checker) dmarc(ctx context.Context, s *Setup, domain string) Result {
	r := Result{Check: "DMARC " + domain}
	name, found := "_dmarc."+domain, []string(nil)
	for _, at := range slices.Compact([]string{domain, organisation(domain)}) {
		var err error
		name = "_dmarc." + at
		if found, err = c.tagged(ctx, name, "v=DMARC1"); err != nil {
			return r.unknown(err)
		}
		if len(found) > 0 {
			break
		}
	}
	switch {
	case len(found) == 0:
		return r.publish("there is no record, which large receivers require: publish one, and make it stricter later",
			accounts.DNSRecord{Name: name, Type: "TXT", Value: "v=DMARC1; p=none"})
	case len(found) > 1:
		return r.is(Problem, name+" has several DMARC records, so receivers use none: leave only one")
	}
	record := tags(found[0])
	policy := strings.ToLower(record["p"])
	if !slices.Contains([]string{"none", "quarantine", "reject"}, policy) {
		return r.is(Problem, "the record of "+name+" has no policy: p must be none, quarantine or reject")
	}
	if value, ok := record["sp"]; ok && name != "_dmarc."+domain {
		policy = strings.ToLower(value)
	}
	signer, envelope := s.signer(domain), domain
	if s.Bounces != "" {
		envelope = s.Bounces
	}
	switch {
	case aligned(domain, signer, record["adkim"]):
		return r.is(OK, "the policy is "+policy+", and the signature of "+signer+" is aligned")
	case s.Provider != "":
		return r.is(Warning, "the policy is "+policy+", and this service does not sign mails from the domain. Either the "+
			"provider must sign them: its web pages must show "+domain+
			" as verified with DKIM. Or add the domain with enlist domain add")
	case aligned(domain, envelope, record["aspf"]):
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

// aligned reports whether a domain that was checked counts for the domain of From. mode is "s" for strict. RFC 7489,
// 3.1
func aligned(from, checked, mode string) bool {
	if checked == "" || strings.EqualFold(mode, "s") {
		return checked == from
	}
	return organisation(checked) == organisation(from)
}

// dkim compares the published record with the key that signs.
func (c *Checker) dkim(ctx context.Context, key *Key) Result {
	r := Result{Check: "DKIM " + key.Record.Name}
	found, err := c.Resolver.LookupTXT(ctx, key.Record.Name+".")
	switch {
	case isMissing(err) && key.Next:
		r = r.publish("the record of the next key is not published yet: publish it before enlist domain switch",
			key.Record)
		r.Level = Warning
		return r
	case isMissing(err):
		return r.publish("there is no record, so receivers cannot check the signature: publish it", key.Record)
	case err != nil:
		return r.unknown(err)
	case len(found) > 1:
		return r.publish(fmt.Sprintf("there are %d records: leave only this one", len(found)), key.Record)
	}
	got, want := tags(found[0]), tags(key.Record.Value)
	public := strings.Join(strings.Fields(got["p"]), "")
	switch {
	case got["v"] != "" && got["v"] != "DKIM1":
		return r.publish("the record is no DKIM key: it must begin with v=DKIM1", key.Record)
	case public == "":
		return r.publish("the record has no public key, which means that the key is revoked", key.Record)
	case cmp.Or(got["k"], "rsa") != want["k"]:
		return r.publish("the record is for a key of the type "+cmp.Or(got["k"], "rsa")+", not "+want["k"], key.Record)
	case public != want["p"]:
		return r.publish("the record has another public key (p=)", key.Record)
	case strings.Contains(got["t"], "y"):
		return r.is(Warning, "t=y says that the domain only tests DKIM: remove it, because receivers then ignore the signature")
	}
	return r.is(OK, "the record has the public key")
}
