package app_test

import (
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/imports"
	"enlist/internal/recipients"
)

// covers: decision 104
func TestFiguresOfTheDatabase(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "the figures for metrics count what waits and what is recent", Test: figures},
	})
}

// The figures count jobs by kind and state, and say since when the oldest waits that is due. Batches and Imports are
// counted by status, and only recent mails and rows.
func figures(f *apptest.Account) {
	t, s := f.T, f.Store
	f.Now = time.Now() // jobs have times of the database's clock
	list := f.AddList()
	kinds := []string{"autorespond", "notify", "send_test"}
	read := func() *app.Figures {
		t.Helper()
		found, err := f.App.Figures(t.Context(), kinds)
		f.Must(err)
		return found
	}
	empty := read()
	for _, j := range empty.Jobs {
		if j.Count != 0 || j.Due != 0 {
			t.Errorf("an empty queue has %+v", j)
		}
	}
	apptest.Same(t, "number of kinds and states", len(empty.Jobs), len(kinds)*len(app.JobStates))
	apptest.Same(t, "Batches of an empty database", empty.Batches, map[batches.BatchStatus]int64{})

	now := f.Now.Unix()
	apptest.Update(t, s, func(tx *db.Tx) error {
		for _, e := range []db.Effect{events.Notify{List: list}, events.Notify{List: list},
			events.Autorespond{List: list, Due: now - 1}, events.Autorespond{List: list, Due: now + 5000}} {
			if err := tx.Enqueue(e); err != nil {
				return err
			}
		}
		return nil
	})
	f.Now = f.Now.Add(100 * time.Second)
	counts, oldest := make(map[string]int64), make(map[string]int64)
	for _, j := range read().Jobs {
		if j.Count > 0 {
			counts[j.Kind+" "+j.State] = j.Count
		}
		if j.Due > 0 {
			oldest[j.Kind] = j.Due
		}
	}
	apptest.Same(t, "jobs", counts, map[string]int64{"notify available": 2, "autorespond available": 1, "autorespond scheduled": 1})
	for _, kind := range []string{"notify", "autorespond"} {
		if age := f.Now.Unix() - oldest[kind]; age < 60 || age > 101 {
			t.Errorf("the oldest job of kind %s is due for %d s, want about 100 s", kind, age)
		}
	}
	apptest.Same(t, "number of kinds with a job that is due", len(oldest), 2)

	f.ImportFile(list, "Email\na@example.com\nb@example.com\nnothing\n", nil)
	batch := &apptest.Batches{Account: f, News: list}
	batch.Message = batch.AddMessage("May")
	of := batches.PopulationRequest{List: list}
	old, recent := batch.AddAt(now+10_000, of), batch.AddAt(now+10_000, of)
	apptest.Update(t, s, func(tx *db.Tx) error {
		if err := batches.AddToBatch(tx, old, recipients.Counts{Sent: 100, Bounced: 90}, now-8*24*60*60); err != nil {
			return err
		}
		return batches.AddToBatch(tx, recent, recipients.Counts{Sent: 10, Bounced: 3, Complained: 1}, now)
	})
	hook := f.Webhook(f.AddWebhook("contact", "created")).Target
	failing := f.Webhook(f.AddWebhook("contact", "created", "url", "https://example.com/gone")).Target
	apptest.Update(t, s, func(tx *db.Tx) error {
		for _, e := range []enlist.WebhookEvent{{Target: failing, Time: now - 500}, {Target: hook, Time: now - 50}, {Target: hook, Time: now}} {
			e.Object, e.Event = enlist.AboutContact, enlist.WebhookCreated
			if err := events.AddWebhookEvent(tx, &e); err != nil {
				return err
			}
		}
		return events.SetWebhookFailing(tx, failing, true)
	})
	f.Must(f.App.Sending.HoldMails(t.Context(), "test"))
	got := read()
	got.Jobs = nil
	apptest.Same(t, "figures", got, &app.Figures{Held: true, Event: now - 50, Failing: 1, ReadTime: f.Now.Unix(),
		Batches: map[batches.BatchStatus]int64{batches.BatchPending: 2},
		Imports: map[imports.ImportState]int64{imports.ImportDone: 1},
		Mails:   map[string]int64{"sent": 10, "bounced": 3, "complained": 1, "failed": 0, "unsubscribed": 0},
		Rows: map[imports.RowOutcome]int64{imports.RowAdded: 2, imports.RowRefused: 1, imports.RowUpdated: 0,
			imports.RowUnchanged: 0, imports.RowSkipped: 0}})
}
