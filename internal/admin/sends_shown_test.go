package admin_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/users"
)

// This file tests that a new send goes to exactly what its last page has shown, and once.

// covers: spec batch.shown, autoresponder.times, decision 139, decision 157
func TestSendsAsShown(t *testing.T) {
	apptest.Run(t, apptest.Slow, newSite, []apptest.Rule[*site]{
		{Name: "a page that shows 5 Contacts does not send to 5,005", Test: (*site).countIsCompared},
		{Name: "a Message or a Segment that was changed after the page is shown again", Test: (*site).contentIsCompared},
		{Name: "a form without what was shown sends nothing", Test: (*site).nothingShown},
		{Name: "the number of emails is compared with the true one", Test: (*site).numberIsTyped},
		{Name: "a page sends once, also for several people and tabs", Test: (*site).pageSendsOnce},
		{Name: "two pages of the same Message to the same List do not both send without a question", Test: (*site).askedAgain},
		{Name: "a time that was typed counts, and is one of the Account's clock", Test: (*site).typedTime},
		{Name: "Contacts that are added after the page get no mail", Test: (*site).laterContacts},
		{Name: "a send to more than 100 Contacts can be stopped for the minutes that the Account has chosen", Test: (*site).stopped},
	})
}

var hiddenInput = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)

// shown returns the form of the last page of a new send, as it is.
func (v *visitor) shown(plan url.Values) url.Values {
	v.Helper()
	_, _, text := v.get("/admin/sends/check?" + plan.Encode())
	_, form, ok := strings.Cut(text, `<form method="post" action="/admin/sends" class="card">`)
	if !ok {
		v.Fatalf("there is no form:\n%s", cut(text))
	}
	values := url.Values{}
	for _, found := range hiddenInput.FindAllStringSubmatch(form, -1) {
		values.Add(found[1], html.UnescapeString(found[2]))
	}
	if found := regexp.MustCompile(`name="repeat" value="(\d+)"`).FindStringSubmatch(form); found != nil {
		values.Set("repeat", found[1])
	}
	if strings.Contains(form, `name="track" value="1" checked`) {
		values.Set("track", "1")
	}
	return values
}

// press presses the button of the last page, and returns the Batch that the browser then shows, or 0, and the page.
func (v *visitor) press(form url.Values) (added enlist.BatchID, text string) {
	v.Helper()
	status, at, text := v.post("/admin/sends", form)
	fmt.Sscanf(at, "/admin/sends/%d", &added)
	if (added != 0) != (status == http.StatusOK) {
		v.Errorf("the answer is %d at %s", status, at)
	}
	return added, text
}

// sendPlan sends what the last page shows, also if the Message was sent before.
func (v *visitor) sendPlan(plan url.Values) enlist.BatchID {
	v.Helper()
	id, text := v.press(v.shown(plan))
	if id == 0 {
		v.Errorf("nothing was sent:\n%s", cut(text))
	}
	return id
}

// fresh returns a List with so many Contacts, and the plan that sends a new Message to it.
func (s *site) fresh(n int) (enlist.ListID, url.Values) {
	list := s.AddList()
	s.AddMany(list, n)
	return list, url.Values{"message": {id(s.AddMessage("June"))}, "list": {id(list)}}
}

func (s *site) countIsCompared() {
	v := s.full()
	list, plan := s.fresh(5)
	form := v.shown(plan)
	s.AddMany(list, 5005)
	added, text := v.press(form)
	if added != 0 || !strings.Contains(text, "Nothing was sent: the number of Contacts has changed from 5 to 5,005.") {
		s.Errorf("Batch %d was added:\n%s", added, cut(text))
	}
	if !strings.Contains(text, "To 5,005 of 5,005") || !strings.Contains(text, `name="drift"`) {
		s.Errorf("the page does not show the new number:\n%s", cut(text))
	}
	form = v.shown(plan)
	form.Set("drift", "1") // at most 50 more
	s.AddMany(list, 5020)
	if added, _ := v.press(form); added == 0 {
		s.Error("15 Contacts more than 5,005 are too many, although the person allows it")
	}
}

