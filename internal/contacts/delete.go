package contacts

import (
	"context"
	"slices"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file has deleteContacts, which deletes Contacts by their IDs or by criteria. It first
// finds the Contacts to delete, and then deletes them in steps (db.RunInSteps).

// DeleteRequest is a call of deleteContacts.
type DeleteRequest struct {
	List     enlist.ListID
	Contacts []enlist.ContactID // ignored when there are criteria
	Query    enlist.Query       // ignored without criteria; Limit 0: all Contacts that match
}

// DeleteContacts deletes the Contacts with the given IDs, or the Contacts that match the
// criteria. It returns one Outcome for each Contact. The Outcomes are in the order of the request
// or, for criteria, in order of ID. Done is false if the List did not have the Contact. The
// consent ledger and the Unsubscriber List do not change. Errors: NoList, Denied,
// InvalidSearch, and Busy if too many searches run. After an error in a step, the Contacts of
// the earlier steps stay deleted. reference.md: deleteContacts.criteria; decisions.md: 53
func (s *Service) DeleteContacts(ctx context.Context, c *enlist.Caller, r DeleteRequest) ([]Outcome, error) {
	plan, err := db.SavedPlan(ctx, s.db, c)
	if enlist.KindOf(err) == enlist.NotFound {
		plan, err = s.planDelete(ctx, c, r)
		if err == nil {
			plan, err = db.SavePlan(ctx, s.db, c, plan)
		}
	}
	if err != nil {
		return nil, err
	}
	run := func(tx *db.Tx, now int64, p *deleteProgress) (bool, error) {
		if p.Next == 0 {
			if err := r.audit(tx, c, plan, now); err != nil {
				return false, err
			}
		}
		return s.deleteStep(tx, c, r.List, plan, now, p)
	}
	done, err := db.RunInSteps(ctx, s.db, c, db.Steps[deleteProgress]{Run: run})
	if err != nil {
		return nil, err
	}
	return r.outcomes(plan, done.Missing), nil
}

// audit adds a row to the audit log, in the transaction of the first step. count is the number of Contacts in the plan.
func (r *DeleteRequest) audit(tx *db.Tx, c *enlist.Caller, plan db.IDSet, now int64) error {
	values := accounts.AuditValues{}
	accounts.AuditIDs(values, "contact_ids", plan)
	if r.Query.Criteria != nil {
		values["search_criteria"] = r.Query.Criteria.Text()
	}
	return accounts.Audit(tx, c, now, accounts.AuditObject{Kind: "Contact", ID: 0, List: r.List}, values, nil)
}

// deleteProgress says how much of the plan is done. It is stored under the Idempotency-Key.
type deleteProgress struct {
	Next    int      `json:"next"`    // index in the plan
	Missing db.IDSet `json:"missing"` // Contacts of the plan that the List no longer had
	Notifier
}

// deleteStep deletes the next Contacts of the plan in one transaction.
func (s *Service) deleteStep(tx *db.Tx, c *enlist.Caller, list enlist.ListID, plan db.IDSet, now int64,
	p *deleteProgress) (done bool, err error) {
	schema, err := lists.Load(tx, c, list)
	if err != nil {
		return false, err
	}
	if err := tx.LockListForBulk(list); err != nil {
		return false, err
	}
	ids := plan[p.Next:min(p.Next+RemoveStep, len(plan))]
	removed, err := s.RemoveContactsByID(tx, now, list, ids)
	if err != nil {
		return false, err
	}
	p.Next += len(ids)
	events := make([]ContactEvent, len(removed))
	for i, id := range removed {
		events[i] = ContactEvent{id, enlist.WebhookRemoved}
	}
	for _, id := range ids {
		if _, found := slices.BinarySearch(removed, id); !found {
			p.Missing = append(p.Missing, id)
		}
	}
	return p.Next == len(plan), p.Publish(tx, schema, now, events)
}

// outcomes returns one Outcome for each ID of the request or, for criteria, for each Contact
// that matched. For an ID that the request contains several times, it returns one Outcome.
func (r *DeleteRequest) outcomes(plan, missing db.IDSet) []Outcome {
	ids := r.Contacts
	if r.Query.Criteria != nil {
		ids = plan
	}
	outcomes := make([]Outcome, 0, len(ids))
	seen := make(map[enlist.ContactID]bool)
	for _, id := range ids {
		if r.Query.Criteria == nil {
			if seen[id] {
				continue
			}
			seen[id] = true
		}
		_, planned := slices.BinarySearch(plan, id)
		_, gone := slices.BinarySearch(missing, id)
		outcomes = append(outcomes, Outcome{id, planned && !gone})
	}
	return outcomes
}

// planDelete finds the Contacts that a call will delete.
func (s *Service) planDelete(ctx context.Context, c *enlist.Caller, r DeleteRequest) (ids db.IDSet, err error) {
	if r.Query.Criteria == nil {
		return s.present(ctx, c, r)
	}
	err = s.db.InPhases(ctx, c, db.LookingUp, func(tx *db.Tx, p db.Phase) error {
		_, query, err := s.searchOf(tx, c, r.List, r.Query)
		if err != nil {
			return err
		}
		if query.Where == nil { // criteria without a test must not delete all Contacts
			return enlist.Refuse(enlist.InvalidSearch, "search_criteria: expected at least one test")
		}
		if err := CheckTestsSomething(query.Where); err != nil {
			return err
		}
		if query.Limit == 0 && query.Offset == 0 {
			query.Sort = nil // the order does not matter if all matching Contacts are deleted
		}
		planned, err := planIn(tx, query, p)
		if err != nil {
			return err
		}
		ids, err = planned.IDs()
		return err
	})
	slices.Sort(ids)
	return ids, err
}

// CheckTestsSomething refuses a test whether a value starts with, ends with or contains "". Such
// a test matches every Contact. A form whose input is empty can send such a test by mistake. reference.md:
// deleteContacts.criteria
func CheckTestsSomething(c *enlist.Condition) error {
	for _, parts := range [][]enlist.Condition{c.All, c.Any} {
		for i := range parts {
			if err := CheckTestsSomething(&parts[i]); err != nil {
				return err
			}
		}
	}
	inside := c.Operator == enlist.StartsWith || c.Operator == enlist.EndsWith || c.Operator == enlist.Contains
	if c.Key == nil || !inside || c.Operands[0].Text != "" {
		return nil
	}
	name := c.Key.Name
	if c.Key.Field != nil {
		name = c.Key.Field.Name
	}
	return enlist.RefuseKey(name, "%s: starts_with, ends_with and contains need a value here", name)
}

// present returns those IDs of the request that the List has a Contact with.
func (s *Service) present(ctx context.Context, c *enlist.Caller, r DeleteRequest) (ids db.IDSet, err error) {
	sent := slices.Compact(slices.Sorted(slices.Values(r.Contacts)))
	for chunk := range slices.Chunk(sent, viewBatch) {
		stored, err := db.View(ctx, s.db, c, func(tx *db.Tx) ([]enlist.ContactID, error) {
			if _, err := lists.Load(tx, c, r.List); err != nil {
				return nil, err
			}
			test, args, err := tx.ContactTest("id", chunk)
			if err != nil {
				return nil, err
			}
			return db.IDsOf[enlist.ContactID](tx, "SELECT id FROM contact WHERE list_id = ? AND "+test+" ORDER BY id",
				append([]any{int64(r.List)}, args...)...)
		})
		if err != nil {
			return nil, err
		}
		ids = append(ids, stored...)
	}
	return ids, nil
}
