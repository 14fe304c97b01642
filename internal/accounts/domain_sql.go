package accounts

import (
	"fmt"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores the sending domains of Accounts and their DKIM keys. The cache of the catalogue has the parsed keys.

func mapSendingDomain(m *db.Mapper, d *SendingDomain) {
	m.ID("id", (*int64)(&d.ID))
	m.Fixed("account_id", (*int64)(&d.AccountID))
	m.Fixed("domain", &d.Domain)
	m.Value("selector", &d.Key.Selector)
	m.Value("private_key", &d.Key.Private)
	m.Value("next_selector", &d.Next.Selector)
	m.Value("next_private_key", &d.Next.Private)
	m.Value("old_selector", &d.OldSelector)
	m.Value("switch_time", &d.SwitchTime)
	m.Fixed("creation_time", &d.CreationTime)
}

var sendingDomainTable = db.NewMapping("sending_domain", mapSendingDomain)

// sendingDomains returns the domains of all Accounts in the order of their names.
func sendingDomains(tx *db.Tx) ([]SendingDomain, error) {
	return sendingDomainTable.All(tx, "ORDER BY domain")
}

// sendingDomainNames returns the domains of an Account in the order of their names.
func sendingDomainNames(tx *db.Tx, account enlist.AccountID) ([]string, error) {
	s, err := tx.Catalogue()
	if err != nil {
		return nil, err
	}
	names, err := db.Cached(s, s.Domains, account, func() (*[]string, error) {
		names := new([]string)
		return names, tx.Each(func(row *db.Cursor) error {
			*names = append(*names, row.Text())
			return nil
		}, "SELECT domain FROM sending_domain WHERE account_id = ? ORDER BY domain", int64(account))
	})
	if err != nil {
		return nil, err
	}
	return *names, nil
}

// signingKey returns the present key of a domain, or nil if no Account has this domain.
func signingKey(tx *db.Tx, domain string) (*enlist.SigningKey, error) {
	s, err := tx.Catalogue()
	if err != nil {
		return nil, err
	}
	return db.Cached(s, s.Signing, domain, func() (*enlist.SigningKey, error) {
		d, err := sendingDomainTable.One(tx, nil, "WHERE domain = ?", domain)
		if err != nil || d == nil {
			return nil, err
		}
		signer, err := d.Key.signer()
		if err != nil {
			return nil, fmt.Errorf("sending domain %s: %w", domain, err)
		}
		return &enlist.SigningKey{AccountID: d.AccountID, Domain: domain, Selector: d.Key.Selector, Signer: signer}, nil
	})
}

// senders returns the from_address of each List and Message of an Account that has one.
func senders(tx *db.Tx, account enlist.AccountID) ([]Sender, error) {
	return db.RowsOf(tx, func(row *db.Cursor) Sender {
		return Sender{List: enlist.ListID(row.Int()), Message: enlist.MessageID(row.Int()), From: row.Text()}
	}, `SELECT id, 0, from_address FROM list WHERE account_id = ?1 AND hidden = 0 AND from_address <> ''
		UNION ALL SELECT 0, id, from_address FROM message WHERE account_id = ?1 AND from_address <> '' ORDER BY 1, 2`,
		int64(account))
}
