package dns

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/mail/dns/dnstest"
)

// These tests check the results for right records and for each kind of wrong one, with a DNS server on this machine.

// published is an installation whose records are all right.
type published struct {
	*testing.T
	zone  *dnstest.Zone
	setup *Setup
	key   accounts.DNSRecord
}

func publish(t *testing.T) *published {
	t.Helper()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	key, err := accounts.DKIMRecord("example.org", "s1", private.Public())
	if err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(site.Close)
	p := &published{T: t, zone: dnstest.Start(t), key: key, setup: &Setup{
		Keys: []Key{{Domain: "example.org", Record: key}}, Senders: []string{"example.org"}, Bounces: "bounces.example.org",
		Relay: "mail.example.org", Addresses: []netip.Addr{netip.MustParseAddr("192.0.2.1")}, PublicURL: site.URL}}
	p.zone.Add(t, key.ZoneLine(),
		`bounces.example.org. TXT "some other text"`, `bounces.example.org. TXT "v=spf1 ip4:192.0.2.1 -all"`,
		`_dmarc.example.org. TXT "v=DMARC1; p=reject"`,
		"bounces.example.org. MX 10 mail.example.org.", "mail.example.org. A 192.0.2.1",
		"1.2.0.192.in-addr.arpa. PTR mail.example.org.")
	return p
}

func (p *published) check() []Result {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), time.Minute)
	defer cancel()
	return (&Checker{Resolver: Resolver(p.zone.Addr)}).Check(ctx, p.setup)
}

// want checks the result of one check. value is a part of the record to publish; "" if there is none.
func (p *published) want(check string, level Level, text, value string) {
	p.Helper()
	all := p.check()
	for _, r := range all {
		if r.Check != check {
			continue
		}
		got := ""
		if r.Record != nil {
			got = r.Record.ZoneLine()
		}
		if r.Level != level || !strings.Contains(r.Text, text) || (got == "") != (value == "") || !strings.Contains(got, value) {
			p.Errorf("%s: %s, %q, record %q; want %s, %q, record with %q", check, r.Level, r.Text, got, level, text, value)
		}
		return
	}
	p.Errorf("no result is about %s: %+v", check, all)
}

// replace replaces the TXT records of a name.
func (p *published) replace(name string, texts ...string) {
	p.Helper()
	p.zone.Remove(name, "TXT")
	for _, text := range texts {
		p.zone.Add(p.T, name+` TXT "`+text+`"`)
	}
}

// covers: decision 111
func TestRightRecordsHaveNoProblem(t *testing.T) {
	p := publish(t)
	checks := ""
	for _, r := range p.check() {
		checks += r.Check + "\n"
		if r.Level != OK && !strings.HasPrefix(r.Check, "public URL") || r.Record != nil {
			t.Errorf("%+v", r)
		}
	}
	const want = "DKIM s1._domainkey.example.org\nSPF bounces.example.org\nSPF bounces.example.org for 192.0.2.1\n" +
		"DMARC example.org\nMX bounces.example.org\nPTR 192.0.2.1\npublic URL "
	if !strings.HasPrefix(checks, want) {
		t.Errorf("the checks are\n%swant\n%s", checks, want)
	}
}

// An email provider replaces the envelope sender, so there are no checks of SPF and of the address for bounces. The
// service's own signatures count for DMARC as before. Without one, only the provider can sign.
//
// covers: decision 111
func TestRecordsOfAProviderAreLeftToIt(t *testing.T) {
	p := publish(t)
	p.setup.Provider, p.setup.Addresses = "mailgun", nil
	p.zone.Remove("bounces.example.org.", "TXT")
	for _, r := range p.check() {
		if strings.HasPrefix(r.Check, "SPF") || strings.HasPrefix(r.Check, "MX") || r.Level == Problem {
			t.Errorf("%+v", r)
		}
	}
	p.want("provider mailgun", Warning, "replaces the envelope sender", "")
	p.want("DMARC example.org", OK, "is aligned", "")
	p.setup.Keys, p.setup.Bounces = nil, ""
	p.want("DMARC example.org", Warning, "must show example.org as verified with DKIM", "")
	p.replace("_dmarc.example.org.")
	p.want("DMARC example.org", Problem, "no record", "p=none")
}

// covers: decision 111
func TestEachWrongDKIMRecordIsFound(t *testing.T) {
	p := publish(t)
	const name, check = "s1._domainkey.example.org.", "DKIM s1._domainkey.example.org"
	right := strings.ReplaceAll(p.key.Value[:200], "v=DKIM1; ", "")
	p.replace(name)
	p.want(check, Problem, "no record", "v=DKIM1; k=rsa; p=MII")
	p.setup.Keys[0].Next = true
	p.want(check, Warning, "not published yet", "v=DKIM1; k=rsa; p=MII")
	p.setup.Keys[0].Next = false
	for text, want := range map[string]string{"v=DKIM1; k=rsa; p=": "revoked", right: "another public key", "v=DKIM2; " + right: "no DKIM key",
		"v=DKIM1; k=ed25519; p=abc": "type ed25519"} {
		p.replace(name, text)
		p.want(check, Problem, want, p.key.Name)
	}
	p.replace(name, "a", "b")
	p.want(check, Problem, "2 records", p.key.Name)
	public, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p.setup.Keys[0].Record, err = accounts.DKIMRecord("example.org", "s1", public)
	if err != nil {
		t.Fatal(err)
	}
	p.replace(name, p.setup.Keys[0].Record.Value+"; t=y")
	p.want(check, Warning, "only tests", "")
	p.replace(name, strings.Replace(p.setup.Keys[0].Record.Value, "p=", "p= ", 1))
	p.want(check, OK, "", "")
}

