package events

import "enlist/internal/enlist"

// Notify sends one notification about one Contact to one of the List's addresses.
// reference.md: event.notification
type Notify struct {
	List    enlist.ListID    `json:"list_id"`
	Contact enlist.ContactID `json:"contact_id"`
	Event   enlist.Event     `json:"event"`
	Address string           `json:"address"`
	Time    int64            `json:"time"` // of the event
}

// Kind implements Effect.
func (Notify) Kind() string { return "notify" }

// Autorespond sends an autoresponder's Message to one Contact, once for the event at Time.
// reference.md: event.autoresponders
type Autorespond struct {
	List          enlist.ListID          `json:"list_id"`
	Contact       enlist.ContactID       `json:"contact_id"`
	Autoresponder enlist.AutoresponderID `json:"autoresponder_id"`
	Time          int64                  `json:"time"`
	Due           int64                  `json:"due"` // when the Message is to be sent
}

// Kind implements Effect.
func (Autorespond) Kind() string { return "autorespond" }

// DueTime returns when the Message is to be sent.
func (a Autorespond) DueTime() int64 { return a.Due }

// DeliverWebhook posts the events that wait for a webhook target. The events themselves are
// in a table, so that one job can post many of them.
type DeliverWebhook struct {
	Target  enlist.WebhookTargetID `json:"target_id"`
	Account enlist.AccountID       `json:"account_id,omitempty"` // 0 in jobs that only delete events
}

// Kind implements Effect.
func (DeliverWebhook) Kind() string { return "call_webhook" }
