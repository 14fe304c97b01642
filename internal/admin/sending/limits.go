package sending

import (
	"slices"
	"strings"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
)

// This file says what limits the mails of sends, and how many bounced or were reported as spam.

// limitTexts are the settings about rates in words, in the order of the page.
var limitTexts = [][2]string{{"mail-rate", "sending.mail_rate"}, {"batch-rate", "sending.batch_rate"},
	{"batch-calendar", "sending.batch_calendar"}, {"batch-warmup", "sending.batch_warmup"}}

// readLimits sets the rates and the warm-up plan.
// On a server with several Accounts it leaves out what would show domains of others, or how much they send.
func (p *pages) readLimits(r *ui.Request, d *data, alone bool) error {
	stored, err := r.App.Accounts.StoredSettings(r.Context())
	if err != nil {
		return err
	}
	for _, l := range limitTexts {
		row, err := accounts.FindSetting(l[0])
		if err != nil {
			return err
		}
		value := r.App.Accounts.ValueOf(row, stored, 0).Value
		if l[0] == "batch-rate" && value != "" && !alone {
			value = r.Text("sending.set_by_operator") // it can name domains of other Accounts
		}
		if value == "" || value == "0" {
			value = map[string]string{"batch-calendar": r.Text("sending.at_any_time"), "batch-warmup": r.Text("sending.no_plan")}[l[0]]
			if value == "" {
				value = r.Text("sending.no_limit")
			}
		}
		d.Settings = append(d.Settings, limit{setting{r.Text(l[1]), value}, declaredBy(r, l[0], alone)})
	}
	limits, err := r.App.Sending.Limits(r.Context())
	if err != nil {
		return err
	}
	for i := range limits.Paces {
		one := &limits.Paces[i]
		name := one.Group
		if one.Relay() != "" {
			name = r.Text("sending.mail_server")
		} else if strings.Contains(name, ".") && !alone {
			continue // a domain to which another Account may have sent
		}
		d.Slowed = append(d.Slowed, setting{name, r.Text("sending.slowed", "rate", one.At(r.Now.Unix()), "time",
			r.Date(one.Time), "top", one.Top)})
	}
	if len(limits.Days) == 0 || !alone {
		return nil
	}
	chart := &ui.Chart{Language: r.Language, Title: r.Text("sending.plan_what_was_sent"), Series: []string{r.Text("sending.plan"), r.Text("sending.sent")}}
	for i := range limits.Days {
		day, err := time.Parse(time.DateOnly, limits.Days[i].Day)
		if err != nil {
			return err
		}
		chart.Points = append(chart.Points, ui.Point{Label: r.Language.Time("day", day),
			Values: []int64{limits.Days[i].Most, limits.Days[i].Taken}})
		if limits.Days[i].Day == r.Now.Format(time.DateOnly) {
			d.WarmupText = r.Text("sending.warmup_today", "n", limits.Days[i].Taken, "most", limits.Days[i].Most)
		}
	}
	plot := chart.Plot((*ui.Chart).Lines)
	d.Warmup = &plot
	return nil
}

// ratedDays are the days of the plots of bounces and complaints.
const ratedDays = 90

// readRates draws bounces and complaints of the days on which a send began.
func (p *pages) readRates(r *ui.Request, d *data, _ bool) error {
	days, err := r.App.Reports.OutcomesByDay(r.Context(), r.Caller, ratedDays)
	if err != nil {
		return err
	}
	complaints := &ui.Chart{Language: r.Language, Title: r.Text("sending.complaints_10_000_mails"), Series: []string{r.Text("sending.reported_as_spam"), r.Language.Percent(1, 1000), r.Language.Percent(3, 1000)}}
	bounced := &ui.Chart{Language: r.Language, Title: r.Text("sending.bounces_1_000_mails"), Series: []string{r.Text("sending.bounced"), r.Language.Percent(5, 100)}}
	for i := range days {
		all := days[i].Delivered() + days[i].Bounced
		if all == 0 {
			continue
		}
		label := r.Language.Time("day", days[i].Day)
		complaints.Points = append(complaints.Points,
			ui.Point{Label: label, Values: []int64{days[i].Complained * 10_000 / all, 10, 30}})
		bounced.Points = append(bounced.Points,
			ui.Point{Label: label, Values: []int64{days[i].Bounced * 1000 / all, 50}})
	}
	if len(bounced.Points) > 0 {
		first, second := complaints.Plot((*ui.Chart).Lines), bounced.Plot((*ui.Chart).Lines)
		d.Complaints, d.Bounced = &first, &second
	}
	return nil
}

// readCounts counts sending domains and failing webhooks.
func (p *pages) readCounts(r *ui.Request, d *data, _ bool) error {
	domains, err := domainsOf(r)
	if err != nil {
		return err
	}
	d.Domains = len(domains)
	hooks, err := r.App.Webhooks.SearchWebhooks(r.Context(), r.Caller, enlist.Query{})
	hooks = slices.DeleteFunc(hooks, func(w enlist.Webhook) bool { return !w.IsFailing })
	d.Failing = len(hooks)
	return err
}
