package sending_test

import (
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
	noSending.NoSending = true
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
	want("a limit is faster", sender(f, "relay=600/hour"), begun, 60, "", left, left)
	want("the rate of the Batch", free, begun+", rate = '30/hour'", 60, pace.BatchLimit, left*2-10, left*2+10)
	long := fmt.Sprintf("sent = 20, rate = '', first_sent_time = %d", now-enlist.Day)
	want("no slice was done in the last hour", free, long, 0, "", -now/60, -now/60)
	add := func(from, upto, every int64) { // slices, the first of which was done now
		f.Must(f.App.DB.Update(f.Context(), func(tx *db.Tx) error {
			for i := from; i <= upto; i++ {
				if err := tx.Do(`INSERT INTO batch_slice (batch_id, number, list_id, first_id, last_id, holder, lease_time, done)
					VALUES (?, ?, ?, 0, 0, '', ?, 1)`, int64(id), i, int64(f.News), now-every*(i-from)); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	add(2, 6, 1000) // the last one was done before the last hour
	want("slices of the last hour, after a pause", free, long, 4*recipients/6, "", 0, left*60)
	add(7, 26, 60)
	want("the last slices", free, long, 20*recipients/26*3600/(19*60), "", 0, 60)

	other, key := *f.Caller, *f.Caller.Key
	key.Lists = []enlist.ListID{f.AddList()}
	other.Key = &key
	if all, err := f.App.Sending.RunningBatches(f.Context(), &other); err != nil || len(all) != 0 {
		f.Errorf("a person of another List sees %+v, %v", all, err)
	}
	f.Must(f.App.Sending.HoldMails(f.Context(), "a test"))
	want("all mails are held", free, long, 0, "", -now/60, -now/60)
}
