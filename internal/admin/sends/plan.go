package sends

import (
	"net/url"
	"slices"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/batches"
	"enlist/internal/enlist"
)

// This file has what a person has chosen for a new send. The URLs of both pages have all of it, so a page can be kept
// and sent again, and the first page can be filled in for a copy.

// plan is a new send.
type plan struct {
	Message    enlist.MessageID
	Name       string
	Lists      []enlist.ListID
	Parts      []part           // Segments
	Again      enlist.BatchID   // Contacts that got this Batch and did not open it; 0: none
	Unmeasured bool             // of Again also those whose mails had no tracking pixel
	Like       enlist.BatchID   // what the pages cannot show of the populations and exclusions of this Batch; 0: none
	Without    []enlist.BatchID // who got one of these Batches is left out
	Leave      []part           // Segments that are left out
	Rate       string
	When       string // "now" or "at"
	At         string // in the Account's time zone, as an input of the browser has it
	Zone       string // name of the Field with the recipients' time zones; "": all at the same moment
	Doubt      string // as of addBatch; only a copy can have it

	Untracked bool // no opens and clicks are measured
	Test      bool // of variants
	Variants  [variants]variant
	Share     string
	Hours     string
	Winner    string

	SubjectsOf enlist.MessageID // whose other subjects the variants have, or had before the user changed them

	sent url.Values // the form that has it
}

// variants is the number of variants that a form has.
const variants = 4

// variant is one of the variants. Without a Message it has the Message of the send, and without a subject that of its
// Message. The first one always counts, the others if one of them is chosen.
type variant struct {
	Message enlist.MessageID
	Subject string
}

func planOf(r *ui.Request) plan {
	text := func(name string) string { return strings.TrimSpace(r.FormValue(name)) }
	p := plan{sent: r.Form, Message: enlist.MessageID(ui.Int(r.FormValue("message"))), Name: text("name"), Rate: text("rate"),
		When: text("when"), At: text("at"), Zone: r.FormValue("zone"), Doubt: text("doubt"),
		Again: enlist.BatchID(ui.Int(text("again"))), Like: enlist.BatchID(ui.Int(text("like"))),
		Test: r.FormValue("test") != "", Share: text("share"), Hours: text("hours"), Winner: text("winner"),
		SubjectsOf: enlist.MessageID(ui.Int(r.FormValue("subjects_of"))),
		Unmeasured: r.FormValue("unmeasured") != "", Untracked: r.FormValue("ticks") != "" && r.FormValue("track") == "",
		Parts: partsOf(r.Form["segment"]), Leave: partsOf(r.Form["leave"])}
	for _, id := range r.Form["list"] {
		if list := enlist.ListID(ui.Int(id)); list != 0 {
			p.Lists = append(p.Lists, list)
		}
	}
	for _, id := range r.Form["without"] {
		p.Without = append(p.Without, enlist.BatchID(ui.Int(id)))
	}
	for i := range p.Variants {
		if all := r.Form["variant"]; i < len(all) {
			p.Variants[i].Message = enlist.MessageID(ui.Int(all[i]))
		}
		if all := r.Form["subject"]; i < len(all) {
			p.Variants[i].Subject = strings.TrimSpace(all[i])
		}
	}
	if p.At != "" { // a time that was typed counts, also with the choice "now"
		p.When = "at"
	}
	return p
}

// The inputs of a plan, and those of its test.
var (
	planInputs = []string{"message", "list", "segment", "leave", "without", "again", "unmeasured", "like", "name", "rate", "when", "at", "zone",
		"doubt", "ticks", "track", "test", "subjects_of"}
	testInputs = []string{"variant", "subject", "share", "hours", "winner"}
)

// values returns the plan of a form as the URLs have it.
func (p *plan) values() url.Values {
	v := url.Values{}
	for _, name := range planInputs {
		v[name] = slices.DeleteFunc(slices.Clone(p.sent[name]), func(value string) bool { return value == "" || value == "0" })
	}
	if p.Test {
		for _, name := range testInputs {
			v[name] = p.sent[name]
		}
	}
	return v
}

// part is a Segment of a List.
type part struct {
	List    enlist.ListID
	Segment enlist.SegmentID
}

func partsOf(texts []string) (all []part) {
	for _, text := range texts {
		list, segment, _ := strings.Cut(text, "-")
		all = append(all, part{enlist.ListID(ui.Int(list)), enlist.SegmentID(ui.Int(segment))})
	}
	return all
}

// String returns the value of an input of a form.
func (p part) String() string { return ui.Plain(int64(p.List)) + "-" + ui.Plain(int64(p.Segment)) }

