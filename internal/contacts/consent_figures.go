package contacts

import (
	"context"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file counts how many Contacts of a List have confirmed, and for how many the ledger has a consent.

// ConsentFigures are numbers of the Contacts of a List that can get mail: they are active, have not unsubscribed, and
// have confirmed if the List asks for it.
type ConsentFigures struct {
	Receiving   int64
	Confirmed   int64 // of these, have confirmed by the link of a mail, or are stored as such
	Provable    int64 // of these, have a row of the ledger with a consent (gdpr or direct) or a confirmation by the link or a statement
	Unconfirmed int64 // could get mail if they confirmed; 0 if the List does not ask for it
}

// ConsentFigures counts the Contacts of a List by their consent. It reads each of them that has not left and its rows
// of the ledger, which takes less than 0.1 s for 30,000 Contacts. Errors: NoList, Denied, and Busy if counting takes too long.
func (s *Service) ConsentFigures(ctx context.Context, c *enlist.Caller, list enlist.ListID) (f ConsentFigures,
	err error) {
	err = s.db.Search(c.Context(ctx), s.db.Confirmed(c, func(tx *db.Tx) error {
		schema, err := lists.Load(tx, c, list)
		if err != nil {
			return err
		}
		receives := "1"
		if schema.List.DoubleOptIn {
			receives = "double_opt_in"
		}
		return tx.Row([]any{&f.Receiving, &f.Confirmed, &f.Provable, &f.Unconfirmed}, `SELECT coalesce(sum(`+receives+`), 0), coalesce(sum(double_opt_in), 0),
			coalesce(sum(CASE WHEN `+receives+` = 1 AND EXISTS (SELECT 1 FROM consent
				WHERE consent.list_id = ? AND consent.contact_id = contact.id
				AND (type IN ('`+string(enlist.ConsentGDPR)+"', '"+string(ConsentDirect)+"') OR method IN ('"+
			MethodConfirmLink+"', '"+MethodStatement+`'))) THEN 1 ELSE 0 END), 0), coalesce(sum(1 - `+receives+`), 0)
			FROM contact WHERE list_id = ? AND is_active = 1 AND is_unsubscribed = 0`, int64(list), int64(list))
	}))
	return f, err
}