func (s *site) contentIsCompared() {
	v := s.full()
	list, plan := s.fresh(3)
	message := enlist.MessageID(0)
	fmt.Sscan(plan.Get("message"), &message)
	segment, err := s.App.Contacts.SetSegment(s.Context(), s.Caller, segmentOf(list, "One", "1@"))
	s.Must(err)
	plan.Set("segment", id(list)+"-"+id(segment))
	plan.Del("list")
	form := v.shown(plan)
	_, err = s.App.Messages.EditMessage(s.Context(), s.Caller, message, apptest.Details("subject", "Another one"))
	s.Must(err) // within the same second
	if added, text := v.press(form); added != 0 || !strings.Contains(text, "Nothing was sent: the Message was changed.") {
		s.Errorf("Batch %d was added:\n%s", added, cut(text))
	}
	form = v.shown(plan)
	_, err = s.App.Contacts.SetSegment(s.Context(), s.Caller, contacts.SegmentRequest{List: list, ID: segment, Name: "One",
		Criteria: &enlist.Criteria{Key: "Email", Operator: "contains", Value: enlist.TextInput("2@")}})
	s.Must(err)
	if added, text := v.press(form); added != 0 || !strings.Contains(text, "a Segment was changed") {
		s.Errorf("Batch %d was added:\n%s", added, cut(text))
	}
	if _, err := s.App.Messages.EditMessage(s.Context(), s.Caller, message, apptest.Details("name", "No mail has it")); err != nil {
		s.Error(err)
	}
	v.sendPlan(plan)

	// The comparison and the new Batch are one transaction.
	request := batches.BatchRequest{Message: message, Populations: []batches.PopulationRequest{{List: list}}}
	check, err := s.App.Batches.CheckBatch(s.Context(), s.Caller, request)
	s.Must(err)
	request.Shown = check.Shown()
	_, err = s.App.Messages.EditMessage(s.Context(), s.Caller, message, apptest.Details("subject", "A third one"))
	s.Must(err)
	if _, err := s.App.Batches.AddBatch(s.Context(), s.Caller, request); err != batches.ErrNotAsShown {
		s.Errorf("a Message that was edited after the check is sent: %v", err)
	}
}

func (s *site) nothingShown() {
	v := s.full()
	_, plan := s.fresh(2)
	for _, change := range []func(url.Values){func(f url.Values) { f.Del("shown_count") }, func(f url.Values) { f.Del("shown_version") },
		func(f url.Values) { f.Set("shown_time", "5") }, func(f url.Values) { f.Set("token", "old") },
		func(f url.Values) { f.Set("token", "1-old") }, func(f url.Values) { f.Del("token") }} {
		form := v.shown(plan)
		change(form)
		if added, text := v.press(form); added != 0 || !strings.Contains(text, "Nothing was sent") {
			s.Errorf("Batch %d was added:\n%s", added, cut(text))
		}
	}
	form := v.shown(plan)
	s.Pass(24 * time.Hour)
	if added, text := s.full().press(form); added != 0 || !strings.Contains(text, "This page is out of date") {
		s.Errorf("a page of yesterday adds Batch %d:\n%s", added, cut(text))
	}
}

func (s *site) numberIsTyped() {
	v := s.full()
	_, plan := s.fresh(10_000)
	form := v.shown(plan)
	for _, typed := range []string{"", "5", "10001"} {
		form.Set("typed", typed)
		form.Set("asked", typed) // as an old page had it
		if added, text := v.press(form); added != 0 || !strings.Contains(text, "Type 10000, the number of emails.") {
			s.Errorf("%q adds Batch %d:\n%s", typed, added, cut(text))
		}
	}
	form.Set("typed", "10,000")
	if added, _ := v.press(form); added == 0 {
		s.Error("10,000 is not accepted")
	}
}

func (s *site) pageSendsOnce() {
	v, colleague := s.full(), s.as("colleague", users.Membership{Level: enlist.Standard, MaySend: true})
	_, plan := s.fresh(4)
	_, at, _ := v.get("/admin/sends/check?" + plan.Encode())
	_, query, _ := strings.Cut(at, "?")
	page, err := url.ParseQuery(query) // has the token
	s.Must(err)
	forms := []url.Values{v.shown(page), v.shown(page), colleague.shown(page)}
	added := make([]enlist.BatchID, 9)
	var group sync.WaitGroup
	for i := range added {
		w := []*visitor{v, v, colleague}[i%3]
		group.Go(func() { added[i], _ = w.press(forms[i%3]) })
	}
	group.Wait()
	for _, id := range added {
		if id == 0 || id != added[0] {
			s.Fatalf("nine presses in three tabs of two people added %v", added)
		}
	}
	if all, err := s.App.Batches.SearchBatches(s.Context(), s.Caller, enlist.Query{}); err != nil || len(all) != 2 {
		s.Errorf("there are %d Batches, %v; want that of the site and one more", len(all), err)
	}
	// Back shows the page again, with what it has sent.
	v.want(at, http.StatusOK, "The campaign was already sent from this page", "](/admin/sends/"+id(added[0])+")")
	v.wantWithout(at, "Send now")
}

