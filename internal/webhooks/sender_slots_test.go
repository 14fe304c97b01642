package webhooks

import (
	"testing"

	"enlist/internal/enlist"
	"enlist/internal/events"
)

// enterAll returns how many jobs of an Account get slots, one for each of n targets.
func enterAll(p *slots, account enlist.AccountID, first, n int) (entered int) {
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
	p := newSlots()
	if n := enterAll(p, 1, 1, Slots); n != Slots/2 {
		t.Errorf("one Account got %d of %d slots, want half", n, Slots)
	}
	if n := enterAll(p, 2, Slots+1, 10); n != 10 {
		t.Errorf("another Account got %d slots, want 10", n)
	}
}

// A job without a slot, and a job that ended, leave no slot occupied.
//
// covers: decision 52
func TestSlowTargetsHaveFewPlaces(t *testing.T) {
	p := newSlots()
	const targets = 100
	for i := range targets {
		p.took(enlist.WebhookTargetID(i+1), slowPost)
	}
	if n := enterAll(p, 1, 1, targets); n != slowSlots/2 {
		t.Errorf("the slow targets of an Account got %d slots, want %d", n, slowSlots/2)
	}
	if n := enterAll(p, 1, targets+1, Slots); n != (Slots-slowSlots)/2 {
		t.Errorf("the fast targets of the same Account got %d slots, want %d", n, (Slots-slowSlots)/2)
	}
	p = newSlots()
	job := events.DeliverWebhook{Target: 1, Account: 1}
	for range 2 * Slots {
		p.took(job.Target, slowPost)
		leave, ok := p.enter(job)
		if !ok {
			t.Fatal("the only job of a slow target got no slot")
		}
		leave()
	}
	if p.took(job.Target, slowPost-1); enterAll(p, 1, 1, slowSlots) != slowSlots {
		t.Error("a target whose last POST was fast still counts as slow")
	}
}

// Jobs that only delete events have no Account.
func TestWebhookJobsWithoutAnAccountGetPlaces(t *testing.T) {
	if n := enterAll(newSlots(), 0, 1, Slots); n != Slots {
		t.Errorf("%d jobs without an Account got slots, want %d", n, Slots)
	}
}
