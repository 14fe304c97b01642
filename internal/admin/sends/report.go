package sends

import (
	"html/template"
	"slices"
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/pace"
	"enlist/internal/recipients"
	"enlist/internal/reports"
)

// This file has the report of a Batch.

// reportData is the data of the report.
type reportData struct {
	whom
	ID            enlist.BatchID
	Status, Kind  string
	Reason        string // why the server paused or failed the Batch
	Approve       bool   // it goes on after an approval
	Commands      []command
	Done, All     int64 // mails
	Running       bool
	Figures       []figure
	Funnel        template.HTML
	Steps         []figure
	Chart         *ui.Chart
	Drawing       template.HTML
	Hours         []hour
	Links         []recipients.LinkSums
	LinkBars      template.HTML
	Against       []against
	Devices       []share
	Domains       []domain
	DomainBars    template.HTML
	Reasons       []reason
	LeftOut       []share
	Variants      []variantRow
	MayChoose     bool
	WinnerReason  string
	OtherRecently int
	MayPeople     bool // the person may see who the people are
	Uncounted     *uncounted
}

// HasChart reports whether opens or clicks are counted.
func (d *reportData) HasChart() bool { return !d.Uncounted.Opens() || !d.Uncounted.Clicks() }

// command is a button that changes the Batch.
type command struct{ Name, Text string }

// figure is a number of the report, with the name of the list of its people.
type figure struct{ Name, Value, Part, People string }

// hour is a row of the table of the chart. In the report of an autoresponder it is a day.
type hour struct {
	Label  string
	Values []int64
}

// share is a part of a whole.
type share struct {
	Name   string
	Count  int64
	Part   string
	Device pace.Device // of mails by device
	Reason string      // of Contacts that are left out, a name of reports.LeftOutAttributes; "": none
	To     []ui.Action // pages of the people: one, or one for each List
}

// against compares the Batch with earlier ones.
type against struct{ Name, This, Median, Differs string }

func (p *pages) report(r *ui.Request) (*ui.View, error) {
	report, err := r.App.Reports.BatchReport(r.Context(), r.Caller, enlist.BatchID(r.ID("batch")))
	if err != nil {
		return nil, err
	}
	names, err := r.Names()
	if err != nil {
		return nil, err
	}
	if isWaiting(&report.Batch) {
		return p.waiting(r, report, names, "", "")
	}
	d := &reportData{ID: report.ID, Reason: report.Reason, Approve: report.Reason == batches.ReasonApproval && r.MaySend(),
		Done: report.Processed(), All: report.ToSend(),
		Running: !report.Ended(), MayPeople: r.Caller.May(enlist.SeeContacts)}
	if d.Uncounted, err = uncountedOf(r, report); err != nil {
		return nil, err
	}
	if d.whom, err = whomOfBatch(r, &report.Batch, names); err != nil {
		return nil, err
	}
	lists, err := r.App.Batches.CountLists(r.Context(), r.Caller, []enlist.BatchID{report.ID})
	if err != nil {
		return nil, err
	}
	d.Status, d.Kind = statusOf(&report.Batch)
	d.Status = r.Text(d.Status)
	d.Commands = commandsOf(r, &report.Batch)
	d.Figures, d.Steps, d.Funnel = figuresOf(r, report), machinesOf(r, report), funnelOf(r, report, d.Uncounted)
	d.Chart, d.Hours = chartOf(r, report)
	d.Drawing = d.Chart.Lines()
	d.LeftOut, d.Devices = leftOut(report), devicesOf(r, report)
	d.Domains, d.Reasons = domainsOf(r, report), reasonsOf(r, report)
	d.addVariants(r, report, names)
	if d.Links, err = r.App.Reports.BatchLinks(r.Context(), r.Caller, report.ID); err != nil {
		return nil, err
	}
	d.LinkBars, d.DomainBars = linkBars(r, d.Links), domainBars(r, report, d.Uncounted)
	if d.Against, d.OtherRecently, err = againstEarlier(r, report); err != nil {
		return nil, err
	}
	d.Uncounted.hide(d)
	view := &ui.View{Title: names.Batch(&report.Batch), Place: "/admin/sends",
		Sub: when(r, report, listsText(names, &report.Batch, lists[report.ID])), Content: p.reportPage,
		Data: d, Actions: actionsOf(r, report, d.Uncounted)}
	if moves(report, r.Now) {
		view.Refresh = 10
	}
	return view, nil
}

// moves reports whether the numbers can change while a person looks at them: during a send, and in the hour after it.
func moves(b *reports.BatchReport, now time.Time) bool {
	if b.Ended() {
		return b.LastSent > now.Unix()-enlist.Hour
	}
	return b.Status != batches.BatchPaused
}

