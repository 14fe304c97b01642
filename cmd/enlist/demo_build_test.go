package main

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/db/dbtest"
	"enlist/internal/demo"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/recipients"
	"enlist/internal/reports"
	"enlist/internal/sending"
)

// club is a built demo.
type club struct {
	*testing.T
	*app.App
	caller *enlist.Caller
}

// buildClub builds a hundredth of the club in a database of its own.
func buildClub(t *testing.T) *club {
	now := time.Date(2026, 11, 26, 4, 0, 0, 0, time.UTC)
	store := dbtest.SQLite.Own(t)
	c := &club{T: t, App: app.New(store, func() time.Time { return now })}
	c.must(demo.Build(t.Context(), store, demo.Options{Now: now, Scale: 100}))
	all, err := c.Accounts.AllAccounts(t.Context())
	c.must(err)
	c.caller, err = c.Accounts.Operator(t.Context(), all[0].ID)
	c.must(err)
	return c
}

func (c *club) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

// reports returns the reports of all Batches, the oldest first.
func (c *club) reports() (all []*reports.BatchReport) {
	c.Helper()
	found, err := c.Batches.SearchBatches(c.Context(), c.caller, enlist.Query{SortBy: "id"})
	c.must(err)
	for i := range found {
		r, err := c.Reports.BatchReport(c.Context(), c.caller, found[i].ID)
		c.must(err)
		all = append(all, r)
	}
	return all
}

func (c *club) between(what string, got, least, most int64) {
	c.Helper()
	if got < least || got > most {
		c.Errorf("%s: %d, want %d to %d", what, got, least, most)
	}
}

// The demo has the Lists, the Batches and the Import of a year, and the numbers are those of a garden club.
func TestDemoHasAYearOfAClub(t *testing.T) {
	t.Parallel()
	c := buildClub(t)
	c.hasLists()
	c.hasReports(c.reports())
	imported, err := c.Imports.AllImports(t.Context(), c.caller)
	c.must(err)
	if len(imported) != 1 || imported[0].Added < 10 || imported[0].Refused == 0 || imported[0].Unchanged == 0 {
		t.Errorf("the Imports are %+v, want one with added, unchanged and refused rows", imported)
	}
	c.hasForms()
	c.hasContents()
	ages, err := c.Sending.QueueAges(t.Context(), c.caller, 1795665600-24*60*60) // a day before the end
	c.must(err)
	if at := slices.MaxFunc(ages, func(a, b sending.QueueAge) int { return cmp.Compare(a.Age, b.Age) }); at.Age < 40*60 {
		t.Errorf("the oldest mail waited for %d s at most, want 40 minutes", at.Age)
	}
	people, err := c.Users.Members(t.Context(), 0)
	c.must(err)
	roles := make(map[enlist.Role]bool)
	for _, p := range people {
		roles[p.Role] = true
	}
	if len(roles) != len(enlist.Roles) || len(people) != len(demo.Users()) {
		t.Errorf("the users are %+v, want one of each role", people)
	}
}

// hasContents checks that the Messages, Segments and autoresponders show what users can make.
func (c *club) hasContents() {
	c.Helper()
	all, err := c.Messages.SearchMessages(c.Context(), c.caller, enlist.Query{})
	c.must(err)
	var kinds, blocks string
	templates := 0
	for i := range all {
		m, err := c.Messages.Message(c.Context(), c.caller, all[i].ID)
		c.must(err)
		kinds, blocks = kinds+m.EmailType+" ", blocks+m.Blocks
		if m.IsTemplate {
			templates++
		}
	}
	for _, want := range []string{`"columns"`, `"image"`, `"button"`, `"social"`, `"table"`, `"card"`, `"show_if":[`} {
		if !strings.Contains(blocks, want) {
			c.Errorf("no Message of the demo has blocks with %s", want)
		}
	}
	saved, err := c.Messages.SavedBlocks(c.Context(), c.caller)
	c.must(err)
	answers, err := c.Batches.SearchAutoresponders(c.Context(), c.caller, enlist.Query{})
	c.must(err)
	relative := slices.ContainsFunc(answers, func(a enlist.Autoresponder) bool { return a.SegmentID != 0 })
	sends, err := c.Batches.SearchBatches(c.Context(), c.caller, enlist.Query{})
	c.must(err)
	if !strings.Contains(kinds, messages.EmailMarkdown) || !strings.Contains(kinds, messages.EmailHTML) || templates != 1 ||
		len(saved) != 1 || !relative || !slices.ContainsFunc(sends, func(b batches.Batch) bool { return b.Reason == batches.ReasonApproval }) {
		c.Errorf("the demo has Messages of the types %s, %d templates, %d saved blocks, autoresponders %+v and Batches %+v",
			kinds, templates, len(saved), answers, sends)
	}
}

