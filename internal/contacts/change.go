package contacts

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file starts, shows and cancels changes of many Contacts. A change has the Contacts that matched when a person
// confirmed their number. A job changes them in steps (change_step.go), so a person need not wait.

// ChangeAction says what a change does.
type ChangeAction string

// The actions.
const (
	ChangeDeactivate  ChangeAction = "deactivate"
	ChangeReactivate  ChangeAction = "reactivate"
	ChangeUnsubscribe ChangeAction = "unsubscribe"
	ChangeDelete      ChangeAction = "delete"
	ChangeSet         ChangeAction = "set" // a value of a Field
	// Of Contacts that have not confirmed. decisions.md: 141
	ChangeConfirm ChangeAction = "confirm" // they are confirmed by the statement Value
	ChangeAsk     ChangeAction = "ask"     // they are asked to confirm by a mail
)

// Change is a change of many Contacts.
type Change struct {
	ID           int64
	AccountID    enlist.AccountID
	ListID       enlist.ListID
	Action       ChangeAction
	Field        enlist.FieldID // for ChangeSet
	Value        string         // for ChangeSet, where "" removes the value; for ChangeConfirm the statement
	Total        int64          // Contacts that matched
	Done         int64          // of them, those that the job has looked at
	Changed      int64          // of those, how many were changed; the others were so already, or are gone
	Reason       string         // why the change was given up; "": it was not
	CreationTime int64
	EndTime      int64 // 0: it runs

	Target           enlist.ListID // of a copy
	Existed, Refused int64         // of a copy: changed Contacts that the Target had, and Contacts that may not be copied
	Unfit            int64         // of a copy: Contacts with a value that the Target does not accept; a move leaves them out
}

// ChangeRequest is a change to start.
type ChangeRequest struct {
	List     enlist.ListID
	Criteria *enlist.Criteria
	Contacts []enlist.ContactID // ignored with Criteria; those that the List does not have are left out
	Action   ChangeAction
	Field    string // for ChangeSet: its name or field_<id>
	Value    string
	Target   enlist.ListID // for ChangeCopy and ChangeMove
	Count    int64         // the number of Contacts that the person has seen; AnyCount: a program starts the change

	// RequireConfirmation makes the List ask its people to confirm, in the transaction that starts the change. So its
	// people are confirmed or asked, or nothing has changed.
	RequireConfirmation bool
}

// MakeChange is the job that makes a Change.
type MakeChange struct {
	ID int64 `json:"id"`
	// User has started it; 0: a key or the operator. Jobs of versions before 1.0.0 have this name.
	User int64        `json:"person_id,omitempty"`
	Key  enlist.KeyID `json:"key_id,omitempty"` // that has started it; 0: a user, the operator, or a version that did not store it
}

// Kind implements db.Effect.
func (MakeChange) Kind() string { return "make_change" }

const (
	changePart  = 10_000            // Contacts in a row of contact_change_part
	keptChanges = 30 * 24 * 60 * 60 // seconds for which a List shows a change that has ended
	maxChanges  = 20                // that Changes returns
)

// AnyCount is the Count of a change that has no person who has seen the Contacts. They can be none.
const AnyCount = -1

// errNoChange is the same for a change that does not exist and for one of another Account.
var errNoChange = enlist.Invalid("change_id", "there is no such change of Contacts")

// StartChange starts a change of the Contacts that match, and returns its ID. Errors: NoList, Denied, InvalidSearch,
// also without a test, NoField, Busy, and InvalidParameters for a value that the Field does not accept, for a Field
// with addresses, and if another number of Contacts matches than the person has seen.
func (s *Service) StartChange(ctx context.Context, c *enlist.Caller, r ChangeRequest) (int64, error) {
	if r.Criteria == nil && r.Count != AnyCount {
		return 0, enlist.Refuse(enlist.InvalidSearch, "choose the Contacts by at least one condition")
	}
	ids, err := db.SavedPlan(ctx, s.db, c)
	if enlist.KindOf(err) == enlist.NotFound {
		ids, err = s.planChange(ctx, c, r)
	}
	if err != nil {
		return 0, err
	}
	run := func(tx *db.Tx, now int64, p *startedChange) (bool, error) {
		var err error
		p.ID, err = r.start(tx, c, now, ids)
		return true, err
	}
	started, err := db.RunInSteps(ctx, s.db, c, db.Steps[startedChange]{Run: run})
	return started.ID, err
}

