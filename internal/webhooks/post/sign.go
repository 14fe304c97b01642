package post

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"enlist/internal/enlist"
	"enlist/internal/webhooks"
)

// This file makes the body and the signature of a POST.

// event is one event as it is written in JSON. reference.md: Webhooks
type event struct {
	List    enlist.ListID           `json:"list_id"`
	Contact enlist.ContactID        `json:"contact_id,omitempty"`
	Batch   enlist.BatchID          `json:"batch_id,omitempty"`
	Object  enlist.WebhookObject    `json:"object"`
	Event   enlist.WebhookEventType `json:"event"`
	Time    int64                   `json:"timestamp"`
}

// encode returns the body of a POST. It returns the same bytes for the same events, so every
// attempt to post a batch sends the same body.
func encode(events []enlist.WebhookEvent) ([]byte, error) {
	posted := make([]event, len(events))
	for i := range events {
		e := &events[i]
		posted[i] = event{e.List, e.Contact, e.Batch, e.Object, e.Event, e.Time}
	}
	return json.Marshal(posted)
}

// sign sets the headers of Standard Webhooks. The timestamp is the time of this attempt, so that
// a receiver can refuse an old request that an attacker recorded and sends again. sign returns an
// error if the webhook's secret is not valid.
func sign(h http.Header, b *webhooks.WebhookBatch, now time.Time, body []byte) error {
	key, ok := webhooks.WebhookKey(b.Secret)
	if !ok {
		return errors.New("the webhook's secret is not valid; edit the webhook to set one")
	}
	timestamp := strconv.FormatInt(now.Unix(), 10)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(b.ID + "." + timestamp + "."))
	mac.Write(body)
	h.Set("webhook-id", b.ID)
	h.Set("webhook-timestamp", timestamp)
	h.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return nil
}
