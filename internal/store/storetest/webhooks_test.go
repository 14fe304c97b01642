package storetest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"enlist/internal/enlist"
	"enlist/internal/webhooks"
)

// This file tests the definitions of webhooks and the delivery of their events. webhookmoves.go tests
// what happens to events when webhooks and Lists change.

// webhookRules tests which events webhooks get, and how jobs deliver these events. decisions.md: 52
func webhookRules(t *testing.T, e Engine) {
	runRules(t, e.Open, []accountRule{
		{"webhooks with the same URL and secret have the same target", webhookDefinitions},
		{"a key reads and changes only the webhooks of its Lists", webhookKeys},
		{"the events of a target are delivered in batches and in order", webhookBatches},
		{"a failed batch is retried unchanged, and then stays stored", webhookFailures},
		{"only one job at a time holds the lease of a target", webhookLeases},
		{"setting the clock back delays no delivery", webhookClock},
		{"the events of a webhook move to its new URL", webhookMoves},
		{"the events of a deleted webhook are deleted", webhookDeletion},
		{"the events of a deleted List are still delivered", webhooksOfDeletedList},
		{"a failing target without webhooks is deleted", webhookOrphanedTarget},
		{"a change of a List is an event", webhooksOfLists},
		{"only one job at a time waits for a target", func(o *accountFixture) { webhookJobs(o, e) }},
	})
}

const hook = "https://shop.example.com/hook"

func (o *accountFixture) addWebhook(object, event string, pairs ...any) enlist.WebhookID {
	o.Helper()
	pairs = append([]any{"object", object, "event", event, "url", hook}, pairs...)
	id, err := o.service.Webhooks.AddWebhook(o.Context(), o.caller, details(pairs...))
	o.must(err)
	return id
}

func (o *accountFixture) webhook(id enlist.WebhookID) *enlist.Webhook {
	o.Helper()
	w, err := o.service.Webhooks.Webhook(o.Context(), o.caller, id)
	o.must(err)
	return w
}

func (o *accountFixture) editWebhook(id enlist.WebhookID, pairs ...any) {
	o.Helper()
	_, err := o.service.Webhooks.EditWebhook(o.Context(), o.caller, id, details(pairs...))
	o.must(err)
}

// take returns the batch that a job gets, or nil.
func (o *accountFixture) take(id enlist.WebhookTargetID, job int64) *webhooks.WebhookBatch {
	o.Helper()
	b, wait, err := o.service.Webhooks.TakeWebhookEvents(o.Context(), id, job)
	o.must(err)
	if wait != 0 {
		o.Errorf("job %d must wait %s, want no wait", job, wait)
	}
	return b
}

func (o *accountFixture) delivered(b *webhooks.WebhookBatch) *webhooks.WebhookBatch {
	o.Helper()
	next, err := o.service.Webhooks.WebhookDelivered(o.Context(), b, false)
	o.must(err)
	return next
}

func (o *accountFixture) failed(b *webhooks.WebhookBatch) time.Duration {
	o.Helper()
	wait, err := o.service.Webhooks.WebhookFailed(o.Context(), b, errors.New("status 500"))
	o.must(err)
	return wait
}

// wantEvents checks the events of a batch. An event is written as "contact created 3".
func (o *accountFixture) wantEvents(b *webhooks.WebhookBatch, want ...string) {
	o.Helper()
	var got []string
	if b != nil {
		for _, e := range b.Events {
			got = append(got, fmt.Sprintf("%s %s %d", e.Object, e.Event, e.Contact))
		}
	}
	if strings.Join(got, ", ") != strings.Join(want, ", ") {
		o.Errorf("events %v, want %v", got, want)
	}
}