// startedChange is the result that is stored under the Idempotency-Key, beside the plan.
type startedChange struct {
	ID int64 `json:"id"`
}

func (r *ChangeRequest) start(tx *db.Tx, c *enlist.Caller, now int64, ids db.IDSet) (int64, error) {
	if r.RequireConfirmation {
		if err := lists.RequireConfirmation(tx, c, now, r.List); err != nil {
			return 0, err
		}
	}
	schema, err := lists.Load(tx, c, r.List)
	if err != nil {
		return 0, err
	}
	change := Change{AccountID: c.Account.ID, ListID: r.List, Action: r.Action, Value: r.Value, Target: r.Target,
		Total: int64(len(ids)), CreationTime: now}
	if err := change.check(schema, r.Field, now, c.Account.TimeZone); err != nil {
		return 0, err
	}
	if change.Action.IsCopy() {
		if err := change.checkTarget(tx, c); err != nil {
			return 0, err
		}
	}
	const old = "DELETE FROM contact_change WHERE list_id = ? AND end_time > 0 AND end_time < ?"
	if err := tx.Do(old, int64(r.List), now-keptChanges); err != nil {
		return 0, err
	}
	if err := changeTable.Add(tx, &change); err != nil {
		return 0, err
	}
	if err := addChangeParts(tx, change.ID, ids); err != nil {
		return 0, err
	}
	if err := change.audit(tx, c, r, ids); err != nil {
		return 0, err
	}
	if change.Action.IsCopy() {
		return change.ID, tx.Enqueue(CopyContacts{change.ID, c.User, c.Key.ID})
	}
	return change.ID, tx.Enqueue(MakeChange{change.ID, c.User, c.Key.ID})
}

// planChange finds the Contacts of a change.
func (s *Service) planChange(ctx context.Context, c *enlist.Caller, r ChangeRequest) (db.IDSet, error) {
	ids, err := s.planDelete(ctx, c, DeleteRequest{List: r.List, Contacts: r.Contacts, Query: enlist.Query{Criteria: r.Criteria}})
	if err != nil {
		return nil, err
	}
	if r.Count != AnyCount && (int64(len(ids)) != r.Count || len(ids) == 0) {
		return nil, enlist.Invalid("count", fmt.Sprintf("%d Contacts match now: look at them again", len(ids)))
	}
	return db.SavePlan(ctx, s.db, c, ids)
}

// check checks the action, and sets the Field.
func (c *Change) check(schema *enlist.Schema, field string, now int64, zone string) error {
	switch c.Action {
	case ChangeDeactivate, ChangeReactivate, ChangeUnsubscribe, ChangeDelete, ChangeCopy, ChangeMove:
		c.Value = ""
		return nil
	case ChangeConfirm:
		c.Value = strings.TrimSpace(c.Value)
		return checkStatement(c.Value)
	case ChangeAsk:
		c.Value = ""
		if !schema.List.DoubleOptIn {
			return enlist.Invalid("action", reasonNoDoubleOptIn)
		}
		return nil
	case ChangeSet:
	default:
		return enlist.Invalid("action", "choose what to do")
	}
	f := schema.FieldCalled(field)
	switch {
	case f == nil:
		return enlist.Refuse(enlist.NoField, "the List has no Field %q", field)
	case f.AddressType != enlist.AddressNone:
		return enlist.Invalid("field", "Contacts cannot share an address")
	}
	c.Field = f.ID
	_, err := c.parsed(schema, now, zone)
	return err
}

// reasonNoDoubleOptIn is why a change to ask people to confirm is refused, or given up.
const reasonNoDoubleOptIn = "the List does not ask people to confirm"

