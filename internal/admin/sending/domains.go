package sending

import (
	"net"
	"slices"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/address"
	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/mail/dns"
	"enlist/internal/messages"
)

// This file shows the senders and the sending domains of the Account, with the records that must be in the DNS.

// domainsData is the data of the page of domains.
type domainsData struct {
	Senders  []sender
	Domains  []domain
	Checked  bool
	MayCheck bool // asks the DNS
	Results  []dns.Result
	Wrong    int // results that are a problem
}

// sender is an address from which the Account sends.
type sender struct{ Address, Where, Signed string }

// domain is a domain from which the Account sends, with the records to publish.
type domain struct {
	Name, Says string
	Records    []record
}

// record is a record of the DNS, and what it is for.
type record struct {
	For string
	accounts.DNSRecord
}

// domainsOf returns the sending domains of the Account.
func domainsOf(r *ui.Request) ([]accounts.SendingDomain, error) {
	all, err := r.App.Accounts.SendingDomains(r.Context())
	return slices.DeleteFunc(all, func(d accounts.SendingDomain) bool {
		return d.AccountID != r.Caller.Account.ID
	}), err
}

// senders returns the senders of the Account's Lists and Messages, without those of other Lists.
func senders(r *ui.Request) (all []sender, err error) {
	add := func(from, where string) {
		if from != "" {
			all = append(all, sender{Address: from, Where: where})
		}
	}
	lists, err := r.Lists()
	if err != nil {
		return nil, err
	}
	for i := range lists {
		add(lists[i].FromAddress, "List "+lists[i].Name)
	}
	found, err := r.App.Messages.SearchMessages(r.Context(), r.Caller, enlist.Query{SortBy: "name"})
	if err = enlist.IgnoreKind(enlist.Denied, err); err != nil {
		return nil, err
	}
	for i := range found {
		if found[i].Type == messages.MessageEmail {
			add(found[i].FromAddress, "Message "+found[i].Name)
		}
	}
	add(r.App.Accounts.Settings().Of(r.Caller.Account.ID).From, "what has no sender")
	return joined(all), nil
}

// joined joins what has the same address.
func joined(all []sender) (senders []sender) {
	for _, s := range all {
		i := slices.IndexFunc(senders, func(o sender) bool { return strings.EqualFold(o.Address, s.Address) })
		switch {
		case i < 0:
			senders = append(senders, s)
		case strings.Count(senders[i].Where, ", ") < 4:
			senders[i].Where += ", " + s.Where
		}
	}
	return senders
}

// setup returns how the Account sends.
func (p *pages) setup(r *ui.Request, domains []accounts.SendingDomain, all []sender) (*dns.Setup, error) {
	settings := r.App.Accounts.Settings()
	s := &dns.Setup{Provider: p.Provider, Bounces: settings.Bounces.Domain}
	limits, err := r.App.Sending.Limits(r.Context())
	if err != nil {
		return nil, err
	}
	if p.MailDir == "" {
		if s.Relay, _, err = net.SplitHostPort(limits.Relay); err != nil {
			s.Relay = limits.Relay // it has no port
		}
	}
	if settings.DKIM != nil {
		s.Server = settings.DKIM.Domain
	}
	for i := range domains {
		for _, key := range []*accounts.DKIMKey{&domains[i].Key, &domains[i].Next} {
			if key.Selector == "" {
				continue
			}
			published, err := key.Record(domains[i].Domain)
			if err != nil {
				return nil, err
			}
			s.Keys = append(s.Keys,
				dns.Key{Domain: domains[i].Domain, Record: published, Next: key == &domains[i].Next})
		}
	}
	for _, one := range all {
		if name := domainName(one.Address); name != "" && !slices.Contains(s.Senders, name) {
			s.Senders = append(s.Senders, name)
		}
	}
	for i := range domains {
		if !slices.Contains(s.Senders, domains[i].Domain) {
			s.Senders = append(s.Senders, domains[i].Domain)
		}
	}
	return s, nil
}

// domainName returns the domain of an address in ASCII and lower case, or "".
func domainName(text string) string {
	_, key, ok := address.ParseEmail(text)
	if !ok {
		return "" // it has merge fields
	}
	return address.Domain(key)
}

// showDomains shows the page. With check it also asks the DNS, which takes up to 20 seconds.
func (p *pages) showDomains(r *ui.Request, check bool) (*ui.View, error) {
	domains, err := domainsOf(r)
	if err != nil {
		return nil, err
	}
	all, err := senders(r)
	if err != nil {
		return nil, err
	}
	s, err := p.setup(r, domains, all)
	if err != nil {
		return nil, err
	}
	d := domainsData{Senders: all, Checked: check, MayCheck: r.Caller.Key.Level >= enlist.Standard}
	for i := range all {
		all[i].Signed = signedBy(s, domainName(all[i].Address))
	}
	for _, name := range s.Senders {
		d.Domains = append(d.Domains, domainOf(s, name))
	}
	if check {
		checker := &dns.Checker{Resolver: p.Resolver}
		for _, result := range checker.Check(r.Context(), s) {
			kind, _, _ := strings.Cut(result.Check, " ")
			if kind != "DKIM" && kind != "SPF" && kind != "DMARC" {
				continue // about the whole server
			}
			d.Results = append(d.Results, result)
			if result.Level == dns.Problem {
				d.Wrong++
			}
		}
	}
	return &ui.View{Title: "Senders and domains", Place: "/admin/sending", Content: p.domains_, Data: d,
		Sub: "What receivers look up before they accept your mails"}, nil
}

// signedBy says whose key signs the mails from a domain.
func signedBy(s *dns.Setup, name string) string {
	switch {
	case slices.ContainsFunc(s.Keys, func(k dns.Key) bool { return k.Domain == name }):
		return "by its own key"
	case s.Server != "":
		return "by the key of " + s.Server
	case s.Provider != "":
		return "by the provider, if it knows the domain"
	}
	return "not signed"
}

// domainOf returns a domain with its records.
func domainOf(s *dns.Setup, name string) domain {
	d := domain{Name: name}
	for _, key := range s.Keys {
		switch {
		case key.Domain == name && key.Next:
			d.Records = append(d.Records, record{"DKIM: the next key", key.Record})
		case key.Domain == name:
			d.Records = append(d.Records, record{"DKIM: the key that signs", key.Record})
		}
	}
	if len(d.Records) == 0 {
		d.Says = "It has no key of its own, so receivers trust its mails less. The operator adds it with: " +
			"enlist domain add " + name
	}
	spf, dmarc := s.Suggested(name)
	if spf.Value != "" {
		d.Records = append(d.Records, record{"SPF: who may send. Only one may exist: add to it", spf})
	}
	d.Records = append(d.Records, record{"DMARC: what becomes of forged mails. Make it stricter later", dmarc})
	return d
}
