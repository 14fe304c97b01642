package dns

import (
	"cmp"
	"context"
	"fmt"
	"strings"
)

// This file checks the records of DKIM keys. RFC 6376, 3.6.1

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
