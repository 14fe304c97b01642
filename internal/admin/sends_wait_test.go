package admin_test

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/users"
)

// status returns the status of a Batch and how many of its mails have left.
func (s *site) status(id enlist.BatchID) (batches.BatchStatus, int64) {
	b, err := s.App.Batches.Batch(s.Context(), s.Caller, id)
	s.Must(err)
	return b.Status, b.Sent
}

func (s *site) stopped() {
	v := s.full()
	_, small := s.fresh(100)
	s.Prepare(v.sendPlan(small))
	s.SendAll(nil)
	_, plan := s.fresh(101)
	_, _, page := v.get("/admin/sends/check?" + plan.Encode())
	if !strings.Contains(shown(page), "The campaign starts after a minute. Until then, you can stop it. You can pause at any time.") {
		s.Errorf("the last page does not say that the send can be stopped:\n%s", shown(page))
	}
	waits := v.sendPlan(plan)
	s.Prepare(waits)
	s.SendAll(nil)
	path := "/admin/sends/" + id(waits)
	_, _, page = v.get(path)
	if want := "The campaign starts in 60 seconds. Until then, you can stop it. <Stop>(" + path + "/stop)"; !strings.Contains(shown(page), want) {
		s.Errorf("the page does not have %q:\n%s", want, shown(page))
	}
	reader := s.as("reader", users.Membership{Level: enlist.Standard})
	reader.post(path+"/stop", nil)
	if status, sent := s.status(waits); status != batches.BatchPending || sent != 0 {
		s.Fatalf("the Batch is %s with %d mails in its minute", status, sent)
	}
	_, at, page := v.post(path+"/stop", nil)
	if !strings.HasPrefix(at, "/admin/sends/new?copy="+id(waits)) || !strings.Contains(shown(page), "before any email was sent") {
		s.Errorf("the press leads to %s:\n%s", at, shown(page))
	}
	s.Pass(2 * time.Minute)
	s.SendAll(nil)
	if status, sent := s.status(waits); status != batches.BatchCancelled || sent != 0 {
		s.Errorf("the Batch that was stopped is %s with %d mails", status, sent)
	}
	_, plan = s.fresh(101)
	late := v.sendPlan(plan)
	s.Prepare(late)
	s.Pass(61 * time.Second)
	s.Prepare(late)
	s.SendAll(nil)
	if status, sent := s.status(late); status != batches.BatchCompleted || sent != 101 {
		s.Errorf("after its minute, the Batch is %s with %d mails", status, sent)
	}
	account := url.Values{"name": {"Club"}, "timezone": {"UTC"}, "country_code": {"49"}, "send_delay": {"11"}}
	v.send("/admin/account/edit", account, http.StatusUnprocessableEntity, "expected a number of minutes, 0 to 10")
	account.Set("send_delay", "0")
	v.send("/admin/account/edit", account, http.StatusOK)
	_, plan = s.fresh(101)
	at0 := v.sendPlan(plan)
	s.Prepare(at0)
	s.SendAll(nil)
	if status, _ := s.status(at0); status != batches.BatchCompleted {
		s.Errorf("without a minute, the Batch is %s", status)
	}
}

func (s *site) mailIsShown() {
	v := s.full()
	list, plan := s.fresh(3)
	message := plan.Get("message")
	_, _, page := v.get("/admin/sends/check?" + plan.Encode())
	text := shown(page)
	contact := id(s.All(list)[0])
	want := "# The email Sender | "
	if !strings.Contains(text, want) {
		s.Fatalf("the page does not have %q:\n%s", want, text)
	}
	for _, want := range []string{"Subject | Hello", "Preview text | Dear a0@example.com |", "(frame /admin/messages/" + message + "/mail?contact=" + contact + "&list=" + id(list) + ")",
		"Left out", "To 3 of 3", "When: now"} {
		at := strings.Index(text, want)
		if at < 0 && want != "Left out" || at > strings.Index(text, "<Send now>") {
			s.Errorf("%q is not before the button:\n%s", want, text)
		}
	}
	plan["test"], plan["variant"], plan["subject"] = []string{"1"}, []string{"0", "0"}, []string{"", "Another subject"}
	_, _, page = v.get("/admin/sends/check?" + plan.Encode())
	for _, want := range []string{"# The email of A", "# The email of B", "Subject | Another subject |"} {
		if text := shown(page); !strings.Contains(text, want) {
			s.Errorf("a test of variants does not show %q:\n%s", want, text)
		}
	}
}
