package jobs_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"

	"enlist/internal/accounts"
	"enlist/internal/contacts"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
)

// The test in this file posts to many slow receivers and to two fast ones.

// newSlowReceiver starts a receiver that does not reply before the test ends. ended counts the POSTs
// that ended before that.
func newSlowReceiver(t *testing.T) (url string, ended *atomic.Int64) {
	ended = new(atomic.Int64)
	done := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
			ended.Add(1)
		case <-done:
		}
	}))
	t.Cleanup(func() {
		close(done)
		s.Close()
	})
	return s.URL, ended
}

// addWebhook adds a webhook for new Contacts of one List, or of all Lists if list is 0.
func (p *storeWithList) addWebhook(c *enlist.Caller, list enlist.ListID, url string) {
	p.Helper()
	_, err := p.service.Webhooks.AddWebhook(p.Context(), c, []enlist.Detail{detail("object", "contact"), detail("event", "created"),
		detail("list_id", strconv.FormatInt(int64(list), 10)), detail("url", url)})
	p.must(err)
}

// anotherAccount adds an Account with a List.
func (p *storeWithList) anotherAccount() (*enlist.Caller, enlist.ListID) {
	p.Helper()
	a, err := p.service.Accounts.AddAccount(p.Context(), accounts.AccountDetails{Name: "Another", ContactLimit: enlist.NoContactLimit})
	p.must(err)
	c, err := p.service.Accounts.Operator(p.Context(), a.ID)
	p.must(err)
	list, err := p.service.Lists.AddList(p.Context(), c, []enlist.Detail{detail("name", "List of another Account")})
	p.must(err)
	return c, list
}

// An Account has a hundred receivers that do not reply. A receiver of this Account, and one of another
// Account, get their events before the first of these POSTs reaches its time limit.
//
// covers: decision 52
func TestSlowReceiversDoNotDelayFastOnes(t *testing.T) {
	dbtest.EachParallel(t, slowReceiversDoNotDelayFastOnes)
}

func slowReceiversDoNotDelayFastOnes(t *testing.T, e dbtest.Engine) {
	p := newStoreWithList(t, e)
	slow, ended := newSlowReceiver(t)
	fast := newReceiver(t, func(int, http.ResponseWriter) {})
	for i := range 100 {
		p.addWebhook(p.caller, p.list, fmt.Sprintf("%s/%d", slow, i))
	}
	p.addWebhook(p.caller, 0, fast.URL+"/same")
	other, list := p.anotherAccount()
	p.addWebhook(other, list, fast.URL+"/other")
	p.startPosting(p.service, nil)
	p.subscribe("a@example.com")
	fast.until(t, 1)
	_, err := p.service.Contacts.Subscribe(t.Context(), other,
		contacts.SubscribeRequest{List: list, Details: []enlist.Detail{detail("Email", "a@example.com")}})
	p.must(err)
	fast.until(t, 2)
	if n := ended.Load(); n > 0 {
		t.Errorf("%d POSTs to slow receivers had ended before the fast receivers got their events, want 0", n)
	}
}
