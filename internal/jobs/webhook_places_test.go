package jobs

import (
	"fmt"
	"testing"
	"time"

	"enlist/internal/enlist"
	"enlist/internal/events"
)

// enterAll returns how many jobs of an Account get places, one for each of n targets.
func enterAll(p *webhookPlaces, account enlist.AccountID, first, n int) (entered int) {
	for i := range n {
		_, ok := p.enter(events.DeliverWebhook{Target: enlist.WebhookTargetID(first + i), Account: account})
		if ok {
			entered++
		}
	}
	return entered
}

// covers: decision 52
func TestAnAccountHasAtMostHalfOfTheWebhookPlaces(t *testing.T) {
	p := newWebhookPlaces()
	if n := enterAll(p, 1, 1, webhookWorkers); n != webhookWorkers/2 {
		t.Errorf("one Account got %d of %d places, want half", n, webhookWorkers)
	}
	if n := enterAll(p, 2, webhookWorkers+1, 10); n != 10 {
		t.Errorf("another Account got %d places, want 10", n)
	}
}

// A job without a place, and a job that ended, leave no place occupied.
//
// covers: decision 52
func TestSlowTargetsHaveFewPlaces(t *testing.T) {
	p := newWebhookPlaces()
	const targets = 100
	for i := range targets {
		p.took(enlist.WebhookTargetID(i+1), slowPost)
	}
	if n := enterAll(p, 1, 1, targets); n != slowWorkers/2 {
		t.Errorf("the slow targets of an Account got %d places, want %d", n, slowWorkers/2)
	}
	if n := enterAll(p, 1, targets+1, webhookWorkers); n != (webhookWorkers-slowWorkers)/2 {
		t.Errorf("the fast targets of the same Account got %d places, want %d", n, (webhookWorkers-slowWorkers)/2)
	}
	p = newWebhookPlaces()
	job := events.DeliverWebhook{Target: 1, Account: 1}
	for range 2 * webhookWorkers {
		p.took(job.Target, slowPost)
		leave, ok := p.enter(job)
		if !ok {
			t.Fatal("the only job of a slow target got no place")
		}
		leave()
	}
	if p.took(job.Target, slowPost-1); enterAll(p, 1, 1, slowWorkers) != slowWorkers {
		t.Error("a target whose last POST was fast still counts as slow")
	}
}

// Jobs of older versions do not contain the Account.
func TestWebhookJobsWithoutAnAccountGetPlaces(t *testing.T) {
	if n := enterAll(newWebhookPlaces(), 0, 1, webhookWorkers); n != webhookWorkers {
		t.Errorf("%d jobs without an Account got places, want %d", n, webhookWorkers)
	}
}

func TestAJobWithoutAPlaceWaitsLongerEachTime(t *testing.T) {
	for snoozes, want := range map[int]time.Duration{0: time.Second, 1: 2 * time.Second, 3: 8 * time.Second, 70: 16 * time.Second} {
		if got := noPlaceSnooze(fmt.Appendf(nil, `{"snoozes":%d}`, snoozes)); got != want {
			t.Errorf("after %d times the job waits %s, want %s", snoozes, got, want)
		}
	}
	if got := noPlaceSnooze([]byte("{}")); got != time.Second {
		t.Errorf("the first time the job waits %s, want 1s", got)
	}
}
