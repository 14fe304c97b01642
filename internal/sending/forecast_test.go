package sending_test

import (
	"encoding/json"
	"fmt"
	"time"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/pace"
)

// This file tests what a forecast reads. Package pace tests its arithmetic.

func forecasts(f *apptest.Batches) {
	for i := range 6 {
		f.Subscribe(f.News, "Email", fmt.Sprintf("G%d@%s", i, []string{"GoogleMail.com", "gmail.com", "x.example"}[i%3]))
	}
	// want compares what slows a Batch to all Contacts, and after how many minutes it is done.
	want := func(what string, s *app.App, rate string, at time.Time, kind pace.LimitKind, name string, minutes int) {
		f.Helper()
		check, err := s.Batches.CheckBatch(f.Context(), f.Caller, batches.BatchRequest{Message: f.Message, Populations: []batches.PopulationRequest{apptest.Whole(f.News)}})
		f.Must(err)
		got, err := s.Sending.Forecast(f.Context(), f.Caller, check, rate, at)
		f.Must(err)
		if got.Slowest == nil || got.Slowest.Kind != kind || got.Slowest.Name != name || got.Done != at.Unix()+60*int64(minutes) {
			f.Errorf("%s: %+v, slowed by %+v; want %s %s and %d minutes", what, got, got.Slowest, kind, name, minutes)
		}
	}
	now := f.Now
	want("both domains of a provider", sender(f, "recipient:gmail=6/hour", "recipient:x.example=6/hour"), "", now, pace.RecipientLimit, "gmail", 30)
	want("the sender of the server", sender(f, "sender:example.com=6/hour"), "", now, pace.SenderLimit, "example.com", 50)
	want("the rate of the Batch", sender(f, "recipient:gmail=6/hour"), "3/hour", now, pace.BatchLimit, "", 100)
	if _, err := f.App.Sending.Forecast(f.Context(), f.Caller, new(batches.BatchCheck), "fast", now); enlist.KindOf(err) != enlist.InvalidParameters {
		f.Errorf("a forecast with a wrong rate: %v", err)
	}
	noSending := *f.Caller
	noSending.Key = &enlist.Key{AccountID: noSending.Account.ID, Role: enlist.Writer}
	if _, err := f.App.Sending.Forecast(f.Context(), &noSending, new(batches.BatchCheck), "", now); enlist.KindOf(err) != enlist.Denied {
		f.Errorf("a forecast of a person who may not send: %v", err)
	}

	relay := sender(f, "relay=6/hour")
	f.Add(apptest.Whole(f.News))
	f.Lease("h")
	want("another Batch is sending", relay, "", now, pace.RelayLimit, "", 100)
	want("another Batch has mails to the provider", sender(f, "recipient:gmail=6/hour", "recipient:x.example=6/hour"), "", now, pace.RecipientLimit, "gmail", 60)
	want("it is not in the way of a later Batch", relay, "", now.Add(time.Hour), pace.RelayLimit, "", 50)
	f.Must(f.App.DB.Update(f.Context(), func(tx *db.Tx) error {
		return tx.Do("UPDATE batch SET status = 'completed', sent = 6001, first_sent_time = 1000, last_sent_time = 1000 + 1000 * 3600")
	}))
	f.AddMany(f.News, 60)
	want("an earlier Batch had 6 mails an hour", sender(f), "", now, pace.FastestLimit, "", 650)
	plan, err := pace.ParseWarmup(now.UTC().Format(time.DateOnly) + " 80 2")
	f.Must(err)
	warm := sender(f)
	warm.SetSending(pace.Settings{Relay: "r", From: "news@example.com", Warmup: plan})
	f.Must(f.App.DB.Update(f.Context(), func(tx *db.Tx) error {
		return tx.Do("INSERT INTO mail_day (relay, day, mails) VALUES ('r', ?, 30)", now.UTC().Format(time.DateOnly))
	}))
	midnight := now.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	steps := (midnight.Sub(now) + 10*time.Minute - 1) / (10 * time.Minute)
	want("mails of the day of the warm-up plan", warm, "", now, pace.WarmupLimit, "", 10*(int(steps)+1))
}

