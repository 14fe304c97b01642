package storetest

import (
	"errors"
	"testing"

	"enlist/internal/accounts"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/lists"
	"enlist/internal/messages"
)

// This file tests that a store returns Messages, autoresponders, links and deliveries with
// the content that was stored.

func eventRules(t *testing.T, e Engine) {
	for _, c := range []struct {
		rule string
		test func(*testing.T, db.Engine)
	}{
		{"a Message is returned with the content that was stored", messageRecords},
		{"an autoresponder is returned with the content that was stored", autoresponders},
		{"a URL of a Message keeps its link ID", linkTargets},
		{"a second delivery with the same key replaces the first", deliveries},
		{"a secret keeps its first value", secrets},
		{"a Contact gets one confirmation mail in ten minutes", confirmationRequests},
		{"an address gets one confirmation mail in ten minutes", confirmationRequestsOfAnAddress},
		{"the times of a Contact's last mail, opening and click never decrease", contactTimes},
		{"a Folder counts its Messages and autoresponders", messageFolders},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			c.test(t, e.Open(t))
		})
	}
}

func addMessage(t *testing.T, s db.Engine, m *messages.Message) {
	t.Helper()
	update(t, s, func(tx *db.Tx) error { return messages.AddMessage(tx, m) })
}

func messageRecords(t *testing.T, s db.Engine) {
	full := messages.Message{AccountID: 1, CreatorKeyID: 2, CreatorName: "test key", CreationTime: 3, LastModifiedTime: 4,
		Type: messages.MessageEmail, Name: "Welcome", FolderID: 5, EmailType: messages.EmailPlainHTML,
		Subject: "“Hello”", HTML: "<p>{{Name}}</p>", Text: "Hi\r\n", SMS: "sms",
		FromName: "Shop", FromAddress: "a@example.com", ReplyTo: "b@example.com", Attachments: "1,2", InlineImages: "3"}
	plain, foreign := messages.Message{AccountID: 1}, messages.Message{AccountID: 2}
	addMessage(t, s, &full)
	addMessage(t, s, &plain)
	addMessage(t, s, &foreign)
	check := func(what string, want ...messages.Message) {
		t.Helper()
		view(t, s, func(tx *db.Tx) error {
			for _, m := range want {
				got, err := messages.LoadMessage(tx, 1, m.ID)
				if err != nil {
					return err
				}
				same(t, what, *got, m)
			}
			heads, err := messages.Messages(tx, 1)
			for i := range want {
				want[i].HTML, want[i].Text, want[i].SMS = "", "", ""
			}
			same(t, what+", without contents", heads, want)
			return err
		})
	}
	check("as added", full, plain)
	view(t, s, func(tx *db.Tx) error {
		for _, id := range []enlist.MessageID{foreign.ID, 0, 99} {
			_, err := messages.LoadMessage(tx, 1, id)
			wantKind(t, "Message of another Account", err, enlist.NoMessage)
		}
		return nil
	})
	edited := full
	edited.LastModifiedTime, edited.Type, edited.Name, edited.FolderID = 9, messages.MessageSMS, "Bye", 0
	edited.EmailType, edited.Subject, edited.HTML, edited.Text, edited.SMS = messages.EmailPlain, "s", "h", "t", "m"
	edited.FromName, edited.FromAddress, edited.ReplyTo = "f", "c@example.com", ""
	edited.Attachments, edited.InlineImages = "", "4"
	update(t, s, func(tx *db.Tx) error { return messages.UpdateMessage(tx, &edited) })
	check("as edited", edited, plain)
	update(t, s, func(tx *db.Tx) error { return messages.DeleteMessage(tx, full.ID) })
	check("after a deletion", plain)
	again := messages.Message{AccountID: 1}
	addMessage(t, s, &again)
	if again.ID <= foreign.ID {
		t.Errorf("the new Message has the ID %d, want more than the ID of an older Message, %d", again.ID, foreign.ID)
	}
}

