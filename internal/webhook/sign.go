package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"enlist/internal/audience"
)

// This file makes the body and the signature of a POST.

// event is the JSON of one event. specification: Webhooks
type event struct {
	List    audience.ListID           `json:"list_id"`
	Contact audience.ContactID        `json:"contact_id,omitempty"`
	Object  audience.WebhookObject    `json:"object"`
	Event   audience.WebhookEventType `json:"event"`
	Time    int64                     `json:"timestamp"`
}

// encode returns the body of a POST. The same events give the same bytes, so every attempt with
// a batch posts the same body.
func encode(events []audience.WebhookEvent) ([]byte, error) {
	posted := make([]event, len(events))
	for i := range events {
		e := &events[i]
		posted[i] = event{e.List, e.Contact, e.Object, e.Event, e.Time}
	}
	return json.Marshal(posted)
}

// sign sets the headers of Standard Webhooks. The timestamp is that of this attempt, so that a
// receiver can refuse a recorded request that an attacker sends again.
func sign(h http.Header, b *audience.WebhookBatch, now time.Time, body []byte) error {
	key, ok := audience.WebhookKey(b.Secret)
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
