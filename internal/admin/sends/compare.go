package sends

import (
	"cmp"
	"html/template"
	"slices"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/recipients"
	"enlist/internal/reports"
	"enlist/internal/sending"
)

// This file has the parts of a report that compare: with earlier Batches, by provider, by reason and by variant.

// domain is a row of the table of providers.
type domain struct {
	Group, Name string
	Figures     []figure
}

var providers = map[string]string{"gmail": "sends.gmail", "microsoft": "sends.microsoft", "yahoo": "sends.yahoo",
	"apple": "sends.apple", "other": "sends.other_providers"}

// providerText is what the pages call a provider.
func providerText(r *ui.Request, name string) string {
	if key := providers[name]; key != "" {
		return r.Text(key)
	}
	return name
}

// domainsOf has the providers with most mails first.
func domainsOf(q *ui.Request, r *reports.BatchReport) (all []domain) {
	for _, s := range byMails(r) {
		arrived := arrivedOf(&s)
		all = append(all, domain{s.Group, providers[s.Group], []figure{
			{"sends.sent_mails", q.Language.Number(s.Sent), "", "accepted"},
			{"sends.bounced_mails", q.Language.Number(s.Bounced), "", "bounced"},
			{"sends.deferred_mails", q.Language.Number(s.Deferred), "", "deferred"},
			{"sends.opened_mails", q.Rate(s.HumanOpened, s.MeasuredOpens(), arrived).String(), "", "opened"},
			{"sends.clicked_mails", q.Rate(s.HumanClicked, s.MeasuredClicks(), arrived).String(), "", "clicked"},
			{"sends.machines", q.Rate(max(0, s.Opened-s.HumanOpened), s.MeasuredOpens(), arrived).String(), "", "machines"},
		}})
	}
	return all
}

// byMails returns the sums of the providers, those with most mails first.
func byMails(r *reports.BatchReport) []recipients.DomainSums {
	sums := r.ByDomain()
	slices.SortStableFunc(sums, func(a, b recipients.DomainSums) int { return int(b.Sent - a.Sent) })
	return sums
}

// arrivedOf returns how many mails to a provider arrived.
func arrivedOf(s *recipients.DomainSums) int64 { return max(0, s.Sent-(s.Bounced-s.Refused)) }

// domainBars draws what became of the mails to each provider, as shares.
func domainBars(q *ui.Request, r *reports.BatchReport, u *uncounted) template.HTML {
	var bars []ui.Bar
	for _, s := range byMails(r) {
		arrived := arrivedOf(&s)
		bar := ui.Bar{Name: providerText(q, s.Group)}
		if u.Opens() {
			bar.Parts = []ui.Part{{Name: q.Text("sends.delivered_part"), Class: "s2", Count: arrived}}
		} else {
			bar.Parts = []ui.Part{{Name: q.Text("sends.opened_by_people"), Class: "s1", Count: s.HumanOpened},
				{Name: q.Text("sends.only_delivered_part"), Class: "s2", Count: arrived - s.HumanOpened}}
		}
		bar.Parts = append(bar.Parts, ui.Part{Name: q.Text("sends.refused_or_bounced_part"), Class: "s5", Count: s.Bounced})
		bars = append(bars, bar)
	}
	return q.Bars(q.Text("sends.by_provider"), 0, bars)
}

// drawnLinks is the number of links in the drawing. The table has all.
const drawnLinks = 10

// linkBars draws the links with most people, or nothing without a click.
func linkBars(q *ui.Request, links []recipients.LinkSums) template.HTML {
	links = slices.DeleteFunc(slices.Clone(links), func(l recipients.LinkSums) bool { return l.Clicks == 0 })
	slices.SortStableFunc(links, func(a, b recipients.LinkSums) int {
		return cmp.Or(cmp.Compare(b.Humans, a.Humans), cmp.Compare(b.Clicks, a.Clicks))
	})
	var bars []ui.Bar
	var most int64
	for _, l := range links[:min(len(links), drawnLinks)] {
		most = max(most, l.Clicks)
		bars = append(bars, ui.Bar{Name: ui.WithoutScheme(l.URL), Parts: []ui.Part{
			{Name: q.Text("sends.people_part"), Class: "s1", Count: l.Humans},
			{Name: q.Text("sends.other_clicks_part"), Class: "s2", Count: l.Clicks - l.Humans}}})
	}
	if bars == nil {
		return ""
	}
	return q.Bars(q.Text("sends.clicks_on_links"), most, bars)
}