func autoresponders(t *testing.T, s db.Engine) {
	schema := newSchema(t, s)
	account, list := schema.List.AccountID, schema.List.ID
	full := enlist.Autoresponder{AccountID: account, ListID: list, CreatorKeyID: 2, CreatorName: "test key",
		CreationTime: 3, LastModifiedTime: 4, MessageID: 5, Event: enlist.EventConfirm, FolderID: 6,
		TimeZone: "Europe/Berlin", IsActive: true, CriteriaType: enlist.CriteriaSpecific,
		Timestamp: 7, OffsetValue: 8, OffsetPeriod: "week", SpecificHour: 9, SpecificMinute: 10}
	plain := enlist.Autoresponder{AccountID: account, ListID: list}
	foreign := enlist.Autoresponder{AccountID: account + 1, ListID: list + 1}
	update(t, s, func(tx *db.Tx) error {
		for _, a := range []*enlist.Autoresponder{&full, &plain, &foreign} {
			if err := batches.AddAutoresponder(tx, a); err != nil {
				return err
			}
		}
		return nil
	})
	check := func(what string, want ...enlist.Autoresponder) {
		t.Helper()
		view(t, s, func(tx *db.Tx) error {
			all, err := batches.Autoresponders(tx, account)
			if err != nil {
				return err
			}
			same(t, what, all, want)
			schema, err := lists.Schema(tx, list)
			if err == nil {
				same(t, what+", in the Schema", schema.Autoresponders, want)
				same(t, "time zone", schema.TimeZone, "UTC")
			}
			return err
		})
	}
	check("as added", full, plain)
	edited := full
	edited.LastModifiedTime, edited.MessageID, edited.FolderID, edited.TimeZone = 20, 21, 22, ""
	edited.Event, edited.IsActive, edited.CriteriaType = enlist.EventSubscribe, false, enlist.CriteriaDelay
	edited.Timestamp, edited.OffsetValue, edited.OffsetPeriod = 23, 24, "day"
	edited.SpecificHour, edited.SpecificMinute = 11, 12
	update(t, s, func(tx *db.Tx) error { return batches.UpdateAutoresponder(tx, &edited) })
	check("as edited", edited, plain)
	update(t, s, func(tx *db.Tx) error { return batches.DeleteAutoresponder(tx, full.ID) })
	check("after a deletion", plain)
	update(t, s, func(tx *db.Tx) error { return lists.MarkListDeleted(tx, list) })
	view(t, s, func(tx *db.Tx) error {
		all, err := batches.Autoresponders(tx, account)
		same(t, "of a deleted List", all, []enlist.Autoresponder(nil))
		return err
	})
}

func linkTargets(t *testing.T, s db.Engine) {
	one, other := messages.Message{AccountID: 1}, messages.Message{AccountID: 1}
	addMessage(t, s, &one)
	addMessage(t, s, &other)
	urls := []string{"https://example.com/?a={{Name}}", "https://example.com/", "https://example.com/?a={{Name}}"}
	var first, again, others []enlist.LinkID
	update(t, s, func(tx *db.Tx) (err error) { first, err = messages.LinkTargets(tx, one.ID, 5, urls); return err })
	update(t, s, func(tx *db.Tx) (err error) { again, err = messages.LinkTargets(tx, one.ID, 5, urls); return err })
	update(t, s, func(tx *db.Tx) (err error) { others, err = messages.LinkTargets(tx, other.ID, 5, urls[:1]); return err })
	same(t, "the same URLs again", again, first)
	if first[0] != first[2] || first[0] == first[1] || others[0] == first[0] {
		t.Errorf("the link IDs are %v, and %v of another Message; want the same ID only for equal URLs of one Message", first, others)
	}
	target := func(id enlist.LinkID) (message enlist.MessageID, url string, err error) {
		view(t, s, func(tx *db.Tx) error { message, url, err = messages.LinkTarget(tx, id); return nil })
		return message, url, err
	}
	for i, id := range first {
		if message, url, err := target(id); message != one.ID || url != urls[i] || err != nil {
			t.Errorf("link %d has the URL %q and the Message %d, error %v; want those of the call", id, url, message, err)
		}
	}
	update(t, s, func(tx *db.Tx) error { return messages.DeleteMessage(tx, one.ID) })
	_, _, err := target(first[0])
	wantKind(t, "a link of a deleted Message", err, enlist.NoLink)
	if message, _, err := target(others[0]); message != other.ID || err != nil {
		t.Errorf("the link of the other Message has the Message %d, error %v; want the link unchanged", message, err)
	}
}

