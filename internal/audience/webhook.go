package audience

// Webhooks are in the files webhook_*.go. A change publishes events into a table in its own
// transaction (webhook_publish.go). A job of package jobs takes them from there in batches
// (webhook_deliver.go), and package webhook posts them.

// Webhook posts events of Lists or Contacts to a URL.
type Webhook struct {
	ID               WebhookID
	AccountID        AccountID
	ListID           ListID // 0: all Lists of the Account
	Object           WebhookObject
	Event            WebhookEventType
	CreationTime     int64
	LastModifiedTime int64

	// The rest belongs to the target, which several webhooks may share.
	Target    WebhookTargetID
	URL       string
	Secret    string // "whsec_" and the key in base64, as in Standard Webhooks
	IsFailing bool   // the server has given up; events are kept
	LastError string // of the last attempt, "" if it succeeded; a Schema may have an old one
}

// WebhookTarget is where webhooks post to. Webhooks of an Account with the same URL and secret
// share one target, so that their events arrive together and in order. decisions.md: 52
type WebhookTarget struct {
	ID         WebhookTargetID
	URL        string
	Secret     string
	IsFailing  bool
	IsOrphaned bool // no webhook refers to it any more

	// The state of the delivery. Times are in Unix seconds.
	Failures      int64  // attempts in a row that failed
	NextTime      int64  // no attempt before this time
	ScheduledTime int64  // when the waiting job was enqueued; 0: no job waits
	LeaseTime     int64  // until then only the holder may post
	Holder        int64  // the job that has the lease, or had it last
	Batch         string // ID of the batch that is being tried
	BatchUpto     int64  // ID of the last event of that batch
	LastError     string
}

// WebhookObject is what a webhook is about.
type WebhookObject string

// The objects of webhooks.
const (
	AboutList    WebhookObject = "list"
	AboutContact WebhookObject = "contact"
)

// WebhookEventType is the kind of event that a webhook receives.
type WebhookEventType string

// The events of webhooks. Lists and Contacts have the first three in common.
const (
	WebhookCreated      WebhookEventType = "created"
	WebhookUpdated      WebhookEventType = "updated"
	WebhookRemoved      WebhookEventType = "removed"
	WebhookBulkUpdated  WebhookEventType = "bulk_updated" // Lists: one call changed over 100 Contacts, or all
	WebhookSubscribed   WebhookEventType = "subscribed"   // Contacts, as are the rest
	WebhookUnsubscribed WebhookEventType = "unsubscribed"
	WebhookDeactivated  WebhookEventType = "deactivated"
	WebhookReactivated  WebhookEventType = "reactivated"
)

// webhookEvents returns the events of an object, nil for an unknown object.
func webhookEvents(object WebhookObject) []WebhookEventType {
	switch object {
	case AboutList:
		return []WebhookEventType{WebhookCreated, WebhookUpdated, WebhookRemoved, WebhookBulkUpdated}
	case AboutContact:
		return []WebhookEventType{WebhookCreated, WebhookUpdated, WebhookRemoved, WebhookSubscribed,
			WebhookUnsubscribed, WebhookDeactivated, WebhookReactivated}
	}
	return nil
}

// WebhookEvent is one event that waits to be posted for one webhook.
type WebhookEvent struct {
	ID      int64 // rises: events are posted in its order
	Target  WebhookTargetID
	Webhook WebhookID
	List    ListID
	Contact ContactID // 0 for an event of a List
	Object  WebhookObject
	Event   WebhookEventType
	Time    int64
}
