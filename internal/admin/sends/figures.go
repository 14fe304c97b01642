package sends

import (
	"encoding/csv"
	"errors"
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/reports"
)

// This file sends the figures of a report as CSV: a line for each number.

// csvFile is a file of CSV on its way to a browser.
type csvFile struct {
	*csv.Writer
	to *ui.Download
}

func newFile(r *ui.Request, name string) *csvFile {
	f := &csvFile{to: r.Download("text/csv; charset=utf-8", name)}
	f.Writer = csv.NewWriter(f.to)
	f.UseCRLF = true
	return f
}

// begin writes the first part of the file. A search that begins again discards what it wrote.
func (f *csvFile) begin() error {
	f.Flush()
	if err := errors.Join(f.Error(), f.to.Restart()); err != nil {
		return err
	}
	_, err := f.to.Write([]byte(ui.ByteOrderMark))
	return err
}

// end sends the rest of the file. err is the error that ended it, or nil.
func (f *csvFile) end(err error) (*ui.View, error) {
	f.Flush()
	return f.to.End(errors.Join(err, f.Error()))
}

// csvTime writes a Unix time in the Account's zone, in the form that spreadsheets read.
func csvTime(r *ui.Request, at int64) string {
	return time.Unix(at, 0).In(r.Now.Location()).Format("2006-01-02 15:04:05")
}

// number is a number of a report with its name.
type number struct {
	name  string
	value int64
}

func figuresFile(r *ui.Request) (*ui.View, error) {
	report, err := r.App.Reports.BatchReport(r.Context(), r.Caller, enlist.BatchID(r.ID("batch")))
	if err != nil {
		return nil, err
	}
	links, err := r.App.Reports.BatchLinks(r.Context(), r.Caller, report.ID)
	if err != nil {
		return nil, err
	}
	f := newFile(r, "send-"+ui.Plain(int64(report.ID))+".csv")
	err = errors.Join(f.begin(), f.Write([]string{"part", "of", "figure", "value"}))
	write := func(part, of string, all ...number) {
		for _, n := range all {
			err = errors.Join(err, f.Write([]string{part, enlist.SpreadsheetText(of), n.name, ui.Plain(n.value)}))
		}
	}
	write("total", "", totals(report)...)
	for i := range report.Periods {
		p := &report.Periods[i]
		write("period", csvTime(r, p.Time), number{"opened", p.HumanOpened}, number{"clicked", p.HumanClicked},
			number{"opened_by_machines", max(0, p.Opened()-p.HumanOpened)}, number{"left", p.Unsubscribed},
			number{"complained", p.Complained})
	}
	for _, s := range report.ByDomain() {
		write("provider", s.Group, number{"sent", s.Sent}, number{"refused", s.Refused}, number{"bounced", s.Bounced},
			number{"deferred", s.Deferred}, number{"opened", s.HumanOpened}, number{"clicked", s.HumanClicked},
			number{"measured_opens", s.MeasuredOpens()}, number{"measured_clicks", s.MeasuredClicks()})
	}
	for _, s := range report.ByReason() {
		write("reason", string(s.Reason), number{"refused", s.Refused}, number{"bounced", s.Bounced},
			number{"deferred", s.Deferred}, number{"failed", s.Failed})
	}
	for _, l := range links {
		write("link", l.URL, number{"people", l.Humans}, number{"clicks", l.Clicks})
	}
	for i := range report.ByVariant {
		v := &report.ByVariant[i]
		write("variant", ui.Plain(v.Number), number{"sent", v.Sent}, number{"opened", v.HumanOpened},
			number{"clicked", v.HumanClicked}, number{"measured_opens", v.MeasuredOpens()},
			number{"measured_clicks", v.MeasuredClicks()})
	}
	for _, s := range leftOut(report) {
		write("left_out", r.Text(s.Name), number{"contacts", s.Count})
	}
	return f.end(err)
}

func totals(r *reports.BatchReport) []number {
	return []number{{"recipients", r.ToSend()}, {"delivered", r.Delivered()}, {"opened", r.HumanOpened},
		{"opened_by_machines", max(0, r.Opened()-r.HumanOpened)}, {"clicked", r.HumanClicked},
		{"clicked_by_machines", max(0, r.Clicked-r.HumanClicked)}, {"left", r.Unsubscribed},
		{"complained", r.Complained}, {"not_opened", r.NotOpened()}, {"bounced", r.Bounced},
		{"measured_opens", r.MeasuredOpens()}, {"measured_clicks", r.MeasuredClicks()}}
}
