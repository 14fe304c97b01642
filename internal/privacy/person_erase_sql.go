package privacy

import (
	"fmt"
	"strconv"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file erases rows about a person that PersonRows has found. Each method changes the rows that it gets.

// EraseJobs deletes jobs. It keeps jobs that run, and returns their number.
func EraseJobs(tx *db.Tx, ids []int64) (running int64, err error) {
	test, arg, err := db.OneOfIDs(tx, ids)
	if err != nil {
		return 0, err
	}
	if err := tx.Do("DELETE FROM river_job WHERE CAST(state AS TEXT) <> 'running' AND id"+test, arg); err != nil {
		return 0, err
	}
	return tx.Number("SELECT count(*) FROM river_job WHERE id"+test, arg)
}

// textsWith returns where texts of an Account that an erasure leaves alone contain one of the addresses, such as
// "list 3". The texts are settings, content that callers wrote for many persons, and values of other persons' Contacts.
func textsWith(tx *db.Tx, k *PersonKeys) (places []string, err error) {
	for _, text := range []struct{ place, query string }{
		{"list", `SELECT id, on_register || ' ' || on_update || ' ' || on_unsubscribe || ' ' || from_address
				|| ' ' || description || ' ' || imprint || ' ' || confirm_subject || ' ' || confirm_text
				|| ' ' || consent_text || ' ' || farewell_text || ' ' || preferences_text
			FROM list WHERE account_id = ? AND hidden = 0`},
		{"message", `SELECT id, name || ' ' || subject || ' ' || html_content || ' ' || text_content || ' ' || from_address
				|| ' ' || reply_to || ' ' || authorised_sender || ' ' || postal_address || ' ' || blocks
			FROM message WHERE account_id = ?`},
		{"batch", "SELECT batch_id, criteria FROM batch_exclusion WHERE batch_id IN (SELECT id FROM batch WHERE account_id = ?)"},
		{"batch", "SELECT batch_id, criteria FROM batch_population WHERE batch_id IN (SELECT id FROM batch WHERE account_id = ?)"},
		{"form", `SELECT id, title || ' ' || introduction || ' ' || button || ' ' || consent || ' ' || thanks
				|| ' ' || translations
			FROM form WHERE account_id = ?`},
		{"theme", "SELECT id, theme FROM account WHERE id = ?"},
		{"segment", "SELECT id, name || ' ' || criteria FROM segment WHERE account_id = ?"},
	} {
		err := tx.Each(func(row *db.Cursor) error {
			id := row.Int()
			if k.Mentions(row.Text()) {
				places = append(places, text.place+" "+strconv.FormatInt(id, 10))
			}
			return nil
		}, text.query+" ORDER BY 1", int64(k.Account))
		if err != nil {
			return nil, err
		}
	}
	return contactsWith(tx, k, places)
}

// maxContactsWith is the largest number of Contacts of a List that textsWith returns.
const maxContactsWith = 100

// contactsWith adds the Contacts of other persons that have one of the addresses in a value. All Contacts are read.
func contactsWith(tx *db.Tx, k *PersonKeys, places []string) ([]string, error) {
	texts, err := inJSON(k.Addresses)
	if err != nil {
		return nil, err
	}
	inLists, lists, err := db.OneOfIDs(tx, k.Lists)
	if err != nil {
		return nil, err
	}
	values := tx.SQL.ShownDocument
	test, args := containsOneOf(tx, values, texts)
	n, of := 0, enlist.ListID(0) // the number of Contacts of the List of the last row
	err = tx.Each(func(row *db.Cursor) error {
		list, id, text := enlist.ListID(row.Int()), enlist.ContactID(row.Int()), row.Text()
		if list != of {
			n, of = 0, list
		}
		if n < maxContactsWith && !k.Has(list, id) && k.Mentions(text) {
			n++
			places = append(places, fmt.Sprintf("contact %d of list %d", id, list))
		}
		return nil
	}, "SELECT list_id, id, "+values+" FROM contact WHERE list_id"+inLists+" AND ("+test+") ORDER BY list_id, id",
		append([]any{lists}, args...)...)
	return places, err
}
