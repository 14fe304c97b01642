package sends

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file has the pages of a new send: what to send to whom and when, and then a page that says what will happen.

// askedFrom is the number of mails from which the person has to type it.
const askedFrom = 10_000

// plan is what the person has chosen, as the URL says it.
type plan struct {
	Message enlist.MessageID
	Lists   []enlist.ListID
	Parts   []part           // Segments
	Without []enlist.BatchID // who got one of these Batches is left out
	Rate    string
	When    string // "now" or "at"
	At      string // in the Account's time zone, as an input of the browser has it
	Zone    string // name of the Field with the recipients' time zones; "": all at the same moment
}

func planOf(r *ui.Request) plan {
	p := plan{Message: enlist.MessageID(ui.Int(r.FormValue("message"))), Rate: strings.TrimSpace(r.FormValue("rate")),
		When: r.FormValue("when"), At: r.FormValue("at"), Zone: r.FormValue("zone")}
	for _, id := range r.Form["list"] {
		p.Lists = append(p.Lists, enlist.ListID(ui.Int(id)))
	}
	for _, text := range r.Form["segment"] {
		list, segment, _ := strings.Cut(text, "-")
		p.Parts = append(p.Parts, part{enlist.ListID(ui.Int(list)), enlist.SegmentID(ui.Int(segment))})
	}
	for _, id := range r.Form["without"] {
		p.Without = append(p.Without, enlist.BatchID(ui.Int(id)))
	}
	return p
}

// part is a Segment of a List.
type part struct {
	List    enlist.ListID
	Segment enlist.SegmentID
}

// String returns the value of an input of a form.
func (p part) String() string { return ui.Plain(int64(p.List)) + "-" + ui.Plain(int64(p.Segment)) }

// HasPart reports whether a Segment was chosen.
func (p plan) HasPart(one part) bool { return slices.Contains(p.Parts, one) }

// Has reports whether a List was chosen.
func (p plan) Has(id enlist.ListID) bool { return slices.Contains(p.Lists, id) }

// Leaves reports whether the recipients of a Batch are left out.
func (p plan) Leaves(id enlist.BatchID) bool { return slices.Contains(p.Without, id) }

// inputTime is how a browser writes the time of an input.
const inputTime = "2006-01-02T15:04"

// request returns the plan as a call. Errors: InvalidParameters.
func (p plan) request(r *ui.Request) (batches.BatchRequest, error) {
	b := batches.BatchRequest{Message: p.Message, Options: batches.BatchOptions{Rate: p.Rate, LocalTime: p.Zone,
		Exclude: batches.Exclusion{Batches: p.Without}}}
	for _, id := range p.Lists {
		b.Populations = append(b.Populations, batches.PopulationRequest{List: id})
	}
	for _, one := range p.Parts {
		b.Populations = append(b.Populations, batches.PopulationRequest{List: one.List,
			Criteria: enlist.InSegment(one.Segment)})
	}
	if len(b.Populations) == 0 {
		return b, enlist.Invalid("list", "Choose at least one List or Segment.")
	}
	if p.When == "at" {
		at, err := time.ParseInLocation(inputTime, p.At, r.Now.Location())
		if err != nil {
			return b, enlist.Invalid("at", "Choose a day and a time.")
		}
		if at.Before(r.Now) {
			return b, enlist.Invalid("at", "This time is over.")
		}
		b.SendTime = at.Unix()
	}
	return b, nil
}

// composeData is the data of the first page.
type composeData struct {
	plan
	Messages    []messages.Message
	AllLists    []enlist.List
	Segments    []segment
	Fields      []string // that can have a time zone
	Earlier     []Row
	ZoneOfTimes string
	Wrong, What string // an input of the form, and what is wrong with it
}

// segment is a Segment that can be chosen.
type segment struct {
	Part           part
	Name, ListName string
}

// Value returns the value of the input of the form.
func (s segment) Value() string { return s.Part.String() }

func (p *pages) compose(r *ui.Request) (*ui.View, error) {
	if err := enlist.RequireSending(r.Caller); err != nil {
		return nil, err
	}
	d := composeData{plan: planOf(r), ZoneOfTimes: r.Zone()}
	return p.showCompose(r, &d)
}