// copied returns a request as a plan, and what a plan cannot say of its populations and exclusions.
func copied(id enlist.BatchID, b *batches.BatchRequest) (p plan, rest batches.BatchRequest) {
	p = plan{Message: b.Message, SubjectsOf: b.Message, Name: b.Options.Name, Rate: b.Options.Rate, Zone: b.Options.LocalTime,
		Without: b.Options.Exclude.Batches, Doubt: b.Options.Doubt, Untracked: b.Options.Untracked}
	for _, one := range b.Populations {
		segments := one.Criteria.SegmentsOf()
		switch {
		case one.Time != "", one.Criteria != nil && segments == nil,
			one.Criteria == nil && one.Type != string(batches.PopulationList):
			rest.Populations = append(rest.Populations, one)
			continue
		case segments == nil:
			p.Lists = append(p.Lists, one.List)
		}
		for _, segment := range segments {
			p.Parts = append(p.Parts, part{one.List, segment})
		}
	}
	if left := b.Options.Exclude.Criteria; left.SegmentsOf() != nil {
		for _, segment := range left.SegmentsOf() {
			p.Leave = append(p.Leave, part{b.Populations[0].List, segment})
		}
	} else {
		rest.Options.Exclude.Criteria = left
	}
	if rest.Populations != nil || rest.Options.Exclude.Criteria != nil {
		p.Like = id
	}
	o := &b.Options.VariantOptions
	p.Test, p.Share, p.Hours, p.Winner = len(o.Variants) > 0, ui.Plain(o.Share), ui.Plain(o.Hours), o.Winner
	for i := range min(len(o.Variants), variants) {
		p.Variants[i] = variant(o.Variants[i])
		if p.Variants[i].Message == p.Message {
			p.Variants[i].Message = 0
		}
	}
	return p, rest
}

// request returns the plan as a call. Errors: InvalidParameters with the names of all inputs that are wrong, and
// those of Copy and NotOpened.
func (p *plan) request(r *ui.Request) (b batches.BatchRequest, err error) {
	b = batches.BatchRequest{Message: p.Message, Options: batches.BatchOptions{Name: p.Name, Rate: p.Rate,
		LocalTime: p.Zone, Doubt: p.Doubt, Untracked: p.Untracked, Exclude: batches.Exclusion{Batches: p.Without}}}
	if err := p.populations(r, &b); err != nil {
		return b, err
	}
	if p.Test {
		b.Options.VariantOptions = p.variantOptions()
	}
	var wrong []*enlist.Error
	refuse := func(is bool, input, what string) {
		if is {
			wrong = append(wrong, enlist.Invalid(input, what))
		}
	}
	refuse(p.Message == 0, "message", "sends.choose_message")
	refuse(len(b.Populations) == 0, "list", r.Text("sends.choose_at_least_one_list"))
	refuse(!p.leave(&b), "leave", r.Text("sends.segment_can_be_left_out"))
	if _, err := enlist.ReadLine(p.Name); err != nil {
		refuse(true, "name", err.Error())
	}
	if _, err := enlist.ParseRates(p.Rate); err != nil {
		refuse(true, "rate", err.Error())
	}
	if p.When == "at" {
		var ok bool
		b.SendTime, ok = r.ReadTime(p.At, 0)
		refuse(!ok, "at", r.Text("sends.choose_day_time"))
		refuse(ok && b.SendTime < r.Now.Unix(), "at", r.Text("sends.time_over"))
	}
	return b, enlist.Together(wrong)
}

// populations adds who gets the mail.
func (p *plan) populations(r *ui.Request, b *batches.BatchRequest) error {
	for _, id := range p.Lists {
		b.Populations = append(b.Populations, batches.PopulationRequest{List: id})
	}
	for _, one := range p.Parts {
		b.Populations = append(b.Populations, batches.PopulationRequest{List: one.List,
			Criteria: enlist.InSegment(one.Segment)})
	}
	if p.Again != 0 {
		all, err := r.App.Batches.NotOpened(r.Context(), r.Caller, p.Again, p.Unmeasured)
		if err != nil {
			return err
		}
		b.Populations = append(b.Populations, all...)
	}
	if p.Like != 0 {
		like, err := r.App.Batches.Copy(r.Context(), r.Caller, p.Like)
		if err != nil {
			return err
		}
		_, rest := copied(p.Like, like)
		b.Populations = append(b.Populations, rest.Populations...)
		b.Options.Exclude.Criteria = rest.Options.Exclude.Criteria
	}
	return nil
}

// leave adds the Segments to leave out. The criteria of an exclusion must fit all Lists, and a Segment fits its own.
func (p *plan) leave(b *batches.BatchRequest) (fits bool) {
	if len(p.Leave) == 0 {
		return true
	}
	ids := make([]enlist.SegmentID, len(p.Leave))
	for i, one := range p.Leave {
		ids[i] = one.Segment
		for k := range b.Populations {
			if b.Populations[k].List != one.List {
				return false
			}
		}
	}
	x := &b.Options.Exclude
	if x.Criteria == nil {
		x.Criteria = enlist.InSegments(ids)
	} else {
		x.Criteria = &enlist.Criteria{Any: []enlist.Criteria{*x.Criteria, *enlist.InSegments(ids)}}
	}
	return true
}

func (p *plan) variantOptions() batches.VariantOptions {
	o := batches.VariantOptions{Share: ui.Int(p.Share), Winner: p.Winner, Hours: ui.Int(p.Hours)}
	for i, one := range p.Variants {
		if i == 0 || one != (variant{}) {
			o.Variants = append(o.Variants, batches.Variant(one))
		}
	}
	return o
}
