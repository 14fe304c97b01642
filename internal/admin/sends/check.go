package sends

import (
	"crypto/rand"
	"crypto/sha256"
	"html/template"
	"net/url"
	"strings"
	"time"

	messagepages "enlist/internal/admin/messages"
	"enlist/internal/admin/ui"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/reports"
)

// This file has the last page of a new send, which says what will happen.

// askedFrom is the number of mails from which the person has to type it.
const askedFrom = 10_000

// checkData is the data of the page that says what will happen.
type checkData struct {
	plan
	whom
	Check     *batches.BatchCheck
	Bar       template.HTML
	Out       []share
	Gets      int64
	Of        int64
	Time      string
	Token     string // makes a second press of the button harmless
	Asked     bool   // the number has to be typed
	Typed     string
	Wrong     string // what is wrong with the typed number
	Errors    bool   // the Batch would be refused
	Hidden    url.Values
	Edit      string // path of the first page, with the same choices
	Findings  []messages.Finding
	Course    course
	Whole     string // path of this page that looks at all Contacts; "": this one does
	Uncounted []uncounted
	Chosen    []chosenPart
	Me        string // address of the person
}

// chosenPart is a List or a Segment of a plan, or what an earlier Batch stands for.
type chosenPart struct {
	Name           string
	Contacts, Gets int64
}

// firstLook is the time in which the page looks at Contacts before it is shown. It then asks for the whole, which can
// take seconds for a million Contacts.
const firstLook = 60 * time.Millisecond

func (p *pages) check(r *ui.Request) (*ui.View, error) { return p.showCheck(r, rand.Text(), "") }

// checkPath is the path of the page, also for its button that sends a test.
const checkPath = "/admin/sends/check"

// look checks a Batch: as many Contacts as there is time for, but all of them if the person has asked for the whole or
// wants to send.
func look(r *ui.Request, b batches.BatchRequest) (check *batches.BatchCheck, whole string, err error) {
	if r.URL.Path == checkPath && r.FormValue("whole") == "" {
		check, err = r.App.Batches.CheckBatchWithin(r.Context(), r.Caller, b, batches.CheckLimits{Time: firstLook})
		switch {
		case err != nil || check.Complete:
			return check, "", err
		case check.Total >= ui.Large:
			return check, wholePath(planOf(r)), nil
		}
	}
	check, err = r.App.Batches.CheckBatch(r.Context(), r.Caller, b)
	return check, "", err
}

// wholePath returns the path of the page that looks at all Contacts.
func wholePath(chosen plan) string { return checkPath + "?" + chosen.values().Encode() + "&whole=1" }