// covers: decision 111
func TestEachWrongSPFRecordIsFound(t *testing.T) {
	p := publish(t)
	const name, check, address = "bounces.example.org.", "SPF bounces.example.org", "SPF bounces.example.org for 192.0.2.1"
	p.replace(name, "v=spf10 is another text")
	p.want(check, Problem, "no record", `"v=spf1 ip4:192.0.2.1 -all"`)
	p.replace(name, "v=spf1 -all", "v=spf1 mx -all")
	p.want(check, Problem, "several", "")
	p.replace(name, "v=spf1 +all")
	p.want(check, Problem, "every address", "")
	p.replace(name, "v=spf1 ip4:192.0.2.1 ~all")
	p.want(check, Warning, "-all", "")
	p.replace(name, "v=spf1 ip5:192.0.2.1 -all")
	p.want(check, Problem, "cannot read", "")
	p.replace(name, "v=spf1 a:gone.example.org a:gone2.example.org a:gone3.example.org -all")
	p.want(check, Problem, "two domains", "")
	p.replace(name, "v=spf1 ip4:192.0.2.2 -all")
	p.want(check, OK, "", "")
	p.want(address, Problem, "does not allow", `"v=spf1 ip4:192.0.2.1 ip4:192.0.2.2 -all"`)
	for n, level := range map[int]Level{10: OK, 11: Problem} {
		p.replace(name, "v=spf1"+strings.Repeat(" a:mail.example.org", n)+" -all")
		text := ""
		if level == Problem {
			text = "more than 10"
		}
		p.want(check, level, text, "")
	}
	p.setup.Addresses = nil // the address of the mail server's name is private, so it says nothing
	p.zone.Remove("mail.example.org.", "A")
	p.zone.Add(t, "mail.example.org. A 10.0.0.1")
	p.replace(name)
	p.want(check, Problem, "no record", `"v=spf1 a:mail.example.org -all"`)
	p.zone.Add(t, "mail.example.org. A 192.0.2.9")
	p.replace(name, "v=spf1 -all")
	p.want("SPF bounces.example.org for 192.0.2.9", Warning, "--sending-ip", "ip4:192.0.2.9")
	p.setup.Bounces = ""
	p.want("SPF example.org", Problem, "no record", "example.org. TXT")
}

// covers: decision 111
func TestAlignmentFollowsTheDMARCRecord(t *testing.T) {
	p := publish(t)
	const name, check = "_dmarc.example.org.", "DMARC example.org"
	p.replace(name)
	p.want(check, Problem, "no record", `_dmarc.example.org. TXT "v=DMARC1; p=none"`)
	p.replace(name, "v=DMARC1; p=maybe")
	p.want(check, Problem, "no policy", "")
	p.replace(name, "v=DMARC1; p=none", "v=DMARC1; p=none")
	p.want(check, Problem, "several", "")
	p.replace(name, "v=DMARC1; p=none; adkim=s; aspf=s")
	p.want(check, OK, "aligned", "")
	p.setup.Senders = []string{"news.example.org"} // has no key of its own; the record of the organisation applies
	const below = "DMARC news.example.org"
	p.want(below, Problem, "no signature", "")
	p.replace(name, "v=DMARC1; p=none; sp=reject")
	p.want(below, Warning, "only the envelope sender in bounces.example.org", "")
	p.setup.Server = "example.org"
	p.want(below, OK, "reject, and the signature of example.org", "")
	p.replace(name, "v=DMARC1; p=none; adkim=s")
	p.want(below, Warning, "only the envelope sender", "")
	p.replace(name, "v=DMARC1; p=none; adkim=s; aspf=s")
	p.want(below, Problem, "neither", "")
	p.setup.Senders = []string{"example.co.uk"} // no organisation has co.uk
	p.setup.Server, p.setup.Bounces = "other.co.uk", "other.co.uk"
	p.zone.Add(t, `_dmarc.example.co.uk. TXT "v=DMARC1; p=none"`)
	p.want("DMARC example.co.uk", Problem, "neither the signature of other.co.uk", "")
}