func webhookDefinitions(o *accountFixture) {
	list := o.addList()
	first := o.webhook(o.addWebhook("contact", "created"))
	key, ok := webhooks.WebhookKey(first.Secret)
	if !ok || len(key) != 32 || first.CreationTime != o.now.Unix() || first.ListID != 0 || first.URL != hook {
		o.Errorf("the new webhook is %+v, want its URL, all Lists, the current time and a secret of 32 bytes", first)
	}
	second := o.webhook(o.addWebhook("contact", "subscribed", "list_id", list))
	other := o.webhook(o.addWebhook("list", "removed", "url", hook+"2"))
	if second.Secret != first.Secret || second.Target != first.Target {
		o.Error("two webhooks with the same URL have different secrets or targets, want equal ones")
	}
	if other.Secret == first.Secret || other.Target == first.Target {
		o.Error("two webhooks with different URLs have the same secret or target, want different ones")
	}
	own := "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	if w := o.webhook(o.addWebhook("list", "updated", "secret", own)); w.Secret != own || w.Target == first.Target {
		o.Errorf("the webhook is %+v, want the secret of the call and another target", w)
	}
	for _, c := range []struct {
		about string
		pairs []any
	}{
		{"object", []any{"object", "field"}},
		{"event", []any{"event", "read"}},
		{"event", []any{"object", "list", "event", "subscribed"}},
		{"event", []any{"event", "bulk_updated"}},
		{"url", []any{"url", ""}},
		{"url", []any{"url", "shop.example.com"}},
		{"url", []any{"url", "ftp://shop.example.com"}},
		{"url", []any{"url", "https:///x"}},
		{"url", []any{"url", "https://shop.example.com/ x"}},
		{"user name", []any{"url", "https://a:b@shop.example.com"}},
		{"fragment", []any{"url", hook + "#x"}},
		{"2,048", []any{"url", "https://shop.example.com/" + strings.Repeat("a", 2048)}},
		{"port", []any{"url", "https://shop.example.com:0/"}},
		{"port", []any{"url", "https://shop.example.com:65536/"}},
		{"secret", []any{"secret", "whsec_"}},
		{"secret", []any{"secret", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}},
		{"secret", []any{"secret", "whsec_MfKQ"}},
		{"secret", []any{"secret", "whsec_" + strings.Repeat("AAAA", 22)}},
	} {
		pairs := append([]any{"object", "contact", "event", "created", "url", hook}, c.pairs...)
		_, err := o.service.Webhooks.AddWebhook(o.Context(), o.caller, details(pairs...))
		o.refused(err, enlist.InvalidParameters, c.about)
	}
	for _, list := range []any{-1, "x", false} {
		_, err := o.service.Webhooks.AddWebhook(o.Context(), o.caller,
			details("object", "contact", "event", "created", "url", hook, "list_id", list))
		o.refused(err, enlist.NoList, "")
	}
	for i := range 97 {
		o.addWebhook("contact", "updated", "url", fmt.Sprint(hook, i))
	}
	_, err := o.service.Webhooks.AddWebhook(o.Context(), o.caller, details("object", "contact", "event", "created", "url", hook))
	o.refused(err, enlist.InvalidParameters, "100 webhooks")
	o.addWebhook("contact", "created", "list_id", list)
}

// webhookKeys tests which webhooks a caller may read and change. reference.md: auth.restricted
func webhookKeys(o *accountFixture) {
	mine, yours := o.addList(), o.addList("name", "Yours")
	all := o.addWebhook("contact", "created")
	ofMine := o.addWebhook("contact", "created", "list_id", mine)
	ofYours := o.addWebhook("contact", "created", "list_id", yours)
	stranger, some := o.newCaller(), o.restricted(mine)
	for _, id := range []enlist.WebhookID{all, ofMine, 999, -1} {
		_, err := o.service.Webhooks.Webhook(o.Context(), stranger, id)
		o.refused(err, enlist.InvalidParameters, "no webhook")
		_, err = o.service.Webhooks.EditWebhook(o.Context(), stranger, id, nil)
		o.refused(err, enlist.InvalidParameters, "no webhook")
		o.refused(o.service.Webhooks.DeleteWebhook(o.Context(), stranger, id), enlist.InvalidParameters, "no webhook")
	}
	for _, id := range []enlist.WebhookID{all, ofYours} {
		_, err := o.service.Webhooks.Webhook(o.Context(), some, id)
		o.refused(err, enlist.Denied, "restricted")
		_, err = o.service.Webhooks.EditWebhook(o.Context(), some, id, details("list_id", mine))
		o.refused(err, enlist.Denied, "restricted")
		o.refused(o.service.Webhooks.DeleteWebhook(o.Context(), some, id), enlist.Denied, "restricted")
	}
	for _, list := range []enlist.ListID{0, yours} {
		_, err := o.service.Webhooks.EditWebhook(o.Context(), some, ofMine, details("list_id", list))
		o.refused(err, enlist.Denied, "restricted")
	}
	_, err := o.service.Webhooks.AddWebhook(o.Context(), stranger,
		details("object", "list", "event", "created", "url", hook, "list_id", mine))
	o.refused(err, enlist.NoList, "no List")
	found, err := o.service.Webhooks.SearchWebhooks(o.Context(), some, enlist.Query{})
	o.must(err)
	if len(found) != 1 || found[0].ID != ofMine {
		o.Errorf("a restricted key found %+v, want only the webhook of its List", found)
	}
	// If a caller is not allowed to read a webhook, it also does not get the secret of the webhook.
	third := o.addList()
	id, err := o.service.Webhooks.AddWebhook(o.Context(), o.restricted(third),
		details("object", "list", "event", "updated", "url", hook, "list_id", third))
	o.must(err)
	if o.webhook(id).Secret == o.webhook(all).Secret {
		o.Error("a restricted key got the secret of a webhook for all Lists")
	}
}

