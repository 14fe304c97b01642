package accounts

import (
	"context"
	"errors"
	"strings"

	"enlist/internal/address"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has the sending domains of Accounts: domains from which an Account sends, each with the DKIM keys that sign
// its mails. domain_key.go makes and reads the keys, and sender.go checks senders. The operator administers
// domains on the command line, without a key of the API. decisions.md: 110

// SendingDomain is a domain from which an Account sends. It never has subdomains of itself: each needs an entry.
// No two Accounts have the same domain.
type SendingDomain struct {
	ID        enlist.SendingDomainID
	AccountID enlist.AccountID
	Domain    string // in ASCII and lower case
	Key       DKIMKey
	Next      DKIMKey // signs after SwitchSendingDomain; its Selector is "" if there is none
	// OldSelector is the selector of the key that signed before the last switch, and SwitchTime the time of the switch.
	// Receivers may look the record up for a week after it. "" and 0: there was no switch.
	OldSelector  string
	SwitchTime   int64
	CreationTime int64
}

// DKIMKey is a private key and the name of its record in the DNS.
type DKIMKey struct {
	Selector string
	Private  string // PKCS #8 in PEM
}

// NewSendingDomain describes a domain to add, or a key to add to a domain.
type NewSendingDomain struct {
	Account  enlist.AccountID // only for a new domain
	Domain   string
	Selector string      // "": a name with the date, such as enlist20270131
	Type     DKIMKeyType // "" means RSA
}

// AddSendingDomain adds a domain to an Account, with a new key that signs from now on. Errors: InvalidParameters, also
// if an Account has the domain.
func (s *Service) AddSendingDomain(ctx context.Context, n NewSendingDomain) (*SendingDomain, error) {
	domain, err := readDomain(n.Domain)
	if err != nil {
		return nil, err
	}
	key, err := s.newDKIMKey(n)
	if err != nil {
		return nil, err
	}
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (*SendingDomain, error) {
		if err := tx.LockDefinitions(); err != nil {
			return nil, err
		}
		if _, err := FindAccount(tx, n.Account); err != nil {
			return nil, err
		}
		switch other, err := signingKey(tx, domain); {
		case err != nil:
			return nil, err
		case other != nil:
			return nil, enlist.Refuse(enlist.InvalidParameters, "Account %d has the domain %s already", other.AccountID,
				domain)
		}
		d := &SendingDomain{AccountID: n.Account, Domain: domain, Key: *key, CreationTime: now}
		if err := sendingDomainTable.AddDefinition(tx, d); err != nil {
			return nil, err
		}
		return d, d.auditChange(ctx, tx, now, nil, d.auditValues())
	})
}

// SendingDomains returns the domains of all Accounts, with their private keys, in the order of their names.
func (s *Service) SendingDomains(ctx context.Context) ([]SendingDomain, error) {
	return db.OwnView(ctx, s.db, sendingDomains)
}

// SendingDomain returns one domain with its private keys. Errors: InvalidParameters.
func (s *Service) SendingDomain(ctx context.Context, domain string) (*SendingDomain, error) {
	return db.OwnView(ctx, s.db, func(tx *db.Tx) (*SendingDomain, error) { return findSendingDomain(tx, domain) })
}

// RotateSendingDomain makes the next key of a domain. Mails are signed with the present key until SwitchSendingDomain.
// Errors: InvalidParameters, also if there is a next key already.
func (s *Service) RotateSendingDomain(ctx context.Context, n NewSendingDomain) (*SendingDomain, error) {
	key, err := s.newDKIMKey(n)
	if err != nil {
		return nil, err
	}
	return s.editSendingDomain(ctx, n.Domain, func(d *SendingDomain, _ int64) error {
		switch key.Selector {
		case d.Key.Selector, d.OldSelector:
			return enlist.Refuse(enlist.InvalidParameters, "the selector %s is in use for %s: give another one with --selector",
				key.Selector, d.Domain)
		}
		if d.Next.Selector != "" {
			return enlist.Refuse(enlist.InvalidParameters,
				"%s has a next key already, with the selector %s: switch to it first",
				d.Domain, d.Next.Selector)
		}
		d.Next = *key
		return nil
	})
}

