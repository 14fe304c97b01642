package sends

import (
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/pace"
	"enlist/internal/sending"
)

// This file says when the mails of a send leave, and what slows them: on the last page of a new send, and on Home while
// it runs.

// course says how fast the mails leave.
type course struct {
	ui.Plot
	Text string
}

// courseHours is the number of hours that the chart of a course shows.
const courseHours = 72

func courseOf(r *ui.Request, p *plan, b *batches.BatchRequest, check *batches.BatchCheck) (c course, err error) {
	c.Chart = &ui.Chart{Language: r.Language, Title: r.Text("sends.mails_hour"), Axis: r.Text("sends.from"), Series: []string{r.Text("sends.mails_line")}}
	c.Text, err = r.NoMail()
	switch {
	case err != nil || check.Recipients == 0:
		return course{Plot: c.Plot}, err
	case c.Text != "":
		return c, nil
	case p.Test:
		c.Text = r.Text("sends.test_first")
		return c, nil
	case p.Zone != "":
		c.Text = r.Text("sends.by_clocks")
		return c, nil
	}
	from := r.Now
	if b.SendTime != 0 {
		from = time.Unix(b.SendTime, 0)
	}
	f, err := r.App.Sending.Forecast(r.Context(), r.Caller, check, b.Options.Rate, from)
	if err != nil {
		return c, err
	}
	for i := range f.Hours[:min(len(f.Hours), courseHours)] {
		c.Chart.Points = append(c.Chart.Points, ui.Point{Values: []int64{f.Hours[i].Mails},
			Label: r.Language.Time("hour", time.Unix(f.Hours[i].Time, 0).In(r.Now.Location()))})
	}
	c.Text = courseText(r, &f)
	c.Plot = c.Chart.Plot((*ui.Chart).Lines)
	return c, nil
}

// RunningText says in a sentence how a Batch that has not ended goes on, or "" if there is nothing to say.
func RunningText(r *ui.Request, b *sending.RunningBatch) string {
	switch {
	case b.Status == batches.BatchPending:
		return r.Text("sends.begins", "time", r.Date(b.SendTime), "zone", r.Zone())
	case b.Status != batches.BatchSending:
		return ""
	case b.Variants != nil && b.Variants.Chosen == 0:
		return r.Text("sends.test_first")
	case b.LocalTime != "":
		return r.Text("sends.by_clocks")
	case b.Forecast.Hours == nil && b.Forecast.Done == 0: // it has just begun, or all mails are held
		return ""
	}
	return courseText(r, &b.Forecast)
}

// courseText names what slows a send, and says when the send is done.
func courseText(r *ui.Request, f *pace.Forecast) string {
	if f.Hours == nil && f.Done == 0 {
		return r.Text("sends.no_limit_slows_leaves_as")
	}
	text := r.Text("sends.no_limit_slows")
	if f.Slowest != nil {
		text = slowText(r, f.Slowest)
	}
	if f.Done != 0 {
		text += " " + r.Text("sends.done_about", "time", soonText(r, f.Done), "zone", r.Zone())
	} else {
		text += " " + r.Text("sends.done_late")
	}
	if f.Shared {
		text += " " + r.Text("sends.others_counted")
	}
	return text
}

// soonText writes a time of today without the day: 12:20, or tomorrow, 9:05, or Tue 17 Nov, 9:00.
func soonText(r *ui.Request, at int64) string {
	local := time.Unix(at, 0).In(r.Now.Location())
	switch local.Format(time.DateOnly) {
	case r.Now.Format(time.DateOnly):
		return local.Format("15:04")
	case r.Now.AddDate(0, 0, 1).Format(time.DateOnly):
		return r.Text("sends.tomorrow", "time", local.Format("15:04"))
	}
	return r.Date(at)
}

// slowTexts are the limits of which one slows a Batch.
var slowTexts = map[pace.LimitKind]string{pace.FastestLimit: "sends.slow_fastest", pace.SpeedLimit: "sends.slow_speed",
	pace.CalendarLimit: "sends.slow_calendar", pace.WarmupLimit: "sends.slow_warmup", pace.BatchLimit: "sends.slow_batch",
	pace.RelayLimit: "sends.slow_relay", pace.ServerLimit: "sends.slow_server", pace.SenderLimit: "sends.slow_sender",
	pace.RecipientLimit: "sends.slow_provider"}

// slowText says which limit slows a Batch.
func slowText(r *ui.Request, l *pace.Limit) string {
	name := l.Name
	if l.Kind == pace.RecipientLimit {
		name = providerText(r, name)
	}
	return r.Text(slowTexts[l.Kind], "name", name, "rate", r.Text(periodTexts[l.Rate.Period], "n", l.Rate.Mails))
}

var periodTexts = map[enlist.RatePeriod]string{enlist.PerSecond: "sends.per_second", enlist.PerMinute: "sends.per_minute",
	enlist.PerHour: "sends.per_hour", enlist.PerDay: "sends.per_day"}