// hasForms checks the counts of the Forms.
func (c *club) hasForms() {
	c.Helper()
	for _, list := range []enlist.ListID{1, 3} {
		all, err := c.Forms.SearchForms(c.Context(), c.caller, list, enlist.Query{})
		c.must(err)
		if len(all) != 1 || all[0].Sent < 5 || all[0].Shown <= all[0].Sent || (all[0].Confirmed > 0) != (list == 3) {
			c.Errorf("the Forms of the List %d are %+v", list, all)
		}
	}
}

// hasLists checks the Lists, and that a year has joins and departures.
func (c *club) hasLists() {
	c.Helper()
	lists, err := c.Lists.SearchLists(c.Context(), c.caller, enlist.Query{SortBy: "id"})
	c.must(err)
	want := []struct {
		name        string
		least, most int64
	}{{"Garden News", 290, 320}, {"Shop customers", 80, 120}, {"Volunteers", 12, 20}, {"Press", 12, 20}}
	if len(lists) != len(want) {
		c.Fatalf("there are %d Lists, want %d", len(lists), len(want))
	}
	for i, w := range want {
		l := &lists[i]
		n, err := c.Contacts.CountContacts(c.Context(), c.caller, l.ID, nil)
		c.must(err)
		c.between("Contacts of "+l.Name, n, w.least, w.most)
		if l.Name != w.name || !l.DoubleOptIn && l.Name == "Volunteers" {
			c.Errorf("List %d is %+v, want %s; Volunteers with double opt-in", i+1, l, w.name)
		}
	}
	count := func(key, operator, value string) int64 {
		n, err := c.Contacts.CountContacts(c.Context(), c.caller, lists[0].ID, apptest.Criterion(key, operator, value))
		c.must(err)
		return n
	}
	c.between("departures", count("is_unsubscribed", "exactly", "true"), 3, 30)
	c.between("joins of the year", count("creation_time", "greater_than", "1766000000"), 70, 150)
	c.between("gardeners in Victoria", count("State", "exactly", "VIC"), 100, 180)
	c.between("friends of roses", count("Interests", "contains", "Roses"), 60, 130)
}

// hasReports checks the states of the Batches and their numbers.
func (c *club) hasReports(all []*reports.BatchReport) {
	c.Helper()
	states := make(map[batches.BatchStatus]int)
	var sum recipients.Sums
	var bounced, left, complained int64
	for _, r := range all {
		states[r.Status]++
		sum.Add(&r.Sums)
		bounced, left, complained = bounced+r.Bounced, left+r.Unsubscribed, complained+r.Complained
		if r.Status == batches.BatchPaused && r.Reason != batches.ReasonApproval && !strings.Contains(r.Reason, "complaints") {
			c.Errorf("Batch %q was paused because %q, want complaints or an approval", r.Name, r.Reason)
		}
		if r.Variants != nil && (r.Variants.Chosen == 0 || len(r.ByVariant) != 2) {
			c.Errorf("Batch %q has the variants %+v, want two and a winner", r.Name, r.ByVariant)
		}
		if r.Status != batches.BatchCompleted || r.ToSend() < 100 {
			continue
		}
		c.between(r.Name+": sent, in percent", 100*r.Sent/r.ToSend(), 95, 100)
		c.between(r.Name+": opened by people, in percent", 100*r.HumanOpened/r.Sent, 20, 55)
		c.between(r.Name+": clicked by people, in percent", 100*r.HumanClicked/r.Sent, 1, 12)
		links, err := c.Reports.BatchLinks(c.Context(), c.caller, r.ID)
		c.must(err)
		if len(links) < 2 || links[0].Clicks == 0 {
			c.Errorf("Batch %q has the links %+v, want several with clicks", r.Name, links)
		}
	}
	if len(all) != 11 || states[batches.BatchCompleted] != 8 || states[batches.BatchPaused] != 2 ||
		states[batches.BatchPending] != 1 {
		c.Errorf("the Batches are %v, want 8 completed, two paused and one pending", states)
	}
	c.between("opened by machines only", sum.Opened()-sum.HumanOpened, 20, 300)
	c.between("bounced", bounced, 3, 40)
	c.between("left", left, 3, 40)
	c.between("complained", complained, 3, 10)
}

// The same time gives the same numbers.
func TestDemoIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	first, second := buildClub(t).reports(), buildClub(t).reports()
	for i := range first {
		apptest.Same(t, "the report of "+first[i].Name, second[i], first[i])
	}
}
