package webhooks_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/enlist"
	"enlist/internal/webhooks"
)

// This file tests the definitions of webhooks and the delivery of their events. moves_test.go tests
// what happens to events when webhooks and Lists change.

// covers: spec webhook.deletion, event.effects, limit.events, decision 52
func TestWebhooks(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "webhooks with the same URL and secret have the same target", Test: webhookDefinitions},
		{Name: "a key reads and changes only the webhooks of its Lists", Test: webhookKeys},
		{Name: "the events of a target are delivered in batches and in order", Test: webhookBatches},
		{Name: "a failed batch is retried unchanged, and then stays stored", Test: webhookFailures},
		{Name: "only one job at a time holds the lease of a target", Test: webhookLeases},
		{Name: "setting the clock back delays no delivery", Test: webhookClock},
		{Name: "the events of a webhook move to its new URL", Test: webhookMoves},
		{Name: "the events of a deleted webhook are deleted", Test: webhookDeletion},
		{Name: "the events of a deleted List are still delivered", Test: webhooksOfDeletedList},
		{Name: "a failing target without webhooks is deleted", Test: webhookOrphanedTarget},
		{Name: "a change of a List is an event", Test: webhooksOfLists},
		{Name: "only one job at a time waits for a target", Test: webhookJobs},
	})
}

func editWebhook(o *apptest.Account, id enlist.WebhookID, pairs ...any) {
	o.Helper()
	_, err := o.App.Webhooks.EditWebhook(o.Context(), o.Caller, id, apptest.Details(pairs...))
	o.Must(err)
}

// take returns the batch that a job gets, or nil.
func take(o *apptest.Account, id enlist.WebhookTargetID, job int64) *webhooks.WebhookBatch {
	o.Helper()
	b, wait, err := o.App.Webhooks.TakeWebhookEvents(o.Context(), id, job)
	o.Must(err)
	if wait != 0 {
		o.Errorf("job %d must wait %s, want no wait", job, wait)
	}
	return b
}

func delivered(o *apptest.Account, b *webhooks.WebhookBatch) *webhooks.WebhookBatch {
	o.Helper()
	next, err := o.App.Webhooks.WebhookDelivered(o.Context(), b, false)
	o.Must(err)
	return next
}

func failed(o *apptest.Account, b *webhooks.WebhookBatch) time.Duration {
	o.Helper()
	wait, err := o.App.Webhooks.WebhookFailed(o.Context(), b, errors.New("status 500"))
	o.Must(err)
	return wait
}

// wantEvents checks the events of a batch. An event is written as "contact created 3".
func wantEvents(o *apptest.Account, b *webhooks.WebhookBatch, want ...string) {
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

func webhookDefinitions(o *apptest.Account) {
	list := o.AddList()
	first := o.Webhook(o.AddWebhook("contact", "created"))
	key, ok := webhooks.WebhookKey(first.Secret)
	if !ok || len(key) != 32 || first.CreationTime != o.Now.Unix() || first.ListID != 0 || first.URL != apptest.Hook {
		o.Errorf("the new webhook is %+v, want its URL, all Lists, the current time and a secret of 32 bytes", first)
	}
	second := o.Webhook(o.AddWebhook("contact", "subscribed", "list_id", list))
	other := o.Webhook(o.AddWebhook("list", "removed", "url", apptest.Hook+"2"))
	if second.Secret != first.Secret || second.Target != first.Target {
		o.Error("two webhooks with the same URL have different secrets or targets, want equal ones")
	}
	if other.Secret == first.Secret || other.Target == first.Target {
		o.Error("two webhooks with different URLs have the same secret or target, want different ones")
	}
	own := "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	if w := o.Webhook(o.AddWebhook("list", "updated", "secret", own)); w.Secret != own || w.Target == first.Target {
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
		{"fragment", []any{"url", apptest.Hook + "#x"}},
		{"2,048", []any{"url", "https://shop.example.com/" + strings.Repeat("a", 2048)}},
		{"port", []any{"url", "https://shop.example.com:0/"}},
		{"port", []any{"url", "https://shop.example.com:65536/"}},
		{"secret", []any{"secret", "whsec_"}},
		{"secret", []any{"secret", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}},
		{"secret", []any{"secret", "whsec_MfKQ"}},
		{"secret", []any{"secret", "whsec_" + strings.Repeat("AAAA", 22)}},
	} {
		pairs := append([]any{"object", "contact", "event", "created", "url", apptest.Hook}, c.pairs...)
		_, err := o.App.Webhooks.AddWebhook(o.Context(), o.Caller, apptest.Details(pairs...))
		o.Refused(err, enlist.InvalidParameters, c.about)
	}
	for _, list := range []any{-1, "x", false} {
		_, err := o.App.Webhooks.AddWebhook(o.Context(), o.Caller,
			apptest.Details("object", "contact", "event", "created", "url", apptest.Hook, "list_id", list))
		o.Refused(err, enlist.NoList, "")
	}
	for i := range 97 {
		o.AddWebhook("contact", "updated", "url", fmt.Sprint(apptest.Hook, i))
	}
	_, err := o.App.Webhooks.AddWebhook(o.Context(), o.Caller, apptest.Details("object", "contact", "event", "created", "url", apptest.Hook))
	o.Refused(err, enlist.InvalidParameters, "100 webhooks")
	o.AddWebhook("contact", "created", "list_id", list)
}

