package lists

import (
	"context"
	"errors"
	"strconv"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/search"
)

// This file checks all Contacts of a List before a definition changes, such as the type of a
// Field. The check may take seconds, and must not block other writers for this time.

// precondition is a check over all Contacts of a List that must pass before a definition
// changes. On a large List the check takes seconds.
type precondition struct {
	id any // comparable; identifies the check and everything that its result depends on
	// check returns an error if a Contact fails the precondition. It reads only Contacts
	// that were modified at the Unix time since or later. 0 means all Contacts.
	check func(tx *db.Tx, since int64) error
}

// preconditionChecker first checks all Contacts outside the Update that needs the
// precondition. Inside the Update it checks only the Contacts that were modified after the last
// check outside began.
//
// No modified Contact is missed. First, an Update that runs alone (LockDefinitions) records
// its time. So every earlier change is committed before the check outside starts, and this
// check reads the change. Processes with different clocks may share a database, so the check
// inside the Update also reads Contacts that were modified up to clockDifference before the
// recorded time.
type preconditionChecker struct {
	checked map[any]int64 // by precondition.id: Contacts modified at this Unix time or later are not checked yet
	next    *precondition // the precondition to check next, outside the Update
	from    int64         // the check outside reads Contacts modified at this time or later
	began   int64         // the time of the Update that asked for the check
	rounds  int           // number of checks outside
}

// errCheckFirst ends an Update that needs a check outside the Update.
var errCheckFirst = errors.New("check the precondition outside the transaction first")

// clockDifference is how much the clocks of two machines may differ, in seconds.
const clockDifference = 60

// maxRounds is the largest number of checks outside the Update. Each further check reads the
// Contacts that other callers modified during the check before. After maxRounds checks, the
// other modified Contacts are checked inside the Update.
const maxRounds = 5

// require returns nil if p passes or is nil. It returns errCheckFirst if the check must first
// run outside the Update. Call require before the first write of the Update.
func (checker *preconditionChecker) require(tx *db.Tx, now int64, p *precondition) error {
	if p == nil {
		return nil
	}
	from, checked := checker.checked[p.id]
	if checked && (now-from <= 1 || checker.rounds >= maxRounds) {
		return p.check(tx, max(from-clockDifference, 1))
	}
	if err := tx.LockDefinitions(); err != nil {
		return err
	}
	checker.rounds++
	checker.next, checker.from, checker.began = p, from, now
	return errCheckFirst
}

// updateChecked is update for a change that has preconditions. If fn returns errCheckFirst, it
// checks the precondition in a ViewPrimary and then runs fn again in a new Update.
func updateChecked[R any](ctx context.Context, database *db.DB, c *enlist.Caller,
	fn func(tx *db.Tx, now int64, checker *preconditionChecker) (R, error)) (R, error) {
	checker := preconditionChecker{checked: make(map[any]int64)}
	for {
		result, err := db.Update(ctx, database, c, func(tx *db.Tx, now int64) (R, error) {
			return fn(tx, now, &checker)
		})
		if !errors.Is(err, errCheckFirst) {
			return result, err
		}
		err = database.ViewPrimary(c.Context(ctx), func(tx *db.Tx) error {
			return checker.next.check(tx, checker.from)
		})
		if err != nil {
			return result, err
		}
		checker.checked[checker.next.id] = checker.began
	}
}

// holders describes the Contacts of a List that match a condition, for example all Contacts with
// a value in a Field. The comments below call such a Contact a holder.
type holders struct {
	schema *enlist.Schema
	where  *enlist.Condition
	reads  []enlist.FieldID           // Fields that the function fails reads
	fails  func(*enlist.Contact) bool // whether a Contact fails the precondition; nil: every holder fails
}

// count returns the number of holders that fail the precondition. It reads only Contacts that
// were modified at the Unix time since or later.
func (h *holders) count(tx *db.Tx, since int64) (n int64, err error) {
	query := enlist.Search{Schema: h.schema, Where: h.where, Columns: enlist.Columns{Fields: h.reads}}
	if since > 0 {
		modified := &enlist.SearchKey{Name: "last_modified_time", Type: enlist.KeyInt, Searchable: true}
		recent := enlist.Condition{Key: modified, Operator: enlist.GreaterThan,
			Operands: []enlist.Operand{{Int: since - 1}}}
		query.Where = &enlist.Condition{All: []enlist.Condition{recent, *h.where}}
	}
	if h.fails == nil {
		return search.Count(tx, &query)
	}
	err = search.Contacts(tx, &query, func(c *enlist.Contact) error {
		if h.fails(c) {
			n++
		}
		return nil
	})
	return n, err
}

// mustBeNone returns a precondition that passes if no holder fails. Otherwise its error names
// attribute, and its text contains what and the number of Contacts. what describes the Contacts.
func (h *holders) mustBeNone(id any, attribute, what string) *precondition {
	return &precondition{id, func(tx *db.Tx, since int64) error {
		n, err := h.count(tx, since)
		if err != nil || n == 0 {
			return err
		}
		return enlist.Invalid(attribute, "Contacts that "+what+": "+strconv.FormatInt(n, 10))
	}}
}
