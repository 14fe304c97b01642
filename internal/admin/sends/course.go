package sends

import (
	"cmp"
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
	c.Chart = &ui.Chart{Title: r.Text("sends.mails_hour"), Axis: r.Text("sends.from"), Series: []string{"mails"}}
	c.Text, err = r.NoMail()
	switch {
	case err != nil || check.Recipients == 0:
		return course{Plot: c.Plot}, err
	case c.Text != "":
		return c, nil
	case p.Test:
		c.Text = testFirst
		return c, nil
	case p.Zone != "":
		c.Text = byClocks
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
			Label: time.Unix(f.Hours[i].Time, 0).In(r.Now.Location()).Format("Mon 15:04")})
	}
	c.Text = courseText(r, &f)
	c.Plot = c.Chart.Plot((*ui.Chart).Lines)
	return c, nil
}

const (
	testFirst = "The test goes out first. The others get the winner when it is chosen."
	byClocks  = "Each Contact's clock decides, within 26 hours before and after."
)

// RunningText says in a sentence how a Batch that has not ended goes on, or "" if there is nothing to say.
func RunningText(r *ui.Request, b *sending.RunningBatch) string {
	switch {
	case b.Status == batches.BatchPending:
		return "Begins " + r.Date(b.SendTime) + " (" + r.Zone() + ")."
	case b.Status != batches.BatchSending:
		return ""
	case b.Variants != nil && b.Variants.Chosen == 0:
		return testFirst
	case b.LocalTime != "":
		return byClocks
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
	slow := r.Text("sends.no_limit_slows")
	if f.Slowest != nil {
		slow = slowText(f.Slowest)
	}
	done := r.Text("sends.done_more_than_two_weeks")
	if f.Done != 0 {
		done = "done about " + soonText(r, f.Done) + " (" + r.Zone() + ")"
	}
	if f.Shared {
		done += r.Text("sends.other_campaigns_run_now_counted")
	}
	return slow + ": " + done + "."
}

// soonText writes a time of today without the day: 12:20, or tomorrow, 9:05, or Tue 17 Nov, 9:00.
func soonText(r *ui.Request, at int64) string {
	local := time.Unix(at, 0).In(r.Now.Location())
	switch local.Format(time.DateOnly) {
	case r.Now.Format(time.DateOnly):
		return local.Format("15:04")
	case r.Now.AddDate(0, 0, 1).Format(time.DateOnly):
		return "tomorrow, " + local.Format("15:04")
	}
	return r.Date(at)
}

// slowText is the first part of the sentence, about a Limit.
func slowText(l *pace.Limit) string {
	rate := ui.Number(l.Rate.Mails) + periodTexts[l.Rate.Period]
	name := ""
	switch l.Kind {
	case pace.FastestLimit:
		return "No limit slows it, and the fastest of the last campaigns had " + rate
	case pace.SpeedLimit:
		return "It leaves more slowly than the limits allow"
	case pace.CalendarLimit:
		return "It waits for the hours of campaigns"
	case pace.WarmupLimit:
		return "The warm-up plan is what slows it"
	case pace.BatchLimit:
		name = "The rate of this campaign"
	case pace.RelayLimit:
		name = "The limit of the mail server"
	case pace.ServerLimit:
		name = "The limit of this server"
	case pace.SenderLimit:
		name = "The limit of the sender " + l.Name
	case pace.RecipientLimit:
		name = cmp.Or(providers[l.Name], l.Name)
	}
	return name + ", " + rate + ", is what slows it"
}

var periodTexts = map[enlist.RatePeriod]string{enlist.PerSecond: " a second", enlist.PerMinute: " a minute",
	enlist.PerHour: " an hour", enlist.PerDay: " a day"}