func (p *pages) showCheck(r *ui.Request, token, wrong string) (*ui.View, error) {
	if err := enlist.RequireSending(r.Caller); err != nil {
		return nil, err
	}
	chosen := planOf(r)
	request, err := chosen.request(r)
	var check *batches.BatchCheck
	var whole string
	if err == nil {
		check, whole, err = look(r, request)
	}
	if input, what, ok := mistake(err); ok {
		return p.showCompose(r, &composeData{plan: chosen, Wrong: input, What: what})
	}
	if err != nil {
		return nil, err
	}
	names, err := r.Names()
	if err != nil {
		return nil, err
	}
	d := checkData{plan: chosen, Check: check, Gets: check.Recipients, Of: check.Total, Token: token, Wrong: wrong,
		Whole: whole, Me: r.Person.Email, Typed: r.PostForm.Get("typed"),
		Out: leftOutCounts(&check.BatchCounts), Asked: check.Recipients >= askedFrom, Findings: check.Findings,
		Hidden: chosen.values(), Edit: "/admin/sends/new?" + chosen.values().Encode()}
	if d.whom, err = whomOf(r, &chosen, names); err != nil {
		return nil, err
	}
	d.Chosen = chosen.parts(d.To, check.Populations)
	if d.Course, err = courseOf(r, &chosen, &request, check); err != nil {
		return nil, err
	}
	d.Bar, d.Time = barOf(d.Gets, d.Out), timeOf(r, &chosen, &request)
	if err := d.readLists(r, &request); err != nil {
		return nil, err
	}
	for _, f := range check.Findings {
		d.Errors = d.Errors || f.Level == messages.FindingError
	}
	view := &ui.View{Title: names.Messages[chosen.Message], Sub: "2 of 2 · this will happen", Place: "Sends",
		Content: p.check_, Data: d}
	if wrong != "" {
		view.Problem = wrong
	}
	return view, nil
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
func barOf(gets int64, out []share) template.HTML {
	parts := []ui.Part{{Name: "get it", Class: "s1", Count: gets}}
	for i, s := range out {
		parts = append(parts, ui.Part{Name: "left out: " + s.Name, Class: []string{"s4", "s2", "s5"}[i%3], Count: s.Count})
	}
	return ui.Stack("Who gets it", parts)
}

func timeOf(r *ui.Request, p *plan, b *batches.BatchRequest) string {
	text := "now"
	if b.SendTime != 0 {
		text = r.Date(b.SendTime) + " (" + r.Zone() + ")"
	}
	if p.Zone != "" {
		text += ", in the time zone of each Contact"
	}
	return text
}

// send adds the Batch.
func (p *pages) send(r *ui.Request) (*ui.View, error) {
	chosen, token := planOf(r), r.FormValue("token")
	request, err := chosen.request(r)
	if _, what, ok := mistake(err); ok {
		return p.showCheck(r, token, what)
	}
	if err != nil {
		return nil, err
	}
	if typed := r.FormValue("typed"); r.FormValue("asked") != "" && strings.Trim(typed, " ") != r.FormValue("asked") {
		return p.showCheck(r, token, "Type "+r.FormValue("asked")+", the number of mails.")
	}
	c := *r.Caller
	c.Retry = &enlist.Retry{Header: "page-" + token, Fingerprint: sha256.Sum256([]byte(r.Form.Encode()))}
	id, err := r.App.Batches.AddBatch(r.Context(), &c, request)
	if _, what, ok := mistake(err); ok {
		return p.showCheck(r, token, what)
	}
	if err != nil {
		return nil, err
	}
	done := "The send has begun. You can pause it while it runs."
	if request.SendTime > r.Now.Unix() {
		done = "The send is planned."
	}
	return ui.GoTo("/admin/sends/"+ui.Plain(int64(id)), done), nil
}

// test sends a test of the Message to the person, with the values of the first Contact of the first List, and shows the
// page again.
func (p *pages) test(r *ui.Request) (*ui.View, error) {
	chosen := planOf(r)
	request, err := chosen.request(r)
	if _, what, ok := mistake(err); ok {
		return p.showCheck(r, rand.Text(), what)
	}
	if err != nil {
		return nil, err
	}
	wrong, err := messagepages.SendTest(r, chosen.Message, request.Populations[0].List, "", r.Person.Email)
	if err != nil {
		return nil, err
	}
	if wrong != "" {
		view, err := p.showCheck(r, rand.Text(), "")
		if err == nil {
			view.Problem = "The test mail was not sent: " + wrong + "."
		}
		return view, err
	}
	path := checkPath + "?" + chosen.values().Encode()
	if r.PostForm.Has("whole") {
		path = wholePath(chosen)
	}
	return ui.GoTo(path, messagepages.TestSent(r.Person.Email)), nil
}

// leftOutCounts has the reasons for which Contacts are no recipients.
func leftOutCounts(c *batches.BatchCounts) (all []share) {
	for i := range reports.LeftOutAttributes {
		a := &reports.LeftOutAttributes[i]
		if n := a.Get(c).Int; n > 0 {
			all = append(all, share{Name: leftOutTexts[a.Name], Count: n, Reason: a.Name})
		}
	}
	return all
}