// SwitchSendingDomain signs with the next key of a domain from now on, and forgets the key before it. Errors:
// InvalidParameters, also if there is no next key.
func (s *Service) SwitchSendingDomain(ctx context.Context, domain string) (*SendingDomain, error) {
	return s.editSendingDomain(ctx, domain, func(d *SendingDomain, now int64) error {
		if d.Next.Selector == "" {
			return enlist.Refuse(enlist.InvalidParameters, "%s has no next key", d.Domain)
		}
		d.OldSelector, d.SwitchTime = d.Key.Selector, now
		d.Key, d.Next = d.Next, DKIMKey{}
		return nil
	})
}

// RemoveSendingDomain removes a domain with its keys. Errors: InvalidParameters.
func (s *Service) RemoveSendingDomain(ctx context.Context, domain string) (*SendingDomain, error) {
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (*SendingDomain, error) {
		d, err := findSendingDomain(tx, domain)
		if err != nil {
			return nil, err
		}
		if err := tx.Define("DELETE FROM sending_domain WHERE id = ?", int64(d.ID)); err != nil {
			return nil, err
		}
		return d, d.auditChange(ctx, tx, now, d.auditValues(), nil)
	})
}

func (s *Service) editSendingDomain(ctx context.Context, domain string, edit func(*SendingDomain, int64) error) (
	*SendingDomain, error) {
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (*SendingDomain, error) {
		if err := tx.LockDefinitions(); err != nil {
			return nil, err
		}
		d, err := findSendingDomain(tx, domain)
		if err != nil {
			return nil, err
		}
		before := d.auditValues()
		if err := edit(d, now); err != nil {
			return nil, err
		}
		if err := sendingDomainTable.SaveDefinition(tx, d); err != nil {
			return nil, err
		}
		return d, d.auditChange(ctx, tx, now, before, d.auditValues())
	})
}

func (d *SendingDomain) auditChange(ctx context.Context, tx *db.Tx, now int64, before, after AuditValues) error {
	return Audit(tx, OperatorIn(ctx, &enlist.Account{ID: d.AccountID}), now,
		AuditObject{"SendingDomain", int64(d.ID), 0}, before, after)
}

// auditValues returns the values of a domain, without its private keys.
func (d *SendingDomain) auditValues() AuditValues {
	return AuditValues{"domain": d.Domain, "selector": d.Key.Selector, "next_selector": d.Next.Selector}
}

// findSendingDomain returns the domain that the operator typed.
func findSendingDomain(tx *db.Tx, text string) (*SendingDomain, error) {
	domain, err := readDomain(text)
	if err != nil {
		return nil, err
	}
	unknown := enlist.Refuse(enlist.InvalidParameters, "no Account has the sending domain %s", domain)
	return sendingDomainTable.One(tx, unknown, "WHERE domain = ?", domain)
}

// readDomain returns a domain in ASCII and lower case.
func readDomain(text string) (string, error) {
	_, key, ok := address.ParseEmail("x@" + strings.TrimSuffix(text, "."))
	if !ok {
		return "", enlist.Refuse(enlist.InvalidParameters, "%q is not a domain such as example.com", text)
	}
	return address.Domain(key), nil
}

// ErrForeignDomain means that an Account may not send from a domain, because it is a sending domain of another Account,
// or below one.
var ErrForeignDomain = errors.New("another Account has this domain")

// SigningKey returns the key that signs the mails of an Account from a domain in ASCII and lower case. It returns nil
// if the domain is no sending domain, so that the key of the server signs. It reads the database only after a
// definition has changed, and knows of a change from the next transaction on that reads a List or an Account, such as
// the one that reads a mail. Errors: ErrForeignDomain.
func (s *Service) SigningKey(ctx context.Context, account enlist.AccountID, domain string) (*enlist.SigningKey, error) {
	return ownKey(account, domain, func(domain string) (*enlist.SigningKey, error) {
		if key, known := s.db.Cache().SigningKey(domain); known {
			return key, nil
		}
		return db.OwnView(ctx, s.db, func(tx *db.Tx) (*enlist.SigningKey, error) { return signingKey(tx, domain) })
	})
}

// ownKey returns the key of a domain. If the domain is no sending domain, it looks for a domain above it, whose Account
// alone may send from it.
func ownKey(account enlist.AccountID, domain string,
	find func(string) (*enlist.SigningKey, error)) (*enlist.SigningKey, error) {
	for above := domain; strings.Contains(above, "."); _, above, _ = strings.Cut(above, ".") {
		key, err := find(above)
		switch {
		case err != nil:
			return nil, err
		case key == nil:
		case key.AccountID != account:
			return nil, ErrForeignDomain
		case above == domain:
			return key, nil
		default:
			return nil, nil
		}
	}
	return nil, nil
}