func runningForecasts(f *apptest.Batches) {
	f.AddMany(f.News, 57) // and three before
	id := f.Add(apptest.Whole(f.News))
	f.Lease("h")
	now := f.Now.Unix()
	// want compares the speed of the Batch, what slows it and after how many minutes it is done.
	want := func(what string, s *app.App, change string, speed int64, kind pace.LimitKind, least, most int64) {
		f.Helper()
		f.Must(f.App.DB.Update(f.Context(), func(tx *db.Tx) error { return tx.Do("UPDATE batch SET "+change+" WHERE id = ?", int64(id)) }))
		all, err := s.Sending.RunningBatches(f.Context(), f.Caller)
		f.Must(err)
		if len(all) != 1 || all[0].ID != id {
			f.Fatalf("%s: the running Batches are %+v", what, all)
		}
		got, slowest := all[0], pace.LimitKind("")
		if got.Forecast.Slowest != nil {
			slowest = got.Forecast.Slowest.Kind
		}
		if done := (got.Forecast.Done - now) / 60; got.Speed != speed || slowest != kind || done < least || done > most {
			f.Errorf("%s: %d mails an hour, slowed by %q, done in %d minutes; want %d, %q, %d to %d", what, got.Speed, slowest, done, speed, kind, least, most)
		}
	}
	begun := fmt.Sprintf("sent = 20, first_sent_time = %d", now-1200)
	recipients := f.Batch(id).Recipients
	free, left := sender(f), recipients-20
	want("no mail has left", free, "sent = 0", 0, "", -now/60, -now/60)
	want("all mails since the first one", free, begun, 60, "", left, left)
	want("a limit is slower", sender(f, "relay=30/hour"), begun, 60, pace.RelayLimit, left*2-10, left*2+10)
	want("a limit is a little faster", sender(f, "relay=75/hour"), begun, 60, pace.RelayLimit, left, left)
	want("a limit is much faster", sender(f, "relay=600/hour"), begun, 60, pace.SpeedLimit, left, left)
	want("the rate of the Batch", free, begun+", rate = '30/hour'", 60, pace.BatchLimit, left*2-10, left*2+10)
	long := fmt.Sprintf("rate = '', first_sent_time = %d, sent = ", now-enlist.Day)
	want("one slice has begun, long ago", free, long+"20", 0, "", -now/60, -now/60)

	// One slice of 500 mails began each minute, and four wait. The last one is held, and each third one has a mail that
	// is deferred.
	do := func(query string, args ...any) {
		f.Must(f.App.DB.Update(f.Context(), func(tx *db.Tx) error { return tx.Do(query, args...) }))
	}
	for i := int64(2); i <= 30; i++ {
		first, lease, done, holder := now-60*(26-i)-30, now-60*(25-i)-30, int64(1), ""
		switch {
		case i > 26:
			first, lease, done = 0, 0, 0
		case i == 26:
			lease, done, holder = now+60, 0, "h"
		case i%3 == 0:
			lease, done = now+600, 0
		}
		do(`INSERT INTO batch_slice (batch_id, number, list_id, first_id, last_id, holder, lease_time, done)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, int64(id), i, int64(f.News), 1000000+i, 1000000+i, holder, lease, done)
		do(`INSERT INTO recipient (list_id, batch_id, contact_id, slice, status, time, attempts, address, detail, sent_time,
			unsubscribed_time, deactivated_time) VALUES (?, ?, ?, ?, 'sent', 0, 0, '', '', ?, 0, 0)`, int64(f.News), int64(id), 1000000+i, i, first)
	}
	long = "recipients = 15000, " + long
	want("the last slices", free, long+"12750", 500*60, "", 4, 5)
	want("half of the mails wait for a limit of their domain", free, long+"6250", 250*60, "", 35, 35)
	chosen := func(at int64) string {
		v, err := json.Marshal(batches.Variants{All: []batches.Variant{{}, {Subject: "Other"}}, Share: 10, Chosen: 1, Time: at})
		f.Must(err)
		return "12750, variants = '" + string(v) + "'"
	}
	do("UPDATE batch_slice SET lease_time = ? WHERE batch_id = ? AND lease_time = 0", now-enlist.Day/2, int64(id))
	want("the last slices after a winner", free, long+chosen(now-enlist.Day/2), 500*60, "", 4, 5)
	want("the last slices began before the winner was chosen", free, long+chosen(now-100), 0, "", -now/60, -now/60)
	do("UPDATE recipient SET sent_time = sent_time - 2400 WHERE list_id = ? AND batch_id = ? AND slice < 24", int64(f.News), int64(id))
	want("two slices have begun after a pause in the first hour", free, fmt.Sprintf("first_sent_time = %d, sent = ", now-3500)+chosen(now-enlist.Day/2), 500*60, "", 4, 5)
	do("UPDATE recipient SET sent_time = sent_time - 90 WHERE list_id = ? AND batch_id = ? AND slice >= 24", int64(f.News), int64(id))
	want("the last slice takes longer", free, "sent = 12750", 1000*3600/160, "", 6, 6)

	other, key := *f.Caller, *f.Caller.Key
	key.Lists = []enlist.ListID{f.AddList()}
	other.Key = &key
	if all, err := f.App.Sending.RunningBatches(f.Context(), &other); err != nil || len(all) != 0 {
		f.Errorf("a person of another List sees %+v, %v", all, err)
	}
	f.Must(f.App.Sending.HoldMails(f.Context(), "a test"))
	want("all mails are held", free, long+"12750", 0, "", -now/60, -now/60)
}
