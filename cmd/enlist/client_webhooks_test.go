package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"enlist/api"
	"enlist/internal/config"

	"github.com/google/go-cmp/cmp"
)

// This test uses the webhook methods of the Go client. The receiver of the webhook runs in this process.

// The test subscribes a Contact, and the receiver of the webhook gets the events of this Contact.
func TestClientAddsAWebhookThatReceivesEvents(t *testing.T) {
	received := make(chan []api.WebhookEvent, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var events []api.WebhookEvent
		if err := json.NewDecoder(r.Body).Decode(&events); err != nil || r.Header.Get("webhook-signature") == "" {
			t.Errorf("the body of the webhook request is not JSON, or the request has no signature: error %v, header %v", err, r.Header)
		}
		received <- events
	}))
	defer receiver.Close()
	addr, key := startServerWith(t, config.Serve{WebhookPrivate: true})
	client, ctx := api.NewClient("http://"+addr, key), t.Context()
	defer client.Close()
	first := must(client.AddWebhook(ctx, api.Details{"object": "contact", "event": "created", "url": receiver.URL}))(t)
	second := must(client.AddWebhook(ctx, api.Details{"object": "contact", "event": "updated", "url": receiver.URL, "list_id": 1}))(t)
	must(client.EditWebhook(ctx, api.Details{"id": second, "event": "subscribed"}))(t)
	w := must(client.GetWebhookByID(ctx, second))(t)
	want := &api.Webhook{ID: second, ListID: 1, Object: "contact", Event: "subscribed", URL: receiver.URL, CreationTime: w.CreationTime,
		LastModifiedTime: w.LastModifiedTime, Secret: must(client.GetWebhookByID(ctx, first))(t).Secret}
	if diff := cmp.Diff(want, w); diff != "" || w.Secret == "" {
		t.Errorf("getWebhookById: %s", diff)
	}
	want.Secret = ""
	if found := must(client.SearchWebhooks(ctx, api.Query{Criteria: api.Criteria{api.Test{"event", "exactly", "subscribed"}}}))(t); !cmp.Equal(found, []api.Webhook{*want}) {
		t.Errorf("searchWebhooks: %+v", found)
	}
	before := time.Now().Unix()
	contact := must(client.SubscribeContact(ctx, 1, api.Details{"Email": "ada@example.com"}, api.Consent{}))(t)
	select {
	case events := <-received:
		want := []api.WebhookEvent{{ListID: 1, ContactID: contact, Object: "contact", Event: "created", Timestamp: events[0].Timestamp}}
		want = append(want, want[0])
		want[1].Event = "subscribed"
		if diff := cmp.Diff(want, events); diff != "" || want[0].Timestamp < before {
			t.Errorf("events since %d: %s", before, diff)
		}
	case <-time.After(time.Minute):
		t.Fatal("no event arrived within a minute")
	}
	must(0, client.DeleteWebhook(ctx, first))(t)
	if n := must(client.CountWebhooks(ctx, nil))(t); n != 1 {
		t.Errorf("countWebhooks: %d", n)
	}
}
