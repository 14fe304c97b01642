package sending_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/pace"
	"enlist/internal/recipients"
	"enlist/internal/sending"
)

// This file tests the rates of Batches with a fake clock.

// covers: spec batch.rate, batch.pace, decision 63
func TestRates(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewBatches, []apptest.Rule[*apptest.Batches]{
		{Name: "two processes together never exceed a rate", Test: ratesAreShared},
		{Name: "concurrent transactions never take a token twice", Test: tokensAreTakenOnce},
		{Name: "a mail takes a token of each of its buckets or of none", Test: bucketsOfAMail},
		{Name: "a Batch has its own rate", Test: batchRate},
		{Name: "a reply that asks for fewer mails halves the rate, which then grows", Test: paceHalvesAndGrows},
		{Name: "a limit of the mail server itself slows the mails to all domains", Test: paceOfTheRelay},
		{Name: "two processes share the days of a warm-up plan", Test: warmupIsShared},
		{Name: "a forecast counts domains, other Batches and earlier ones", Test: forecasts},
		{Name: "a running Batch has a speed, and is done when its limits and its speed allow", Test: runningForecasts},
	})
}

// sender returns a Service on the database of the test, like that of another process, with limits.
func sender(f *apptest.Batches, limits ...string) *app.App {
	f.Helper()
	s := app.New(f.Store, func() time.Time { return f.Now })
	rates, err := pace.ParseRateLimits(limits)
	f.Must(err)
	s.SetSending(pace.Settings{Relay: "mail.example.com", From: "news@example.com", Rates: rates})
	return s
}

// take takes tokens for mails to the addresses and returns the number of granted mails.
func take(f *apptest.Batches, s *app.App, slice *sending.LeasedSlice, to ...string) (granted int, next time.Time) {
	f.Helper()
	all := make([]recipients.Recipient, len(to))
	for i := range to {
		all[i].Address = to[i]
	}
	yes, no, next, err := s.Sending.TakeTokens(f.Context(), slice, all)
	f.Must(err)
	if len(yes)+len(no) != len(all) {
		f.Fatalf("%d recipients are granted and %d are not, of %d", len(yes), len(no), len(all))
	}
	return len(yes), next
}

// sliceAt returns a slice of a Batch with a rate. The Batch is not stored.
func sliceAt(rate string) *sending.LeasedSlice {
	return &sending.LeasedSlice{Slice: recipients.Slice{Batch: 7}, Of: &batches.Batch{ID: 7, Rate: rate}, From: "News@Shop.example"}
}

func addressesAt(n int, domain string) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("a%d@%s", i, domain)
	}
	return all
}

func ratesAreShared(f *apptest.Batches) {
	for _, c := range []struct {
		rate   string
		limit  int
		period time.Duration
	}{
		{"1/second", 1, time.Second}, {"30/second", 30, time.Second}, {"2000/second", 2000, time.Second},
		{"7/minute", 7, time.Minute}, {"100/hour", 100, time.Hour}, {"50/day", 50, 24 * time.Hour},
	} {
		processes := []*app.App{sender(f, "relay="+c.rate), sender(f, "relay="+c.rate)}
		f.Now = f.Now.Add(48 * time.Hour) // the bucket is full
		start, asked := f.Now, min(500, 2*c.limit)
		var times []time.Time // of the mails
		for f.Now.Before(start.Add(3 * c.period)) {
			granted, next := take(f, processes[rand.IntN(2)], sliceAt(""), addressesAt(asked, "example.com")...)
			for range granted {
				times = append(times, f.Now)
			}
			if granted < asked && !next.After(f.Now) {
				f.Fatalf("%s: the next token appears at %v, which is not after %v", c.rate, next, f.Now)
			}
			f.Now = f.Now.Add(max(c.period/61, next.Sub(f.Now)/time.Duration(1+rand.IntN(3))))
		}
		for i := range times {
			if j := i + c.limit; j < len(times) && times[j].Sub(times[i]) < c.period {
				f.Fatalf("%s: %d mails in %v", c.rate, c.limit+1, times[j].Sub(times[i]))
			}
		}
		if least := c.limit * 5 / 2; len(times) < least {
			f.Errorf("%s: %d mails in 3 periods, want at least %d", c.rate, len(times), least)
		}
	}
}

func tokensAreTakenOnce(f *apptest.Batches) {
	const burst = 26 // of 500 an hour: 1 and a twentieth
	var granted atomic.Int64
	var workers sync.WaitGroup
	for range 8 {
		s := sender(f, "relay=500/hour", "recipient=1000/hour", "sender=900/hour")
		workers.Go(func() {
			for range 10 {
				all := make([]recipients.Recipient, 3)
				for i := range all {
					all[i].Address = addressesAt(5, "example.com")[rand.IntN(5)] + []string{"", ".net", ".org"}[rand.IntN(3)]
				}
				yes, _, _, err := s.Sending.TakeTokens(f.Context(), sliceAt(""), all)
				if err != nil {
					f.Error(err)
				}
				granted.Add(int64(len(yes)))
			}
		})
	}
	workers.Wait()
	if granted.Load() != burst {
		f.Errorf("%d mails are granted at one moment, want %d", granted.Load(), burst)
	}
}

