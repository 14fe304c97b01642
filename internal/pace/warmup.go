package pace

import (
	"math"
	"strconv"
	"strings"
	"time"

	"enlist/internal/enlist"
)

// This file has the warm-up plan: a largest number of mails a day that grows from day to day. Mailbox
// providers trust a new mail server or domain only after some weeks. reference.md: batch.warmup;
// decisions.md: 63

// Warmup is a plan. A nil Warmup has no limit.
type Warmup struct {
	first  time.Time // the first day, at midnight UTC
	mails  int64     // on this day
	factor float64   // by which each following day has more
}

// ParseWarmup reads a text such as "2027-01-31 500 1.5": the first day, the mails on this day, and
// the factor by which each following day has more. "" returns nil.
func ParseWarmup(text string) (*Warmup, error) {
	if text == "" {
		return nil, nil
	}
	parts := strings.Fields(text)
	if len(parts) == 3 {
		first, err := time.Parse(time.DateOnly, parts[0])
		mails, wrongNumber := strconv.ParseInt(parts[1], 10, 64)
		factor, wrongFactor := strconv.ParseFloat(parts[2], 64)
		if err == nil && wrongNumber == nil && wrongFactor == nil && mails >= 1 && factor > 1 && factor <= 10 {
			return &Warmup{first, mails, factor}, nil
		}
	}
	return nil, enlist.Expected(`a day, a number of mails and a factor above 1 and up to 10, such as "2027-01-31 500 1.5"`)
}

// DayLimit is the limit of one day.
type DayLimit struct {
	Day         string // such as 2027-01-31
	Most, Taken int64
	Ends        int64 // in Unix nanoseconds
	Took        bool
}

// Limit returns the limit of the day of a time in a zone, or nil if the day has none.
func (w *Warmup) Limit(at time.Time, zone *time.Location) *DayLimit {
	if w == nil {
		return nil
	}
	year, month, day := at.In(zone).Date()
	days := time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Sub(w.first).Hours() / 24
	most := float64(w.mails) * math.Pow(w.factor, days)
	if days < 0 || most > enlist.MaxRate {
		return nil
	}
	return &DayLimit{Day: time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly), Most: int64(most),
		Ends: enlist.StartOfDay(at, 1, zone).UnixNano()}
}

// Zone returns the time zone of the settings.
func (s *Settings) Zone() *time.Location {
	if s.Calendar == nil {
		return time.UTC
	}
	return s.Calendar.zone
}
