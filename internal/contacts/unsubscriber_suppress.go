package contacts

import (
	"errors"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file finds the addresses that get no mail of any Batch or autoresponder, because they are on the Unsubscriber
// List for all Lists.

// Suppressed returns those Contacts of a List that get no mail of a Message, because their address is on the
// Unsubscriber List for all Lists: unsubscribeContact with List 0 stores such entries, and so does an erasure. An entry
// of one List has no effect here, because the Contacts of this List are unsubscribed already. A person who subscribed
// again after the entry gets the mail. Only the ID and the Key of the Contacts are read. decisions.md: 101
func Suppressed(tx *db.Tx, list *enlist.List, candidates []Candidate) ([]enlist.ContactID, error) {
	keys := make([]string, len(candidates))
	for i := range candidates {
		keys[i] = candidates[i].Key
	}
	entries, err := suppressedAmong(tx, list.AccountID, keys)
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	var ids []enlist.ContactID
	since := make(map[enlist.ContactID]int64, len(entries)) // times of the entries
	for i := range candidates {
		if at, found := entries[candidates[i].Key]; found {
			ids = append(ids, candidates[i].ID)
			since[candidates[i].ID] = at
		}
	}
	again, err := lastSubscriptions(tx, list.ID, ids)
	suppressed := ids[:0]
	for _, id := range ids {
		if again[id] <= since[id] {
			suppressed = append(suppressed, id)
		}
	}
	return suppressed, err
}

// leftAmong returns those of the normalised addresses that are on the Unsubscriber List for a List or for all Lists.
func leftAmong(tx *db.Tx, account enlist.AccountID, list enlist.ListID, addresses []string) (map[string]bool, error) {
	left, err := UnsubscribedAmong(tx, account, list, addresses)
	if err != nil {
		return nil, err
	}
	everywhere, err := suppressedAmong(tx, account, addresses)
	for address := range everywhere {
		left[address] = true
	}
	return left, err
}

// ErrHasLeft is in the error of a user who adds an address of the Unsubscriber List.
var ErrHasLeft = errors.New("the person asked for no more email")

// checkLeft refuses a new Contact whose address is on the Unsubscriber List, unless the person has asked again. Then the
// row of the ledger has the method of a subscription after the entry, so that the person gets mail.
func (sub *subscription) checkLeft(contact *enlist.Contact) error {
	left, err := leftAmong(sub.tx, sub.caller.Account.ID, contact.ListID, []string{contact.Key})
	sub.again = sub.again && left[contact.Key]
	if err != nil || sub.again || !left[contact.Key] {
		return err
	}
	return &enlist.Error{Kind: enlist.InvalidParameters, Field: sub.Schema.AddressField(contact).Name,
		Detail: "this address is on the Unsubscriber List", Err: ErrHasLeft}
}