func (p *pages) showCompose(r *ui.Request, d *composeData) (*ui.View, error) {
	var err error
	d.Messages, err = r.App.Messages.SearchMessages(r.Context(), r.Caller, enlist.Query{SortBy: "last_modified_time",
		Descending: true})
	if err != nil {
		return nil, err
	}
	d.AllLists, err = r.App.Lists.SearchLists(r.Context(), r.Caller, enlist.Query{SortBy: "name"})
	if err != nil {
		return nil, err
	}
	for i := range d.AllLists {
		l := &d.AllLists[i]
		if l.ContactCount, err = r.App.Contacts.CountContacts(r.Context(), r.Caller, l.ID, nil); err != nil {
			return nil, err
		}
		found, err := r.App.Contacts.SearchSegments(r.Context(), r.Caller, l.ID, enlist.Query{SortBy: "name"})
		if err != nil {
			return nil, err
		}
		for k := range found {
			d.Segments = append(d.Segments, segment{part{l.ID, found[k].ID}, found[k].Name, l.Name})
		}
		fields, err := r.App.Lists.SearchFields(r.Context(), r.Caller, l.ID, enlist.Query{})
		if err != nil {
			return nil, err
		}
		for k := range fields {
			if strings.Contains(strings.ToLower(fields[k].Name), "zone") && !slices.Contains(d.Fields, fields[k].Name) {
				d.Fields = append(d.Fields, fields[k].Name)
			}
		}
	}
	before, err := r.App.Batches.SearchBatches(r.Context(), r.Caller,
		enlist.Query{SortBy: "id", Descending: true, Limit: 5})
	if err != nil {
		return nil, err
	}
	if d.Earlier, err = Rows(r, before); err != nil {
		return nil, err
	}
	if d.When == "" {
		d.When = "now"
	}
	if d.At == "" {
		d.At = r.Now.AddDate(0, 0, 1).Format("2006-01-02T09:00")
	}
	view := &ui.View{Title: "New send", Sub: "1 of 2 · what, to whom, and when", Place: "Sends", Content: p.compose_,
		Data: d}
	if d.Wrong != "" {
		view.Problem = d.What
	}
	return view, nil
}

// PlanWhen is "now" or "at".
func (d checkData) PlanWhen() string { return d.plan.When }

// checkData is the data of the page that says what will happen.
type checkData struct {
	plan
	Check    *batches.BatchCheck
	Out      []share
	Gets     int64
	Of       int64
	When     string
	Token    string // makes a second press of the button harmless
	Asked    bool   // the number has to be typed
	Wrong    string // what is wrong with the typed number
	Errors   bool   // the Batch would be refused
	Edit     string // path of the first page, with the same choices
	ListsOf  []string
	Findings []messages.Finding
}

func (p *pages) check(r *ui.Request) (*ui.View, error) { return p.showCheck(r, rand.Text(), "") }

func (p *pages) showCheck(r *ui.Request, token, wrong string) (*ui.View, error) {
	if err := enlist.RequireSending(r.Caller); err != nil {
		return nil, err
	}
	chosen := planOf(r)
	request, err := chosen.request(r)
	var check *batches.BatchCheck
	if err == nil {
		check, err = r.App.Batches.CheckBatch(r.Context(), r.Caller, request)
	}
	var known *enlist.Error
	if errors.As(err, &known) && known.Kind == enlist.InvalidParameters {
		return p.showCompose(r, &composeData{plan: chosen, ZoneOfTimes: r.Zone(), Wrong: known.Field,
			What: known.Detail})
	}
	if err != nil {
		return nil, err
	}
	m, err := r.App.Messages.Message(r.Context(), r.Caller, chosen.Message)
	if err != nil {
		return nil, err
	}
	names, err := r.ListNames()
	if err != nil {
		return nil, err
	}
	d := checkData{plan: chosen, Check: check, Gets: check.Recipients, Of: check.Total, Token: token, Wrong: wrong,
		Out: leftOutCounts(&check.BatchCounts), Asked: check.Recipients >= askedFrom, Findings: check.Findings,
		When: "now", Edit: "/admin/sends/new?" + r.Form.Encode()}
	if request.SendTime != 0 {
		d.When = r.Date(request.SendTime) + " (" + r.Zone() + ")"
	}
	if chosen.Zone != "" {
		d.When += ", in the time zone of each Contact"
	}
	for _, id := range chosen.Lists {
		d.ListsOf = append(d.ListsOf, names[id])
	}
	for _, one := range chosen.Parts {
		d.ListsOf = append(d.ListsOf, "a Segment of "+names[one.List])
	}
	for _, f := range check.Findings {
		d.Errors = d.Errors || f.Level == messages.FindingError
	}
	view := &ui.View{Title: m.Name, Sub: "2 of 2 · this will happen", Place: "Sends", Content: p.check_, Data: d}
	if wrong != "" {
		view.Problem = wrong
	}
	return view, nil
}

// send adds the Batch.
func (p *pages) send(r *ui.Request) (*ui.View, error) {
	chosen, token := planOf(r), r.FormValue("token")
	request, err := chosen.request(r)
	if err != nil {
		return nil, err
	}
	if typed := r.FormValue("typed"); r.FormValue("asked") != "" && strings.Trim(typed, " ") != r.FormValue("asked") {
		return p.showCheck(r, token, "Type "+r.FormValue("asked")+", the number of mails.")
	}
	c := *r.Caller
	c.Retry = &enlist.Retry{Header: "page-" + token, Fingerprint: sha256.Sum256([]byte(r.Form.Encode()))}
	id, err := r.App.Batches.AddBatch(r.Context(), &c, request)
	var known *enlist.Error
	if errors.As(err, &known) && known.Kind == enlist.InvalidParameters {
		return p.showCheck(r, token, known.Detail)
	}
	if err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/sends/"+ui.Plain(int64(id)), "On its way. You can pause at any moment."), nil
}
