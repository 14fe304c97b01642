package sends

import (
	"html/template"
	"slices"
	"strings"
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/reports"
)

// This file has the report of a Batch.

// reportData is the data of the report.
type reportData struct {
	ID            enlist.BatchID
	Status, Kind  string
	Reason        string // why the server paused or failed the Batch
	Commands      []command
	Done, All     int64 // mails
	Running       bool
	Figures       []figure
	Machines      int64 // mails that only a machine opened
	Chart         *ui.Chart
	Drawing       template.HTML
	Links         []batches.LinkSums
	Against       []against
	Devices       []share
	LeftOut       []share
	Skipped       int64
	HasVariants   bool
	WinnerReason  string
	OtherRecently int
}

// command is a button that changes the Batch.
type command struct{ Name, Text string }

// figure is a number at the top of the report.
type figure struct{ Name, Value, Part string }

// share is a part of a whole.
type share struct {
	Name  string
	Count int64
	Part  string
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
	d := reportData{ID: report.ID, Reason: report.Reason, Done: report.Processed(), All: report.ToSend(),
		Running: !report.Ended(), Skipped: report.Skipped}
	d.Status, d.Kind = statusOf(&report.Batch)
	d.Commands = commandsOf(r, &report.Batch)
	d.Figures = figuresOf(report)
	d.Machines = max(0, report.Opened()-report.HumanOpened)
	d.Chart = chartOf(r, report)
	d.Drawing = d.Chart.Lines()
	d.LeftOut = leftOut(report)
	d.Devices = devicesOf(report)
	if report.Variants != nil {
		d.HasVariants, d.WinnerReason = true, report.Variants.Verdict
	}
	if d.Links, err = r.App.Reports.BatchLinks(r.Context(), r.Caller, report.ID); err != nil {
		return nil, err
	}
	if d.Against, d.OtherRecently, err = againstEarlier(r, report); err != nil {
		return nil, err
	}
	view := &ui.View{Title: nameOf(&report.Batch, names), Sub: when(r, report, names.Lists[report.ListID]), Place: "Sends",
		Content: p.report_, Data: d}
	if d.Running && report.Status != batches.BatchPaused {
		view.Refresh = 10
	}
	return view, nil
}

// when says when the mails were sent, and to whom.
func when(r *ui.Request, b *reports.BatchReport, list string) string {
	text := "To be sent " + r.Date(b.SendTime)
	switch {
	case b.FirstSent != 0 && b.Ended():
		text = "Sent " + r.Date(b.FirstSent) + " to " + time.Unix(b.LastSent, 0).In(r.Now.Location()).Format("15:04")
	case b.FirstSent != 0:
		text = "Sent since " + r.Date(b.FirstSent)
	}
	return text + " (" + r.Zone() + ") · " + list
}

func commandsOf(r *ui.Request, b *batches.Batch) (all []command) {
	if !r.MaySend() {
		return nil
	}
	switch b.Status {
	case batches.BatchSending, batches.BatchPending, batches.BatchInitialising:
		return []command{{"pause", "Pause"}, {"cancel", "Cancel"}}
	case batches.BatchPaused:
		return []command{{"unpause", "Go on"}, {"cancel", "Cancel"}}
	}
	return nil
}

func figuresOf(r *reports.BatchReport) []figure {
	arrived := delivered(r)
	return []figure{
		{"Recipients", ui.Number(r.ToSend()), ""},
		{"Delivered", ui.Number(arrived), ui.Percent(arrived, r.ToSend())},
		{"Opened", ui.Number(r.HumanOpened), ui.Percent(r.HumanOpened, arrived)},
		{"Clicked", ui.Number(r.HumanClicked), ui.Percent(r.HumanClicked, arrived)},
		{"Left", ui.Number(r.Unsubscribed), ui.Percent(r.Unsubscribed, arrived)},
		{"Complained", ui.Number(r.Complained), ui.Percent(r.Complained, arrived)},
	}
}

// chartHours is how long a report shows opens and clicks by hour. What came later is in the numbers above.
const chartHours = 48

