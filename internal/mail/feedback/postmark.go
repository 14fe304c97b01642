package feedback

import (
	"context"
	"errors"
	"net/http"
	"time"

	"enlist/internal/mail/reply"
)

// This file has the provider Postmark. It posts one event in a request and signs nothing, so only the secret of the URL
// shows that a request is from Postmark.

func newPostmark(key string) (reader, error) {
	if key != "" {
		return nil, errors.New("requests of Postmark are not signed: leave ENLIST_BOUNCE_KEY out")
	}
	return readPostmark, nil
}

// postmarkFields returns a field of metadata, which Postmark removes from the mail and repeats in events.
func postmarkFields(tag string) string { return "X-PM-Metadata-" + variable + ": " + tag + "\r\n" }

// postmarkEvent has the keys of an event that the service reads.
type postmarkEvent struct {
	RecordType        string
	Type              string // of a Bounce
	Details           string // the reply of the recipient's mail server
	Description       string
	SuppressSending   bool   // of a SubscriptionChange: false if sending is allowed again
	SuppressionReason string // ManualSuppression, or HardBounce and SpamComplaint, which have events of their own
	Origin            string // who caused a SubscriptionChange: Recipient, Customer or Admin
	Metadata          struct{ Enlist string }
}

func readPostmark(_ context.Context, _ http.Header, body []byte, _ time.Time) ([]event, error) {
	var e postmarkEvent
	if err := decode(body, &e); err != nil {
		return nil, err
	}
	detail := e.Details
	if detail == "" {
		detail = e.Description
	}
	return []event{{e.kind(), e.Metadata.Enlist, reply.Detail("", detail)}}, nil
}

// kind returns what an event means. Postmark tells bounces of the address from blocked and delayed mails by their type.
func (e *postmarkEvent) kind() kind {
	switch {
	case e.RecordType == "SpamComplaint", e.RecordType == "Bounce" && e.Type == "SpamComplaint":
		return complaint
	case e.RecordType == "Bounce" && e.Type == "Unsubscribe",
		e.RecordType == "SubscriptionChange" && e.SuppressSending && e.SuppressionReason == "ManualSuppression" &&
			e.Origin == "Recipient":
		return unsubscribe
	case e.RecordType == "Bounce":
		switch e.Type {
		case "HardBounce", "BadEmailAddress", "ManuallyDeactivated":
			return bounce
		case "Blocked", "SpamNotification", "VirusNotification", "DMARCPolicy":
			return refusal
		}
	}
	return ignored
}
