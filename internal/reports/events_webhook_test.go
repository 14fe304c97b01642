package reports_test

import (
	"fmt"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/events"
	"enlist/internal/webhooks"
)

// This file tests the webhooks about the events of mails.

// addMailWebhooks adds a webhook for each event of mails and for completed Batches.
func addMailWebhooks(f *apptest.SentBatch) {
	f.Helper()
	for _, event := range []string{"opened", "clicked", "bounced", "complained", "completed"} {
		object := "contact"
		if event == "completed" {
			object = "batch"
		}
		_, err := f.App.Webhooks.AddWebhook(f.Context(), f.Caller, apptest.Details("object", object, "event", event, "url", "https://hooks.example/"))
		f.Must(err)
	}
}

// webhookEvents returns the events that wait for webhooks: each with its Contact and its Batch.
func webhookEvents(f *apptest.SentBatch) (got []string) {
	f.Helper()
	apptest.View(f.T, f.Store, func(tx *db.Tx) error {
		all, err := webhooks.Webhooks(tx, f.Caller.Account.ID)
		if err != nil {
			return err
		}
		events, err := events.WebhookEvents(tx, all[0].Target, 0, 100)
		got = nil
		for _, e := range events {
			got = append(got, fmt.Sprint(e.Event, " ", e.Contact, " ", e.Batch))
		}
		return err
	})
	return got
}

func webhookEventsOfMails(f *apptest.SentBatch) {
	addMailWebhooks(f)
	for range 2 {
		f.Open(f.Contacts[0], apptest.PersonAgent)
		f.Click(f.Contacts[0], f.Links[0], apptest.PersonAgent)
		f.Pass(time.Minute)
	}
	_, err := f.App.Sending.Bounced(f.Context(), f.Mail(f.Contacts[1]), "550")
	f.Must(err)
	_, err = f.App.Sending.Complained(f.Context(), f.Mail(f.Contacts[2]), "spam")
	f.Must(err)
	second := f.Add(apptest.Whole(f.News))
	f.SendAll(nil)
	want := []string{fmt.Sprint("opened ", f.Contacts[0], " ", f.ID), fmt.Sprint("clicked ", f.Contacts[0], " ", f.ID),
		fmt.Sprint("bounced ", f.Contacts[1], " ", f.ID), fmt.Sprint("complained ", f.Contacts[2], " ", f.ID),
		fmt.Sprint("completed 0 ", second)}
	apptest.Same(f.T, "events", webhookEvents(f), want)
}