// chartOf shows opens and clicks by hour in the first two days.
func chartOf(r *ui.Request, b *reports.BatchReport) *ui.Chart {
	c := &ui.Chart{Title: "Opens and clicks an hour", Width: 600,
		Series: []string{"opened by people", "clicked", "opened by machines"}}
	if len(b.Periods) == 0 {
		return c
	}
	first := b.Periods[0].Time
	last := min(b.Periods[len(b.Periods)-1].Time, first+(chartHours-1)*enlist.Hour)
	for at, i := first, 0; at <= last; at += enlist.Hour {
		p := ui.Point{Label: time.Unix(at, 0).In(r.Now.Location()).Format("Mon 15:04"), Values: make([]int64, 3)}
		for ; i < len(b.Periods) && b.Periods[i].Time < at+enlist.Hour; i++ {
			s := &b.Periods[i]
			p.Values[0] += s.HumanOpened
			p.Values[1] += s.HumanClicked
			p.Values[2] += max(0, s.Opened()-s.HumanOpened)
		}
		c.Points = append(c.Points, p)
	}
	return c
}

var leftOutTexts = map[string]string{"unsubscribed": "unsubscribed", "inactive": "deactivated",
	"unconfirmed": "not confirmed", "no_address": "no e-mail address", "suppressed": "on the Unsubscriber List",
	"duplicate": "same address twice", "sent_before": "had it before", "excluded": "excluded by the send",
	"gone": "no longer on the List"}

// leftOut has the reasons for which Contacts got no mail.
func leftOut(r *reports.BatchReport) []share {
	all := leftOutCounts(&r.BatchCounts)
	for _, s := range []share{{Name: "refused by the mail server", Count: r.Refused},
		{Name: "bounced later", Count: r.Bounced - r.Refused}, {Name: "could not be sent", Count: r.Failed},
		{Name: "in doubt after a crash", Count: r.Doubtful}} {
		if s.Count > 0 {
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b share) int { return int(b.Count - a.Count) })
	return all
}

// leftOutCounts has the reasons for which Contacts are no recipients.
func leftOutCounts(c *batches.BatchCounts) (all []share) {
	for i := range reports.LeftOutAttributes {
		a := &reports.LeftOutAttributes[i]
		if n := a.Get(c).Int; n > 0 {
			all = append(all, share{Name: leftOutTexts[a.Name], Count: n})
		}
	}
	return all
}

// devicesOf has the kinds of devices on which mails were opened first, the most frequent first.
func devicesOf(r *reports.BatchReport) (all []share) {
	var sum int64
	for device, n := range r.Devices() {
		if n > 0 {
			all = append(all, share{Name: strings.Replace(string(device), "unknown", "not known", 1), Count: n})
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
		all[i].Part = ui.Percent(all[i].Count, sum)
	}
	return all
}

// earlier is the number of Batches with which a report compares.
const earlier = 10

// rates are the rates that a report compares, in parts of a thousand of a percent.
var rates = []struct {
	name string
	of   func(*reports.BatchReport) (part, whole int64)
}{
	{"Delivered", func(r *reports.BatchReport) (int64, int64) { return delivered(r), r.ToSend() }},
	{"Opened", func(r *reports.BatchReport) (int64, int64) { return r.HumanOpened, delivered(r) }},
	{"Clicked", func(r *reports.BatchReport) (int64, int64) { return r.HumanClicked, delivered(r) }},
	{"Left", func(r *reports.BatchReport) (int64, int64) { return r.Unsubscribed, delivered(r) }},
}

// againstEarlier compares a Batch with the medians of those that ended before it.
func againstEarlier(r *ui.Request, report *reports.BatchReport) (all []against, of int, err error) {
	before, err := r.App.Batches.SearchBatches(r.Context(), r.Caller, enlist.Query{SortBy: "id", Descending: true,
		Limit: earlier, Criteria: &enlist.Criteria{All: []enlist.Criteria{
			{Key: "send_status", Operator: "exactly", Value: enlist.Input{Kind: enlist.InputText, Text: "completed"}},
			{Key: "id", Operator: "less_than", Value: enlist.Input{Kind: enlist.InputNumber,
				Text: ui.Plain(int64(report.ID))}},
		}}})
	if err != nil || len(before) == 0 || report.Sent == 0 {
		return nil, 0, err
	}
	values := make([][]int64, len(rates))
	for i := range before {
		one, err := r.App.Reports.BatchReport(r.Context(), r.Caller, before[i].ID)
		if err != nil {
			return nil, 0, err
		}
		for k := range rates {
			if part, whole := rates[k].of(one); whole > 0 {
				values[k] = append(values[k], part*100_000/whole)
			}
		}
	}
	for k := range rates {
		part, whole := rates[k].of(report)
		if whole == 0 || len(values[k]) == 0 {
			continue
		}
		slices.Sort(values[k])
		this, median := part*100_000/whole, values[k][len(values[k])/2]
		all = append(all, against{rates[k].name, ui.Percent(this, 100_000), ui.Percent(median, 100_000),
			ui.Points(this - median)})
	}
	return all, len(before), nil
}
