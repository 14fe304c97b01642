package home

import (
	"slices"

	listpages "enlist/internal/admin/lists"
	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/reports"
)

// This file shows how the Lists have grown, and what became of the mails, from counts of days.

const (
	shownDays  = 30
	shownLists = 10
)

// growth is the chart of people who were gained and lost.
type growth struct {
	Plot         ui.Plot
	Joined, Lost int64
}

// Net is how many more people can get mail.
func (g *growth) Net() int64 { return g.Joined - g.Lost }

// list is a List with its days.
type list struct {
	enlist.List
	listpages.Trend
}

// grow sets the chart of all Lists, and the largest Lists.
func (d *data) grow(r *ui.Request) error {
	all, err := r.App.Lists.Growth(r.Context(), r.Caller, shownDays)
	if err != nil {
		return err
	}
	g := new(growth)
	chart := &ui.Chart{Language: r.Language, Title: r.Text("home.people_gained_lost_on_each"), Series: []string{r.Text("home.gained"), r.Text("home.lost"), r.Text("home.net")}}
	for i := range all.Days {
		n := all.Days[i].Counts
		gained, lost := n[enlist.DayAdded], listpages.LostOf(n)
		chart.Points = append(chart.Points, ui.Point{Label: r.Language.Time("day", all.Days[i].Day),
			Values: []int64{gained, lost, gained - lost}})
		g.Joined += gained
		g.Lost += lost
	}
	g.Plot, d.Growth = chart.Plot((*ui.Chart).UpDown), g
	d.AllLists = int64(len(all.Lists))
	slices.SortStableFunc(all.Lists, func(a, b enlist.List) int { return int(b.ContactCount - a.ContactCount) })
	shown := all.Lists[:min(len(all.Lists), shownLists)]
	ids := make([]enlist.ListID, len(shown))
	for i := range shown {
		ids[i] = shown[i].ID
	}
	trends, err := listpages.Trends(r, ids)
	for _, l := range shown {
		d.Lists = append(d.Lists, list{l, trends[l.ID]})
	}
	return err
}

// mails is the chart of mails by outcome.
type mails struct {
	Plot ui.Plot
	reports.DayOutcomes
	All int64
}

// outcomes sets the chart of the mails, and says what is wrong with them.
func (d *data) outcomes(r *ui.Request) error {
	days, err := r.App.Reports.OutcomesByDay(r.Context(), r.Caller, shownDays)
	if err != nil {
		return err
	}
	m := new(mails)
	chart := &ui.Chart{Language: r.Language, Title: r.Text("home.mails_by_outcome_on_each"), Classes: []string{"s2", "s5", "s4"},
		Series: []string{r.Text("home.delivered"), r.Text("home.bounced"), r.Text("home.failed_mails")}}
	var week reports.DayOutcomes
	for i := range days {
		o := &days[i]
		chart.Points = append(chart.Points, ui.Point{Label: r.Language.Time("day", o.Day),
			Values: []int64{o.Delivered(), o.Bounced, o.Failed}})
		m.Add(o)
		if i >= len(days)-7 {
			week.Add(o)
		}
	}
	m.All = m.Delivered() + m.Bounced + m.Failed
	m.Plot = chart.Plot((*ui.Chart).StackedBars)
	if m.All > 0 {
		d.Mails = m
	}
	d.warn(r, &week)
	return nil
}

// The shares of mails above which mailbox providers begin to refuse mails, in thousandths.
const (
	mostBounces    = 50
	mostComplaints = 1
)

// warn says that too many mails of the last week bounced or were reported as spam.
func (d *data) warn(r *ui.Request, week *reports.DayOutcomes) {
	all := week.Delivered() + week.Bounced
	const least = 100 // of fewer mails, one says nothing
	if all >= least && week.Bounced*1000 > all*mostBounces {
		d.need(r.Text("home.many_bounced", "percent", r.Language.Percent(week.Bounced, all)), r.Text("home.why_bounced"),
			"/admin/sending", r.Text("home.sending_health"))
	}
	if all >= least && week.Complained*1000 > all*mostComplaints {
		d.need(r.Text("home.many_complained", "percent", r.Language.Percent(week.Complained, all)), r.Text("home.why_complained"),
			"/admin/sending", r.Text("home.sending_health"))
	}
}
