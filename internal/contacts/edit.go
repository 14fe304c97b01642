package contacts

import (
	"context"
	"errors"
	"slices"

	"enlist/internal/address"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has editContacts, which changes values of many Contacts in steps (db.RunInSteps).
// edit_step.go has the transaction of a step.

// EditRequest is a call of editContacts.
type EditRequest struct {
	List     enlist.ListID
	Contacts []EditRow // at most MaxRows
	Trigger  bool      // emit the event of an updated profile for each changed Contact
}

// EditRow contains the new values of one Contact.
type EditRow struct {
	ID      enlist.ContactID
	Details []enlist.Detail // keys as in SubscribeRequest; a Field without a sent value does not change
}

// EditContacts changes values of Contacts. It returns one Outcome for each ID, in the order
// of the request. A row is refused if the List does not have the Contact, a value is invalid,
// or the Contact would have no address. If the List disallows duplicates, a row is also
// refused if another Contact has the address. Errors: NoList, Denied, and NothingUpdated if
// all rows were refused. After an error in a step, the changes of the earlier steps stay
// stored.
// decisions.md: 53
func (s *Service) EditContacts(ctx context.Context, c *enlist.Caller, r EditRequest) ([]Outcome, error) {
	sent := make([][]enlist.Detail, len(r.Contacts))
	for i := range r.Contacts {
		sent[i] = r.Contacts[i].Details
	}
	call := editCall{EditRequest: r, service: s, caller: c, rows: newParsedRows(sent)}
	call.rows.partial = true
	done, err := db.RunInSteps(ctx, s.db, c, db.Steps[editProgress]{Prepare: call.prepare, Run: call.runStep})
	if err != nil {
		return nil, err
	}
	return r.outcomes(done.Refused), nil
}

// outcomes returns one Outcome for each Contact. Done is true if no row of the Contact was
// refused. refused are indexes of rows in ascending order.
func (r *EditRequest) outcomes(refused []int) []Outcome {
	outcomes := make([]Outcome, 0, len(r.Contacts))
	position := make(map[enlist.ContactID]int, len(r.Contacts))
	for i := range r.Contacts {
		id := r.Contacts[i].ID
		_, isRefused := slices.BinarySearch(refused, i)
		at, again := position[id]
		if !again {
			position[id] = len(outcomes)
			outcomes = append(outcomes, Outcome{id, !isRefused})
			continue
		}
		outcomes[at].Done = outcomes[at].Done && !isRefused
	}
	return outcomes
}

// editCall is one call of editContacts, with its parsed rows.
type editCall struct {
	EditRequest
	service *Service
	caller  *enlist.Caller
	rows    parsedRows
}

// prepare parses all rows before the first transaction.
func (e *editCall) prepare(_ context.Context, p editProgress) error {
	e.rows.release(p.Next)
	if schema, cached := e.service.db.Cache().Schema(e.List); cached && p.Next == 0 {
		e.rows.parse(0, len(e.Contacts), schema, enlist.Today(e.service.db.Now(), e.caller.Account.TimeZone))
	}
	return nil
}

// editProgress says which rows of a call are done. It is stored under the Idempotency-Key.
type editProgress struct {
	Next    int                `json:"next"`    // index of the next row
	Refused []int              `json:"refused"` // indexes of rows
	Emitted []enlist.ContactID `json:"told"`    // Contacts for which the event was emitted
	Notifier
}

// FirstRefused is how the detail of NothingUpdated begins.
const FirstRefused = "the first one: "

// nothingUpdated returns the error of a call in which every row was refused. Its detail says
// why the first row was refused.
func nothingUpdated(why error) error {
	e := &enlist.Error{Kind: enlist.NothingUpdated}
	if first, ok := errors.AsType[*enlist.Error](why); ok {
		e.Field, e.Detail = first.Field, FirstRefused+first.Detail
		if first.Field != "" {
			e.Detail = FirstRefused + first.Field + ": " + first.Detail
		}
	}
	return e
}

// IsSameAddress reports whether two Keys are the same address. The Key of an old Contact may have a
// form that ParseEmail no longer returns. decisions.md: 23
func IsSameAddress(old, key string) bool {
	_, normalised, ok := address.ParseEmail(old)
	return old == key || ok && normalised == key
}
