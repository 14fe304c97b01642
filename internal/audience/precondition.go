package audience

import (
	"context"
	"errors"
	"strconv"
)

// This file checks all Contacts of a List before a definition changes, such as the
// type of a Field, without blocking other writers for as long as that takes.

// precondition is a check over all Contacts of a List that must pass before a
// definition changes. On a large List it takes seconds.
type precondition struct {
	id any // comparable: the check, with everything that its result depends on
	// check refuses when a Contact fails the precondition. It reads the Contacts that
	// were modified at a Unix time or later, 0 for all.
	check func(tx Tx, since int64) error
}

// preconditionChecker runs the check of a precondition outside the Update that needs
// it. Inside, it repeats the check only for the Contacts modified since.
//
// This misses no Contact. The Update that took the time ran alone (LockDefinitions).
// So every earlier change was committed when that Update ended, and the later check
// outside has read it. Processes with different clocks may share a database, so the
// check inside starts clockDifference earlier.
type preconditionChecker struct {
	checked map[any]int64 // by id: the Unix time from which on Contacts are unchecked
	next    *precondition // to check outside
	from    int64         // check Contacts modified at this time or later
	began   int64         // the time of the Update
	rounds  int           // checks outside
}

// errCheckFirst ends an Update that needs a check outside of it.
var errCheckFirst = errors.New("check the precondition outside the transaction first")

// clockDifference is how much the clocks of two machines may differ, in seconds.
const clockDifference = 60

// maxRounds is how often a change repeats the check outside for the Contacts that other
// callers modified during the last one. After that it checks the rest inside.
const maxRounds = 5

// require returns nil when p passes; p may be nil. It returns errCheckFirst when the
// check must run outside first. Call it before the first write.
func (checker *preconditionChecker) require(tx Tx, now int64, p *precondition) error {
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

// updateChecked is update for a change that has preconditions.
func updateChecked[R any](ctx context.Context, s *Service, c *Caller,
	fn func(tx Tx, now int64, checker *preconditionChecker) (R, error)) (R, error) {
	checker := preconditionChecker{checked: make(map[any]int64)}
	for {
		result, err := update(ctx, s, c, func(tx Tx, now int64) (R, error) { return fn(tx, now, &checker) })
		if !errors.Is(err, errCheckFirst) {
			return result, err
		}
		err = s.store.ViewPrimary(ctx, func(tx Tx) error { return checker.next.check(tx, checker.from) })
		if err != nil {
			return result, err
		}
		checker.checked[checker.next.id] = checker.began
	}
}

// holders are the Contacts of a List that match a condition, such as having a value
// in a Field.
type holders struct {
	schema *Schema
	where  *Condition
	reads  []FieldID           // Fields that fails reads
	fails  func(*Contact) bool // which of them fail the precondition; nil: all
}

// count counts the holders that fail, of those modified at a Unix time or later.
func (h *holders) count(tx SearchTx, since int64) (n int64, err error) {
	search := Search{Schema: h.schema, Where: h.where, Columns: Columns{Fields: h.reads}}
	if since > 0 {
		modified := &SearchKey{Name: "last_modified_time", Type: KeyInt, Searchable: true}
		recent := Condition{Key: modified, Operator: GreaterThan, Operands: []Operand{{Int: since - 1}}}
		search.Where = &Condition{All: []Condition{recent, *h.where}}
	}
	if h.fails == nil {
		return tx.CountContacts(&search)
	}
	err = tx.SearchContacts(&search, func(c *Contact) error {
		if h.fails(c) {
			n++
		}
		return nil
	})
	return n, err
}

// mustBeNone makes the precondition that no holder fails. The refusal says what the
// Contacts do, and how many they are.
func (h *holders) mustBeNone(id any, attribute, what string) *precondition {
	return &precondition{id, func(tx Tx, since int64) error {
		n, err := h.count(tx, since)
		if err != nil || n == 0 {
			return err
		}
		return invalid(attribute, "Contacts that "+what+": "+strconv.FormatInt(n, 10))
	}}
}