func deliveries(t *testing.T, s db.Engine) {
	key := enlist.DeliveryKey{List: 1, Contact: 2, Time: 10, Cause: messages.CauseAutoresponder(7)}
	welcome := messages.Delivery{DeliveryKey: key, MessageID: 3, Address: "a@example.com", Subject: "“Hello”", SentTime: 30,
		Status: messages.DeliveryFailed, Detail: "421 later"}
	confirmation := messages.Delivery{DeliveryKey: key, SentTime: 40, Status: messages.DeliverySent}
	confirmation.Cause = messages.CauseConfirmation
	later := messages.Delivery{DeliveryKey: key, SentTime: 50, Status: messages.DeliverySent}
	later.Time = 45
	foreign := welcome
	foreign.Contact = 3
	put := func(all ...messages.Delivery) {
		update(t, s, func(tx *db.Tx) error {
			for i := range all {
				if err := messages.PutDelivery(tx, &all[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	put(welcome, confirmation, later, foreign)
	welcome.Status, welcome.Detail, welcome.SentTime = messages.DeliveryBounced, "550 no such user", 35
	put(welcome)
	view(t, s, func(tx *db.Tx) error {
		got, err := messages.LoadDelivery(tx, key)
		if err != nil {
			return err
		}
		same(t, "the replaced delivery", got, &welcome)
		key.Time = 11
		_, err = messages.LoadDelivery(tx, key)
		wantKind(t, "delivery of another event", err, enlist.NotFound)
		all, err := messages.Deliveries(tx, 1, 2, 1000, 0)
		same(t, "all deliveries, newest first", all, []messages.Delivery{later, confirmation, welcome})
		newest, newestErr := messages.Deliveries(tx, 1, 2, 2, 0)
		same(t, "the two newest", newest, []messages.Delivery{later, confirmation})
		return errors.Join(err, newestErr)
	})
}

func secrets(t *testing.T, s db.Engine) {
	for _, c := range []struct{ name, fresh, want string }{
		{"a", "x\x00\xff", "x\x00\xff"},
		{"a", "y", "x\x00\xff"},
		{"b", "z", "z"},
	} {
		update(t, s, func(tx *db.Tx) error {
			value, err := messages.Secret(tx, c.name, []byte(c.fresh))
			same(t, "secret "+c.name, string(value), c.want)
			return err
		})
	}
}

// confirmationRequests asks the store several times, at different times of the clock, whether
// a confirmation mail may be sent to one Contact.
func confirmationRequests(t *testing.T, s db.Engine) {
	schema := newSchema(t, s)
	list := schema.List.ID
	c, other := contact(schema, "a@example.com"), contact(schema, "b@example.com")
	insert(t, s, c)
	insert(t, s, other)
	for _, step := range []struct {
		now    int64
		marked bool
	}{
		{1000, true}, {1500, false}, {1599, false}, {1600, true}, {1700, false},
		{9000, true}, {2000, true}, {2100, false}, // 9000 was wrong: the clock was fast, and is then set back
	} {
		update(t, s, func(tx *db.Tx) error {
			marked, err := events.MarkConfirmationRequested(tx, list, c.ID, step.now, step.now-600)
			if marked != step.marked {
				t.Errorf("at time %d: marked %v, want %v", step.now, marked, step.marked)
			}
			return err
		})
	}
	update(t, s, func(tx *db.Tx) error { return events.MarkSubscriptionPending(tx, list, other.ID) })
	for _, want := range []struct {
		id      enlist.ContactID
		pending bool
	}{{c.ID, false}, {other.ID, true}, {99, false}} {
		view(t, s, func(tx *db.Tx) error {
			pending, err := events.IsSubscriptionPending(tx, list, want.id)
			if pending != want.pending {
				t.Errorf("the subscription of Contact %d is pending: %v, want the opposite", want.id, pending)
			}
			return err
		})
	}
	update(t, s, func(tx *db.Tx) error {
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
func confirmationRequestsOfAnAddress(t *testing.T, s db.Engine) {
	schema := newSchema(t, s)
	list := schema.List.ID
	for i, step := range []struct {
		now    int64
		marked bool
	}{{1000, true}, {1001, false}, {1300, false}, {1599, false}, {1600, true}, {1601, false}} {
		c := contact(schema, "a@example.com")
		c.IsFirst = i == 0
		insert(t, s, c)
		update(t, s, func(tx *db.Tx) error {
			marked, err := events.MarkConfirmationRequested(tx, list, c.ID, step.now, step.now-600)
			if marked != step.marked {
				t.Errorf("Contact %d at time %d: marked %v, want %v", c.ID, step.now, marked, step.marked)
			}
			return err
		})
	}
}

func contactTimes(t *testing.T, s db.Engine) {
	schema := newSchema(t, s)
	c := contact(schema, "a@example.com")
	insert(t, s, c)
	for _, step := range []struct{ message, open, click, wantMessage, wantOpen, wantClick int64 }{
		{10, 0, 0, 10, 0, 0}, {0, 20, 0, 10, 20, 0}, {5, 0, 30, 10, 20, 30}, {40, 19, 29, 40, 20, 30},
	} {
		update(t, s, func(tx *db.Tx) error {
			return messages.RaiseContactTimes(tx, schema.List.ID, c.ID, step.message, step.open, step.click)
		})
		view(t, s, func(tx *db.Tx) error {
			got, err := contacts.ByID(tx, schema.List.ID, c.ID)
			if err != nil {
				return err
			}
			same(t, "times", []int64{got.LastMessageTime, got.LastOpenTime, got.LastClickTime},
				[]int64{step.wantMessage, step.wantOpen, step.wantClick})
			same(t, "last modified", got.Modified, c.Modified)
			return nil
		})
	}
}

func messageFolders(t *testing.T, s db.Engine) {
	schema := newSchema(t, s)
	account := schema.List.AccountID
	folder := accounts.Folder{AccountID: account, Name: "Letters", Type: accounts.FolderOfMessages, CreationTime: 5}
	update(t, s, func(tx *db.Tx) error { return accounts.AddFolder(tx, &folder) })
	addMessage(t, s, &messages.Message{AccountID: account, FolderID: folder.ID})
	addMessage(t, s, &messages.Message{AccountID: account})
	folder.Name, folder.ItemCount = "Post", 2
	update(t, s, func(tx *db.Tx) error {
		a := enlist.Autoresponder{AccountID: account, ListID: schema.List.ID, FolderID: folder.ID}
		if err := batches.AddAutoresponder(tx, &a); err != nil {
			return err
		}
		return accounts.UpdateFolder(tx, &folder)
	})
	check := func(what string, want ...accounts.Folder) {
		t.Helper()
		view(t, s, func(tx *db.Tx) error {
			all, err := accounts.Folders(tx, account)
			if err == nil {
				same(t, what, all[len(accounts.FirstFolders(account, 0)):], want)
			}
			return err
		})
	}
	check("renamed", folder)
	folder.ItemCount = 1
	update(t, s, func(tx *db.Tx) error { return lists.MarkListDeleted(tx, schema.List.ID) })
	check("without the autoresponder of a deleted List", folder)
	update(t, s, func(tx *db.Tx) error { return accounts.DeleteFolder(tx, folder.ID) })
	check("deleted", []accounts.Folder{}...)
}
