package admin_test

import (
	"net/http"
	"net/url"
	"strings"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/enlist"
)

// This file tests what pages say of mails that could not be measured. The rules are in the table of sends_test.go.

// measuredRates sends a Batch to three Contacts, of which one has agreed and opens the mail, on a List that asks.
func (s *site) measuredRates() {
	s.Must(second(s.App.Lists.EditList(s.Context(), s.Caller, s.News, apptest.Details("open_policy", "ask", "click_policy", "off"))))
	s.Decide(s.News, enlist.TrackingGranted, s.Contacts[:2]...)
	s.Created = s.Now.Unix()
	s.ID = s.AddWith(batches.BatchOptions{Name: "Asked"})
	s.SendAll(nil)
	s.Pass(3_000_000_000)
	s.Open(s.Contacts[0], apptest.PersonAgent)
	v, path := s.full(), s.pathOf()
	v.want(path, http.StatusOK, "50.0% · 2 of 3 could be measured", "No email of this campaign had tracked links",
		"Send again to 1 who did not open", "[1]("+path+"/people/not-measured)")
	v.want("/admin/sends", http.StatusOK, "50.0% 2 of 3 could be measured | not measured")
	v.want("/admin/", http.StatusOK, "50.0% 2 of 3 could be measured | not measured")
	v.want("/admin/messages", http.StatusOK, "50.0% · 2 of 3 could be measured")
	v.want(path+"/people/not-opened", http.StatusOK, "a1@", "1 to 1")
	v.want(path+"/people/not-measured", http.StatusOK, "a2@", "1 to 1")
	_, _, file := v.get(path + "/figures.csv")
	if !strings.Contains(file, "total,,measured_opens,2") || !strings.Contains(file, "total,,measured_clicks,0") {
		s.Errorf("the file lacks what is measured:\n%s", file)
	}
	again := "again=" + id(s.ID) + "&message=" + id(s.Message)
	v.want("/admin/sends/new?"+again, http.StatusOK, "[ ] Also the 1 person whose email could not be measured")
	v.want("/admin/sends/check?"+again, http.StatusOK, "To 1 of 3")
	v.want("/admin/sends/check?unmeasured=1&"+again, http.StatusOK, "To 2 of 3", "whose email of Asked could not be measured")
}

// sendsUntracked sends a Batch without tracking, by the tick on the last page.
func (s *site) sendsUntracked() {
	v := s.full()
	_, plan := s.fresh(2)
	v.want("/admin/sends/new", http.StatusOK, "[x] Track opens and clicks")
	v.want("/admin/sends/check?"+plan.Encode(), http.StatusOK, "[x] Track opens and clicks")
	v.want("/admin/sends/check?ticks=1&"+plan.Encode(), http.StatusOK, "[ ] Track opens and clicks")
	form := v.shown(plan)
	form.Del("track")
	added, text := v.press(form)
	if added == 0 || !s.Batches.Batch(added).Untracked {
		s.Fatalf("no Batch without tracking was added:\n%s", cut(text))
	}
	v.want("/admin/sends/new?"+url.Values{"copy": {id(added)}}.Encode(), http.StatusOK, "[ ] Track opens and clicks")
}

func second[T any](_ T, err error) error { return err }
