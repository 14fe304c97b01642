package admin_test

import (
	"net/http"
	"net/url"
	"strings"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/pace"
	"enlist/internal/users"
)

// This file tests the pages of a new send. The rules are in the table of sends_test.go.

func (s *site) sendAgain() {
	s.Open(s.Contacts[0], apptest.PersonAgent)
	v := s.full()
	again := "again=" + id(s.ID) + "&message=" + id(s.Message)
	v.want(s.pathOf(), http.StatusOK, "Send again to 2 who did not open", again)
	v.want("/admin/sends/new?"+again, http.StatusOK, "People who got “May” and did not open it", "2 emails", `name="again" value="`+id(s.ID)+`" checked`)
	v.want("/admin/sends/check?"+again, http.StatusOK, "To 2 of 3", "people who did not open May", `name="again" value="`+id(s.ID)+`"`)
	s.Prepare(v.sendPlan(url.Values{"again": {id(s.ID)}, "message": {id(s.Message)}}))
	s.WantAddresses(s.SendAll(nil), "a1@example.com", "a2@example.com")
	mayNot := s.signedIn(users.Membership{Level: enlist.Standard})
	mayNot.wantWithout(s.pathOf(), "Send again", "/admin/sends/new")
	s.Must(s.App.DB.Update(s.Context(), func(tx *db.Tx) error {
		return tx.Do("UPDATE batch SET events_removed = 1 WHERE id = ?", int64(s.ID))
	}))
	v.wantWithout(s.pathOf(), "Send again")
	v.want("/admin/sends/check?"+again, http.StatusUnprocessableEntity, "removed")
}

// segmentOf is a Segment of the addresses that contain a text.
func segmentOf(list enlist.ListID, name, text string) contacts.SegmentRequest {
	return contacts.SegmentRequest{List: list, Name: name, Criteria: &enlist.Criteria{Key: "Email", Operator: "contains",
		Value: enlist.Input{Kind: enlist.InputText, Text: text}}}
}

func (s *site) copies() {
	segment, err := s.App.Contacts.SetSegment(s.Context(), s.Caller, segmentOf(s.News, "First", "a1@"))
	s.Must(err)
	left, err := s.App.Contacts.SetSegment(s.Context(), s.Caller, segmentOf(s.News, "Left", "a2@"))
	s.Must(err)
	v := s.full()
	plan := url.Values{"message": {id(s.Message)}, "segment": {id(s.News) + "-" + id(segment)}, "leave": {id(s.News) + "-" + id(left)},
		"without": {id(s.ID)}, "rate": {"600/hour"}, "name": {"The first"}, "list": {id(s.News)}}
	v.want("/admin/sends/check?"+plan.Encode(), http.StatusOK, "To 0 of 6")
	plan.Del("without")
	v.want("/admin/sends/check?"+plan.Encode(), http.StatusOK, "To 2 of 6", "Emails per hour", "No limit applies. Finished at about", "excluded by the campaign")
	plan.Set("without", id(s.ID))
	added := v.sendPlan(plan)
	number, at := id(added), "/admin/sends/"+id(added)
	s.Prepare(added)
	v.want("/admin/sends/new?copy="+number, http.StatusOK, `name="segment" value="`+plan.Get("segment")+`" checked`,
		`name="leave" value="`+plan.Get("leave")+`" checked`, `name="without" value="`+id(s.ID)+`" checked`, `value="600/hour"`,
		`value="The first"`, `name="list" value="`+id(s.News)+`" checked`)
	v.wantWithout("/admin/sends/new?copy="+number, "as in “", "As in “")
	const whom = "News · the Segment “First” of News; left out: the Segment “Left” of News · people who got May"
	v.want("/admin/sends/check?"+plan.Encode(), http.StatusOK, whom)
	v.want(at, http.StatusOK, "To "+whom)

	other := s.AddChecked(batches.BatchRequest{Message: s.Message, Populations: []batches.PopulationRequest{
		{List: s.News, Type: "contacts", Contacts: s.Contacts[:1]}, {List: s.News, Criteria: &enlist.Criteria{Key: "Email", Operator: "contains",
			Value: enlist.Input{Kind: enlist.InputText, Text: "a1"}}}}})
	v.want("/admin/sends/new?copy="+id(other), http.StatusOK, "As in “May”", `name="like" value="`+id(other)+`" checked`)
	v.want("/admin/sends/check?like="+id(other)+"&message="+id(s.Message), http.StatusOK, "To 2 of 4", "as in May")
	v.want("/admin/sends/"+id(other), http.StatusOK, "To 1 chosen Contact of News · in News: Email contains a1")
	garden := s.AddChecked(batches.BatchRequest{Message: s.Message, Populations: []batches.PopulationRequest{{List: s.News}, {List: s.AddList("name", "Garden")},
		{List: s.AddList("name", "Trees")}}})
	v.want("/admin/sends/"+id(garden), http.StatusOK, "· News and 2 others", "To News · Garden · Trees")
	v.want("/admin/sends", http.StatusOK, "| News and 2 others |")
}