// checkStatement refuses a statement that proves nothing.
func checkStatement(text string) error {
	if text == "" {
		return enlist.Invalid("statement", "write when and how these people agreed")
	}
	if utf8.RuneCountInString(text) > MaxConsentText {
		return enlist.Invalid("statement", fmt.Sprintf("%d characters are the most that a statement can have",
			MaxConsentText))
	}
	return nil
}

// Unconfirmed are the criteria of the Contacts that get mail only after a confirmation, if their List asks for it.
func Unconfirmed() *enlist.Criteria {
	is := func(key, value string) enlist.Criteria {
		return enlist.Criteria{Key: key, Operator: "exactly", Value: enlist.TextInput(value)}
	}
	return &enlist.Criteria{All: []enlist.Criteria{is("is_active", "1"), is("is_unsubscribed", "0"),
		is("double_opt_in", "0")}}
}

// parsed returns the value to set as the Field has it.
func (c *Change) parsed(schema *enlist.Schema, now int64, zone string) (*ParsedContact, error) {
	p := &ParsedContact{Schema: schema, Today: enlist.Today(time.Unix(now, 0), zone), partial: true}
	value := enlist.TextInput(c.Value)
	return p, p.parse([]enlist.Detail{{Key: fmt.Sprintf("field_%d", c.Field), Value: value}})
}

// audit adds a row to the audit log. It has no value that a Contact gets: the row stays after an erasure of the person.
func (c *Change) audit(tx *db.Tx, by *enlist.Caller, r *ChangeRequest, ids db.IDSet) error {
	values := accounts.AuditValues{"action": string(c.Action), "contacts": c.Total}
	if r.Criteria != nil {
		values["search_criteria"] = r.Criteria.Text()
	} else {
		accounts.AuditIDs(values, "contact_ids", ids)
	}
	switch c.Action {
	case ChangeSet:
		values["field"] = r.Field
	case ChangeConfirm:
		values["statement"] = c.Value
	case ChangeCopy, ChangeMove:
		values["target_list_id"] = int64(c.Target)
	}
	object := accounts.AuditObject{Kind: "Contact", ID: 0, List: c.ListID}
	return accounts.Audit(tx, by, c.CreationTime, object, nil, values)
}

// Change returns a change. Errors: Denied, InvalidParameters.
func (s *Service) Change(ctx context.Context, c *enlist.Caller, id int64) (*Change, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (*Change, error) { return loadChange(tx, c, id) })
}

func loadChange(tx *db.Tx, c *enlist.Caller, id int64) (*Change, error) {
	change, err := changeByID(tx, id)
	if err == nil && change.AccountID != c.Account.ID {
		err = errNoChange
	}
	if err != nil {
		return nil, err
	}
	_, err = lists.Load(tx, c, change.ListID)
	if enlist.KindOf(err) == enlist.NoList { // deleted since: a job removes the changes
		err = errNoChange
	}
	return change, err
}

// Changes returns the newest changes of a List. One that has ended is kept for 30 days. Errors: NoList, Denied.
func (s *Service) Changes(ctx context.Context, c *enlist.Caller, list enlist.ListID) ([]Change, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]Change, error) {
		if _, err := lists.Load(tx, c, list); err != nil {
			return nil, err
		}
		return changeTable.All(tx, "WHERE list_id = ? ORDER BY id DESC"+db.Limited, int64(list), int64(maxChanges))
	})
}

// CancelChange ends a change. Contacts that it has changed stay changed. Errors: Denied, InvalidParameters.
func (s *Service) CancelChange(ctx context.Context, c *enlist.Caller, id int64) error {
	return db.Change(ctx, s.db, c, func(tx *db.Tx, now int64) error {
		change, err := loadChange(tx, c, id)
		if err != nil || change.EndTime != 0 {
			return err
		}
		if err := endChange(tx, id, now, reasonCancelled); err != nil {
			return err
		}
		return accounts.Audit(tx, c, now, accounts.AuditObject{Kind: "Contact", ID: 0, List: change.ListID}, nil,
			accounts.AuditValues{"action": "cancel " + string(change.Action), "contacts": change.Done})
	})
}
