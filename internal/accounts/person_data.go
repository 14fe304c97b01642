package accounts

import (
	"slices"
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"

	"github.com/go-json-experiment/json/jsontext"
)

// This file says what this package has of a person. Package privacy exports and erases it.

// RetriesOfPerson calls each for the results of calls with an Idempotency-Key that contain an address.
func RetriesOfPerson(tx *db.Tx, p *enlist.Person, each func([]enlist.PersonValue) error) error {
	texts, err := db.InJSON(p.Addresses)
	if err != nil {
		return err
	}
	test, args := db.ContainsOneOf(tx, "result", texts)
	return tx.Each(func(c *db.Cursor) error {
		key, header, time, result := c.Int(), c.Text(), c.Int(), c.Text()
		if !p.Mentions(result) {
			return nil
		}
		return each([]enlist.PersonValue{{Name: "key_id", Value: key}, {Name: "idempotency_key", Value: header},
			{Name: "time", Value: time}, {Name: "result", Value: jsontext.Value(result)}})
	}, "SELECT key_id, header, time, result FROM retry WHERE account_id = ? AND ("+test+
		") ORDER BY key_id, header", append([]any{int64(p.Account)}, args...)...)
}

// AuditOfPerson calls each for the rows of the audit log that contain an address or its hash. It leaves out who acted
// and from where: this is data about other persons. There is no index for the rows, so all rows of the Account are
// read.
func AuditOfPerson(tx *db.Tx, p *enlist.Person, each func([]enlist.PersonValue) error) error {
	isTheirs := func(r *AuditRow) bool {
		return p.Mentions(r.Before) || p.Mentions(r.After) ||
			slices.ContainsFunc(p.Hashes, func(hash string) bool { return strings.Contains(r.After, hash) })
	}
	texts, err := db.InJSON(p.Addresses)
	if err != nil {
		return err
	}
	for _, hash := range p.Hashes {
		texts = append(texts, strings.ToLower(hash))
	}
	test, args := db.ContainsOneOf(tx, "before_values || after_values", texts)
	return auditTable.Each(tx, func(r *AuditRow) error {
		if !isTheirs(r) {
			return nil
		}
		return each([]enlist.PersonValue{{Name: "id", Value: r.ID}, {Name: "time", Value: r.Time},
			{Name: "method", Value: r.Method}, {Name: "object", Value: r.Object},
			{Name: "object_id", Value: r.ObjectID},
			{Name: "list_id", Value: int64(r.ListID)},
			{Name: "before", Value: jsontext.Value(r.Before)}, {Name: "after", Value: jsontext.Value(r.After)}})
	}, "WHERE account_id = ? AND ("+test+") ORDER BY id", append([]any{int64(p.Account)}, args...)...)
}

// ThemeTexts calls each with the theme of an Account.
func ThemeTexts(tx *db.Tx, account enlist.AccountID, each func(id int64, text string)) error {
	return tx.EachText(each, "SELECT id, theme FROM account WHERE id = ?", int64(account))
}
