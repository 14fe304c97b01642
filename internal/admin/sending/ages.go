package sending

import (
	"time"

	"enlist/internal/admin/ui"
)

// This file draws how long the oldest mail of the Account waited. decisions.md: 137

const (
	agesShown = 24 * time.Hour
	agesPoint = 15 * time.Minute // the time of a point of the plot, which has the largest age in it
)

// readAges draws the ages of the last day. Without an age there is no plot. The ages are of all Lists, so a person of
// some Lists does not see them.
func (p *pages) readAges(r *ui.Request, d *data, _ bool) error {
	if d.Queue == nil || r.Caller.Key.Lists != nil {
		return nil
	}
	first := r.Now.Truncate(agesPoint).Add(agesPoint - agesShown)
	ages, err := r.App.Sending.QueueAges(r.Context(), r.Caller, first.Unix())
	if err != nil {
		return err
	}
	chart := &ui.Chart{Language: r.Language, Title: r.Text("sending.ages_chart"), Series: []string{r.Text("sending.series_minutes")},
		Axis: r.Text("sending.from")}
	waited := false
	for _, a := range ages {
		at := int((a.Time - first.Unix()) / int64(agesPoint/time.Second))
		if at == len(chart.Points) {
			begins := first.Add(time.Duration(at) * agesPoint)
			chart.Points = append(chart.Points, ui.Point{Label: r.Language.Time("hour", begins), Values: []int64{0}})
		}
		most := &chart.Points[at].Values[0]
		*most = max(*most, a.Age/60)
		waited = waited || a.Age > 0
	}
	d.Queue.Whole = true
	if waited {
		plot := chart.Plot((*ui.Chart).Lines)
		d.Queue.Ages = &plot
	}
	return nil
}