// actionsOf has what can be done with the report and the Batch.
func actionsOf(r *ui.Request, b *reports.BatchReport, u *uncounted) (all []ui.Action) {
	id := ui.Plain(int64(b.ID))
	if r.MaySend() && b.Status != batches.BatchRunning {
		if n := b.MeasuredNotOpened(); n > 0 && b.EventsRemoved == 0 && !u.Opens() {
			all = append(all, ui.Action{Text: r.Text("sends.send_again", "n", n),
				Path: "/admin/sends/new?again=" + id + "&message=" + ui.Plain(int64(b.MessageID))})
		}
		all = append(all, ui.Action{Text: r.Text("sends.copy"), Path: "/admin/sends/new?copy=" + id})
	}
	return append(all, ui.Action{Text: r.Text("sends.csv"), Path: "/admin/sends/" + id + "/figures.csv"})
}

// when says when the mails were sent, and to whom.
func when(r *ui.Request, b *reports.BatchReport, list string) string {
	key, until := "sends.to_be_sent", ""
	at := b.SendTime
	switch {
	case b.FirstSent != 0 && b.Ended():
		key, at, until = "sends.sent_from_to", b.FirstSent, time.Unix(b.LastSent, 0).In(r.Now.Location()).Format("15:04")
	case b.Ended():
		key = "sends.was_not_sent"
	case b.FirstSent != 0:
		key, at = "sends.sent_since", b.FirstSent
	}
	return r.Text(key, "time", r.Date(at), "until", until, "zone", r.Zone(), "list", list)
}

func commandsOf(r *ui.Request, b *batches.Batch) (all []command) {
	if !r.MaySend() {
		return nil
	}
	switch b.Status {
	case batches.BatchSending, batches.BatchPending, batches.BatchInitialising:
		return []command{{"pause", r.Text("sends.pause")}, {"cancel", r.Text("sends.cancel_button")}}
	case batches.BatchPaused:
		if b.Reason == batches.ReasonApproval {
			return []command{{"cancel", r.Text("sends.cancel_button")}}
		}
		return []command{{"unpause", r.Text("sends.go_on")}, {"cancel", r.Text("sends.cancel_button")}}
	}
	return nil
}

func figuresOf(q *ui.Request, r *reports.BatchReport) []figure {
	arrived, opens, clicks := r.Delivered(), r.MeasuredOpens(), r.MeasuredClicks()
	return []figure{
		{"sends.recipients", q.Language.Number(r.ToSend()), "", "recipients"},
		{"sends.delivered_mails", q.Language.Number(arrived), q.Language.Percent(arrived, r.ToSend()), "delivered"},
		{"sends.opened_mails", q.Language.Number(r.HumanOpened), q.Rate(r.HumanOpened, opens, arrived).String(), "opened"},
		{"sends.clicked_mails", q.Language.Number(r.HumanClicked), q.Rate(r.HumanClicked, clicks, arrived).String(), "clicked"},
		{"sends.unsubscribed_mails", q.Language.Number(r.Unsubscribed), q.Language.Percent(r.Unsubscribed, arrived), "left"},
		{"sends.complained_mails", q.Language.Number(r.Complained), q.Language.Percent(r.Complained, arrived), "complained"},
	}
}

// machinesOf has the numbers of the mails that are not at the top.
func machinesOf(q *ui.Request, r *reports.BatchReport) []figure {
	arrived, opened, clicked := r.Delivered(), max(0, r.Opened()-r.HumanOpened), max(0, r.Clicked-r.HumanClicked)
	figures := []figure{
		{"sends.sent_mails", q.Language.Number(r.Sent), q.Language.Percent(r.Sent, r.ToSend()), "accepted"},
		{"sends.opened_by_machines_only", q.Language.Number(opened), q.Rate(opened, r.MeasuredOpens(), arrived).String(), "machines"},
		{"sends.clicked_by_machines_only", q.Language.Number(clicked), q.Rate(clicked, r.MeasuredClicks(), arrived).String(), "clicked-machines"},
		{"sends.not_opened", q.Language.Number(r.MeasuredNotOpened()), q.Rate(r.MeasuredNotOpened(), r.MeasuredOpens(), arrived).String(),
			"not-opened"},
		{"sends.refused_bounced", q.Language.Number(r.Bounced), q.Language.Percent(r.Bounced, r.ToSend()), "bounced"},
		{"sends.deactivated_after", q.Language.Number(r.Deactivated), "", "deactivated"},
	}
	if n := r.Unmeasured.Opens; n > 0 {
		figures = append(figures, figure{"sends.not_measured", q.Language.Number(n), q.Language.Percent(n, arrived), "not-measured"})
	}
	if r.Repeated > 0 {
		figures = append(figures, figure{"sends.repeated_mails", q.Language.Number(r.Repeated), "", "repeated"})
	}
	return figures
}

