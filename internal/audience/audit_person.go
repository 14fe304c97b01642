package audience

import "context"

// This file adds the rows about persons to the audit log, and erases addresses from other rows.

// auditedPerson is the kind of the object of a row about a person.
const auditedPerson = "Person"

// auditPersonExport adds a row to the audit log before the rows about the person are sent.
func (s *Service) auditPersonExport(ctx context.Context, c *Caller, text string) error {
	_, err := update(ctx, s, c, func(tx Tx, now int64) (bool, error) {
		keys, _, err := findPerson(tx, c, text)
		if err != nil {
			return false, err
		}
		return true, auditPerson(tx, c, now, keys, auditValues{})
	})
	return err
}

// auditPerson adds a row about a person to the audit log. In place of the address it has keyed hashes, as the Unsubscriber
// List has them after an erasure. So the row stays as it is when the person is erased.
func auditPerson(tx Tx, c *Caller, now int64, k *PersonKeys, values auditValues) error {
	erased, err := erasedKeys(tx, k.Account)
	if err != nil {
		return err
	}
	hashes := make([]string, len(k.Keys))
	for i, key := range k.Keys {
		hashes[i] = erased.Of(key)
	}
	values["address_hashes"] = hashes
	return audit(tx, c, now, auditObject{kind: auditedPerson}, nil, values)
}

// eraseAuditRows empties the values in the rows of the audit log that contain the address.
func (s *Service) eraseAuditRows(ctx context.Context, f *personFound) error {
	return inChunks(ctx, s, f.acts, Tx.EraseAuditRows)
}
