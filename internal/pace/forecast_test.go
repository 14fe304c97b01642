package pace

import (
	"slices"
	"testing"
	"time"

	"enlist/internal/enlist"
)

func TestForecastKeepsTheLimits(t *testing.T) {
	at := time.Date(2027, 1, 15, 16, 40, 0, 0, time.UTC) // a Friday
	calendar, err := ParseCalendar("mon-fri 9:00-17:30 UTC")
	if err != nil {
		t.Fatal(err)
	}
	warmup, err := ParseWarmup("2027-01-15 100 2")
	if err != nil {
		t.Fatal(err)
	}
	relay, err := ParseRateLimits([]string{"relay=1200/hour"})
	if err != nil {
		t.Fatal(err)
	}
	hourly, day := []enlist.Rate{{Mails: 600, Period: enlist.PerHour}}, int64(enlist.Day)
	friday := at.Unix() - 40*60
	for _, c := range []struct {
		name     string
		settings Settings
		rates    []enlist.Rate
		mails    int64
		hours    []int64 // of the first hours
		done     int64
	}{
		{"no limit is no forecast", Settings{}, nil, 1000, nil, 0},
		{"no mails are no forecast", Settings{}, hourly, 0, nil, 0},
		{"the rate of the Batch", Settings{}, hourly, 500, []int64{200, 300}, at.Unix() + 50*60},
		{"the lower of two rates", Settings{Rates: relay}, hourly, 500, []int64{200, 300}, at.Unix() + 50*60},
		{"the rate of the mail server", Settings{Rates: relay}, nil, 500, []int64{400, 100}, at.Unix() + 30*60},
		{"a rate of few mails an hour", Settings{}, []enlist.Rate{{Mails: 3, Period: enlist.PerHour}}, 4, []int64{1, 3}, at.Unix() + 80*60},
		{"the calendar is closed for the weekend", Settings{Calendar: calendar}, hourly, 600, []int64{200, 300, 0}, friday + 3*day - 7*3600 + 10*60},
		{"the days of a warm-up plan", Settings{Warmup: warmup}, nil, 300, []int64{100, 0}, friday + day - 16*3600 + 10*60},
		{"more than two weeks", Settings{}, []enlist.Rate{{Mails: 10, Period: enlist.PerDay}}, 1000, []int64{10, 0}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := c.settings.Forecast(c.rates, c.mails, at)
			var hours []int64
			for _, h := range f.Hours {
				hours = append(hours, h.Mails)
			}
			if f.Done != c.done || len(hours) < len(c.hours) || !slices.Equal(hours[:len(c.hours)], c.hours) || c.hours == nil && hours != nil {
				t.Errorf("the forecast is %v, done at %d; want %v and %d", hours, f.Done, c.hours, c.done)
			}
		})
	}
}
