package admin_test

import (
	"net/http"
	"net/url"
	"strings"

	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/users"
)

func (s *site) approvals() {
	v := s.full()
	settings := func(n string) {
		v.send("/admin/account/edit", url.Values{"name": {"Club"}, "timezone": {"UTC"}, "country_code": {"61"}, "approve_above": {n}}, http.StatusOK, "Saved.")
	}
	v.send("/admin/account/edit", url.Values{"name": {"Club"}, "timezone": {"UTC"}, "country_code": {"61"}, "approve_above": {"-1"}}, http.StatusUnprocessableEntity,
		"!expected a number of Contacts")
	settings("2")
	defer settings("0")
	first, second := s.as("first", users.Membership{Role: enlist.Sender}), s.as("second", users.Membership{Role: enlist.Sender})
	_, plan := s.fresh(3)
	first.want("/admin/sends/check?"+plan.Encode(), http.StatusOK, "<Ask for approval>", "more than 2 Contacts need the approval of another user")
	batch := first.sendPlan(plan)
	s.Prepare(batch)
	path := "/admin/sends/" + id(batch)
	if status, sent := s.status(batch); status != batches.BatchPaused || sent != 0 {
		s.Fatalf("the Batch is %s with %d mails", status, sent)
	}
	first.want(path, http.StatusOK, "It waits for the approval of another user.", "It starts as soon as another user approves it.", "[Review it]("+path+"/approve)")
	first.wantWithout(path, "unpause")
	first.want(path+"/approve", http.StatusOK, "You asked for this approval")
	first.wantWithout(path+"/approve", "Approve and send")
	first.wantWithout("/admin/", "needs your approval")
	first.send(path+"/approve", url.Values{"version": {"x"}}, http.StatusNotFound)
	second.want("/admin/", http.StatusOK, "June needs your approval: It goes to 3 Contacts", "[Review]("+path+"/approve)")
	second.want(path+"/approve", http.StatusOK, "To 3 Contacts", "first asked for an approval", "as soon as it is approved", "(frame /admin/messages/", "<Approve and send>("+path+"/approve)")
	second.send(path+"/approve", url.Values{"why": {" "}}, http.StatusUnprocessableEntity, "!say why")
	second.send(path+"/approve", url.Values{"why": {"wrong <b>"}}, http.StatusOK, "Not approved.", "not approved by second: wrong <b>")
	first.want(path+"/approve", http.StatusOK, "Not approved by second: wrong <b>", "<Ask again>("+path+"/unpause)")
	first.send(path+"/unpause", nil, http.StatusOK)
	s.Prepare(batch)
	_, _, page := second.get(path + "/approve")
	_, version, _ := strings.Cut(page, `name="version" value="`)
	version, _, _ = strings.Cut(version, `"`)
	second.send(path+"/approve", url.Values{"version": {version + "x"}}, http.StatusUnprocessableEntity, "It was changed after the approval was asked for")
	second.send(path+"/approve", url.Values{"version": {version}}, http.StatusOK, "Approved.")
	s.Prepare(batch)
	s.SendAll(nil)
	if status, sent := s.status(batch); status != batches.BatchCompleted || sent != 3 {
		s.Errorf("after the approval the Batch is %s with %d mails", status, sent)
	}
	second.want(path+"/approve", http.StatusOK, "Approved by second")

	_, plan = s.fresh(3)
	later := first.sendPlan(plan)
	s.Prepare(later)
	path = "/admin/sends/" + id(later)
	second.send(path+"/reschedule", url.Values{"at": {"2999-01-01T09:00"}}, http.StatusOK)
	s.Prepare(later)
	second.wantWithout(path+"/approve", "Ask again")
	first.want(path+"/approve", http.StatusOK, "another user has continued the campaign or changed its time", "<Ask again>("+path+"/unpause)")
	first.send(path+"/unpause", nil, http.StatusOK)
	s.Prepare(later)
	second.want(path+"/approve", http.StatusOK, "Approve and send")
}
