package search_test

import (
	"fmt"
	"strings"
	"testing"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
)

// An address in the Unsubscriber List is found by the index of addresses, in all Lists, in one List and with
// further criteria.
//
// covers: decision 39
func TestAnUnsubscribedAddressIsFoundByItsIndex(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, e dbtest.Engine) {
		l := openLarge(t, e)
		l.fillUnsubscribers(t)
		address := &enlist.SearchKey{Name: "address", Type: enlist.KeyText}
		since := &enlist.SearchKey{Name: "time", Type: enlist.KeyInt}
		exactly := enlist.Condition{Key: address, Operator: enlist.Exactly, Operands: []enlist.Operand{{Text: "p77@example.com"}}}
		after := enlist.Condition{Key: since, Operator: enlist.GreaterThan, Operands: []enlist.Operand{{Int: 5}}}
		keys := []string{"p77@example.com"}
		for _, c := range []struct {
			name   string
			search contacts.UnsubscriberSearch
		}{
			{"in all Lists", contacts.UnsubscriberSearch{Where: &exactly}},
			{"one page", contacts.UnsubscriberSearch{Where: &exactly, Limit: 1}},
			{"in one List", contacts.UnsubscriberSearch{Where: &exactly, Lists: []enlist.ListID{1}}},
			{"in some Lists, sorted", contacts.UnsubscriberSearch{Where: &exactly, Lists: []enlist.ListID{1, 2}, Sort: since}},
			{"and a time", contacts.UnsubscriberSearch{Where: &enlist.Condition{All: []enlist.Condition{after, exactly}}}},
		} {
			t.Run(c.name, func(t *testing.T) {
				c.search.Account, c.search.Keys = 1, keys
				var text string
				var args []any
				err := l.store.View(t.Context(), func(tx *db.Tx) (err error) {
					text, args, err = contacts.UnsubscriberStatement(tx, &c.search)
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				plan := l.explain(t, db.Statement{Text: "SELECT address FROM unsubscriber " + text, Args: args})
				if !strings.Contains(plan, "unsubscriber_address") {
					t.Errorf("the plan of %s does not use the index of addresses:\n%s", text, plan)
				}
			})
		}
	})
}

// fillUnsubscribers adds entries of two Lists.
func (l *large) fillUnsubscribers(t *testing.T) {
	t.Helper()
	l.update(t, func(tx *db.Tx) error {
		for i := range 10_000 {
			address := fmt.Sprintf("p%d@example.com", i)
			u := contacts.Unsubscriber{ListID: enlist.ListID(1 + i%2), Address: address, AddressKey: address, Time: int64(i)}
			if err := contacts.AddUnsubscriber(tx, 1, &u); err != nil {
				return err
			}
		}
		return nil
	})
	l.analyze(t, "unsubscriber")
}
