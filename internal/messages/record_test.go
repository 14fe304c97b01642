package messages_test

import (
	"errors"
	"testing"

	"enlist/internal/accounts"
	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/messages"
)

// This file tests that a store returns Messages, autoresponders, links and deliveries with
// the content that was stored.

func TestMessagesAreReturnedAsStored(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewStore, []apptest.Rule[apptest.Store]{
		{Name: "a Message is returned with the content that was stored", Test: messageRecords},
		{Name: "a URL of a Message keeps its link ID", Test: linkTargets},
		{Name: "a second delivery with the same key replaces the first", Test: deliveries},
		{Name: "a secret keeps its first value", Test: secrets},
		{Name: "a Folder counts its Messages and autoresponders", Test: messageFolders},
	})
}

func addMessage(t *testing.T, s db.Engine, m *messages.Message) {
	t.Helper()
	apptest.Update(t, s, func(tx *db.Tx) error { return m.Add(tx) })
}

func messageRecords(o apptest.Store) {
	t, s := o.T, o.Engine
	full := messages.Message{AccountID: 1, CreatorKeyID: 2, CreatorName: "test key", CreationTime: 3, LastModifiedTime: 4,
		Type: messages.MessageEmail, Name: "Welcome", FolderID: 5, EmailType: messages.EmailPlainHTML,
		Subject: "“Hello”", HTML: "<p>{{Name}}</p>", Text: "Hi\r\n", SMS: "sms",
		FromName: "Shop", FromAddress: "a@example.com", ReplyTo: "b@example.com", Attachments: "1,2", InlineImages: "3",
		ShowUnsubscribeLink: true, UpdateProfileListID: 6, UpdateProfileWebformID: 7, UnsubscribeListID: 8,
		UnsubscribeWebformID: 9, AuthorisedSender: "Example Co.", PostalAddress: "66 North Street\r\nQLD 4001"}
	plain, foreign := messages.Message{AccountID: 1}, messages.Message{AccountID: 2}
	addMessage(t, s, &full)
	addMessage(t, s, &plain)
	addMessage(t, s, &foreign)
	check := func(what string, want ...messages.Message) {
		t.Helper()
		apptest.View(t, s, func(tx *db.Tx) error {
			for _, m := range want {
				got, err := messages.LoadMessage(tx, 1, m.ID)
				if err != nil {
					return err
				}
				apptest.Same(t, what, *got, m)
			}
			heads, err := messages.Messages(tx, 1)
			for i := range want {
				want[i].HTML, want[i].Text, want[i].SMS = "", "", ""
			}
			apptest.Same(t, what+", without contents", heads, want)
			return err
		})
	}
	check("as added", full, plain)
	apptest.View(t, s, func(tx *db.Tx) error {
		for _, id := range []enlist.MessageID{foreign.ID, 0, 99} {
			_, err := messages.LoadMessage(tx, 1, id)
			apptest.WantKind(t, "Message of another Account", err, enlist.NoMessage)
		}
		return nil
	})
	edited := full
	edited.LastModifiedTime, edited.Type, edited.Name, edited.FolderID = 9, messages.MessageSMS, "Bye", 0
	edited.EmailType, edited.Subject, edited.HTML, edited.Text, edited.SMS = messages.EmailPlain, "s", "h", "t", "m"
	edited.FromName, edited.FromAddress, edited.ReplyTo = "f", "c@example.com", ""
	edited.Attachments, edited.InlineImages = "", "4"
	edited.ShowUnsubscribeLink, edited.ShowUpdateProfileLink, edited.UnsubscribeListID = false, true, 0
	edited.AuthorisedSender, edited.PostalAddress = "", "QLD"
	apptest.Update(t, s, func(tx *db.Tx) error { return edited.Save(tx) })
	check("as edited", edited, plain)
	apptest.Update(t, s, func(tx *db.Tx) error { return messages.DeleteMessage(tx, full.ID) })
	check("after a deletion", plain)
	again := messages.Message{AccountID: 1}
	addMessage(t, s, &again)
	if again.ID <= foreign.ID {
		t.Errorf("the new Message has the ID %d, want more than the ID of an older Message, %d", again.ID, foreign.ID)
	}
}

