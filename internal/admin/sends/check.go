package sends

import (
	"cmp"
	"html/template"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	messagepages "enlist/internal/admin/messages"
	"enlist/internal/admin/ui"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/recipients"
	"enlist/internal/reports"
)

// This file has the last page of a new send, which says what will happen.

// askedFrom is the number of mails from which the person has to type it.
const askedFrom = 10_000

// checkData is the data of the page that says what will happen.
type checkData struct {
	plan
	whom
	Check        *batches.BatchCheck
	Bar          template.HTML
	Out          []share
	Gets         int64
	Of           int64
	Time         string
	Mails        []mailLook
	Approve      int64          // another user has to approve it, because more than this get it; 0: it begins without
	Wait         int64          // minutes in which the send can be stopped
	Shown        shown          // what the form says that it has shown
	Added        enlist.BatchID // that this page has added; 0: none
	Recent       []recentSend
	Asks         ui.Form // what the person has to agree to
	Errors       bool    // the Batch would be refused
	Hidden       url.Values
	Sent         url.Values // Hidden without what the form of the button has itself
	Track        ui.Form
	WithoutAsked string // path of the first page that leaves out who was asked not long before; "": there is no such person
	Edit         string // path of the first page, with the same choices
	Findings     []messages.Finding
	Course       course
	Whole        string // path of this page that looks at all Contacts; "": this one does
	Uncounted    []uncounted
	Chosen       []chosenPart
	Me           string // address of the person

	Wrong map[string]string // what is wrong, by input
}

// mailLook is a mail of a new send.
type mailLook struct {
	messagepages.Look
	Letter string // of the variant
}

// looksAt returns the mail of a new send, or those of its variants.
func looksAt(r *ui.Request, b *batches.BatchRequest) (all []mailLook, err error) {
	variants := b.Options.Variants
	if len(variants) == 0 {
		variants = []batches.Variant{{}}
	}
	for i, v := range variants {
		look, err := messagepages.LookAt(r, cmp.Or(v.Message, b.Message), b.Populations[0].List, v.Subject)
		if err != nil {
			return nil, err
		}
		all = append(all, mailLook{Look: look})
		if len(variants) > 1 {
			all[i].Letter = string(rune('A' + i))
		}
	}
	return all, nil
}

// chosenPart is a List or a Segment of a plan, or what an earlier Batch stands for.
type chosenPart struct {
	Name           string
	Contacts, Gets int64
}

// firstLook is the time in which the page looks at Contacts before it is shown. It then asks for the whole, which can
// take seconds for a million Contacts.
const firstLook = 60 * time.Millisecond

// checkPath is the path of the page, also for its button that sends a test.
const checkPath = "/admin/sends/check"

// path returns the URL of the page with a token, that looks at all Contacts or not.
func (p *plan) path(token string, whole bool) string {
	v := p.values()
	v.Set("token", token)
	if whole {
		v.Set("whole", "1")
	}
	return checkPath + "?" + v.Encode()
}

// check shows the page. Its URL has a token, so that it adds the Batch once, also if it is loaded again.
func (p *pages) check(r *ui.Request) (*ui.View, error) {
	chosen := planOf(r)
	if err := enlist.RequireSending(r.Caller); err != nil {
		return nil, err
	}
	if err := chosen.takeSubjects(r); err != nil {
		return nil, err
	}
	request, err := chosen.request(r)
	view, err := p.showCheck(r, &chosen, &request, err, nil)
	if err == nil && view.Content == p.checkPage && !isFresh(r, r.FormValue("token")) {
		return ui.GoTo(chosen.path(freshToken(r), r.FormValue("whole") != ""), ""), nil
	}
	return view, err
}

// look checks a Batch: as many Contacts as there is time for, but all of them if the person has asked for the whole or
// wants to send.
func look(r *ui.Request, chosen *plan, b *batches.BatchRequest) (check *batches.BatchCheck, whole string, err error) {
	if r.URL.Path == checkPath && r.FormValue("whole") == "" {
		check, err = r.App.Batches.CheckBatchWithin(r.Context(), r.Caller, *b, batches.CheckLimits{Time: firstLook})
		switch {
		case err != nil || check.Complete:
			return check, "", err
		case check.Total >= ui.Large:
			return check, chosen.path(r.FormValue("token"), true), nil
		}
	}
	check, err = r.App.Batches.CheckBatch(r.Context(), r.Caller, *b)
	return check, "", err
}

// showCheck shows what will happen to a request, or the first page if refusal is a mistake in it. d has what the page
// says beside it; nil: nothing.
func (p *pages) showCheck(r *ui.Request, chosen *plan, request *batches.BatchRequest, refusal error,
	d *checkData) (*ui.View, error) {
	if d == nil {
		d = new(checkData)
	}
	err := refusal
	if err == nil && d.Check == nil {
		d.Check, d.Whole, err = look(r, chosen, request)
	}
	if wrong := mistakes(err); wrong != nil {
		return p.showCompose(r, chosen, wrong)
	}
	if err != nil {
		return nil, err
	}
	names, err := r.Names()
	if err != nil {
		return nil, err
	}
	if err := d.fill(r, chosen, request, names); err != nil {
		return nil, err
	}
	return &ui.View{Title: names.Messages[chosen.Message], Sub: r.Text("sends.step_2"), Place: "/admin/sends",
		Content: p.checkPage, Data: d, Problem: d.problem(r)}, nil
}