// webhookKeys tests which webhooks a caller may read and change. reference.md: auth.restricted
func webhookKeys(o *apptest.Account) {
	mine, yours := o.AddList(), o.AddList("name", "Yours")
	all := o.AddWebhook("contact", "created")
	ofMine := o.AddWebhook("contact", "created", "list_id", mine)
	ofYours := o.AddWebhook("contact", "created", "list_id", yours)
	stranger, some := o.NewCaller(), o.Restricted(mine)
	for _, id := range []enlist.WebhookID{all, ofMine, 999, -1} {
		_, err := o.App.Webhooks.Webhook(o.Context(), stranger, id)
		o.Refused(err, enlist.InvalidParameters, "no webhook")
		_, err = o.App.Webhooks.EditWebhook(o.Context(), stranger, id, nil)
		o.Refused(err, enlist.InvalidParameters, "no webhook")
		o.Refused(o.App.Webhooks.DeleteWebhook(o.Context(), stranger, id), enlist.InvalidParameters, "no webhook")
	}
	for _, id := range []enlist.WebhookID{all, ofYours} {
		_, err := o.App.Webhooks.Webhook(o.Context(), some, id)
		o.Refused(err, enlist.Denied, "restricted")
		_, err = o.App.Webhooks.EditWebhook(o.Context(), some, id, apptest.Details("list_id", mine))
		o.Refused(err, enlist.Denied, "restricted")
		o.Refused(o.App.Webhooks.DeleteWebhook(o.Context(), some, id), enlist.Denied, "restricted")
	}
	for _, list := range []enlist.ListID{0, yours} {
		_, err := o.App.Webhooks.EditWebhook(o.Context(), some, ofMine, apptest.Details("list_id", list))
		o.Refused(err, enlist.Denied, "restricted")
	}
	_, err := o.App.Webhooks.AddWebhook(o.Context(), stranger,
		apptest.Details("object", "list", "event", "created", "url", apptest.Hook, "list_id", mine))
	o.Refused(err, enlist.NoList, "no List")
	found, err := o.App.Webhooks.SearchWebhooks(o.Context(), some, enlist.Query{})
	o.Must(err)
	if len(found) != 1 || found[0].ID != ofMine {
		o.Errorf("a restricted key found %+v, want only the webhook of its List", found)
	}
	// If a caller is not allowed to read a webhook, it also does not get the secret of the webhook.
	third := o.AddList()
	id, err := o.App.Webhooks.AddWebhook(o.Context(), o.Restricted(third),
		apptest.Details("object", "list", "event", "updated", "url", apptest.Hook, "list_id", third))
	o.Must(err)
	if o.Webhook(id).Secret == o.Webhook(all).Secret {
		o.Error("a restricted key got the secret of a webhook for all Lists")
	}
}

