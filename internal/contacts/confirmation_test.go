package contacts_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// covers: spec event.confirm
func TestConfirmationMails(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "a mailbox gets one mail of a kind and a List in ten minutes", Test: mailboxIsTaken},
		{Name: "subscriptions of all addresses of a mailbox ask once in ten minutes", Test: mailboxIsAskedOnce},
		{Name: "subscriptions at the same time ask a mailbox once", Test: mailboxIsAskedOnceAtATime},
		{Name: "a subscription waits for the confirmation after it was marked", Test: pendingSubscription},
	})
}

func mailboxIsTaken(o *apptest.Account) {
	list, other := o.AddList(), o.AddList()
	for _, step := range []struct {
		now  int64
		list enlist.ListID
		kind contacts.AskedMail
		key  string
		may  bool
	}{
		{5000, list, contacts.AskedConfirmation, "mira@example.com", true},
		{5000, list, contacts.AskedConfirmation, "mira@example.com", false},
		{5100, list, contacts.AskedConfirmation, "mira+news@example.com", false},
		{5100, list, contacts.AskedLink, "mira+news@example.com", true},
		{5100, other, contacts.AskedConfirmation, "mira+news@example.com", true},
		{5100, list, contacts.AskedConfirmation, "noor@example.com", true},
		{5599, list, contacts.AskedConfirmation, "mira@example.com", false},
		{5600, list, contacts.AskedConfirmation, "mira+a@example.com", true},
		{6000, list, contacts.AskedConfirmation, "mira@example.com", false},
		{5300, list, contacts.AskedConfirmation, "mira@example.com", false}, // the clock was set back a little
		{9000, list, contacts.AskedConfirmation, "mira@example.com", true},
		{6200, list, contacts.AskedConfirmation, "mira@example.com", true}, // 9000 was wrong
		{6300, list, contacts.AskedConfirmation, "+61412345678", true},
		{6300, list, contacts.AskedConfirmation, "+61412345678", false},
	} {
		o.Update(func(tx *db.Tx) error {
			may, err := contacts.TakeMailbox(tx, step.list, step.kind, step.key, step.now)
			if may != step.may {
				o.Errorf("at %d a mail %q to %s of List %d: %v, want %v", step.now, step.kind, step.key, step.list, may, step.may)
			}
			return err
		})
	}
	rows := func() (n int64) {
		o.Update(func(tx *db.Tx) (err error) {
			n, err = tx.Number("SELECT count(*) FROM asked_mailbox")
			return err
		})
		return n
	}
	if n := rows(); n != 5 {
		o.Errorf("%d rows are stored, want 5", n)
	}
	o.Now = time.Unix(6200+contacts.MailboxInterval, 0)
	o.Must(o.App.Contacts.ForgetMailboxes(o.Context()))
	if n := rows(); n != 1 {
		o.Errorf("after ten minutes %d rows are stored, want the last one", n)
	}
}

func mailboxIsAskedOnce(o *apptest.Account) {
	for _, duplicates := range []bool{false, true} {
		list := o.AddList("double_opt_in_required", true, "disallow_duplicate_contacts", !duplicates)
		asked := func(want int, addresses ...string) {
			o.Helper()
			before := o.Jobs("ask_to_confirm")
			for _, a := range addresses {
				o.Subscribe(list, "Email", a)
			}
			if n := o.Jobs("ask_to_confirm") - before; n != want {
				o.Errorf("the addresses %v are asked %d times, want %d", addresses, n, want)
			}
		}
		asked(1, "mira@example.com", "mira@example.com", "Mira+news@example.com", "mira+1@example.com")
		asked(1, "m.ira@gmail.com", "mira+2@googlemail.com")
		asked(2, "mira@example.net", "mi.ra@example.com")
		id := o.Subscribe(list, "Email", "noor@example.com")
		before := o.Jobs("ask_to_confirm")
		for _, a := range []string{"mira+3@example.com", "noor@example.net", "noor@example.com"} { // only the second is not asked yet
			_, err := o.App.Contacts.EditContacts(o.Context(), o.Caller, contacts.EditRequest{List: list,
				Contacts: []contacts.EditRow{{ID: id, Details: apptest.Details("Email", a)}}})
			o.Must(err)
		}
		if n := o.Jobs("ask_to_confirm") - before; n != 1 {
			o.Errorf("changes of an address ask %d times, want 1", n)
		}
		o.Now = o.Now.Add(contacts.MailboxInterval * time.Second)
		asked(1, "mira+1@example.com", "mira@example.com")
	}
}

func mailboxIsAskedOnceAtATime(o *apptest.Account) {
	list := o.AddList("double_opt_in_required", true)
	errs := make([]error, 8)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			_, errs[i] = o.App.Contacts.Subscribe(context.WithoutCancel(o.Context()), o.Caller, contacts.SubscribeRequest{List: list,
				Details: apptest.Details("Email", "mira+"+string(rune('a'+i))+"@example.com")})
		})
	}
	all.Wait()
	o.Must(errors.Join(errs...))
	if n, stored := o.Jobs("ask_to_confirm"), o.List(list).ContactCount; n != 1 || stored != 8 {
		o.Errorf("%d Contacts and %d requests to confirm, want 8 and 1", stored, n)
	}
}

func pendingSubscription(o *apptest.Account) {
	list := o.AddList()
	id, other := o.Subscribe(list, "Email", "a@example.com"), o.Subscribe(list, "Email", "b@example.com")
	o.Update(func(tx *db.Tx) error { return contacts.MarkSubscriptionPending(tx, list, other) })
	for of, want := range map[enlist.ContactID]bool{id: false, other: true, 99: false} {
		o.Update(func(tx *db.Tx) error {
			pending, err := contacts.IsSubscriptionPending(tx, list, of)
			if pending != want {
				o.Errorf("the subscription of Contact %d is pending: %v, want the opposite", of, pending)
			}
			return err
		})
	}
}
