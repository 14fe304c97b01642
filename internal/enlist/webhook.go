package enlist

// The transaction of a change stores events in a table (events/webhook.go). A job takes the events
// from the table in batches (webhooks/deliver.go), and package webhooks/post posts them.

// Webhook posts events of Lists or Contacts to a URL.
type Webhook struct {
	ID               WebhookID
	AccountID        AccountID
	ListID           ListID // 0: all Lists of the Account
	Object           WebhookObject
	Event            WebhookEventType
	CreationTime     int64
	LastModifiedTime int64

	// The following fields belong to the target, which several webhooks may share.
	Target    WebhookTargetID
	URL       string
	Secret    string // "whsec_" and the key in base64, as the specification Standard Webhooks defines
	IsFailing bool   // the server makes no further attempt; events are kept
	LastError string // of the last attempt; "" if it succeeded; may be out of date in a Schema
}

// WebhookObject says whether a webhook is about Lists, Contacts or Batches.
type WebhookObject string

// The objects of webhooks.
const (
	AboutList    WebhookObject = "list"
	AboutContact WebhookObject = "contact"
	AboutBatch   WebhookObject = "batch"
)

// WebhookEventType is the kind of event that a webhook receives.
type WebhookEventType string

// The events of webhooks. Both Lists and Contacts have the first three events.
const (
	WebhookCreated      WebhookEventType = "created"
	WebhookUpdated      WebhookEventType = "updated"
	WebhookRemoved      WebhookEventType = "removed"
	WebhookBulkUpdated  WebhookEventType = "bulk_updated" // only Lists: over 100 Contacts changed, or List cleared
	WebhookSubscribed   WebhookEventType = "subscribed"   // this and the following: only Contacts
	WebhookUnsubscribed WebhookEventType = "unsubscribed"
	WebhookDeactivated  WebhookEventType = "deactivated"
	WebhookReactivated  WebhookEventType = "reactivated"
	WebhookOpened       WebhookEventType = "opened"
	WebhookClicked      WebhookEventType = "clicked"
	WebhookBounced      WebhookEventType = "bounced"
	WebhookComplained   WebhookEventType = "complained"
	WebhookCompleted    WebhookEventType = "completed" // only Batches
)

// WebhookEvents returns the events of an object, or nil for an unknown object.
func WebhookEvents(object WebhookObject) []WebhookEventType {
	switch object {
	case AboutList:
		return []WebhookEventType{WebhookCreated, WebhookUpdated, WebhookRemoved, WebhookBulkUpdated}
	case AboutContact:
		return []WebhookEventType{WebhookCreated, WebhookUpdated, WebhookRemoved, WebhookSubscribed,
			WebhookUnsubscribed, WebhookDeactivated, WebhookReactivated, WebhookOpened, WebhookClicked,
			WebhookBounced, WebhookComplained}
	case AboutBatch:
		return []WebhookEventType{WebhookCompleted}
	}
	return nil
}

// WebhookEvent is one event that waits to be posted for one webhook.
type WebhookEvent struct {
	ID      int64 // rises with each event; events are posted in order of ID
	Target  WebhookTargetID
	Webhook WebhookID
	List    ListID
	Contact ContactID // 0 for an event of a List or of a Batch
	Batch   BatchID   // of the mail; 0 for events that no Batch caused
	Object  WebhookObject
	Event   WebhookEventType
	Time    int64
}