// webhookBatches tests that the events of all webhooks with the same URL are in the same batches, in the
// order of the events.
func webhookBatches(o *apptest.Account) {
	list := o.AddList()
	subscribed, created := o.AddWebhook("contact", "subscribed"), o.AddWebhook("contact", "created", "list_id", list)
	o.AddWebhook("contact", "updated", "list_id", o.AddList())
	target := o.Webhook(created).Target
	if o.Webhook(subscribed).Target != target || take(o, target, 1) != nil {
		o.Fatal("two webhooks with the same URL have two targets, or an event waits before the first change")
	}
	for i := range 60 {
		o.Subscribe(list, "Email", fmt.Sprintf("p%d@example.com", i))
	}
	b := take(o, target, 1)
	if len(b.Events) != 100 || b.URL != apptest.Hook || b.Secret != o.Webhook(created).Secret {
		o.Fatalf("the batch has %d events for %s, want 100 for the URL and secret of the webhook", len(b.Events), b.URL)
	}
	for i, e := range b.Events {
		want := enlist.WebhookEvent{ID: e.ID, Target: target, Webhook: created, List: list,
			Contact: enlist.ContactID(i/2 + 1), Object: enlist.AboutContact, Event: enlist.WebhookCreated,
			Time: o.Now.Unix()}
		if i%2 == 1 {
			want.Webhook, want.Event = subscribed, enlist.WebhookSubscribed
		}
		apptest.Same(o.T, "event", e, want)
	}
	next := delivered(o, b)
	if len(next.Events) != 20 || next.ID == b.ID || next.Events[0].Contact != 51 {
		o.Errorf("the next batch is %+v, want 20 events and a new ID", next)
	}
	if delivered(o, next) != nil || take(o, target, 2) != nil {
		o.Error("a third batch exists, want only two")
	}
}

// webhookFailures tests that jobs send a failed batch again unchanged, 6 times in about 7.6 hours. After that
// the batch stays stored, until an operator or an edit of the webhook resumes the deliveries.
func webhookFailures(o *apptest.Account) {
	list := o.AddList()
	id := o.AddWebhook("contact", "created")
	target := o.Webhook(id).Target
	o.Subscribe(list, "Email", "a@example.com")
	first := take(o, target, 1)
	gaps := []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour}
	b := first
	for i, gap := range gaps {
		o.Subscribe(list, "Email", fmt.Sprintf("b%d@example.com", i))
		wait := failed(o, b)
		if wait < gap || wait > gap+gap/10 {
			o.Errorf("after %d failures the job waits %s, want the planned time or up to 10 percent more", i+1, wait)
		}
		o.Now = o.Now.Add(wait - time.Second)
		if take(o, target, 2) != nil {
			o.Error("another job got the batch before the time of the next attempt")
		}
		if b, wait, err := o.App.Webhooks.TakeWebhookEvents(o.Context(), target, 1); b != nil || wait != time.Second || err != nil {
			o.Errorf("the job asks a second too early: batch %v, wait %s, error %v; want no batch and 1s", b, wait, err)
		}
		o.Now = o.Now.Add(time.Second)
		b = take(o, target, 1)
		wantEvents(o, b, "contact created 1")
		if b.ID != first.ID {
			o.Errorf("the batch had the ID %s and now has the ID %s, want the same ID", first.ID, b.ID)
		}
	}
	if wait := failed(o, b); wait != 0 {
		o.Errorf("after 7 failures the job waits %s, want no further attempt", wait)
	}
	if w := o.Webhook(id); !w.IsFailing || w.LastError != "status 500" {
		o.Errorf("after 7 failures the webhook is %+v, want it failing with the error of the last attempt", w)
	}
	o.Subscribe(list, "Email", "c@example.com") // this event stays stored

	// An operator runs the job twice. The first attempt fails, and the second attempt delivers the batch.
	if b := take(o, target, 1); b.ID != first.ID || failed(o, b) != 0 || !o.Webhook(id).IsFailing {
		o.Error("the operator's job got another batch, or the webhook is not failing after it")
	}
	b = delivered(o, take(o, target, 1))
	wantEvents(o, b, "contact created 2", "contact created 3", "contact created 4", "contact created 5",
		"contact created 6", "contact created 7", "contact created 8")
	if w := o.Webhook(id); w.IsFailing || w.LastError != "" {
		o.Errorf("after a delivery the webhook is %+v, want it not failing and without an error", w)
	}

	// The receiver replies 410 Gone. Editing the webhook resumes the deliveries.
	wait, err := o.App.Webhooks.WebhookFailed(o.Context(), b, webhooks.ErrWebhookGone)
	if wait != 0 || err != nil || !o.Webhook(id).IsFailing {
		o.Errorf("after 410 Gone: wait %s, error %v; want no wait and a failing webhook", wait, err)
	}
	editWebhook(o, id)
	if again := take(o, target, 3); again.ID != b.ID || o.Webhook(id).IsFailing || delivered(o, again) != nil {
		o.Error("after an edit, the job did not get the same batch")
	}
}