func (s *site) askedAgain() {
	v := s.full()
	list, plan := s.fresh(4)
	first, second := v.shown(plan), v.shown(plan)
	added := make([]enlist.BatchID, 2)
	var group sync.WaitGroup
	for i, form := range []url.Values{first, second} {
		group.Go(func() { added[i], _ = v.press(form) })
	}
	group.Wait()
	if (added[0] == 0) == (added[1] == 0) {
		s.Fatalf("two pages added the Batches %v", added)
	}
	batch := max(added[0], added[1])
	s.Prepare(batch)
	s.SendAll(nil)
	v.want("/admin/sends/check?"+plan.Encode(), http.StatusOK, "4 people got this Message at 12:01", "Send it again anyway", "](/admin/sends/"+id(batch)+")")
	form := v.shown(plan)
	form.Del("repeat")
	if added, text := v.press(form); added != 0 || !strings.Contains(text, "Tick this to send the Message again.") {
		s.Errorf("Batch %d was added:\n%s", added, cut(text))
	}
	plan.Set("without", id(batch)) // so no Contact gets it twice
	v.wantWithout("/admin/sends/check?"+plan.Encode(), "got this Message")
	plan.Del("without")
	other := url.Values{"message": plan["message"], "list": {id(s.News)}}
	v.wantWithout("/admin/sends/check?"+other.Encode(), "got this Message")
	v.want("/admin/sends/check?"+url.Values{"message": {id(s.Message)}, "list": {id(list)}, "test": {"1"}, "variant": {"0", plan.Get("message")},
		"subject": {"", "B"}}.Encode(), http.StatusOK, "4 people got this Message")
	if v.sendPlan(plan) == batch {
		s.Error("the Message cannot be sent again")
	}
	s.Pass(25 * time.Hour)
	s.SendAll(nil)
	s.Pass(25 * time.Hour)
	v = s.full()
	v.wantWithout("/admin/sends/check?"+plan.Encode(), "got this Message")
}

func (s *site) typedTime() {
	s.Must(s.App.Accounts.EditAccount(s.Context(), s.Caller.Account.ID, func(a *enlist.Account) { a.TimeZone = "America/New_York" }))
	v := s.full()
	_, plan := s.fresh(2)
	plan.Set("when", "now")
	plan.Set("at", "2027-03-14T02:15")
	v.want("/admin/sends/check?"+plan.Encode(), http.StatusOK, "When: 14 Mar 2027, 03:00", "Schedule")
	added := v.sendPlan(plan)
	b, err := s.App.Batches.Batch(s.Context(), s.Caller, added)
	if want := "2027-03-14T03:00:00-04:00"; err != nil ||
		time.Unix(b.SendTime, 0).In(enlist.Location("America/New_York")).Format(time.RFC3339) != want {
		s.Errorf("the Batch begins at %d (%v), want %s", b.SendTime, err, want)
	}
	reschedule := "/admin/sends/" + id(added) + "/reschedule"
	v.post(reschedule, url.Values{"at": {"2026-11-01T01:30"}})
	b, err = s.App.Batches.Batch(s.Context(), s.Caller, added)
	if want := "2026-11-01T01:30:00-04:00"; err != nil ||
		time.Unix(b.SendTime, 0).In(enlist.Location("America/New_York")).Format(time.RFC3339) != want {
		s.Errorf("the Batch begins at %d (%v), want %s", b.SendTime, err, want)
	}
	// A form that is sent unchanged keeps the second of two equal times.
	s.Must(s.App.Batches.EditBatch(s.Context(), s.Caller, added, "reschedule", b.SendTime+3600))
	v.post(reschedule, url.Values{"at": {"2026-11-01T01:30"}})
	if again, err := s.App.Batches.Batch(s.Context(), s.Caller, added); err != nil || again.SendTime != b.SendTime+3600 {
		s.Errorf("the Batch begins at %d (%v), want %d", again.SendTime, err, b.SendTime+3600)
	}
	v.want("/admin/sends/new", http.StatusOK, `name="at" value=""`)
}

func (s *site) laterContacts() {
	v := s.full()
	list, plan := s.fresh(3)
	empty := s.AddList()
	plan.Add("list", id(empty))
	segment, err := s.App.Contacts.SetSegment(s.Context(), s.Caller, segmentOf(list, "All", "@"))
	s.Must(err)
	plan.Add("segment", id(list)+"-"+id(segment))
	added := v.sendPlan(plan)
	s.Subscribe(list, "Email", "later@example.com") // before the job reads the Contacts
	s.Subscribe(empty, "Email", "later@example.org")
	s.Prepare(added)
	if b, err := s.App.Batches.Batch(s.Context(), s.Caller, added); err != nil || b.Recipients != 3 {
		s.Errorf("the Batch has %d recipients (%v), want the 3 that were shown", b.Recipients, err)
	}
}
