package pace

import (
	"time"

	"enlist/internal/enlist"
)

// This file says when the mails of a Batch can leave at the earliest, as far as the limits allow. It knows no limits of
// domains, because it does not read the recipients, and no other Batches.

// HourMails is how many mails can leave in an hour.
type HourMails struct {
	Time  int64 // beginning of the hour
	Mails int64
}

// Forecast is the course of a Batch at its fastest.
type Forecast struct {
	Hours []HourMails // nil: no limit applies
	Done  int64       // 0: later than in maxForecast hours
}

// maxForecast is the longest forecast, in hours.
const maxForecast = 14 * 24

// Forecast returns how many of n mails can leave in each hour from a time on.
func (s *Settings) Forecast(rates []enlist.Rate, n int64, from time.Time) (f Forecast) {
	if s.Rates != nil {
		rates = append(rates[:len(rates):len(rates)], s.Rates.relay...)
	}
	if n == 0 || len(rates) == 0 && s.Calendar == nil && s.Warmup == nil {
		return f
	}
	const step = 10 * time.Minute
	days := make(map[string]int64) // mails by day of the warm-up plan, and of rates a day
	at, room := from, 0.0
	for range maxForecast * int(time.Hour/step) {
		mails := int64(0)
		if s.Calendar.IsOpen(at) {
			room += s.mostIn(rates, step, at, days)
			mails = min(n, int64(room))
			room = min(1, room-float64(mails)) // a rate of few mails an hour adds up to one
		}
		f.add(at.Unix()-at.Unix()%enlist.Hour, mails)
		days[at.In(s.Zone()).Format(time.DateOnly)] += mails
		n -= mails
		at = at.Add(step)
		if n == 0 {
			f.Done = at.Unix()
			return f
		}
	}
	return f
}

// mostIn returns how many mails can leave in a time that begins at at. days has the mails of each day until then.
func (s *Settings) mostIn(rates []enlist.Rate, step time.Duration, at time.Time, days map[string]int64) float64 {
	most := float64(enlist.MaxRate)
	today := days[at.In(s.Zone()).Format(time.DateOnly)]
	for _, r := range rates {
		if r.Period == enlist.PerDay {
			most = min(most, float64(r.Mails-today))
		} else {
			most = min(most, float64(r.Mails)*float64(step)/float64(r.Period))
		}
	}
	if limit := s.Warmup.Limit(at, s.Zone()); limit != nil {
		most = min(most, float64(limit.Most-today))
	}
	return max(0, most)
}

// add adds mails to the last hour, or begins another one.
func (f *Forecast) add(hour, mails int64) {
	if last := len(f.Hours) - 1; last >= 0 && f.Hours[last].Time == hour {
		f.Hours[last].Mails += mails
		return
	}
	f.Hours = append(f.Hours, HourMails{hour, mails})
}
