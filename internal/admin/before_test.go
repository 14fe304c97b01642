package admin_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/users"
)

// This file tests what pages say before something happens: before the first send, before a send, before it begins.

func TestPagesBeforeASend(t *testing.T) {
	apptest.Run(t, apptest.Own, newSite, []apptest.Rule[*site]{
		{Name: "the check and the report of a List that counts no opens and clicks say so, and send to no one people who did not open", Test: (*site).uncounted},
		{Name: "the numbers of people who are left out lead to these people", Test: (*site).leftOut},
		{Name: "the page of a send that has not begun says when it begins and to how many, and changes the time", Test: (*site).notBegun},
		{Name: "a new Account sees its first steps, until its first send is completed", Test: (*site).firstSteps},
	})
}

func (s *site) uncounted() {
	list := s.AddList("name", "Quiet <b>")
	s.AddMany(list, 2)
	v, settings := s.full(), "[Change this in the settings of the List](/admin/lists/"+id(list)+"/settings)"
	check := "/admin/sends/check?message=" + id(s.Message) + "&list=" + id(list)
	v.want(check, http.StatusOK, "Opens and clicks are not tracked on the List Quiet <b>", settings)
	v.wantWithout("/admin/sends/check?message="+id(s.Message)+"&list="+id(s.News), "not tracked")
	s.signedIn(users.Membership{Level: enlist.Standard, MaySend: true}).want(check, http.StatusOK, "not tracked", "A manager or an owner can change it")
	counted := s.pathOf()
	s.ID = s.Add(apptest.Whole(list))
	s.SendAll(nil)
	v.want(s.pathOf(), http.StatusOK, "Opens and clicks are not tracked", settings, "[2]("+s.pathOf()+"/people/recipients)", "| – |")
	v.wantWithout(s.pathOf(), "No email has been opened", "people/opened", "people/clicked", "<h2>Links", "Send again", "Not opened")
	v.want(counted, http.StatusOK, "people/opened", "No email has been opened")
}

func (s *site) leftOut() {
	_, err := s.App.Contacts.Unsubscribe(s.Context(), s.Caller, contacts.UnsubscribeRequest{List: s.News, Address: "a0@example.com"})
	s.Must(err)
	s.Subscribe(s.News, "Email", "b1@example.com")
	segment := s.SetSegment(s.News, "First", segmentOf(s.News, "First", "a1@").Criteria)
	v := s.full()
	v.post("/admin/contacts/person", url.Values{"list": {id(s.News)}, "contact": {id(s.Contacts[2])}, "do": {"deactivate"}})
	_, _, text := v.get("/admin/sends/check?message=" + id(s.Message) + "&list=" + id(s.News) + "&leave=" + id(s.News) + "-" + id(segment))
	for reason, want := range map[string]string{"unsubscribed": "a0@", "deactivated": "a2@", "excluded by the campaign": "a1@"} {
		_, path, found := strings.Cut(shown(text), "Left out: "+reason+" | [1](")
		path, _, _ = strings.Cut(path, ")")
		if !found {
			s.Errorf("the number of %s leads nowhere:\n%s", reason, shown(text))
			continue
		}
		v.want(path, http.StatusOK, "["+want)
		for _, other := range []string{"a0@", "a1@", "a2@", "b1@"} { // the page counts only if there is time
			if other != want {
				v.wantWithout(path, ">"+other)
			}
		}
	}
	second := s.AddList("name", "Second")
	v.want("/admin/sends/check?message="+id(s.Message)+"&list="+id(s.News)+"&list="+id(second), http.StatusOK, "list="+id(second), "[Second](")
}

func (s *site) notBegun() {
	at := s.Now.Add(26 * time.Hour)
	s.ID = s.AddAt(at.Unix(), apptest.Whole(s.News))
	s.Prepare(s.ID)
	v, path := s.full(), s.pathOf()
	v.want(path, http.StatusOK, "No email has been sent yet. It starts "+at.In(time.UTC).Format("Mon 2 Jan, 15:04"), "[3]("+path+"/people/recipients) people",
		"/admin/messages/"+id(s.Message), "Pause", "Cancel", "copy="+id(s.ID))
	v.wantWithout(path, "Opened", "people/opened", "Delivery")
	if status, _, text := v.post(path+"/reschedule", url.Values{"at": {"2001-01-01T09:00"}}); status != http.StatusUnprocessableEntity ||
		!strings.Contains(text, "This time is in the past.") || !strings.Contains(text, `value="2001-01-01T09:00"`) {
		s.Errorf("a time that is over is answered with %d:\n%s", status, cut(text))
	}
	v.post(path+"/reschedule", url.Values{"at": {at.Add(time.Hour).In(time.UTC).Format("2006-01-02T15:04")}})
	v.want(path, http.StatusOK, at.Add(time.Hour).In(time.UTC).Format("Mon 2 Jan, 15:04"))
	standard := s.signedIn(users.Membership{Level: enlist.Standard})
	standard.wantWithout(path, "reschedule", "Pause")
	for _, w := range []*visitor{standard, s.signedInElsewhere()} {
		if status, _, _ := w.post(path+"/reschedule", url.Values{"at": {"2999-01-01T09:00"}}); status != http.StatusNotFound && status != http.StatusForbidden {
			s.Errorf("a person who may not send changes the time: %d", status)
		}
	}
	v.post(path+"/pause", nil)
	v.want(path, http.StatusOK, "It starts when a user continues it", "Continue")
}

func (s *site) firstSteps() {
	s.full().wantWithout("/admin/", "First steps")
	v := s.signedInElsewhere()
	v.want("/admin/", http.StatusOK, "First steps", "[Choose your time zone and country](/admin/account) | next |",
		"](/admin/lists/new)", "[Send it](/admin/sends/new)")
	v.wantWithout("/admin/", "| done |")
	v.post("/admin/account/edit", url.Values{"name": {"Club"}, "timezone": {"Europe/Berlin"}, "country_code": {"49"}})
	v.want("/admin/", http.StatusOK, "[Create a List for your contacts](/admin/lists/new) | next |")
	v.post("/admin/lists/new", url.Values{"name": {"First"}, "from_address": {"news@example.com"}, "country_code": {"49"}})
	_, _, text := v.get("/admin/")
	if words := shown(text); strings.Count(words, "| done |") != 3 || !strings.Contains(words, "[Import your Contacts](/admin/imports/new) | next |") {
		s.Errorf("after the first List, the steps are:\n%s", words)
	}
	s.signedIn(users.Membership{Level: enlist.Standard}).wantWithout("/admin/", "First steps")
}
