package contacts

import (
	"context"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file adds many Contacts in one call, addContacts. Before each transaction it parses the
// next rows and looks up which of them to leave out. add_step.go has the transaction.

// AddRequest is a call of addContacts.
type AddRequest struct {
	List      enlist.ListID
	Contacts  [][]enlist.Detail // at most MaxRows; keys as in SubscribeRequest
	Overwrite bool              // if a Contact has the address of a row, the row changes the first such Contact
	Skip      int64             // remove_unsubscribers: one of the constants below
	IP        string            // as in Consent, for all rows
}

// The values of AddRequest.Skip. They say which addresses AddContacts leaves out.
const (
	SkipNone                = iota
	SkipUnsubscribed        // addresses that unsubscribed from this List
	SkipUnsubscribedFromAny // all addresses on the Account's Unsubscriber List
)

// AddContacts adds Contacts to a List without the events of a subscription. It returns an
// ID for each row: the Contact that was added or overwritten, or 0 if the row was left out.
// A row is left out if it is invalid, or if its address exists already or has unsubscribed.
// It is also left out if other calls added so many Contacts during this call that the Account
// reached its limit. Errors: NoList, Denied, InvalidParameters, ContactLimit. After an error in
// a step, the Contacts of the earlier steps stay stored. decisions.md: 53
func (s *Service) AddContacts(ctx context.Context, c *enlist.Caller, r AddRequest) ([]enlist.ContactID, error) {
	call := addCall{AddRequest: r, service: s, caller: c, rows: newParsedRows(r.Contacts),
		skipped: make([]bool, len(r.Contacts))}
	call.rows.withDefaults = true
	done, err := db.RunInSteps(ctx, s.db, c, db.Steps[addProgress]{Prepare: call.prepare, Run: call.runStep})
	return done.IDs, err
}

// addCall is one call of addContacts, with its parsed rows and the results of the look-ups.
type addCall struct {
	AddRequest
	service  *Service
	caller   *enlist.Caller
	rows     parsedRows
	skipped  []bool // rows that are left out
	prepared int    // number of rows that prepare has parsed and looked up
	existed  int    // rows of the last transaction whose address existed already
}

// viewBatch is the number of rows or IDs that one View looks up.
const viewBatch = 500

// prepare parses the next rows and finds those that are left out because of an entry on the Unsubscriber List or, if
// many addresses exist, because of a Contact. It runs before the transaction, to keep the transaction short, and stops
// when it has enough rows for one. If a Contact is deleted after its look-up, the row is still left out.
func (a *addCall) prepare(ctx context.Context, p addProgress) error {
	next := len(p.IDs)
	a.rows.release(next)
	a.prepared = max(a.prepared, next)
	wanted := StepSize{Most: bulkStep}
	for i := next; i < a.prepared; i++ {
		a.count(i, &wanted)
	}
	for !wanted.full() && a.prepared < len(a.Contacts) {
		last := a.endOfLookUp(a.prepared)
		if err := a.lookUp(ctx, a.prepared, last); err != nil {
			return err
		}
		for ; a.prepared < last; a.prepared++ {
			a.count(a.prepared, &wanted)
		}
	}
	return nil
}

// endOfLookUp returns the end of the rows from first that are parsed and looked up together. A parsed value
// needs more memory than the request, so these rows have few values.
func (a *addCall) endOfLookUp(first int) int {
	size, end := StepSize{Most: viewBatch}, first
	for ; end < len(a.Contacts) && !size.full(); end++ {
		size.add(len(a.Contacts[end]))
	}
	return end
}

// count counts a row that a transaction will store. A row that is left out does not count.
func (a *addCall) count(i int, wanted *StepSize) {
	if p := a.rows.parsed[i]; !a.skipped[i] && (p == nil || p.err == nil) {
		wanted.add(len(a.Contacts[i]))
	}
}

// lookUp parses the rows from first to last-1 and finds those that are left out. It reads the database
// only if the cached List shows a need for that.
func (a *addCall) lookUp(ctx context.Context, first, last int) error {
	if schema, cached := a.service.db.Cache().Schema(a.List); cached {
		a.rows.parse(first, last, schema, a.today(a.service.db.Now()))
		if a.Skip == SkipNone && !a.looksUpContacts(schema) {
			return nil
		}
	}
	var rows []*addRow
	err := a.service.db.InView(ctx, a.caller, func(tx *db.Tx) error {
		rows = nil
		schema, err := a.allowed(tx)
		switch {
		case err != nil && enlist.KindOf(err) != enlist.Internal:
			return nil // runStep returns this refusal, unless the call repeats an earlier call
		case err != nil:
			return err
		}
		rows = a.pending(first, last, schema, a.today(a.service.db.Now()))
		return a.leaveOut(tx, schema, rows)
	})
	for _, r := range rows {
		a.skipped[r.index] = r.leftOut
		if r.leftOut {
			a.rows.forget(r.index)
		}
	}
	return err
}

// leaveOut marks the rows whose address has unsubscribed or has a Contact that the call must not
// overwrite.
func (a *addCall) leaveOut(tx *db.Tx, schema *enlist.Schema, rows []*addRow) error {
	err := a.leaveOutUnsubscribed(tx, rows)
	if err != nil || !a.looksUpContacts(schema) {
		return err
	}
	existing, err := FirstContacts(tx, a.List, keysOf(rows))
	for _, r := range rows {
		r.leftOut = r.leftOut || existing[r.parsed.Key] != nil
	}
	return err
}

// looksUpContacts reports whether lookUp looks for Contacts with the addresses of the rows. The transaction finds
// them too, because it stores no address twice. So a look-up is worth its time only if many addresses exist.
func (a *addCall) looksUpContacts(schema *enlist.Schema) bool {
	return !a.Overwrite && schema.List.DisallowDuplicates && a.existed > bulkStep/4
}

func (a *addCall) today(now time.Time) string { return enlist.Today(now, a.caller.Account.TimeZone) }

// allowed returns the List, or an error if the caller may not make this call.
func (a *addCall) allowed(tx *db.Tx) (*enlist.Schema, error) {
	schema, err := lists.Load(tx, a.caller, a.List)
	if err != nil {
		return nil, err
	}
	if a.Skip < SkipNone || a.Skip > SkipUnsubscribedFromAny {
		return nil, enlist.Invalid("remove_unsubscribers", "remove_unsubscribers must be 0, 1 or 2")
	}
	if _, err := storedIP(a.IP); err != nil {
		return nil, err
	}
	if a.Skip == SkipUnsubscribedFromAny {
		return schema, enlist.RequireWholeAccount(a.caller)
	}
	return schema, nil
}

// unique reports whether the call must not add a second Contact with the same address.
func (a *addCall) unique(schema *enlist.Schema) bool {
	return a.Overwrite || schema.List.DisallowDuplicates
}

// addRow is a row of the call in a look-up or in a transaction.
type addRow struct {
	index   int // in the request
	parsed  *ParsedContact
	leftOut bool
	contact *enlist.Contact         // the Contact that the row adds or overwrites; nil if the row is left out
	event   enlist.WebhookEventType // "" if the row changes nothing
}

// pending returns the rows from first to last-1 that are not left out yet.
func (a *addCall) pending(first, last int, schema *enlist.Schema, today string) []*addRow {
	rows := make([]*addRow, 0, last-first)
	for i := first; i < last; i++ {
		if !a.skipped[i] {
			parsed := a.rows.at(i, schema, today)
			rows = append(rows, &addRow{index: i, parsed: parsed, leftOut: parsed.err != nil})
		}
	}
	return rows
}

// keysOf returns the Keys of the rows that are not left out.
func keysOf(rows []*addRow) []string {
	keys := make([]string, 0, len(rows))
	for _, r := range rows {
		if !r.leftOut {
			keys = append(keys, r.parsed.Key)
		}
	}
	return keys
}

// leaveOutUnsubscribed marks the rows whose address or mobile number has unsubscribed, if the call
// leaves out such rows.
func (a *addCall) leaveOutUnsubscribed(tx *db.Tx, rows []*addRow) error {
	if a.Skip == SkipNone {
		return nil
	}
	list, addresses := a.List, keysOf(rows)
	if a.Skip == SkipUnsubscribedFromAny {
		list = 0
	}
	for _, r := range rows {
		if r.parsed.Mobile != "" && r.parsed.Mobile != r.parsed.Key {
			addresses = append(addresses, r.parsed.Mobile)
		}
	}
	unsubscribed, err := UnsubscribedAmong(tx, a.caller.Account.ID, list, addresses)
	for _, r := range rows {
		r.leftOut = r.leftOut || unsubscribed[r.parsed.Key] || unsubscribed[r.parsed.Mobile]
	}
	return err
}

// checkRoom refuses the call if it would add more Contacts than the Account's limit allows.
// reference.md: limit.contacts
func (a *addCall) checkRoom(tx *db.Tx, schema *enlist.Schema, today string) error {
	limit := a.caller.Account.ContactLimit
	if limit == enlist.NoContactLimit {
		return nil
	}
	for before := int64(-1); ; {
		stored, err := tx.AccountContacts(a.caller.Account.ID)
		room := max(limit-stored, 0)
		if err != nil || room >= int64(len(a.Contacts)) {
			return err
		}
		if stored == before {
			return enlist.Refuse(enlist.ContactLimit, "the Account may store %d Contacts and has %d; nothing was added",
				limit, stored)
		}
		adds, err := a.adds(tx, schema, today)
		if err != nil || adds <= room {
			return err
		}
		// Calls that delete Contacts do not wait for the lock of this number. If one has deleted a Contact with an address
		// of the request, it was counted, but not found.
		before = stored
	}
}

// adds returns how many Contacts the call would add.
func (a *addCall) adds(tx *db.Tx, schema *enlist.Schema, today string) (n int64, err error) {
	seen := make(map[string]bool)
	for first, last := 0, 0; first < len(a.Contacts); first = last {
		last = a.endOfLookUp(first)
		rows := a.pending(first, last, schema, today)
		if err := a.leaveOutUnsubscribed(tx, rows); err != nil {
			return 0, err
		}
		existing := map[string]*enlist.Contact{}
		if a.unique(schema) {
			existing, err = FirstContacts(tx, a.List, keysOf(rows))
			if err != nil {
				return 0, err
			}
		}
		for _, r := range rows {
			if r.leftOut || existing[r.parsed.Key] != nil || seen[r.parsed.Key] {
				continue
			}
			seen[r.parsed.Key] = a.unique(schema)
			n++
		}
		a.rows.drop(max(first, a.prepared), last)
	}
	return n, nil
}