func funnelOf(q *ui.Request, r *reports.BatchReport, u *uncounted) template.HTML {
	steps := []ui.Step{{Name: q.Text("sends.sent_mails"), Count: r.Sent}, {Name: q.Text("sends.delivered_mails"), Count: r.Delivered()}}
	if !u.Opens() {
		steps = append(steps,
			ui.Step{Name: q.Text("sends.opened_mails"), Count: r.HumanOpened, More: max(0, r.Opened()-r.HumanOpened)})
	}
	if !u.Clicks() {
		steps = append(steps,
			ui.Step{Name: q.Text("sends.clicked_mails"), Count: r.HumanClicked, More: max(0, r.Clicked-r.HumanClicked)})
	}
	steps = append(steps, ui.Step{Name: q.Text("sends.unsubscribed_mails"), Count: r.Unsubscribed},
		ui.Step{Name: q.Text("sends.complained_mails"), Count: r.Complained})
	return q.Funnel(q.Text("sends.what_became_mails"), steps)
}

// What a report shows of opens and clicks. What came later, or before, is in the numbers above.
const (
	chartHours = 48 // of a Batch
	chartDays  = 30 // of an autoresponder, which has no end, and whose sums are of days after its first week
)

// chartOf shows opens and clicks of a Batch by hour in the first two days, and of an autoresponder by day in the last
// 30. Its table has departures and complaints too.
func chartOf(r *ui.Request, b *reports.BatchReport) (c *ui.Chart, hours []hour) {
	c = &ui.Chart{Language: r.Language, Title: r.Text("sends.opens_clicks_hour_first_two"),
		Series: []string{r.Text("sends.opened_by_people"), r.Text("sends.clicked_line"), r.Text("sends.opened_by_machines")}}
	isRunning := b.Status == batches.BatchRunning
	if isRunning {
		c.Title = r.Text("sends.course_days")
	}
	if len(b.Periods) == 0 {
		return c, nil
	}
	step, format, zone := int64(enlist.Hour), "hour", r.Now.Location()
	first := b.Periods[0].Time
	last := min(b.Periods[len(b.Periods)-1].Time, first+(chartHours-1)*step)
	if isRunning {
		step, format, zone = enlist.Day, "day", time.UTC
		last = r.Now.Unix() - r.Now.Unix()%step
		first = max(first-first%step, last-(chartDays-1)*step)
	}
	periods := b.Periods
	for len(periods) > 0 && periods[0].Time < first {
		periods = periods[1:]
	}
	for at := first; at <= last; at += step {
		v := make([]int64, 5)
		for ; len(periods) > 0 && periods[0].Time < at+step; periods = periods[1:] {
			s := &periods[0]
			v[0] += s.HumanOpened
			v[1] += s.HumanClicked
			v[2] += max(0, s.Opened()-s.HumanOpened)
			v[3] += s.Unsubscribed
			v[4] += s.Complained
		}
		label := r.Language.Time(format, time.Unix(at, 0).In(zone))
		c.Points = append(c.Points, ui.Point{Label: label, Values: v[:3]})
		hours = append(hours, hour{label, v})
	}
	return c, hours
}

var leftOutTexts = map[string]string{"unsubscribed": "sends.out_unsubscribed", "inactive": "sends.out_deactivated",
	"unconfirmed": "sends.out_not_confirmed", "no_address": "sends.out_no_address", "suppressed": "sends.out_suppressed",
	"duplicate": "sends.out_duplicate", "sent_before": "sends.out_sent_before", "excluded": "sends.out_excluded",
	"gone": "sends.out_gone"}

// unsubscribers is the page of those whom the Unsubscriber List leaves out.
var unsubscribers = []ui.Action{{Path: "/admin/unsubscribers"}}

// leftOut has the reasons for which Contacts got no mail, with the people where a page has them as they were then.
func leftOut(r *reports.BatchReport) []share {
	all := leftOutCounts(&r.Counts)
	for i := range all {
		if all[i].Reason == "suppressed" {
			all[i].To = unsubscribers
		}
	}
	people := "/admin/sends/" + ui.Plain(int64(r.ID)) + "/people/"
	bounced, failed := []ui.Action{{Path: people + "bounced"}}, []ui.Action{{Path: people + "failed"}}
	for _, s := range []share{{Name: "sends.out_refused", Count: r.Refused, To: bounced},
		{Name: "sends.out_bounced", Count: r.Bounced - r.Refused, To: bounced}, {Name: "sends.out_failed", Count: r.Failed, To: failed},
		{Name: "sends.out_doubtful", Count: r.Doubtful}} {
		if s.Count > 0 {
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b share) int { return int(b.Count - a.Count) })
	return all
}

// devicesOf has the kinds of devices on which mails were opened first, the most frequent first.
func devicesOf(q *ui.Request, r *reports.BatchReport) (all []share) {
	var sum int64
	for device, n := range r.Devices() {
		if n > 0 {
			all = append(all, share{Name: deviceText(device), Count: n, Device: device})
			sum += n
		}
	}
	slices.SortFunc(all, func(a, b share) int {
		if a.Count != b.Count {
			return int(b.Count - a.Count)
		}
		return int(a.Name[0]) - int(b.Name[0])
	})
	for i := range all {
		all[i].Part = q.Language.Percent(all[i].Count, sum)
	}
	return all
}

// deviceText is what the pages call a device.
func deviceText(d pace.Device) string {
	if d == pace.UnknownDevice {
		return "sends.device_unknown"
	}
	return string(d)
}
