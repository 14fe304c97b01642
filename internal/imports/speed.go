package imports

// This file keeps how fast an Import is, for the chart of its page. It is a column of the Import, which each step
// stores anyway.

// mostPeriods is the largest number of periods of a Speed.
const mostPeriods = 60

// Speed is how many rows an Import did in each period since its start. Periods of a pause have 0.
type Speed struct {
	Every int64   `json:"every,omitempty"` // length of a period in seconds: 1, 2, 4 and so on
	Rows  []int64 `json:"rows,omitempty"`
}

// add counts rows that are done some seconds after the start. When there is no period left, each two become one.
func (s *Speed) add(after, rows int64) {
	after, s.Every = max(0, after), max(1, s.Every)
	for after/s.Every >= mostPeriods {
		s.Every *= 2
		half := make([]int64, (len(s.Rows)+1)/2)
		for n, rows := range s.Rows {
			half[n/2] += rows
		}
		s.Rows = half
	}
	for int64(len(s.Rows)) <= after/s.Every {
		s.Rows = append(s.Rows, 0)
	}
	s.Rows[after/s.Every] += rows
}

// PerSecond returns the rows a second in each period. seconds is the time since the start of the Import: the last period
// may not be over.
func (s *Speed) PerSecond(seconds int64) []int64 {
	all := make([]int64, len(s.Rows))
	for n, rows := range s.Rows {
		all[n] = rows / min(s.Every, max(1, seconds-int64(n)*s.Every))
	}
	return all
}