func bucketsOfAMail(f *apptest.Batches) {
	s := sender(f, "relay=1000/day", "sender=1/day", "sender:shop.example=100/day", "recipient=3/day", "recipient:gmail=1/day")
	slice := sliceAt("")
	to := []string{"a@gmail.com", "b@googlemail.com", "c@ulm.example", "d@ULM.example", "e@outlook.com", "f@hotmail.co.uk"}
	granted, next := take(f, s, slice, to...)
	if granted != 3 { // one token each of gmail, ulm.example and microsoft; these buckets have one token at a time
		f.Errorf("%d mails are granted, want 3", granted)
	}
	if granted, _ := take(f, s, slice, "a@a.example", "a@b.example", "a@c.example", "a@d.example"); granted != 3 {
		f.Errorf("%d more mails are granted, want 3: the sender has 6 tokens, and the mails that wait took none", granted)
	}
	if want := f.Now.Add(8 * time.Hour); !next.Equal(want) {
		f.Errorf("the next mail may go at %v, want %v", next, want)
	}
	f.Now = next
	if granted, _ := take(f, s, slice, "b@googlemail.com", "d@ulm.example", "f@live.de"); granted != 2 {
		f.Errorf("%d mails are granted after 8 hours, want 2: gmail has a token after a day", granted)
	}
}

func batchRate(f *apptest.Batches) {
	f.SubscribeMany(f.News, 3)
	f.AddWith(batches.BatchOptions{Rate: "1/minute"})
	slice := f.Lease("a")
	if !f.App.Sending.IsLimited(slice) {
		f.Error("the slice of a Batch with a rate is not limited")
	}
	granted, others, next, err := f.App.Sending.TakeTokens(f.Context(), slice, slice.Recipients)
	f.Must(err)
	if len(granted) != 1 || len(others) != 2 || !next.Equal(f.Now.Add(time.Minute)) {
		f.Errorf("%d recipients are granted and %d wait until %v, want 1 and 2 for a minute", len(granted), len(others), next)
	}
	if f.App.Sending.IsLimited(sliceAt("")) {
		f.Error("a Batch without a rate is limited")
	}
	f.Now = f.Now.Add(2 * time.Hour)
	f.Must(f.App.Sending.DeleteFullBuckets(f.Context()))
	if granted, _ := take(f, f.App, slice, "a@example.com"); granted != 1 {
		f.Error("a deleted bucket gives no token, want it to be full")
	}
}

func paceHalvesAndGrows(f *apptest.Batches) {
	f.SubscribeMany(f.News, 1)
	f.Add(apptest.Whole(f.News))
	s := sender(f, "recipient:yahoo=600/minute")
	for i, want := range []bool{true, false} {
		if slowed, err := s.Sending.SlowDown(f.Context(), "yahoo", 5); err != nil || slowed != want {
			f.Errorf("reply %d: slowed is %t, %v; want %t: the mails under way count once", i, slowed, err, want)
		}
	}
	paces := f.Lease("a").Paces
	if len(paces) != 1 || paces[0].Group != "yahoo" || paces[0].Mails != 300 {
		f.Fatalf("the paces are %+v, want 300 a minute for yahoo", paces)
	}
	for minute := range 9 { // 300 * 1.1^8 is above 600
		slice := sliceAt("")
		slice.Paces = paces
		// The pace has a 20th of its mails and one more as tokens, the limit has 31.
		granted, _ := take(f, s, slice, addressesAt(40, "yahoo.co.uk")...)
		if grown := 300 * pow(1.1, minute); minute < 8 && granted != 1+int(grown)/20 || minute == 8 && granted != 31 {
			f.Errorf("after %d minutes %d mails are granted, want %d", minute, granted, 1+int(grown)/20)
		}
		f.Now = f.Now.Add(time.Minute)
	}
	_, err := sender(f).Sending.SlowDown(f.Context(), "example.net", 80) // no limit: the measured rate
	f.Must(err)
	if granted, _ := take(f, sender(f), sliceAt(""), addressesAt(40, "example.net")...); granted != 3 {
		f.Errorf("%d mails are granted at 40 a minute, want 3", granted)
	}
}

// A reply of the mail server about its own limit slows the mails to all domains, and no domain more than the others.
func paceOfTheRelay(f *apptest.Batches) {
	f.SubscribeMany(f.News, 1)
	f.Add(apptest.Whole(f.News))
	s := sender(f, "relay=1200/minute")
	_, err := s.Sending.SlowDown(f.Context(), pace.RelayGroup("mail.example.com"), 5)
	f.Must(err)
	slice := sliceAt("")
	slice.Paces = f.Lease("a").Paces
	if granted, _ := take(f, s, slice, append(addressesAt(20, "example.net"), addressesAt(40, "example.org")...)...); granted != 31 {
		f.Errorf("%d mails to two domains are granted at 600 a minute, want 31", granted)
	}
}

func pow(x float64, n int) float64 {
	y := 1.0
	for range n {
		y *= x
	}
	return y
}