// A domain can say with psd=n that it is an organisation, and with psd=y that those below it are. The policy for a domain
// without one is looked up above it, for a domain that does not exist by another tag. RFC 9989
//
// covers: decision 111
func TestDMARCPolicyIsLookedUpInTheDomainsAbove(t *testing.T) {
	p := publish(t)
	const name, check = "_dmarc.example.org.", "DMARC a.b.example.org"
	p.setup.Senders, p.setup.Server, p.setup.Bounces = []string{"a.b.example.org"}, "example.org", ""
	p.zone.Add(t, "a.b.example.org. A 192.0.2.9")
	p.replace(name, "v=DMARC1; p=reject; sp=quarantine; np=none")
	p.want(check, OK, "the policy is quarantine, and the signature of example.org is aligned", "")
	p.zone.Remove("a.b.example.org.", "A")
	p.want(check, OK, "the policy is none, and", "")
	p.replace(name, "v=DMARC1; rua=mailto:dmarc@example.org; pct=10; t=y")
	p.want(check, OK, "the policy is none (but t=y asks receivers to do less, because the domain still tests it) "+
		"(receivers no longer read pct=10: write t=y while you test), and", "")
	p.replace("_dmarc.b.example.org.", "v=DMARC1; p=none; psd=n") // b.example.org is an organisation of its own
	p.want(check, Warning, "only the envelope sender in a.b.example.org", "")
	p.setup.Server = "b.example.org"
	p.want(check, OK, "the signature of b.example.org is aligned", "")
	p.replace("_dmarc.b.example.org.")
	p.want(check, OK, "the signature of b.example.org is aligned", "")
	p.replace(name, "v=DMARC1; p=reject; psd=y") // example.org is a registry
	p.want(check, OK, "the policy is reject, and the signature of b.example.org is aligned", "")
	p.setup.Server = "other.example.org"
	p.want(check, Warning, "only the envelope sender", "")
	long := strings.Repeat("x.", 9) + "example.org" // the names with 8 to 10 labels are not looked up
	p.setup.Senders, p.setup.Server = []string{long}, long
	p.replace("_dmarc."+long[4:]+".", "v=DMARC1; p=none; psd=n")
	p.want("DMARC "+long, OK, "the policy is reject", "")
	p.replace("_dmarc.x.x.x.x.x.example.org.", "v=DMARC1; p=none; psd=n")
	p.want("DMARC "+long, OK, "the policy is none", "")
}

// covers: decision 111
func TestHostsOfMailsAreChecked(t *testing.T) {
	p := publish(t)
	p.zone.Remove("mail.example.org.", "A")
	p.want("MX bounces.example.org", Problem, "has no address", "")
	p.want("PTR 192.0.2.1", Problem, "does not lead back", "mail.example.org. A 192.0.2.1")
	p.zone.Remove("1.2.0.192.in-addr.arpa.", "PTR")
	p.want("PTR 192.0.2.1", Problem, "no name", "")
	p.zone.Remove("bounces.example.org.", "MX")
	p.want("MX bounces.example.org", Problem, "no record", "bounces.example.org. MX 10 mail.example.org.")
	p.zone.Add(t, "bounces.example.org. MX 0 .")
	p.want("MX bounces.example.org", Problem, "receives no mail", "")
	p.setup.Bounces = ""
	p.want("bounces", Warning, "bounce-address is not set", "")
}

// covers: decision 111
func TestPublicURLIsFetched(t *testing.T) {
	p := publish(t)
	get := func(url string, client *http.Client, now time.Time) Result {
		c := &Checker{Resolver: Resolver(p.zone.Addr), Client: client, Now: func() time.Time { return now }}
		return c.publicURL(t.Context(), url)
	}
	want := func(r Result, level Level, text string) {
		t.Helper()
		if r.Level != level || !strings.Contains(r.Text, text) || r.Record != nil {
			t.Errorf("%+v, want %s and %q", r, level, text)
		}
	}
	want(get(p.setup.PublicURL, nil, time.Now()), Warning, "no https")
	want(get(p.setup.PublicURL+"/other", nil, time.Now()), Problem, "404")
	want(get("", nil, time.Now()), Warning, "--public-url")
	want(get("https://gone.example.org", nil, time.Now()), Problem, "cannot be reached")
	want(get("no URL", nil, time.Now()), Problem, "no URL")
	site := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer site.Close()
	site.Config.ErrorLog = nil
	want(get(site.URL, nil, time.Now()), Problem, "certificate is not valid")
	want(get(site.URL, site.Client(), time.Now()), OK, "certificate")
	end := site.Certificate().NotAfter
	want(get(site.URL, site.Client(), end.AddDate(0, 0, -13)), Warning, "the TLS certificate expires in 13 days, at "+end.UTC().Format(time.DateOnly))
}

// A resolver that does not answer is a problem of each check, and not a missing record.
//
// covers: decision 111
func TestSilentResolverIsNoMissingRecord(t *testing.T) {
	p := publish(t)
	c := &Checker{Resolver: Resolver("127.0.0.1:1")}
	for _, r := range c.Check(t.Context(), p.setup) {
		if !strings.HasPrefix(r.Check, "public URL") && (r.Level != Problem || !strings.Contains(r.Text, "did not answer") || r.Record != nil) {
			t.Errorf("%+v, want a problem without a record", r)
		}
	}
}
