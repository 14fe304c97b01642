package audience

import (
	"fmt"

	"enlist/internal/enlist"
)

// This file stores the sending domains of Accounts and their DKIM keys. The cache of the catalogue has the parsed keys.

func mapSendingDomain(m *mapper, d *SendingDomain) {
	m.id("id", (*int64)(&d.ID))
	m.fixed("account_id", (*int64)(&d.AccountID))
	m.fixed("domain", &d.Domain)
	m.value("selector", &d.Key.Selector)
	m.value("private_key", &d.Key.Private)
	m.value("next_selector", &d.Next.Selector)
	m.value("next_private_key", &d.Next.Private)
	m.value("old_selector", &d.OldSelector)
	m.value("switch_time", &d.SwitchTime)
	m.fixed("creation_time", &d.CreationTime)
}

var sendingDomainTable = newMapping("sending_domain", mapSendingDomain)

// SendingDomains returns the domains of all Accounts in the order of their names.
func (t *Tx) SendingDomains() ([]SendingDomain, error) {
	return sendingDomainTable.all(t, "ORDER BY domain")
}

// SendingDomainNames returns the domains of an Account in the order of their names.
func (t *Tx) SendingDomainNames(account enlist.AccountID) ([]string, error) {
	s, err := t.catalogue()
	if err != nil {
		return nil, err
	}
	names, err := cached(s, s.domains, account, func() (*[]string, error) {
		names := new([]string)
		return names, t.each(func(row *Cursor) error {
			*names = append(*names, row.Text())
			return nil
		}, "SELECT domain FROM sending_domain WHERE account_id = ? ORDER BY domain", int64(account))
	})
	if err != nil {
		return nil, err
	}
	return *names, nil
}

// SigningKey returns the present key of a domain, or nil if no Account has this domain.
func (t *Tx) SigningKey(domain string) (*SigningKey, error) {
	s, err := t.catalogue()
	if err != nil {
		return nil, err
	}
	return cached(s, s.signing, domain, func() (*SigningKey, error) {
		d, err := sendingDomainTable.one(t, nil, "WHERE domain = ?", domain)
		if err != nil || d == nil {
			return nil, err
		}
		signer, err := d.Key.Signer()
		if err != nil {
			return nil, fmt.Errorf("sending domain %s: %w", domain, err)
		}
		return &SigningKey{AccountID: d.AccountID, Domain: domain, Selector: d.Key.Selector, Signer: signer}, nil
	})
}

// AddSendingDomain stores a new domain.
func (t *Tx) AddSendingDomain(d *SendingDomain) error {
	return sendingDomainTable.addDefinition(t, d)
}

// UpdateSendingDomain stores the keys of a domain.
func (t *Tx) UpdateSendingDomain(d *SendingDomain) error {
	return sendingDomainTable.saveDefinition(t, d)
}

// DeleteSendingDomain removes a domain with its keys.
func (t *Tx) DeleteSendingDomain(id enlist.SendingDomainID) error {
	return t.define("DELETE FROM sending_domain WHERE id = ?", int64(id))
}

// Senders returns the from_address of each List and Message of an Account that has one.
func (t *Tx) Senders(account enlist.AccountID) (all []Sender, err error) {
	err = t.each(func(row *Cursor) error {
		all = append(all, Sender{List: enlist.ListID(row.Int()), Message: enlist.MessageID(row.Int()),
			From: row.Text()})
		return nil
	}, `SELECT id, 0, from_address FROM list WHERE account_id = ?1 AND hidden = 0 AND from_address <> ''
		UNION ALL SELECT 0, id, from_address FROM message WHERE account_id = ?1 AND from_address <> '' ORDER BY 1, 2`,
		int64(account))
	return all, err
}
