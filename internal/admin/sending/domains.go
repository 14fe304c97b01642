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
type sender struct {
	Address, Where, Signed string
	uses                   []string
}

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
			all = append(all, sender{Address: from, uses: []string{where}})
		}
	}
	lists, err := r.Lists()
	if err != nil {
		return nil, err
	}
	for i := range lists {
		add(lists[i].FromAddress, r.Text("sending.used_by_list", "list", lists[i].Name))
	}
	found, err := r.App.Messages.SearchMessages(r.Context(), r.Caller, enlist.Query{SortBy: "name"})
	if err = enlist.IgnoreKind(enlist.Denied, err); err != nil {
		return nil, err
	}
	for i := range found {
		if found[i].Type == messages.MessageEmail {
			add(found[i].FromAddress, r.Text("sending.used_by_message", "message", found[i].Name))
		}
	}
	add(r.App.Accounts.Settings().Of(r.Caller.Account.ID).From, r.Text("sending.what_has_no_sender"))
	return joined(r, all), nil
}

// shownUses is the number of Lists and Messages that the page names for an address.
const shownUses = 5

// joined joins what has the same address.
func joined(r *ui.Request, all []sender) (senders []sender) {
	for _, s := range all {
		i := slices.IndexFunc(senders, func(o sender) bool { return strings.EqualFold(o.Address, s.Address) })
		switch {
		case i < 0:
			senders = append(senders, s)
		case len(senders[i].uses) < shownUses:
			senders[i].uses = append(senders[i].uses, s.uses...)
		}
	}
	for i := range senders {
		senders[i].Where = r.Language.Series(senders[i].uses)
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
		if err := s.AddKeys(&domains[i]); err != nil {
			return nil, err
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
	d := domainsData{Senders: all, Checked: check, MayCheck: r.Caller.May(enlist.SeeContacts)}
	for i := range all {
		all[i].Signed = signedBy(r, s, domainName(all[i].Address))
	}
	for _, name := range s.Senders {
		d.Domains = append(d.Domains, domainOf(r, s, name))
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
	return &ui.View{Title: r.Text("sending.senders_domains"), Place: "/admin/sending", Content: p.domainsPage, Data: d,
		Sub: r.Text("sending.what_receivers_look_up_before")}, nil
}

// signedBy says whose key signs the mails from a domain.
func signedBy(r *ui.Request, s *dns.Setup, name string) string {
	switch {
	case slices.ContainsFunc(s.Keys, func(k dns.Key) bool { return k.Domain == name }):
		return r.Text("sending.by_own_key")
	case s.Server != "":
		return r.Text("sending.by_key_of", "domain", s.Server)
	case s.Provider != "":
		return r.Text("sending.by_provider")
	}
	return r.Text("sending.not_signed")
}

// domainOf returns a domain with its records.
func domainOf(r *ui.Request, s *dns.Setup, name string) domain {
	d := domain{Name: name}
	for _, key := range s.Keys {
		switch {
		case key.Domain == name && key.Next:
			d.Records = append(d.Records, record{r.Text("sending.dkim_next"), key.Record})
		case key.Domain == name:
			d.Records = append(d.Records, record{r.Text("sending.dkim"), key.Record})
		}
	}
	if len(d.Records) == 0 {
		d.Says = r.Text("sending.no_key", "domain", name)
	}
	spf, dmarc := s.Suggested(name)
	if spf.Value != "" {
		d.Records = append(d.Records, record{r.Text("sending.spf"), spf})
	}
	d.Records = append(d.Records, record{r.Text("sending.dmarc"), dmarc})
	return d
}