// webhookLeases tests that only one job at a time has the lease of a target. When the lease has expired,
// another job can take over.
func webhookLeases(o *apptest.Account) {
	list := o.AddList()
	target := o.Webhook(o.AddWebhook("contact", "created")).Target
	o.Subscribe(list, "Email", "a@example.com")
	b := take(o, target, 1)
	if take(o, target, 2) != nil {
		o.Error("two jobs have the lease of one target, want one")
	}
	if again := take(o, target, 1); again == nil || again.ID != b.ID {
		o.Error("a job that runs again did not get its batch")
	}
	o.Now = o.Now.Add(61 * time.Second)
	o.Subscribe(list, "Email", "b@example.com")
	late := take(o, target, 2)
	wantEvents(o, late, "contact created 1")
	if late.ID != b.ID {
		o.Error("the batch of a dead job has a new ID, want the same ID")
	}
	// The first job is still alive and has delivered its events. These events are removed, but the other
	// job keeps the lease.
	if delivered(o, b) != nil || failed(o, b) != 0 || take(o, target, 3) != nil {
		o.Error("the second job lost its lease")
	}
	wantEvents(o, delivered(o, late), "contact created 2")
	o.Must(o.App.Webhooks.ReleaseWebhook(o.Context(), late))
	b = take(o, target, 3)
	if next, err := o.App.Webhooks.WebhookDelivered(o.Context(), b, true); next != nil || err != nil {
		o.Error("a job that stops got another batch:", err)
	}
	if take(o, target, 4) != nil {
		o.Error("an event is left, want none")
	}
}

// webhookClock sets the clock back, so that stored times are in the future. This must not delay a delivery.
func webhookClock(o *apptest.Account) {
	list := o.AddList()
	target := o.Webhook(o.AddWebhook("contact", "created")).Target
	o.Subscribe(list, "Email", "a@example.com")
	take(o, target, 1)
	o.Now = o.Now.Add(-time.Hour)
	b := take(o, target, 2)
	if b == nil {
		o.Fatal("the lease did not end after the clock was set back by an hour")
	}
	failed(o, b)
	o.Now = o.Now.Add(-24 * time.Hour)
	if take(o, target, 3) == nil {
		o.Error("the next attempt waits until the clock reaches a time that was stored before")
	}
}

// webhookJobs tests that only one job at a time waits for a target. An event adds another job only if the
// waiting job has started, or has not started within a minute.
func webhookJobs(o *apptest.Account) {
	list := o.AddList()
	target := o.Webhook(o.AddWebhook("contact", "created")).Target
	n := 0
	after := func(what string, want int) {
		o.Helper()
		n++
		o.Subscribe(list, "Email", fmt.Sprintf("p%d@example.com", n))
		if got := o.Jobs("call_webhook"); got != want {
			o.Errorf("%s: %d jobs, want %d", what, got, want)
		}
	}
	after("the first event", 1)
	after("a second event", 1)
	b := take(o, target, 1)
	after("an event while a job posts the first two", 2)
	take(o, target, 2) // job 1 holds the lease
	after("an event after the second job has started", 3)
	wantEvents(o, delivered(o, b), "contact created 3", "contact created 4")
	o.Now = o.Now.Add(59 * time.Second)
	after("an event 59 seconds later", 3)
	o.Now = o.Now.Add(time.Second)
	after("an event a minute later", 4)
	o.Now = o.Now.Add(-time.Hour)
	after("an event after the clock was set back", 5)
}
