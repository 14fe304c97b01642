package storetest

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"enlist/internal/app"
	"enlist/internal/batches"
	"enlist/internal/pace"
	"enlist/internal/sending"
)

// This file tests the rates of Batches with a fake clock.

// sender returns a Service on the database of the test, like that of another process, with limits.
func (f *batchFixture) sender(limits ...string) *app.App {
	f.Helper()
	s := app.New(f.store, func() time.Time { return f.now })
	rates, err := pace.ParseRateLimits(limits)
	f.must(err)
	s.SetSending(pace.Settings{Relay: "mail.example.com", From: "news@example.com", Rates: rates})
	return s
}

// take takes tokens for mails to the addresses and returns the number of granted mails.
func (f *batchFixture) take(s *app.App, slice *sending.LeasedSlice, to ...string) (granted int, next time.Time) {
	f.Helper()
	all := make([]batches.Recipient, len(to))
	for i := range to {
		all[i].Address = to[i]
	}
	yes, no, next, err := s.Sending.TakeTokens(f.Context(), slice, all)
	f.must(err)
	if len(yes)+len(no) != len(all) {
		f.Fatalf("%d recipients are granted and %d are not, of %d", len(yes), len(no), len(all))
	}
	return len(yes), next
}

// sliceAt returns a slice of a Batch with a rate. The Batch is not stored.
func sliceAt(rate string) *sending.LeasedSlice {
	return &sending.LeasedSlice{BatchSlice: batches.BatchSlice{Batch: 7}, Of: &batches.Batch{ID: 7, Rate: rate}, From: "News@Shop.example"}
}

func addressesAt(n int, domain string) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("a%d@%s", i, domain)
	}
	return all
}

func ratesAreShared(f *batchFixture) {
	for _, c := range []struct {
		rate   string
		limit  int
		period time.Duration
	}{
		{"1/second", 1, time.Second}, {"30/second", 30, time.Second}, {"2000/second", 2000, time.Second},
		{"7/minute", 7, time.Minute}, {"100/hour", 100, time.Hour}, {"50/day", 50, 24 * time.Hour},
	} {
		processes := []*app.App{f.sender("relay=" + c.rate), f.sender("relay=" + c.rate)}
		f.now = f.now.Add(48 * time.Hour) // the bucket is full
		start := f.now
		var times []time.Time // of the mails
		for f.now.Before(start.Add(3 * c.period)) {
			granted, next := f.take(processes[rand.IntN(2)], sliceAt(""), addressesAt(500, "example.com")...)
			for range granted {
				times = append(times, f.now)
			}
			if granted < 500 && !next.After(f.now) {
				f.Fatalf("%s: the next token appears at %v, which is not after %v", c.rate, next, f.now)
			}
			f.now = f.now.Add(max(c.period/61, next.Sub(f.now)/time.Duration(1+rand.IntN(3))))
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

func tokensAreTakenOnce(f *batchFixture) {
	const burst = 26 // of 500 an hour: 1 and a twentieth
	var granted atomic.Int64
	var workers sync.WaitGroup
	for range 8 {
		s := f.sender("relay=500/hour", "recipient=1000/hour", "sender=900/hour")
		workers.Go(func() {
			for range 10 {
				all := make([]batches.Recipient, 3)
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

func bucketsOfAMail(f *batchFixture) {
	s := f.sender("relay=1000/day", "sender=1/day", "sender:shop.example=100/day", "recipient=3/day", "recipient:gmail=1/day")
	slice := sliceAt("")
	to := []string{"a@gmail.com", "b@googlemail.com", "c@ulm.example", "d@ULM.example", "e@outlook.com", "f@hotmail.co.uk"}
	granted, next := f.take(s, slice, to...)
	if granted != 3 { // one token each of gmail, ulm.example and microsoft; these buckets have one token at a time
		f.Errorf("%d mails are granted, want 3", granted)
	}
	if granted, _ := f.take(s, slice, "a@a.example", "a@b.example", "a@c.example", "a@d.example"); granted != 3 {
		f.Errorf("%d more mails are granted, want 3: the sender has 6 tokens, and the mails that wait took none", granted)
	}
	if want := f.now.Add(8 * time.Hour); !next.Equal(want) {
		f.Errorf("the next mail may go at %v, want %v", next, want)
	}
	f.now = next
	if granted, _ := f.take(s, slice, "b@googlemail.com", "d@ulm.example", "f@live.de"); granted != 2 {
		f.Errorf("%d mails are granted after 8 hours, want 2: gmail has a token after a day", granted)
	}
}

func batchRate(f *batchFixture) {
	f.subscribeMany(f.news, 3)
	f.addWith(batches.BatchOptions{Rate: "1/minute"})
	slice := f.lease("a")
	if !f.service.Sending.IsLimited(slice) {
		f.Error("the slice of a Batch with a rate is not limited")
	}
	granted, others, next, err := f.service.Sending.TakeTokens(f.Context(), slice, slice.Recipients)
	f.must(err)
	if len(granted) != 1 || len(others) != 2 || !next.Equal(f.now.Add(time.Minute)) {
		f.Errorf("%d recipients are granted and %d wait until %v, want 1 and 2 for a minute", len(granted), len(others), next)
	}
	if f.service.Sending.IsLimited(sliceAt("")) {
		f.Error("a Batch without a rate is limited")
	}
	f.now = f.now.Add(2 * time.Hour)
	f.must(f.service.Sending.DeleteFullBuckets(f.Context()))
	if granted, _ := f.take(f.service, slice, "a@example.com"); granted != 1 {
		f.Error("a deleted bucket gives no token, want it to be full")
	}
}

func paceHalvesAndGrows(f *batchFixture) {
	f.subscribeMany(f.news, 1)
	f.add(whole(f.news))
	s := f.sender("recipient:yahoo=600/minute")
	for i, want := range []bool{true, false} {
		if slowed, err := s.Sending.SlowDown(f.Context(), "a@yahoo.com", 5); err != nil || slowed != want {
			f.Errorf("reply %d: slowed is %t, %v; want %t: the mails under way count once", i, slowed, err, want)
		}
	}
	paces := f.lease("a").Paces
	if len(paces) != 1 || paces[0].Group != "yahoo" || paces[0].Mails != 300 {
		f.Fatalf("the paces are %+v, want 300 a minute for yahoo", paces)
	}
	for minute := range 9 { // 300 * 1.1^8 is above 600
		slice := sliceAt("")
		slice.Paces = paces
		// The pace has a 20th of its mails and one more as tokens, the limit has 31.
		granted, _ := f.take(s, slice, addressesAt(40, "yahoo.co.uk")...)
		if grown := 300 * pow(1.1, minute); minute < 8 && granted != 1+int(grown)/20 || minute == 8 && granted != 31 {
			f.Errorf("after %d minutes %d mails are granted, want %d", minute, granted, 1+int(grown)/20)
		}
		f.now = f.now.Add(time.Minute)
	}
	_, err := f.sender().Sending.SlowDown(f.Context(), "a@example.net", 80) // no limit: the measured rate
	f.must(err)
	if granted, _ := f.take(f.sender(), sliceAt(""), addressesAt(40, "example.net")...); granted != 3 {
		f.Errorf("%d mails are granted at 40 a minute, want 3", granted)
	}
}

func pow(x float64, n int) float64 {
	y := 1.0
	for range n {
		y *= x
	}
	return y
}
