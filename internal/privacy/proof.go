package privacy

import (
	"context"
	"crypto/ed25519"
	"slices"

	"enlist/internal/accounts"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file collects what was recorded about the consent of one Contact, and has the key that signs it. Package proof
// makes a page of it. decisions.md: 100

// ConsentProof is what was recorded about the consent of a Contact.
type ConsentProof struct {
	Time          int64 // when it was read
	Account       enlist.Account
	List          enlist.List
	Contact       enlist.ContactID
	Email, Mobile string // now; "" if the Contact was deleted
	IsDeleted     bool
	IsSubscribed  bool               // now
	Rows          []enlist.LedgerRow // oldest first
	LeavesOut     bool               // the ledger has older rows
}

// maxProofRows is the largest number of rows of a ConsentProof.
const maxProofRows = 10_000

// ConsentProof returns what was recorded about the consent of a Contact, and adds a row to the audit log. It also finds
// a Contact that was deleted, if its List still exists. Errors: NoList, Denied, and NoContact if the List never had the
// Contact.
func (s *Service) ConsentProof(ctx context.Context, c *enlist.Caller, list enlist.ListID,
	id enlist.ContactID) (*ConsentProof, error) {
	return db.Update(ctx, s.db, c, func(tx *db.Tx, now int64) (*ConsentProof, error) {
		schema, contact, err := contacts.Load(tx, c, list, id)
		if err != nil && (enlist.KindOf(err) != enlist.NoContact || id <= 0) {
			return nil, err
		}
		rows, failed := contacts.LedgerRows(tx, list, id, maxProofRows+1, 0)
		switch {
		case failed != nil:
			return nil, failed
		case err != nil && len(rows) == 0:
			return nil, err
		}
		p := &ConsentProof{Time: now, Account: *c.Account, List: schema.List, Contact: id, IsDeleted: err != nil}
		if contact != nil {
			p.Email, p.IsSubscribed = contact.Values.Get(schema.Email().ID), !contact.IsUnsubscribed
			if mobile := schema.Mobile(); mobile != nil {
				p.Mobile = contact.Values.Get(mobile.ID)
			}
		}
		p.LeavesOut = len(rows) > maxProofRows
		p.Rows = rows[:min(len(rows), maxProofRows)]
		slices.Reverse(p.Rows)
		return p, auditConsentProof(tx, c, now, p, contact)
	})
}

// ProofKey returns the key of the database that signs proofs. The first call creates it. No command shows it.
func (s *Service) ProofKey(ctx context.Context) (ed25519.PrivateKey, error) {
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, _ int64) (ed25519.PrivateKey, error) {
		seed, err := accounts.StoredSecret(tx, "consent_proof", ed25519.SeedSize)
		if err != nil {
			return nil, err
		}
		return ed25519.NewKeyFromSeed(seed), nil
	})
}