func (s *site) slowedSends() {
	v := s.full()
	path := "/admin/sends/check?" + url.Values{"message": {id(s.Message)}, "list": {id(s.News)}}.Encode()
	v.want(path, http.StatusOK, "No limit applies: it is sent as fast as the mail server accepts it.")
	s.Subscribe(s.News, "Email", "one@gmail.com")
	s.Subscribe(s.News, "Email", "two@googlemail.com")
	rates, err := pace.ParseRateLimits([]string{"recipient:gmail=2/hour", "recipient:example.com=18/hour"})
	s.Must(err)
	s.App.SetSending(pace.Settings{From: "news@example.com", Rates: rates})
	v.want(path, http.StatusOK, "Gmail, 2 per hour, determines its speed. Finished at about", "# Sending speed", "From | emails |")
	v.wantWithout(path, "Other campaigns")
	s.Add(apptest.Whole(s.News))
	v.want(path, http.StatusOK, "Gmail, 2 per hour, determines its speed. Finished at about", "Other campaigns that are running now are included in the estimate.")
	s.Must(s.App.Sending.HoldMails(s.Context(), "a test"))
	v.want(path, http.StatusOK, "All emails are on hold. None is sent until they are released.")
}

func (s *site) mistakes() {
	second := s.AddList()
	segment, err := s.App.Contacts.SetSegment(s.Context(), s.Caller, segmentOf(s.News, "First", "a1@"))
	s.Must(err)
	v := s.full()
	for _, c := range []struct{ change, value, text, kept string }{
		{"message", "", "Choose a Message.", "My name"},
		{"message", "99999", "no longer exists", "My name"},
		{"list", "", "Choose at least one List or Segment.", "My name"},
		{"rate", "fast", "expected rates", `value="fast"`},
		{"name", "two\nlines", "line", "My name"},
		{"zone", "Nowhere", "has no Field", "My name"},
		{"leave", id(s.News) + "-" + id(segment), "only if the campaign goes to its List alone", "My name"},
		{"share", "200", "expected 1 to 100 percent", `value="200"`},
	} {
		plan := url.Values{"message": {id(s.Message)}, "list": {id(s.News), id(second)}, "name": {"My name"}}
		if c.change == "share" {
			plan["test"], plan["subject"] = []string{"1"}, []string{"A", "B"}
		}
		plan.Set(c.change, c.value)
		status, _, text := v.get("/admin/sends/check?" + plan.Encode())
		if status != http.StatusUnprocessableEntity || strings.Count(text, c.text) == 0 || c.change != "name" && !strings.Contains(text, c.kept) {
			s.Errorf("%s %q is answered with %d, without %q or %q:\n%s", c.change, c.value, status, c.text, c.kept, cut(text))
		}
		if !strings.Contains(text, `class="wrong"`) {
			s.Errorf("the mistake of %s does not stand beside its input", c.change)
		}
	}
}

func (s *site) preheaderIsShown() {
	v := s.full()
	list, plan := s.fresh(1)
	m, err := s.App.Messages.AddMessage(s.Context(), s.Caller, apptest.Details("name", "June", "subject", "June", "email_type", "blocks", "blocks",
		`[{"type":"text","text":"The first words"},{"type":"preheader","text":"For <b> & {{Email|you}}"}]`))
	s.Must(err)
	plan.Set("message", id(m))
	v.wantShown("/admin/sends/check?"+plan.Encode(), "Preview text | For <b> & a0@example.com |")
	_, err = s.App.Messages.EditMessage(s.Context(), s.Caller, m, apptest.Details("blocks", `[{"type":"text","text":"The first words"}]`))
	s.Must(err)
	v.wantShown("/admin/sends/check?list="+id(list)+"&message="+id(m), "Preview text | The first words")
}
