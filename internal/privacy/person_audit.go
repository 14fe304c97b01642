package privacy

import (
	"context"
	"slices"

	"enlist/internal/accounts"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file adds the rows about persons to the audit log, and erases addresses from other rows.

// auditedPerson is the kind of the object of a row about a person.
const auditedPerson = "Person"

// auditPersonExport adds a row to the audit log before the rows about the person are sent.
func (s *Service) auditPersonExport(ctx context.Context, c *enlist.Caller, text string) error {
	return db.Change(ctx, s.db, c, func(tx *db.Tx, now int64) error {
		keys, err := newPersonKeys(c, text)
		if err != nil {
			return err
		}
		return auditPerson(tx, c, now, keys, accounts.AuditValues{})
	})
}

// auditPerson adds a row about a person to the audit log. In place of the address it has keyed hashes, as the
// Unsubscriber List has them after an erasure. So the row stays as it is when the person is erased.
func auditPerson(tx *db.Tx, c *enlist.Caller, now int64, k *personKeys, values accounts.AuditValues) error {
	hashes, err := hashesOf(tx, k.Account, k.Keys)
	values["address_hashes"] = hashes
	if err != nil {
		return err
	}
	return accounts.Audit(tx, c, now, accounts.AuditObject{Kind: auditedPerson}, nil, values)
}

// auditConsentProof adds a row about the proof of a Contact, with keyed hashes of the addresses that the Contact has.
// contact is nil if it was deleted.
func auditConsentProof(tx *db.Tx, c *enlist.Caller, now int64, p *ConsentProof, contact *enlist.Contact) error {
	var keys []string
	if contact != nil {
		keys = slices.DeleteFunc(contacts.FewKeys([]string{contact.Key, contact.Mobile}),
			func(key string) bool { return key == "" })
	}
	hashes, err := hashesOf(tx, c.Account.ID, keys)
	if err != nil {
		return err
	}
	on := accounts.AuditObject{Kind: auditedPerson, ID: int64(p.Contact), List: p.List.ID}
	return accounts.Audit(tx, c, now, on, nil, accounts.AuditValues{"address_hashes": hashes,
		"rows": int64(len(p.Rows))})
}

// hashesOf returns the keyed hashes of normalised addresses.
func hashesOf(tx *db.Tx, account enlist.AccountID, keys []string) ([]string, error) {
	erased, err := erasedKeys(tx, account)
	if err != nil {
		return nil, err
	}
	hashes := make([]string, len(keys))
	for i, key := range keys {
		hashes[i] = erased.Of(key)
	}
	return hashes, nil
}

// eraseAuditRows empties the values in the rows of the audit log that contain the address.
func (s *Service) eraseAuditRows(ctx context.Context, f *personFound) error {
	return inChunks(ctx, s.db, f.acts, accounts.EraseAuditRows)
}
