package contacts

import (
	"context"

	"enlist/internal/address"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file says what a copy of Contacts to another List means, for the pages and for copy_step.go. A copy is a change
// (change.go), so it has the Contacts that matched, and goes on after a crash.

// The actions with a Target.
const (
	ChangeCopy ChangeAction = "copy"
	ChangeMove ChangeAction = "move" // a copy, after which the first List no longer has the Contact
)

// IsCopy reports whether an action copies Contacts to a Target.
func (a ChangeAction) IsCopy() bool { return a == ChangeCopy || a == ChangeMove }

// CopyContacts is the job of a copy. Versions before 1.1.0 do not know its kind, and would deactivate the Contacts.
type CopyContacts struct {
	ID   int64        `json:"id"`
	User int64        `json:"user_id,omitempty"`
	Key  enlist.KeyID `json:"key_id,omitempty"`
}

// Kind implements db.Effect.
func (CopyContacts) Kind() string { return "copy_contacts" }

// CopyContacts is MakeChange for a copy.
func (s *Service) CopyContacts(ctx context.Context, e CopyContacts) (done bool, err error) {
	return s.MakeChange(ctx, MakeChange(e))
}

// FieldPair is a Field, and the one of another List that gets its values; nil: none does.
type FieldPair struct{ From, To *enlist.Field }

// FieldPairs returns the Fields of a List with those of another List that get their values. Errors: NoList, Denied.
func (s *Service) FieldPairs(ctx context.Context, c *enlist.Caller, from, to enlist.ListID) ([]FieldPair, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]FieldPair, error) {
		a, err := lists.Load(tx, c, from)
		if err != nil {
			return nil, err
		}
		b, err := lists.Load(tx, c, to)
		if err != nil {
			return nil, err
		}
		return fieldPairs(a, b), nil
	})
}

// fieldPairs finds the address Fields by their kind and the others by their name, also in another letter case if no other
// Field has the exact name.
func fieldPairs(from, to *enlist.Schema) []FieldPair {
	pairs, taken := make([]FieldPair, len(from.Fields)), make(map[*enlist.Field]bool)
	pair := func(i int, f *enlist.Field) {
		isAddress := pairs[i].From.AddressType != enlist.AddressNone
		if f != nil && !taken[f] && pairs[i].To == nil && isAddress == (f.AddressType != enlist.AddressNone) {
			pairs[i].To, taken[f] = f, true
		}
	}
	for i := range from.Fields {
		f := &from.Fields[i]
		switch pairs[i].From = f; f.AddressType {
		case enlist.AddressEmail:
			pair(i, to.Email())
		case enlist.AddressMobile:
			pair(i, to.Mobile())
		default:
			pair(i, to.ByName[f.Name])
		}
	}
	for i := range pairs {
		pair(i, to.ByLowerName[address.LowerASCII(pairs[i].From.Name)])
	}
	return pairs
}

// checkTarget checks the List to which Contacts are copied.
func (c *Change) checkTarget(tx *db.Tx, by *enlist.Caller) error {
	if c.Target == c.ListID || c.Target == 0 {
		return enlist.Invalid("target_list_id", "choose another List")
	}
	_, err := lists.Load(tx, by, c.Target)
	return err
}
