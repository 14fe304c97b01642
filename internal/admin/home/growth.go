package home

import (
	"html/template"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file shows how the Lists have grown, from the counts of their days.

// The days that the page shows: of gained and lost people, and of the small line of a List.
const (
	shownDays = 30
	lineDays  = 90
)

// growth is the chart of people who were gained and lost.
type growth struct {
	Chart        *ui.Chart
	Drawing      template.HTML
	Joined, Lost int64
}

// list is a List with its days.
type list struct {
	enlist.List
	Change int64 // of people who can get mail, in shownDays
	Line   template.HTML
}

// grown returns the Lists with their days, and the chart of all of them.
func grown(r *ui.Request, all []enlist.List) ([]list, *growth, error) {
	g := &growth{Chart: &ui.Chart{Title: "People gained and lost on each day", Series: []string{"gained", "lost"},
		Width: 600}}
	rows := make([]list, len(all))
	for i := range all {
		from := r.Now.AddDate(0, 0, 1-lineDays).Format("2006-01-02")
		days, err := r.App.Lists.ListDays(r.Context(), r.Caller, all[i].ID, from, "")
		if err != nil {
			return nil, nil, err
		}
		rows[i].List = all[i]
		g.add(&rows[i], days)
	}
	g.Drawing = g.Chart.UpDown()
	return rows, g, nil
}

// add adds the days of a List to the chart.
func (g *growth) add(l *list, days []lists.ListDay) {
	var line []int64
	for _, d := range days {
		line = append(line, d.Contacts)
	}
	l.Line = ui.Sparkline("Contacts in 90 days", line)
	if len(days) > 0 {
		l.ContactCount = days[len(days)-1].Contacts
	}
	days = days[max(0, len(days)-shownDays):]
	for i, d := range days {
		if i == len(g.Chart.Points) {
			g.Chart.Points = append(g.Chart.Points, ui.Point{Label: d.Day.Format("2 Jan"), Values: make([]int64, 2)})
		}
		gained := d.Counts[enlist.DayAdded]
		lost := d.Counts[enlist.DayLeft] + d.Counts[enlist.DayBounced] + d.Counts[enlist.DayComplained] +
			d.Counts[enlist.DayRemoved]
		g.Chart.Points[i].Values[0] += gained
		g.Chart.Points[i].Values[1] += lost
		g.Joined += gained
		g.Lost += lost
		l.Change += gained - lost
	}
}

// Net is how many more people can get mail.
func (g *growth) Net() int64 { return g.Joined - g.Lost }
