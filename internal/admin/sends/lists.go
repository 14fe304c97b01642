package sends

import (
	"net/url"
	"slices"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/reports"
)

// This file has what the pages of a send say about its Lists: what a List does not count, and which Contacts of a List
// are left out.

// uncounted is a List that does not count all that a report shows.
type uncounted struct {
	Key      string // of the text about what is not counted
	List     string
	Settings string // path; "": the person may not change them
	Text     string // of a Batch whose mails were not measured although the List counts; "": the Key says it
}

// The texts about what a List does not count.
const (
	noClicks    = "sends.uncounted_clicks"
	noOpens     = "sends.uncounted_opens"
	noneCounted = "sends.uncounted_both"
)

// newUncounted returns what a List does not count, or nil if it counts opens and clicks.
func newUncounted(r *ui.Request, l *enlist.List) *uncounted {
	u := &uncounted{List: l.Name}
	switch {
	case l.TrackOpens && l.TrackClicks:
		return nil
	case l.TrackOpens:
		u.Key = noClicks
	case l.TrackClicks:
		u.Key = noOpens
	default:
		u.Key = noneCounted
	}
	if r.Caller.May(enlist.Manage) {
		u.Settings = "/admin/lists/" + ui.Plain(int64(l.ID)) + "/settings"
	}
	return u
}

// uncountedOf returns what the List of a Batch does not count and the report has not, or nil. The settings of the List
// may have changed since the Batch was sent, so numbers that exist are shown.
func uncountedOf(r *ui.Request, b *reports.BatchReport) (*uncounted, error) {
	list, err := r.App.Lists.List(r.Context(), r.Caller, b.ListID)
	if err != nil {
		return nil, enlist.IgnoreKind(enlist.NoList, err)
	}
	l := *list
	l.TrackOpens = l.TrackOpens || b.Opened() > 0
	l.TrackClicks = l.TrackClicks || b.Clicked > 0
	u := newUncounted(r, &l)
	if u != nil || b.Delivered() == 0 {
		return u, nil
	}
	l.TrackOpens, l.TrackClicks = b.MeasuredOpens() > 0 || b.Opened() > 0, b.MeasuredClicks() > 0 || b.Clicked > 0
	if u = newUncounted(r, &l); u != nil {
		u.Text = map[string]string{noOpens: r.Text("sends.unmeasured_opens"), noClicks: r.Text("sends.unmeasured_clicks"),
			noneCounted: r.Text("sends.unmeasured_both")}[u.Key]
	}
	return u, nil
}

// Opens reports whether opens are not counted.
func (u *uncounted) Opens() bool { return u != nil && u.Key != noClicks }

// Clicks reports whether clicks are not counted.
func (u *uncounted) Clicks() bool { return u != nil && u.Key != noOpens }

// has reports whether a figure is not counted.
func (u *uncounted) has(f figure) bool {
	switch f.People {
	case "opened", "machines", "not-opened":
		return u.Opens()
	case "clicked", "clicked-machines":
		return u.Clicks()
	}
	return false
}

// hide takes what is not counted out of the tables of a report.
func (u *uncounted) hide(d *reportData) {
	d.Figures, d.Steps = slices.DeleteFunc(d.Figures, u.has), slices.DeleteFunc(d.Steps, u.has)
	for i := range d.Domains {
		for j, f := range d.Domains[i].Figures {
			if u.has(f) {
				d.Domains[i].Figures[j] = figure{Name: f.Name, Value: "–"}
			}
		}
	}
	for i := range d.Variants {
		if u.Opens() {
			d.Variants[i].Opened, d.Variants[i].OpenedRange = "–", ""
		}
		if u.Clicks() {
			d.Variants[i].Clicked, d.Variants[i].ClickedRange = "–", ""
		}
	}
	d.Against = slices.DeleteFunc(d.Against, func(a against) bool {
		return a.Name == "sends.opened_mails" && u.Opens() || a.Name == "sends.clicked_mails" && u.Clicks()
	})
}