// variantRow is a row of the table of variants. The ranges have the true rate with a probability of 95 %.
type variantRow struct {
	Number                      int64
	Letter, Name                string
	Sent                        int64
	Opened, OpenedRange         string
	Clicked, ClickedRange, Mark string
}

func (d *reportData) addVariants(r *ui.Request, b *reports.BatchReport, names ui.Names) {
	if b.Variants == nil {
		return
	}
	d.WinnerReason = r.Said(b.Variants.Verdict)
	d.MayChoose = r.MaySend() && b.Variants.Chosen == 0 && !b.Ended()
	for i := range b.ByVariant {
		d.Variants = append(d.Variants, variantOf(r, &b.ByVariant[i], names))
	}
}

func variantOf(r *ui.Request, s *sending.VariantSums, names ui.Names) variantRow {
	row := variantRow{Number: s.Number, Letter: string(rune('A' + s.Number - 1)), Name: names.Messages[s.Message],
		Sent: s.Sent, Opened: r.Rate(s.HumanOpened, s.MeasuredOpens(), s.Sent).String(),
		OpenedRange:  rangeOf(r, s.HumanOpened, s.MeasuredOpens()),
		Clicked:      r.Rate(s.HumanClicked, s.MeasuredClicks(), s.Sent).String(),
		ClickedRange: rangeOf(r, s.HumanClicked, s.MeasuredClicks())}
	if s.Subject != "" {
		row.Name = s.Subject
	}
	if s.Winner {
		row.Mark = names.Text("sends.winner")
	}
	return row
}

// rangeOf writes the interval of a rate.
func rangeOf(r *ui.Request, n, of int64) string {
	if of == 0 {
		return ""
	}
	low, high := reports.Interval(n, of)
	return r.Text("sends.range", "low", r.Language.Percent(low, 100_000), "high", r.Language.Percent(high, 100_000))
}

// comparedWith is the number of Batches with which a report compares.
const comparedWith = 10

// rates are the rates that a report compares, in parts of a thousand of a percent.
var rates = []struct {
	name string
	of   func(*reports.BatchReport) (part, whole int64)
}{
	{"sends.delivered_mails", func(r *reports.BatchReport) (int64, int64) { return r.Delivered(), r.ToSend() }},
	{"sends.opened_mails", func(r *reports.BatchReport) (int64, int64) { return r.HumanOpened, r.MeasuredOpens() }},
	{"sends.clicked_mails", func(r *reports.BatchReport) (int64, int64) { return r.HumanClicked, r.MeasuredClicks() }},
	{"sends.unsubscribed_mails", func(r *reports.BatchReport) (int64, int64) { return r.Unsubscribed, r.Delivered() }},
}

// againstEarlier compares a Batch with the medians of those that ended before it.
func againstEarlier(r *ui.Request, report *reports.BatchReport) (all []against, of int, err error) {
	before, err := r.App.Batches.SearchBatches(r.Context(), r.Caller, enlist.Query{SortBy: "id", Descending: true,
		Limit: comparedWith, Criteria: &enlist.Criteria{All: []enlist.Criteria{
			{Key: "send_status", Operator: "exactly", Value: enlist.TextInput("completed")},
			{Key: "id", Operator: "less_than", Value: enlist.Input{Kind: enlist.InputNumber,
				Text: ui.Plain(int64(report.ID))}},
		}}})
	if err != nil || len(before) == 0 || report.Sent == 0 {
		return nil, 0, err
	}
	earlier, err := withSums(r, before)
	if err != nil {
		return nil, 0, err
	}
	values := make([][]int64, len(rates))
	for i := range earlier {
		for k := range rates {
			if part, whole := rates[k].of(&earlier[i]); whole > 0 {
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
		all = append(all, against{rates[k].name, r.Language.Percent(this, 100_000), r.Language.Percent(median, 100_000),
			r.Language.Points(this - median)})
	}
	return all, len(before), nil
}