// webhookBatches tests that the events of all webhooks with the same URL are in the same batches, in the
// order of the events.
func webhookBatches(o *accountFixture) {
	list := o.addList()
	subscribed, created := o.addWebhook("contact", "subscribed"), o.addWebhook("contact", "created", "list_id", list)
	o.addWebhook("contact", "updated", "list_id", o.addList())
	target := o.webhook(created).Target
	if o.webhook(subscribed).Target != target || o.take(target, 1) != nil {
		o.Fatal("two webhooks with the same URL have two targets, or an event waits before the first change")
	}
	for i := range 60 {
		o.subscribe(list, "Email", fmt.Sprintf("p%d@example.com", i))
	}
	b := o.take(target, 1)
	if len(b.Events) != 100 || b.URL != hook || b.Secret != o.webhook(created).Secret {
		o.Fatalf("the batch has %d events for %s, want 100 for the URL and secret of the webhook", len(b.Events), b.URL)
	}
	for i, e := range b.Events {
		want := enlist.WebhookEvent{ID: e.ID, Target: target, Webhook: created, List: list,
			Contact: enlist.ContactID(i/2 + 1), Object: enlist.AboutContact, Event: enlist.WebhookCreated,
			Time: o.now.Unix()}
		if i%2 == 1 {
			want.Webhook, want.Event = subscribed, enlist.WebhookSubscribed
		}
		same(o.T, "event", e, want)
	}
	next := o.delivered(b)
	if len(next.Events) != 20 || next.ID == b.ID || next.Events[0].Contact != 51 {
		o.Errorf("the next batch is %+v, want 20 events and a new ID", next)
	}
	if o.delivered(next) != nil || o.take(target, 2) != nil {
		o.Error("a third batch exists, want only two")
	}
}

// webhookFailures tests that jobs send a failed batch again unchanged, 6 times in about 7.6 hours. After that
// the batch stays stored, until an operator or an edit of the webhook resumes the deliveries.
func webhookFailures(o *accountFixture) {
	list := o.addList()
	id := o.addWebhook("contact", "created")
	target := o.webhook(id).Target
	o.subscribe(list, "Email", "a@example.com")
	first := o.take(target, 1)
	gaps := []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour}
	b := first
	for i, gap := range gaps {
		o.subscribe(list, "Email", fmt.Sprintf("b%d@example.com", i))
		wait := o.failed(b)
		if wait < gap || wait > gap+gap/10 {
			o.Errorf("after %d failures the job waits %s, want the planned time or up to 10 percent more", i+1, wait)
		}
		o.now = o.now.Add(wait - time.Second)
		if o.take(target, 2) != nil {
			o.Error("another job got the batch before the time of the next attempt")
		}
		if b, wait, err := o.service.Webhooks.TakeWebhookEvents(o.Context(), target, 1); b != nil || wait != time.Second || err != nil {
			o.Errorf("the job asks a second too early: batch %v, wait %s, error %v; want no batch and 1s", b, wait, err)
		}
		o.now = o.now.Add(time.Second)
		b = o.take(target, 1)
		o.wantEvents(b, "contact created 1")
		if b.ID != first.ID {
			o.Errorf("the batch had the ID %s and now has the ID %s, want the same ID", first.ID, b.ID)
		}
	}
	if wait := o.failed(b); wait != 0 {
		o.Errorf("after 7 failures the job waits %s, want no further attempt", wait)
	}
	if w := o.webhook(id); !w.IsFailing || w.LastError != "status 500" {
		o.Errorf("after 7 failures the webhook is %+v, want it failing with the error of the last attempt", w)
	}
	o.subscribe(list, "Email", "c@example.com") // this event stays stored

	// An operator runs the job twice. The first attempt fails, and the second attempt delivers the batch.
	if b := o.take(target, 1); b.ID != first.ID || o.failed(b) != 0 || !o.webhook(id).IsFailing {
		o.Error("the operator's job got another batch, or the webhook is not failing after it")
	}
	b = o.delivered(o.take(target, 1))
	o.wantEvents(b, "contact created 2", "contact created 3", "contact created 4", "contact created 5",
		"contact created 6", "contact created 7", "contact created 8")
	if w := o.webhook(id); w.IsFailing || w.LastError != "" {
		o.Errorf("after a delivery the webhook is %+v, want it not failing and without an error", w)
	}

	// The receiver replies 410 Gone. Editing the webhook resumes the deliveries.
	wait, err := o.service.Webhooks.WebhookFailed(o.Context(), b, webhooks.ErrWebhookGone)
	if wait != 0 || err != nil || !o.webhook(id).IsFailing {
		o.Errorf("after 410 Gone: wait %s, error %v; want no wait and a failing webhook", wait, err)
	}
	o.editWebhook(id)
	if again := o.take(target, 3); again.ID != b.ID || o.webhook(id).IsFailing || o.delivered(again) != nil {
		o.Error("after an edit, the job did not get the same batch")
	}
}

