package pace

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"enlist/internal/address"
	"enlist/internal/enlist"
)

// This file has the limits that the operator sets, says which of them apply to a mail, and has the token buckets that
// enforce them. A mail of a Batch needs a token of each bucket that applies to it. The buckets are in the database, so all
// processes share them. A sender takes the tokens of a whole slice in one transaction (sending/rate.go). reference.md:
// batch.rate; decisions.md: 63

// RateLimits are the limits of the mails of Batches. The zero value has no limit.
type RateLimits struct {
	relay      []enlist.Rate
	senders    map[string][]enlist.Rate // by domain; "" is for each domain that the map does not have
	recipients map[string][]enlist.Rate // by domain group; "" is for each group that the map does not have
}

// ParseRateLimits reads limits of the form SCOPE=RATES. The scopes are relay, sender,
// sender:DOMAIN, recipient and recipient:GROUP.
func ParseRateLimits(texts []string) (*RateLimits, error) {
	l := &RateLimits{senders: make(map[string][]enlist.Rate), recipients: make(map[string][]enlist.Rate)}
	for _, text := range texts {
		scope, value, _ := strings.Cut(text, "=")
		rates, err := enlist.ParseRates(value)
		if err == nil && len(rates) == 0 {
			err = enlist.Expected("at least one rate")
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", text, err)
		}
		kind, name, _ := strings.Cut(strings.ToLower(scope), ":")
		switch {
		case kind == "relay" && name == "":
			l.relay = rates
		case kind == "sender":
			l.senders[name] = rates
		case kind == "recipient":
			l.recipients[name] = rates
		default:
			return nil, fmt.Errorf("%q: expected one of relay=, sender=, sender:DOMAIN=, recipient= and recipient:GROUP=", text)
		}
	}
	return l, nil
}

// Buckets returns the buckets of one mail, without the buckets of its Batch.
func (s *Settings) Buckets(from, to string) (all []Bucket) {
	if s.Rates == nil {
		return nil
	}
	all = AppendBuckets(all, "relay "+s.Relay, s.Rates.relay)
	sender := address.Domain(from)
	all = AppendBuckets(all, "sender "+sender, orDefault(s.Rates.senders, sender))
	group := DomainGroup(to)
	return AppendBuckets(all, "recipient "+group, orDefault(s.Rates.recipients, group))
}

func AppendBuckets(all []Bucket, name string, rates []enlist.Rate) []Bucket {
	for _, r := range rates {
		all = append(all, Bucket{Name: name + " " + r.Period.String(), Rate: r})
	}
	return all
}

func orDefault(rates map[string][]enlist.Rate, name string) []enlist.Rate {
	if own, ok := rates[name]; ok {
		return own
	}
	return rates[""]
}

// Empty reports whether no mail has a limit.
func (l *RateLimits) Empty() bool {
	return l == nil || len(l.relay) == 0 && len(l.senders) == 0 && len(l.recipients) == 0
}

// Limit returns the smallest rate of a domain group or a RelayGroup in mails a minute, or 0 without a limit.
func (l *RateLimits) Limit(group string) (perMinute int64) {
	if l == nil {
		return 0
	}
	rates := l.relay
	if !strings.HasPrefix(group, relayPrefix) {
		rates = orDefault(l.recipients, group)
	}
	for _, r := range rates {
		n := max(1, int64(float64(r.Mails)*float64(enlist.PerMinute)/float64(r.Period)))
		if perMinute == 0 || n < perMinute {
			perMinute = n
		}
	}
	return perMinute
}

// domainGroups has the domains of large mailbox providers. A provider limits all its domains together.
var domainGroups = map[string][]string{
	"gmail":     {"gmail.com", "googlemail.com"},
	"microsoft": {"msn.com", "windowslive.com", "passport.com"},
	"yahoo":     {"ymail.com", "rocketmail.com", "aol.com", "aim.com", "myyahoo.com"},
	"apple":     {"icloud.com", "me.com", "mac.com"},
}

// nationalDomains are the names of domains that a provider has under many top-level domains, such
// as yahoo.co.uk.
var nationalDomains = map[string]string{
	"hotmail": "microsoft", "outlook": "microsoft", "live": "microsoft", "yahoo": "yahoo", "aol": "yahoo",
}

// groupOf has the group of each domain in domainGroups.
var groupOf = func() map[string]string {
	all := make(map[string]string)
	for group, domains := range maps.All(domainGroups) {
		for _, domain := range domains {
			all[domain] = group
		}
	}
	return all
}()

// DomainGroup returns the group of an address: gmail, microsoft, yahoo, apple, or the domain itself.
func DomainGroup(email string) string {
	domain := address.Domain(email)
	if group := groupOf[domain]; group != "" {
		return group
	}
	name, rest, _ := strings.Cut(domain, ".")
	if group := nationalDomains[name]; group != "" && isPublicSuffix(rest) {
		return group
	}
	return domain
}

// OtherProvider is the Provider of all domains that belong to no large one.
const OtherProvider = "other"

// Provider returns the group of an address as a report has it: gmail, microsoft, yahoo, apple or other.
func Provider(email string) string {
	if group := DomainGroup(email); domainGroups[group] != nil {
		return group
	}
	return OtherProvider
}

// isPublicSuffix reports whether a domain looks like com, de or co.uk: at most two labels of at
// most three letters.
func isPublicSuffix(domain string) bool {
	labels := strings.Split(domain, ".")
	long := func(label string) bool { return label == "" || len(label) > 3 }
	return len(labels) <= 2 && !slices.ContainsFunc(labels, long)
}

// Bucket is a token bucket. A token appears every interval, up to burst tokens. A mail takes a token.
type Bucket struct {
	Name string // what is limited, and the period
	Rate enlist.Rate
	Full int64 // when the bucket is full, in Unix nanoseconds, if no mail takes a token until then
	Took bool
}

// burst is the largest number of tokens in a bucket. Then a sender takes many tokens at once if
// the rate is high: about 20 transactions in a period are enough.
func (b *Bucket) burst() int64 { return 1 + min(b.Rate.Mails/20, 1000) }

// Interval is the time between two tokens in nanoseconds. It is longer than the period divided by
// the mails, so that with a full bucket at the start too, no period has more mails than allowed.
func (b *Bucket) Interval() int64 {
	steady := b.Rate.Mails - b.burst() + 1
	return (int64(b.Rate.Period) + steady - 1) / steady
}

// missing is the time until the bucket is full. It is limited, because another process may have a
// clock that is ahead.
func (b *Bucket) missing(now int64) int64 {
	return min(max(b.Full-now, 0), b.burst()*b.Interval())
}

// Tokens returns the number of tokens in the bucket.
func (b *Bucket) Tokens(now int64) int64 { return b.burst() - ceilDiv(b.missing(now), b.Interval()) }

// Next returns when the bucket has a token.
func (b *Bucket) Next(now int64) int64 {
	return now + max(0, b.missing(now)-(b.burst()-1)*b.Interval())
}

// Take takes one token, which the bucket must have.
func (b *Bucket) Take(now int64) {
	b.Full, b.Took = now+b.missing(now)+b.Interval(), true
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
