package audience

import (
	"context"
	"errors"
)

// hindrance is what a change has to make sure of before it is made: that no
// Contact of a List stands in its way. Looking at all of a large List takes
// seconds, in which nobody else could write.
type hindrance struct {
	about any // comparable: the question, with all that the answer depends on
	// look refuses when Contacts that were modified at a time or later stand in
	// the way; 0 means all Contacts.
	look func(tx Tx, since int64) error
}

// lookout looks for hindrances outside the Update that they are for, so that
// within it only the Contacts modified since have to be looked at.
//
// That misses none: what was modified before the time that seen says was
// committed when the Update which gave that time ended, since nobody wrote beside
// it, so the look outside, which came after, has seen it. Processes whose clocks
// differ may share a database: so far back it looks again.
type lookout struct {
	seen  map[any]int64 // by question: from when on Contacts have not been looked at
	next  *hindrance    // to be looked for outside
	from  int64         // from when on
	began int64         // the Update's time
	looks int
}

var errLookFirst = errors.New("look outside the transaction first")

// clockDifference is how much the clocks of two machines may differ, in seconds.
const clockDifference = 60

// maxLooks bounds how often a change looks again at what others modified while it looked.
const maxLooks = 5

// clear returns nil when h, which may be nil, does not hinder, and errLookFirst
// when that has to be found out outside. Nothing may be written before it.
func (l *lookout) clear(tx Tx, now int64, h *hindrance) error {
	if h == nil {
		return nil
	}
	from, seen := l.seen[h.about]
	if seen && (now-from <= 1 || l.looks >= maxLooks) {
		return h.look(tx, max(from-clockDifference, 1))
	}
	if err := tx.LockDefinitions(); err != nil {
		return err
	}
	l.looks++
	l.next, l.from, l.began = h, from, now
	return errLookFirst
}

// changeUnhindered is change for what a lookout has to clear.
func changeUnhindered[R any](ctx context.Context, s *Service, c *Caller, fn func(tx Tx, now int64, l *lookout) (R, error)) (R, error) {
	l := lookout{seen: make(map[any]int64)}
	for {
		result, err := change(ctx, s, c, func(tx Tx, now int64) (R, error) { return fn(tx, now, &l) })
		if !errors.Is(err, errLookFirst) {
			return result, err
		}
		if err := s.store.ViewPrimary(ctx, func(tx Tx) error { return l.next.look(tx, l.from) }); err != nil {
			return result, err
		}
		l.seen[l.next.about] = l.began
	}
}

// holders are the Contacts of a List that match where.
type holders struct {
	schema *Schema
	where  *Condition
	reads  []FieldID
	counts func(*Contact) bool // which of them count; nil: all
}

// count counts those modified at a time or later.
func (h *holders) count(tx Tx, since int64) (n int64, err error) {
	search := Search{Schema: h.schema, Where: h.where, Columns: Columns{Fields: h.reads}}
	if since > 0 {
		modified := &SearchKey{Name: "last_modified_time", Type: KeyInt, Searchable: true}
		recent := Condition{Key: modified, Operator: GreaterThan, Operands: []Operand{{Int: since - 1}}}
		search.Where = &Condition{All: []Condition{recent, *h.where}}
	}
	if h.counts == nil {
		return tx.CountContacts(&search)
	}
	err = tx.SearchContacts(&search, func(c *Contact) error {
		if h.counts(c) {
			n++
		}
		return nil
	})
	return n, err
}

// unless makes a hindrance of holders: a refusal that says how many there are.
func (h *holders) unless(about any, attribute, what string) *hindrance {
	return &hindrance{about, func(tx Tx, since int64) error {
		n, err := h.count(tx, since)
		return refuseHolders(n, err, attribute, what)
	}}
}
