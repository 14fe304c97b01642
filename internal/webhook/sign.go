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

// event is one event as it is posted. specification: Webhooks
type event struct {
	List    audience.ListID           `json:"list_id"`
	Contact audience.ContactID        `json:"contact_id,omitempty"`
	Object  audience.WebhookObject    `json:"object"`
	Event   audience.WebhookEventType `json:"event"`
	Time    int64                     `json:"timestamp"`
}

// encode makes the body of a POST: the same events give the same bytes.
func encode(events []audience.WebhookEvent) ([]byte, error) {
	posted := make([]event, len(events))
	for i := range events {
		e := &events[i]
		posted[i] = event{e.List, e.Contact, e.Object, e.Event, e.Time}
	}
	return json.Marshal(posted)
}

// sign sets the headers of Standard Webhooks. The time is that of the try, so
// that a receiver can refuse what somebody recorded and sends again.
func sign(h http.Header, b *audience.WebhookBatch, now time.Time, body []byte) error {
	key, ok := audience.WebhookKey(b.Secret)
	if !ok {
		return errors.New("the secret is none")
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