// listsOf returns the Lists of a request, each once.
func listsOf(r *ui.Request, b *batches.BatchRequest) (all []*enlist.List, err error) {
	for i := range b.Populations {
		id := b.Populations[i].List
		if slices.ContainsFunc(all, func(l *enlist.List) bool { return l.ID == id }) {
			continue
		}
		list, err := r.App.Lists.List(r.Context(), r.Caller, id)
		if err != nil {
			return nil, err
		}
		all = append(all, list)
	}
	return all, nil
}

// readLists adds what the Lists do not count, and the pages of the people who are left out.
func (d *checkData) readLists(r *ui.Request, request *batches.BatchRequest) error {
	lists, err := listsOf(r, request)
	if err != nil {
		return err
	}
	for _, list := range lists {
		if u := newUncounted(r, list); u != nil {
			d.Uncounted = append(d.Uncounted, *u)
		}
	}
	if !r.Caller.May(enlist.SeeContacts) || d.Again != 0 || d.Like != 0 {
		return nil // the person may not see Contacts, or the page of Contacts cannot find these populations
	}
	for _, list := range lists {
		email, err := r.EmailField(list.ID)
		if err != nil {
			return err
		}
		for i := range d.Out {
			s := &d.Out[i]
			if path := d.peopleOut(list, email, s.Reason); path != "" {
				s.To = append(s.To, ui.Action{Text: list.Name, Path: path})
			}
		}
	}
	for i := range d.Out {
		if d.Out[i].Reason == "suppressed" {
			d.Out[i].To = unsubscribers
		}
	}
	return nil
}

// peopleOut returns the path of the Contacts of a List that are left out for a reason, or "" if conditions cannot say
// it. Each Contact has the first of its reasons, in this order: unsubscribed, inactive, no_address, unconfirmed,
// excluded (recipients.WhyLeftOut). The page also shows excluded people who are on the Unsubscriber List.
func (p *plan) peopleOut(list *enlist.List, email, reason string) string {
	q := url.Values{"list": {ui.Plain(int64(list.ID))}}
	group := "0"
	test := func(key, operator, value string) {
		q.Add("g", group)
		q.Add("key", key)
		q.Add("op", operator)
		q.Add("value", value)
	}
	is := func(key, value string) { test(key, "exactly", value) }
	if !slices.Contains(p.Lists, list.ID) {
		test(enlist.KeySegment, "in", segmentsIn(p.Parts, list.ID))
	}
	if reason == "unsubscribed" {
		is("is_unsubscribed", "1")
		return "/admin/contacts?" + q.Encode()
	}
	is("is_unsubscribed", "0")
	if reason == "inactive" {
		is("is_active", "0")
		return "/admin/contacts?" + q.Encode()
	}
	is("is_active", "1")
	if email != "" && reason != "no_address" {
		test(email, "filled", "")
	}
	switch {
	case reason == "no_address" && email != "":
		test(email, "empty", "")
	case reason == "unconfirmed" && list.DoubleOptIn:
		is("double_opt_in", "0")
	case reason == "excluded":
		if list.DoubleOptIn {
			is("double_opt_in", "1")
		}
		group = "1"
		q.Set("match.1", "any")
		if out := segmentsIn(p.Leave, list.ID); out != "" {
			test(enlist.KeySegment, "in", out)
		}
		if len(p.Without) > 0 {
			test(enlist.KeyBatchSent, "in", joined(p.Without))
		}
	default:
		return ""
	}
	return "/admin/contacts?" + q.Encode()
}

// segmentsIn returns the Segments of a List as a condition has them.
func segmentsIn(all []part, list enlist.ListID) string {
	var ids []enlist.SegmentID
	for _, one := range all {
		if one.List == list {
			ids = append(ids, one.Segment)
		}
	}
	return joined(ids)
}

// joined returns IDs with commas between them.
func joined[ID ~int64](ids []ID) string { return strings.Join(idTexts(ids), ",") }

func idTexts[ID ~int64](ids []ID) []string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = ui.Plain(int64(id))
	}
	return texts
}
