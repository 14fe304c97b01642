package pace

import (
	"slices"
	"testing"
	"time"

	"enlist/internal/enlist"
)

func TestForecast(t *testing.T) {
	at := time.Date(2027, 1, 15, 16, 40, 0, 0, time.UTC) // a Friday
	calendar, err := ParseCalendar("mon-fri 9:00-17:30 UTC")
	if err != nil {
		t.Fatal(err)
	}
	warmup, err := ParseWarmup("2027-01-15 100 2")
	if err != nil {
		t.Fatal(err)
	}
	limits := func(texts ...string) *RateLimits {
		l, err := ParseRateLimits(texts)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	relay := limits("relay=1200/hour")
	domains := limits("recipient:gmail=6000/hour", "recipient:yahoo=1000/hour")
	hourly, day := []enlist.Rate{{Mails: 600, Period: enlist.PerHour}}, int64(enlist.Day)
	in := func(minutes int64) int64 { return at.Unix() + 60*minutes }
	monday := in(-400) + 3*day - 60*60 // 9:00
	for _, c := range []struct {
		name     string
		settings Settings
		send     Send
		hours    []int64 // of the first hours
		done     int64
		slowest  Limit // without its rate
	}{
		{"no limit is no forecast", Settings{}, Send{Mails: 1000}, nil, 0, Limit{}},
		{"no mails are no forecast", Settings{}, Send{Rates: hourly}, nil, 0, Limit{}},
		{"the rate of the Batch", Settings{}, Send{Mails: 500, Rates: hourly}, []int64{220, 280}, in(50), Limit{Kind: BatchLimit}},
		{"the lower of two rates", Settings{Rates: relay}, Send{Mails: 500, Rates: hourly}, []int64{220, 280}, in(50), Limit{Kind: BatchLimit}},
		{"the rate of the mail server", Settings{Rates: relay}, Send{Mails: 500}, []int64{440, 60}, in(30), Limit{Kind: RelayLimit}},
		{"the rate of the sender", Settings{Rates: limits("sender:a.example=1200/hour")}, Send{Mails: 500, From: "x@a.example"},
			[]int64{440, 60}, in(30), Limit{SenderLimit, "a.example", enlist.Rate{}}},
		{"few mails wait for nothing", Settings{Rates: relay}, Send{Mails: 100}, []int64{100}, in(10), Limit{}},
		{"a rate of few mails an hour", Settings{}, Send{Mails: 4, Rates: []enlist.Rate{{Mails: 3, Period: enlist.PerHour}}}, []int64{2, 2}, in(60),
			Limit{Kind: BatchLimit}},
		{"one domain", Settings{Rates: domains}, Send{Mails: 20_000, Groups: map[string]int64{"gmail": 6000, "x.example": 14_000}},
			[]int64{16_200, 3800}, in(60), Limit{RecipientLimit, "gmail", enlist.Rate{}}},
		{"of two domains the one that needs longer", Settings{Rates: domains}, Send{Mails: 9000, Groups: map[string]int64{"gmail": 6000, "yahoo": 3000}},
			nil, in(190), Limit{RecipientLimit, "yahoo", enlist.Rate{}}},
		{"the domain with the smaller limit has few mails", Settings{Rates: domains}, Send{Mails: 6100, Groups: map[string]int64{"gmail": 6000, "yahoo": 100}},
			nil, in(60), Limit{RecipientLimit, "gmail", enlist.Rate{}}},
		{"the mail server is slower than the domain", Settings{Rates: limits("relay=1200/hour", "recipient=6000/hour")},
			Send{Mails: 2000, Groups: map[string]int64{"gmail": 1000, "yahoo": 1000}}, nil, in(110), Limit{Kind: RelayLimit}},
		{"the calendar is closed at night and at the weekend", Settings{Calendar: calendar}, Send{Mails: 600, Rates: hourly}, []int64{220, 285, 0}, monday + 10*60,
			Limit{Kind: BatchLimit}},
		{"only the calendar", Settings{Calendar: calendar}, Send{Mails: 600}, []int64{600}, in(10), Limit{}},
		{"the days of a warm-up plan", Settings{Warmup: warmup}, Send{Mails: 300}, []int64{100, 0}, in(-400) + day - 10*3600 + 10*60, Limit{Kind: WarmupLimit}},
		{"other mails of the day of a warm-up plan", Settings{Warmup: warmup}, Send{Mails: 200, Sent: map[string]int64{"2027-01-15": 70}}, []int64{30, 0},
			in(-400) + day - 10*3600 + 10*60, Limit{Kind: WarmupLimit}},
		{"mails of other Batches wait for the mail server", Settings{Rates: relay}, Send{Mails: 500, Others: Waiting{Mails: 500}}, []int64{220, 280}, in(50),
			Limit{Kind: RelayLimit}},
		{"mails of other Batches wait for a domain", Settings{Rates: domains}, Send{Mails: 9000, Groups: map[string]int64{"gmail": 6000, "yahoo": 1000},
			Others: Waiting{Mails: 7000, Groups: map[string]int64{"gmail": 6000}}}, nil, in(130), Limit{RecipientLimit, "gmail", enlist.Rate{}}},
		{"a Batch that is sending does not use the rate of this one", Settings{}, Send{Mails: 500, Rates: hourly, Others: Waiting{Mails: 500}}, []int64{220, 280}, in(50),
			Limit{Kind: BatchLimit}},
		{"an earlier Batch shows the speed", Settings{}, Send{Mails: 500, Fastest: 1200}, []int64{440, 60}, in(30), Limit{Kind: FastestLimit}},
		{"an earlier Batch says nothing about a rate", Settings{}, Send{Mails: 500, Rates: hourly, Fastest: 10}, []int64{220, 280}, in(50), Limit{Kind: BatchLimit}},
		{"the rate of the server", Settings{MailRate: 1. / 3}, Send{Mails: 500, Fastest: 10}, []int64{440, 60}, in(30), Limit{Kind: ServerLimit}},
		{"several servers were faster than one", Settings{MailRate: 0.1}, Send{Mails: 500, Fastest: 1200}, []int64{440, 60}, in(30), Limit{Kind: FastestLimit}},
		{"more than two weeks", Settings{}, Send{Mails: 1000, Rates: []enlist.Rate{{Mails: 10, Period: enlist.PerDay}}}, []int64{1, 0}, 0, Limit{Kind: BatchLimit}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := c.settings.Forecast(&c.send, at)
			var hours []int64
			var all int64
			for _, h := range f.Hours {
				hours = append(hours, h.Mails)
				all += h.Mails
			}
			if f.Done != c.done || len(hours) < len(c.hours) || !slices.Equal(hours[:len(c.hours)], c.hours) || c.done == 0 && c.slowest == (Limit{}) && hours != nil {
				t.Errorf("the forecast is %v, done at %d; want %v and %d", hours, f.Done, c.hours, c.done)
			}
			if f.Done != 0 && all != c.send.Mails {
				t.Errorf("%d mails leave, want %d", all, c.send.Mails)
			}
			got := Limit{}
			if f.Slowest != nil {
				got = Limit{f.Slowest.Kind, f.Slowest.Name, enlist.Rate{}}
			}
			if got != c.slowest {
				t.Errorf("it is slowed by %+v, want %+v", got, c.slowest)
			}
		})
	}
	sunday := at.AddDate(0, 0, 2)
	if f := (&Settings{Calendar: calendar}).Forecast(&Send{Mails: 10}, sunday); f.Slowest == nil || f.Slowest.Kind != CalendarLimit || f.Done != monday+10*60 {
		t.Errorf("a Batch that begins while the calendar is closed has the forecast %+v", f)
	}
}
