package audience

import (
	"context"
	"slices"
)

// DeleteRequest is a call of deleteContacts.
type DeleteRequest struct {
	List     ListID
	Contacts []ContactID // not looked at when there are criteria
	Query    Query       // without criteria it is not used; Limit 0: all that match
}

// DeleteContacts removes Contacts of a List for good: those with the IDs given,
// or those that match the criteria. It says of each ID, once, in the order sent,
// whether it was there; of those that matched, by ID, whether they still were.
// The consent ledger and the Unsubscriber List stay. Errors: NoList, Denied,
// InvalidSearch, and Busy when too many searches run, after which nothing has
// been removed; another one may come when a part of them has been.
// decisions.md: 33, 53
func (s *Service) DeleteContacts(ctx context.Context, c *Caller, r DeleteRequest) ([]Outcome, error) {
	plan, found, err := planned(ctx, s, c)
	if err == nil && !found {
		if plan, err = s.toDelete(ctx, c, r); err == nil {
			plan, err = settle(ctx, s, c, plan)
		}
	}
	if err != nil {
		return nil, err
	}
	done, err := inSteps(ctx, s, c, func(tx Tx, now int64, p *deleted) (bool, error) {
		return deleteSome(tx, c, r.List, plan, now, p)
	})
	if err != nil {
		return nil, err
	}
	return r.outcomes(plan, done.Missing), nil
}

// deleted is how far a call is.
type deleted struct {
	Next    int   `json:"next"` // of the plan
	Missing idSet `json:"missing"`
	telling
}

func deleteSome(tx Tx, c *Caller, list ListID, plan idSet, now int64, p *deleted) (done bool, err error) {
	schema, err := loadList(tx, c, list)
	if err != nil {
		return false, err
	}
	if err := tx.LockListForBulk(list); err != nil {
		return false, err
	}
	ids := plan[p.Next:min(p.Next+removeStep, len(plan))]
	removed, err := tx.RemoveContactsByID(list, ids)
	if err != nil {
		return false, err
	}
	p.Next += len(ids)
	events := make([]happening, len(removed))
	for i, id := range removed {
		events[i] = happening{id, WebhookRemoved}
	}
	for _, id := range ids {
		if _, was := slices.BinarySearch(removed, id); !was {
			p.Missing = append(p.Missing, id)
		}
	}
	return p.Next == len(plan), p.tell(tx, schema, now, len(removed), events)
}

func (r *DeleteRequest) outcomes(plan, missing idSet) []Outcome {
	ids := r.Contacts
	if r.Query.Criteria != nil {
		ids = plan
	}
	all := make([]Outcome, 0, len(ids))
	seen := make(map[ContactID]bool)
	for _, id := range ids {
		if r.Query.Criteria == nil {
			if seen[id] {
				continue
			}
			seen[id] = true
		}
		_, was := slices.BinarySearch(plan, id)
		_, not := slices.BinarySearch(missing, id)
		all = append(all, Outcome{id, was && !not})
	}
	return all
}

// toDelete finds the Contacts that a call is about.
func (s *Service) toDelete(ctx context.Context, c *Caller, r DeleteRequest) (ids idSet, err error) {
	if r.Query.Criteria == nil {
		return s.present(ctx, c, r)
	}
	err = s.inPhases(ctx, c, func(tx Tx, p phase) error {
		ids = nil
		_, search, err := searchOf(tx, c, r.List, r.Query)
		if err != nil {
			return err
		}
		if search.Where == nil { // never all
			return Refuse(InvalidSearch, "search_criteria: there is no test in it")
		}
		if err := testsSomething(search.Where); err != nil {
			return err
		}
		if search.Limit == 0 && search.Offset == 0 {
			search.Sort = nil // it decides nothing
		}
		if p == lookingUp && !tx.AnsweredByIndex(search) {
			return errSlow
		}
		return tx.SearchContacts(search, func(c *Contact) error {
			ids = append(ids, c.ID)
			return nil
		})
	})
	slices.Sort(ids)
	return ids, err
}

// testsSomething refuses looking for nothing in a text: it finds every Contact,
// and is what a form sends that was left empty. decisions.md: 33
func testsSomething(c *Condition) error {
	for _, parts := range [][]Condition{c.All, c.Any} {
		for i := range parts {
			if err := testsSomething(&parts[i]); err != nil {
				return err
			}
		}
	}
	if c.Key == nil || c.Operator != StartsWith && c.Operator != EndsWith && c.Operator != Contains || c.Operands[0].Text != "" {
		return nil
	}
	name := c.Key.Name
	if c.Key.Field != nil {
		name = c.Key.Field.Name
	}
	return refuseKey(name, "%s: starts_with, ends_with and contains need a value here", name)
}

// presentStep is how many IDs one View looks for.
const presentStep = 500

// present returns those of the IDs given that the List has.
func (s *Service) present(ctx context.Context, c *Caller, r DeleteRequest) (ids idSet, err error) {
	sent := slices.Compact(slices.Sorted(slices.Values(r.Contacts)))
	for some := range slices.Chunk(sent, presentStep) {
		var found idSet
		err := s.view(ctx, c, func(tx Tx) error {
			found = nil
			schema, err := loadList(tx, c, r.List)
			if err != nil {
				return err
			}
			id := &SearchKey{Name: "id", Type: KeyInt, Searchable: true}
			test := Condition{Key: id, Operator: In, Operands: make([]Operand, len(some))}
			for i := range some {
				test.Operands[i].Int = int64(some[i])
			}
			return tx.SearchContacts(&Search{Schema: schema, Where: &test}, func(c *Contact) error {
				found = append(found, c.ID)
				return nil
			})
		})
		if err != nil {
			return nil, err
		}
		ids = append(ids, found...)
	}
	return ids, nil
}
