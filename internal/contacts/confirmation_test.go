package contacts_test

import (
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
)

// covers: spec event.confirm
func TestConfirmationMails(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewStore, []apptest.Rule[apptest.Store]{
		{Name: "a Contact gets one confirmation mail in ten minutes", Test: confirmationRequests},
		{Name: "an address gets one confirmation mail in ten minutes", Test: confirmationRequestsOfAnAddress},
	})
}

// confirmationRequests asks the store several times, at different times of the clock, whether
// a confirmation mail may be sent to one Contact.
func confirmationRequests(o apptest.Store) {
	t, s := o.T, o.Engine
	schema := apptest.NewSchema(t, s)
	list := schema.List.ID
	c, other := apptest.NewContact(schema, "a@example.com"), apptest.NewContact(schema, "b@example.com")
	apptest.InsertContact(t, s, c)
	apptest.InsertContact(t, s, other)
	for _, step := range []struct {
		now    int64
		marked bool
	}{
		{1000, true}, {1500, false}, {1599, false}, {1600, true}, {1700, false},
		{9000, true}, {2000, true}, {2100, false}, // 9000 was wrong: the clock was fast, and is then set back
	} {
		apptest.Update(t, s, func(tx *db.Tx) error {
			marked, err := events.MarkConfirmationRequested(tx, list, c.ID, step.now, step.now-600)
			if marked != step.marked {
				t.Errorf("at time %d: marked %v, want %v", step.now, marked, step.marked)
			}
			return err
		})
	}
	apptest.Update(t, s, func(tx *db.Tx) error { return events.MarkSubscriptionPending(tx, list, other.ID) })
	for _, want := range []struct {
		id      enlist.ContactID
		pending bool
	}{{c.ID, false}, {other.ID, true}, {99, false}} {
		apptest.View(t, s, func(tx *db.Tx) error {
			pending, err := events.IsSubscriptionPending(tx, list, want.id)
			if pending != want.pending {
				t.Errorf("the subscription of Contact %d is pending: %v, want the opposite", want.id, pending)
			}
			return err
		})
	}
	apptest.Update(t, s, func(tx *db.Tx) error {
		marked, err := events.MarkConfirmationRequested(tx, list, 99, 1000, 400)
		if marked {
			t.Error("MarkConfirmationRequested returned true for an unknown Contact")
		}
		return err
	})
}

// confirmationRequestsOfAnAddress tests repeated subscriptions of one address. In ten minutes
// only one confirmation mail may be sent to the address, even if each subscription stores a
// new Contact.
func confirmationRequestsOfAnAddress(o apptest.Store) {
	t, s := o.T, o.Engine
	schema := apptest.NewSchema(t, s)
	list := schema.List.ID
	for i, step := range []struct {
		now    int64
		marked bool
	}{{1000, true}, {1001, false}, {1300, false}, {1599, false}, {1600, true}, {1601, false}} {
		c := apptest.NewContact(schema, "a@example.com")
		c.IsFirst = i == 0
		apptest.InsertContact(t, s, c)
		apptest.Update(t, s, func(tx *db.Tx) error {
			marked, err := events.MarkConfirmationRequested(tx, list, c.ID, step.now, step.now-600)
			if marked != step.marked {
				t.Errorf("Contact %d at time %d: marked %v, want %v", c.ID, step.now, marked, step.marked)
			}
			return err
		})
	}
}