func linkTargets(o apptest.Store) {
	t, s := o.T, o.Engine
	one, other := messages.Message{AccountID: 1}, messages.Message{AccountID: 1}
	addMessage(t, s, &one)
	addMessage(t, s, &other)
	urls := []string{"https://example.com/?a={{Name}}", "https://example.com/", "https://example.com/?a={{Name}}"}
	var first, again, others []enlist.LinkID
	apptest.Update(t, s, func(tx *db.Tx) (err error) { first, err = messages.LinkTargets(tx, one.ID, 5, urls); return err })
	apptest.Update(t, s, func(tx *db.Tx) (err error) { again, err = messages.LinkTargets(tx, one.ID, 5, urls); return err })
	apptest.Update(t, s, func(tx *db.Tx) (err error) { others, err = messages.LinkTargets(tx, other.ID, 5, urls[:1]); return err })
	apptest.Same(t, "the same URLs again", again, first)
	if first[0] != first[2] || first[0] == first[1] || others[0] == first[0] {
		t.Errorf("the link IDs are %v, and %v of another Message; want the same ID only for equal URLs of one Message", first, others)
	}
	target := func(id enlist.LinkID) (message enlist.MessageID, url string, err error) {
		apptest.View(t, s, func(tx *db.Tx) error { message, url, err = messages.LinkTarget(tx, id); return nil })
		return message, url, err
	}
	for i, id := range first {
		if message, url, err := target(id); message != one.ID || url != urls[i] || err != nil {
			t.Errorf("link %d has the URL %q and the Message %d, error %v; want those of the call", id, url, message, err)
		}
	}
	apptest.Update(t, s, func(tx *db.Tx) error { return messages.DeleteMessage(tx, one.ID) })
	_, _, err := target(first[0])
	apptest.WantKind(t, "a link of a deleted Message", err, enlist.NoLink)
	if message, _, err := target(others[0]); message != other.ID || err != nil {
		t.Errorf("the link of the other Message has the Message %d, error %v; want the link unchanged", message, err)
	}
}

func deliveries(o apptest.Store) {
	t, s := o.T, o.Engine
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
		apptest.Update(t, s, func(tx *db.Tx) error {
			for i := range all {
				if err := all[i].Put(tx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	put(welcome, confirmation, later, foreign)
	welcome.Status, welcome.Detail, welcome.SentTime = messages.DeliveryBounced, "550 no such user", 35
	put(welcome)
	apptest.View(t, s, func(tx *db.Tx) error {
		got, err := messages.LoadDelivery(tx, key)
		if err != nil {
			return err
		}
		apptest.Same(t, "the replaced delivery", got, &welcome)
		key.Time = 11
		_, err = messages.LoadDelivery(tx, key)
		apptest.WantKind(t, "delivery of another event", err, enlist.NotFound)
		all, err := messages.Deliveries(tx, 1, 2, 1000, 0)
		apptest.Same(t, "all deliveries, newest first", all, []messages.Delivery{later, confirmation, welcome})
		newest, newestErr := messages.Deliveries(tx, 1, 2, 2, 0)
		apptest.Same(t, "the two newest", newest, []messages.Delivery{later, confirmation})
		return errors.Join(err, newestErr)
	})
}

func secrets(o apptest.Store) {
	t, s := o.T, o.Engine
	for _, c := range []struct{ name, fresh, want string }{
		{"a", "x\x00\xff", "x\x00\xff"},
		{"a", "y", "x\x00\xff"},
		{"b", "z", "z"},
	} {
		apptest.Update(t, s, func(tx *db.Tx) error {
			value, err := accounts.Secret(tx, c.name, []byte(c.fresh))
			apptest.Same(t, "secret "+c.name, string(value), c.want)
			return err
		})
	}
}

func messageFolders(o apptest.Store) {
	t, s := o.T, o.Engine
	schema := apptest.NewSchema(t, s)
	account := schema.List.AccountID
	folder := accounts.Folder{AccountID: account, Name: "Letters", Type: accounts.FolderOfMessages, CreationTime: 5}
	apptest.Update(t, s, func(tx *db.Tx) error { return folder.Add(tx) })
	addMessage(t, s, &messages.Message{AccountID: account, FolderID: folder.ID})
	addMessage(t, s, &messages.Message{AccountID: account})
	folder.Name, folder.ItemCount = "Post", 2
	apptest.Update(t, s, func(tx *db.Tx) error {
		a := enlist.Autoresponder{AccountID: account, ListID: schema.List.ID, FolderID: folder.ID}
		if err := batches.AddAutoresponder(tx, &a); err != nil {
			return err
		}
		return folder.Update(tx)
	})
	check := func(what string, want ...accounts.Folder) {
		t.Helper()
		apptest.View(t, s, func(tx *db.Tx) error {
			all, err := accounts.Folders(tx, account)
			if err == nil {
				apptest.Same(t, what, all[len(accounts.FirstFolders(account, 0)):], want)
			}
			return err
		})
	}
	check("renamed", folder)
	folder.ItemCount = 1
	apptest.Update(t, s, func(tx *db.Tx) error { return lists.MarkListDeleted(tx, schema.List.ID) })
	check("without the autoresponder of a deleted List", folder)
	apptest.Update(t, s, func(tx *db.Tx) error { return accounts.DeleteFolder(tx, folder.ID) })
	check("deleted", []accounts.Folder{}...)
}