// fill adds what the page says about a check.
func (d *checkData) fill(r *ui.Request, chosen *plan, request *batches.BatchRequest, names ui.Names) (err error) {
	check := d.Check
	d.plan, d.Gets, d.Of, d.Me = *chosen, check.Recipients, check.Total, r.User.Email
	d.Out, d.Findings = leftOutCounts(&check.Counts), check.Findings
	d.Hidden, d.Edit = chosen.values(), "/admin/sends/new?"+chosen.values().Encode()
	d.Sent = maps.Clone(d.Hidden)
	delete(d.Sent, "track")
	d.Sent.Set("ticks", "1")
	d.Track = ui.Form{trackInput("track", r.Text("sends.track"), r.Text("sends.track_help"), !chosen.Untracked)}
	d.WithoutAsked = withoutAsked(chosen, check)
	if err := d.show(r, request); err != nil {
		return err
	}
	if d.whom, err = whomOf(r, chosen, names); err != nil {
		return err
	}
	d.Chosen = chosen.parts(d.To, check.Populations)
	if d.Course, err = courseOf(r, chosen, request, check); err != nil {
		return err
	}
	if d.Mails, err = looksAt(r, request); err != nil {
		return err
	}
	d.Approve = r.App.Batches.ApprovalOf(r.Caller, check)
	d.Wait = r.App.Batches.WaitOf(r.Caller, check, request.SendTime) / 60
	d.Bar, d.Time = barOf(r, d.Gets, d.Out), timeOf(r, chosen, request)
	for _, f := range check.Findings {
		d.Errors = d.Errors || f.Level == messages.FindingError
	}
	return d.readLists(r, request)
}

// withoutAsked returns the path of the first page with the same choices, that leaves out the recipients of the Batches
// that have asked for the consent to being recorded in the last six months.
func withoutAsked(chosen *plan, check *batches.BatchCheck) string {
	if !slices.ContainsFunc(check.Findings, func(f messages.Finding) bool { return f.Code == batches.FindingAskedRecently }) {
		return ""
	}
	v := chosen.values()
	v["without"] = slices.Concat(v["without"], idTexts(check.Asking))
	return "/admin/sends/new?" + v.Encode()
}

// parts returns the populations of a check with the names of whomOf. What the plan has of earlier Batches can be
// several populations, which count together.
func (p *plan) parts(names []string, all []batches.PopulationCheck) (parts []chosenPart) {
	for i := range all {
		if own := len(p.Lists) + len(p.Parts); i < own {
			parts = append(parts, chosenPart{Name: names[i]})
		} else if i == own {
			parts = append(parts, chosenPart{Name: strings.Join(names[own:], ", ")})
		}
		last := &parts[len(parts)-1]
		last.Contacts += all[i].Contacts
		last.Gets += all[i].Recipients
	}
	return parts
}

// barOf draws who gets the mail and who is left out.
func barOf(r *ui.Request, gets int64, out []share) template.HTML {
	parts := []ui.Part{{Name: r.Text("sends.gets_it"), Class: "s1", Count: gets}}
	for i, s := range out {
		parts = append(parts, ui.Part{Name: r.Text("sends.part_left_out", "name", r.Text(s.Name)), Class: []string{"s4", "s2", "s5"}[i%3], Count: s.Count})
	}
	return r.Stack(r.Text("sends.who_gets_it"), parts)
}

func timeOf(r *ui.Request, p *plan, b *batches.BatchRequest) string {
	text := r.Text("sends.now")
	if b.SendTime != 0 {
		text = r.Text("sends.in_zone", "time", r.Date(b.SendTime), "zone", r.Zone())
	}
	if p.Zone != "" {
		text = r.Text("sends.in_each_zone", "time", text)
	}
	return text
}

// test sends a test of the Message to the person, with the values of the first Contact of the first List, and shows the
// page again.
func (p *pages) test(r *ui.Request) (*ui.View, error) {
	chosen := planOf(r)
	request, err := chosen.request(r)
	if err != nil {
		return p.showCheck(r, &chosen, &request, err, nil)
	}
	wrong, err := messagepages.SendTest(r, chosen.Message, request.Populations[0].List, "", r.User.Email)
	if err != nil {
		return nil, err
	}
	if wrong != "" {
		view, err := p.showCheck(r, &chosen, &request, nil, nil)
		if err == nil {
			view.Problem = r.Text("sends.test_not_sent", "reason", wrong)
		}
		return view, err
	}
	return messagepages.ToTest(r, chosen.path(freshToken(r), r.PostForm.Has("whole")), r.User.Email)
}

// leftOutCounts has the reasons for which Contacts are no recipients.
func leftOutCounts(c *recipients.Counts) (all []share) {
	for i := range reports.LeftOutAttributes {
		a := &reports.LeftOutAttributes[i]
		if n := a.Get(c).Int; n > 0 {
			all = append(all, share{Name: leftOutTexts[a.Name], Count: n, Reason: a.Name})
		}
	}
	return all
}