// webhookLeases tests that only one job at a time has the lease of a target. When the lease has expired,
// another job can take over.
func webhookLeases(o *accountFixture) {
	list := o.addList()
	target := o.webhook(o.addWebhook("contact", "created")).Target
	o.subscribe(list, "Email", "a@example.com")
	b := o.take(target, 1)
	if o.take(target, 2) != nil {
		o.Error("two jobs have the lease of one target, want one")
	}
	if again := o.take(target, 1); again == nil || again.ID != b.ID {
		o.Error("a job that runs again did not get its batch")
	}
	o.now = o.now.Add(61 * time.Second)
	o.subscribe(list, "Email", "b@example.com")
	late := o.take(target, 2)
	o.wantEvents(late, "contact created 1")
	if late.ID != b.ID {
		o.Error("the batch of a dead job has a new ID, want the same ID")
	}
	// The first job is still alive and has delivered its events. These events are removed, but the other
	// job keeps the lease.
	if o.delivered(b) != nil || o.failed(b) != 0 || o.take(target, 3) != nil {
		o.Error("the second job lost its lease")
	}
	o.wantEvents(o.delivered(late), "contact created 2")
	o.must(o.service.Webhooks.ReleaseWebhook(o.Context(), late))
	b = o.take(target, 3)
	if next, err := o.service.Webhooks.WebhookDelivered(o.Context(), b, true); next != nil || err != nil {
		o.Error("a job that stops got another batch:", err)
	}
	if o.take(target, 4) != nil {
		o.Error("an event is left, want none")
	}
}

// webhookClock sets the clock back, so that stored times are in the future. This must not delay a delivery.
func webhookClock(o *accountFixture) {
	list := o.addList()
	target := o.webhook(o.addWebhook("contact", "created")).Target
	o.subscribe(list, "Email", "a@example.com")
	o.take(target, 1)
	o.now = o.now.Add(-time.Hour)
	b := o.take(target, 2)
	if b == nil {
		o.Fatal("the lease did not end after the clock was set back by an hour")
	}
	o.failed(b)
	o.now = o.now.Add(-24 * time.Hour)
	if o.take(target, 3) == nil {
		o.Error("the next attempt waits until the clock reaches a time that was stored before")
	}
}

// webhookJobs tests that only one job at a time waits for a target. An event adds another job only if the
// waiting job has started, or has not started within a minute.
func webhookJobs(o *accountFixture, e Engine) {
	list := o.addList()
	target := o.webhook(o.addWebhook("contact", "created")).Target
	n := 0
	after := func(what string, want int) {
		o.Helper()
		n++
		o.subscribe(list, "Email", fmt.Sprintf("p%d@example.com", n))
		if got := e.Jobs(o.T, o.store, "call_webhook"); got != want {
			o.Errorf("%s: %d jobs, want %d", what, got, want)
		}
	}
	after("the first event", 1)
	after("a second event", 1)
	b := o.take(target, 1)
	after("an event while a job posts the first two", 2)
	o.take(target, 2) // job 1 holds the lease
	after("an event after the second job has started", 3)
	o.wantEvents(o.delivered(b), "contact created 3", "contact created 4")
	o.now = o.now.Add(59 * time.Second)
	after("an event 59 seconds later", 3)
	o.now = o.now.Add(time.Second)
	after("an event a minute later", 4)
	o.now = o.now.Add(-time.Hour)
	after("an event after the clock was set back", 5)
}
