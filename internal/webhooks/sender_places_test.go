package webhooks

import (
	"testing"

	"enlist/internal/enlist"
	"enlist/internal/events"
)

// enterAll returns how many jobs of an Account get places, one for each of n targets.
func enterAll(p *places, account enlist.AccountID, first, n int) (entered int) {
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
	p := newPlaces()
	if n := enterAll(p, 1, 1, Places); n != Places/2 {
		t.Errorf("one Account got %d of %d places, want half", n, Places)
	}
	if n := enterAll(p, 2, Places+1, 10); n != 10 {
		t.Errorf("another Account got %d places, want 10", n)
	}
}

// A job without a place, and a job that ended, leave no place occupied.
//
// covers: decision 52
func TestSlowTargetsHaveFewPlaces(t *testing.T) {
	p := newPlaces()
	const targets = 100
	for i := range targets {
		p.took(enlist.WebhookTargetID(i+1), slowPost)
	}
	if n := enterAll(p, 1, 1, targets); n != slowPlaces/2 {
		t.Errorf("the slow targets of an Account got %d places, want %d", n, slowPlaces/2)
	}
	if n := enterAll(p, 1, targets+1, Places); n != (Places-slowPlaces)/2 {
		t.Errorf("the fast targets of the same Account got %d places, want %d", n, (Places-slowPlaces)/2)
	}
	p = newPlaces()
	job := events.DeliverWebhook{Target: 1, Account: 1}
	for range 2 * Places {
		p.took(job.Target, slowPost)
		leave, ok := p.enter(job)
		if !ok {
			t.Fatal("the only job of a slow target got no place")
		}
		leave()
	}
	if p.took(job.Target, slowPost-1); enterAll(p, 1, 1, slowPlaces) != slowPlaces {
		t.Error("a target whose last POST was fast still counts as slow")
	}
}

// Jobs that only delete events have no Account.
func TestWebhookJobsWithoutAnAccountGetPlaces(t *testing.T) {
	if n := enterAll(newPlaces(), 0, 1, Places); n != Places {
		t.Errorf("%d jobs without an Account got places, want %d", n, Places)
	}
}
