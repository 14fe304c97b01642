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
