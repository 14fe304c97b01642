package contacts

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// Candidate is a Contact of a population, with the values that decide whether it becomes a recipient.
type Candidate struct {
	ID                                      enlist.ContactID
	Key                                     string // normalised address
	IsActive, IsUnsubscribed, IsDoubleOptIn bool
}

const readCandidate = `SELECT id, coalesce(dedupe_key, duplicate_key), is_active, is_unsubscribed, double_opt_in
	FROM contact WHERE list_id = ? AND `

// Candidates returns the next Contacts of a List, in order of ID.
func Candidates(tx *db.Tx, list enlist.ListID, after, upto enlist.ContactID, limit int) ([]Candidate, error) {
	const page = readCandidate + "id > ? AND id <= ? ORDER BY id" + db.Limited
	return readCandidates(tx, page, int64(list), int64(after), int64(upto), int64(limit))
}

// CandidatesByID returns the Contacts of a List with the given IDs, in order of ID.
func CandidatesByID(tx *db.Tx, list enlist.ListID, ids []enlist.ContactID) ([]Candidate, error) {
	test, args, err := tx.ContactTest("id", ids)
	if err != nil {
		return nil, err
	}
	return readCandidates(tx, readCandidate+test+" ORDER BY id", append([]any{int64(list)}, args...)...)
}

func readCandidates(tx *db.Tx, query string, args ...any) ([]Candidate, error) {
	return db.RowsOf(tx, func(row *db.Cursor) Candidate {
		return Candidate{ID: enlist.ContactID(row.Int()), Key: row.Text(),
			IsActive: row.Int() != 0, IsUnsubscribed: row.Int() != 0, IsDoubleOptIn: row.Int() != 0}
	}, query, args...)
}
